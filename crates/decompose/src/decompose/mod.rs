//! The whole way from a net to its parts.

mod by_phase;

use self::by_phase::Prove;

use std::time::{Duration, Instant};

use gambol_analysis::{Clause, FixedFluents, Shape};
use gambol_index::{Id, IndexVec};
use gambol_net::rewrite::from_state;
use gambol_net::{FluentId, MoveId, Net, State};

use crate::canonical::Canonical;
use crate::decomposition::{Decomposition, Phase, Times};
use crate::dependencies::lossless_join::Idle;
use crate::dependencies::sampled::{
    Material, Pairs, Reads, join_alternatives, tie, tie_clusters, untested,
};
use crate::dependencies::series::stages;
use crate::dependencies::structural::connected;
use crate::dependencies::unreached::Reached;
use crate::evaluate::lanes::{Lanes, cone};
use crate::evaluate::scope::Scope;
use crate::goals::joins::{
    join_by_goals, join_by_victories, join_compared, parts_in_goal, parts_read,
};
use crate::goals::subgoal::{Condition, Conditions, conditions};
use crate::goals::termination::{ends_alone, join_by_end};
use crate::goals::thresholds::by_thresholds;
use crate::options::{DecomposeOptions, Method};
use crate::partition::Partition;
use crate::parts::assemble::{Draft, assemble};
use crate::parts::by_reading::by_reading;
use crate::parts::clock_assignment::{Belonging, is_turn};
use crate::parts::cut::{Cut, Pieces};
use crate::parts::derived::{Followers, active};
use crate::parts::grouping::join_families;
use crate::prove::finest::find_ties;
use crate::prove::prover::Prover;
use crate::prove::refutation::Shown;
use crate::sample::interventions::{Observation, Play};
use crate::sample::outcome::PartOf;
use crate::variables::clock::clocks;
use crate::variables::independent::{Behaviour, behaviours, independent_fluents, spread_by_rules};
use crate::variables::unit::Units;
use gambol_run::{Budget, Deadline};

/// Ways for a clock to end the game that are looked at.
const MOST_TIMES: usize = 4;
/// The share of the time for playouts: without the search for ties they say nothing.
const PLAYOUTS: f64 = 0.5;
/// Games after which it is seen whether more are needed.
const FIRST: u64 = 1_000;
/// Times that a cut is repaired.
const MOST_REPAIRS: usize = 64;
/// Time for questions about the goals.
const A_MOMENT: Duration = Duration::from_secs(1);
/// Seconds for proofs at most.
const PROOF_SECONDS: f64 = 50.0;

/// Takes a game apart. The cut does not depend on names, nor do the numbers of its parts except where
/// parts are alike.
pub fn decompose(net: &Net, options: &DecomposeOptions) -> Decomposition {
    decompose_in_steps(net, None, options, &mut |_| {})
}

/// Takes a game apart whose shape is known, so that its invariants need not be proved again.
pub fn decompose_with_shape(net: &Net, shape: &Shape, options: &DecomposeOptions) -> Decomposition {
    decompose_in_steps(net, Some(shape), options, &mut |_| {})
}

/// Takes a game apart, and tells each answer that is better than the one before: what reading shows,
/// what play shows, and at last, as the result, what is proved. Whoever must stop early has the last one.
pub fn decompose_in_steps(
    net: &Net,
    shape: Option<&Shape>,
    options: &DecomposeOptions,
    tell: &mut dyn FnMut(Decomposition),
) -> Decomposition {
    let deadline = Deadline::start(&Budget { time: options.time, stop: options.stop.clone() });
    let order = Canonical::of(net);
    let mut there = order.net(net);
    let mut invariants = shape.map(|shape| order.clauses_here(&shape.invariants));
    if let Some(fluents) = &options.at {
        // What play has fixed is read no more. Nobody says that play leads to this state.
        (there, _) = from_state(&there, &order.fluent_here(fluents));
        invariants = None;
    }
    let mut work = Work::new(&there, options, deadline);
    work.invariants = invariants;
    let mut found = work.run(&mut |mut found| {
        order.back(&mut found);
        tell(found);
    });
    order.back(&mut found);
    found
}

/// The phases of a game with proved crossing points, if `options` ask for proofs. Their parts are as play shows them.
pub fn phases(net: &Net, options: &DecomposeOptions) -> Vec<Phase> {
    let deadline = Deadline::start(&Budget { time: options.time, stop: options.stop.clone() });
    let order = Canonical::of(net);
    let there = order.net(net);
    let mut work = Work::new(&there, options, deadline);
    let mut play = Play::new(&there, options.seed);
    work.play(&mut play, options.playouts.min(FIRST));
    let mut phases = work.phases(&play, &work.fixed.invariants(), Prove::Points);
    phases.iter_mut().for_each(|phase| order.phase_back(phase));
    phases
}

struct Work<'a> {
    net: &'a Net,
    options: &'a DecomposeOptions,
    deadline: Deadline,
    fixed: FixedFluents,
    /// Clauses that are proved to hold in every state of play, if somebody looked for them.
    invariants: Option<Vec<Clause>>,
    /// The phase that is taken apart, if not the whole game.
    scope: Option<Scope>,
    times: Times,
}

/// What play has shown, and what the goals ask for.
struct Sample<'a> {
    seen: &'a Observation,
    states: &'a [&'a State],
    conditions: &'a Conditions,
}

/// The parts that ties and goals leave.
struct Ties {
    parts: Partition,
    /// Whether they fade while others are played.
    fading: bool,
    /// Pieces that a move was seen to act in at once; none if it is by thresholds of the score that parts are apart.
    combined: Option<Pairs>,
}

/// A part, by the piece that stands for it, with its fluents.
type Fluents = (u32, Vec<FluentId>);

impl<'a> Work<'a> {
    fn new(net: &'a Net, options: &'a DecomposeOptions, deadline: Deadline) -> Self {
        let (fixed, times) = (FixedFluents::of(net), Times::default());
        Self { net, options, deadline, fixed, invariants: None, scope: None, times }
    }

    fn run(mut self, tell: &mut dyn FnMut(Decomposition)) -> Decomposition {
        tell(by_reading(self.net, &self.fixed));
        let mut play = Play::new(self.net, self.options.seed);
        let mut found = self.parts(&mut play, tell);
        // Phases may take long, and what is proved by now must not be lost.
        tell(Decomposition { complete: false, ..found.clone() });
        found.phases = self.phases(&play, &found.invariants, Prove::PointsAndParts);
        found.complete &= !self.deadline.is_over();
        found
    }

    /// Takes apart what is played: the whole game, or a phase.
    fn parts(&mut self, play: &mut Play<'_>, tell: &mut dyn FnMut(Decomposition)) -> Decomposition {
        let mut lanes = Lanes::within(self.net, self.scope.clone());
        // What a rulesheet fixes from the start is part of its conditions; what play has fixed is not.
        let known =
            |fluent: FluentId| self.options.at.as_ref().and_then(|_| self.fixed.value(fluent));
        let conditions = conditions(self.net, &known, &|fluent| self.fixed.value(fluent).is_some());
        self.play(play, self.options.playouts.min(FIRST));
        let mut cut = self.cut(&mut lanes, play.seen(), &conditions);
        // More games cannot take apart what is one piece.
        let is_one = cut.played(self.net) < 2 && play.has_settled();
        if !is_one && self.options.playouts > FIRST && !self.deadline.is_over() {
            self.play(play, self.options.playouts);
            cut = self.cut(&mut lanes, play.seen(), &conditions);
        }
        let started = Instant::now();
        let seen = play.seen();
        let mut states: Vec<&State> = seen.met.iter().map(|met| &met.state).collect();
        witnesses(&cut.pieces, seen, &mut states);
        let sample = Sample { seen, states: &states, conditions: &conditions };
        // A proof may show that what is not reached ties nothing; without one nothing is known.
        let mut careful = cut.clone();
        let doubtful = !self.options.keep_doubtful && careful.join_doubts();
        let mut decomposition = self.assembled(&mut lanes, &mut careful, &sample);
        self.times.decompose += started.elapsed();
        if self.options.prove {
            tell(Decomposition { complete: false, ..decomposition.clone() });
            let started = Instant::now();
            let within = self.deadline.within(Duration::from_secs_f64(PROOF_SECONDS));
            if doubtful {
                decomposition = self.assembled(&mut lanes, &mut cut, &sample);
            }
            self.prove(&mut lanes, &mut cut, &sample, &within, &mut decomposition);
            if !decomposition.sound.is_proved() && cut.join_doubts() {
                let repairs = decomposition.repairs;
                decomposition = self.assembled(&mut lanes, &mut cut, &sample);
                self.prove(&mut lanes, &mut cut, &sample, &within, &mut decomposition);
                decomposition.repairs.splice(0..0, repairs);
            }
            decomposition.complete &= !self.deadline.is_over();
            self.times.prove = started.elapsed();
        }
        decomposition.times = self.times;
        decomposition
    }

    fn play(&mut self, play: &mut Play<'_>, playouts: u64) {
        let started = Instant::now();
        play.until(playouts, &self.deadline.share(PLAYOUTS));
        self.times.playouts += started.elapsed();
    }

    /// The cut that play and the rules suggest.
    fn cut(&mut self, lanes: &mut Lanes<'_>, seen: &Observation, conditions: &Conditions) -> Cut {
        let started = Instant::now();
        let units = Units::of(self.net, seen);
        let mut behaviours = behaviours(&units, seen);
        let mut pieces = self.pieces(&units, &behaviours, seen);
        // In a series what begins later looks at what is over.
        let serial = pieces.stages.iter().any(Option::is_some);
        if self.options.method != Method::Statistical && !serial {
            spread_by_rules(self.net, &units, &mut behaviours);
            pieces = self.pieces(&units, &behaviours, seen);
        }
        let independent = independent_fluents(&units, &behaviours);
        let mut states: Vec<&State> = seen.met.iter().map(|met| &met.state).collect();
        let witnesses = witnesses(&pieces, seen, &mut states);
        let material = Material {
            pieces: pieces.fluents.clone(),
            independent,
            witnesses,
            stages: pieces.stages.clone(),
            acts_on: pieces.acts_on.clone(),
            states,
            beginning: match self.options.method {
                Method::Structural => connected(self.net, &pieces.fluents, &pieces.acts_on),
                Method::Statistical | Method::Auto => Partition::singletons(pieces.fluents.len()),
            },
        };
        let Ties { mut parts, mut fading, combined } =
            self.tied(lanes, &pieces, &material, conditions);
        if self.deadline.is_over() {
            // There was no time to look for all ties: what is not known to be apart stays together.
            parts.join_all(0..pieces.fluents.len() as u32);
            fading = false;
        }
        let adrift = self.join_followers(lanes, &pieces, seen, &mut parts);
        self.join_useless(&pieces, &mut parts);
        if parts.len() > 2 && !fading {
            (parts, fading) = self.join_clusters(lanes, &pieces, &material, conditions, parts);
        }
        if parts.len() > 1 && !material.states.is_empty() {
            let seed = self.options.seed.wrapping_add(4);
            parts = join_alternatives(lanes, &material, parts, seed, &self.deadline);
        }
        // Where parts fade, moves act in all of them.
        let mut doubts = match combined.filter(|_| !fading) {
            Some(combined) => untested(&combined, &pieces.acts_on, &mut parts),
            None => Vec::new(),
        };
        if self.options.method != Method::Statistical {
            doubts.extend(self.unreached(&pieces, seen, &mut parts));
        }
        let mut running: Vec<Vec<FluentId>> = units
            .fluents
            .iter_ids()
            .filter(|&(unit, _)| behaviours[unit] == Behaviour::Independent)
            .map(|(_, fluents)| fluents.clone())
            .collect();
        running.extend(adrift.iter().map(|&piece| pieces.fluents[piece as usize].clone()));
        self.times.decompose += started.elapsed();
        Cut { pieces, parts, running, fading, doubts }
    }

    /// Parts that only what play does not reach would tie.
    fn unreached(
        &self,
        pieces: &Pieces,
        seen: &Observation,
        parts: &mut Partition,
    ) -> Vec<(u32, u32)> {
        let reached = Reached {
            net: self.net,
            seen,
            fixed: &self.fixed,
            part_of: &pieces.part_of(self.net, parts),
            acts_on: &pieces.acts_on_parts(parts),
            stages: &pieces.part_stages(parts),
        };
        reached.doubts()
    }

    /// The parts of a cut as subgames.
    fn assembled(
        &self,
        lanes: &mut Lanes<'_>,
        cut: &mut Cut,
        sample: &Sample<'_>,
    ) -> Decomposition {
        let Cut { pieces, parts, running, fading, .. } = cut;
        let (seen, states) = (sample.seen, sample.states);
        let mut part_of = pieces.part_of(self.net, parts);
        running.iter().flatten().for_each(|&fluent| part_of[fluent] = None);
        let acts_on = pieces.acts_on_parts(parts);
        let clocks = clocks(lanes, running, &seen.met, &part_of, &acts_on, self.options.seed);
        let belonging = Belonging {
            net: self.net,
            part_of: part_of.clone(),
            acts_on: acts_on.clone(),
            turns: clocks.iter().any(|clock| is_turn(self.net, clock)),
        };
        let draft = Draft {
            net: self.net,
            part_of: belonging.attach(&clocks),
            clocks: belonging.apart(clocks),
            acts_on,
            serial: pieces.is_serial(parts),
            fading: *fading,
            stages: pieces.part_stages(parts),
            conditions: sample.conditions,
            fixed: &self.fixed,
            seen,
            by_rules: self.options.method != Method::Statistical,
            hurried: self.deadline.is_over(),
        };
        let mut decomposition = assemble(lanes, draft, states, self.options.seed);
        decomposition.complete = !self.deadline.is_over();
        decomposition
    }

    /// Proves the cut. Where play refutes it, joins what is tied and tries again.
    fn prove(
        &mut self,
        lanes: &mut Lanes<'_>,
        cut: &mut Cut,
        sample: &Sample<'_>,
        deadline: &Deadline,
        found: &mut Decomposition,
    ) {
        let known = self.invariants.take();
        let prover = Prover::new(self.net, &self.fixed, known, deadline, self.options.seed);
        let mut prover = prover.within(self.scope.as_ref());
        let mut repairs = Vec::new();
        for _ in 0..MOST_REPAIRS {
            // Parts that fade are apart by what they win, not by how they move.
            let starts = (!cut.fading).then_some(sample.states);
            match prover.prove(lanes, starts, found) {
                None => break,
                Some(Shown::Tie(refutation)) => {
                    cut.join(&refutation.tied(found), &refutation.moves);
                    repairs.push(refutation.repair);
                }
                Some(Shown::Acts(part, action)) => {
                    if !cut.acts(&found.subgames[part].fluents, action) {
                        break;
                    }
                }
            }
            *found = self.assembled(lanes, cut, sample);
        }
        found.repairs = repairs;
        // Once is enough: what was found is there for other cuts, and for the phases.
        self.invariants = prover.into_invariants();
        if found.sound.is_proved() && self.scope.is_none() {
            find_ties(lanes, found, self.options.seed);
        }
    }

    fn pieces(
        &self,
        units: &Units,
        behaviours: &IndexVec<crate::variables::unit::UnitId, Behaviour>,
        seen: &Observation,
    ) -> Pieces {
        let dependent = behaviours.iter_ids().filter(|(_, b)| **b == Behaviour::Dependent);
        let mut piece_of = IndexVec::filled(None, units.len());
        let mut fluents = Vec::new();
        for (unit, _) in dependent {
            piece_of[unit] = Some(fluents.len() as u32);
            fluents.push(units.fluents[unit].clone());
        }
        let mut acts_on: IndexVec<MoveId, Vec<u32>> =
            IndexVec::filled(Vec::new(), self.net.moves.len());
        let mut caused: Vec<(MoveId, FluentId)> = seen.effects.keys().copied().collect();
        caused.sort_unstable();
        for (action, fluent) in caused {
            acts_on[action].extend(piece_of[units.of_fluent[fluent]]);
        }
        for pieces in acts_on.iter_mut() {
            pieces.sort_unstable();
            pieces.dedup();
        }
        let stages = stages(seen, &fluents, &acts_on);
        Pieces { fluents, acts_on, stages }
    }

    /// Ties and goals; and whether the parts fade while others are played.
    fn tied(
        &self,
        lanes: &mut Lanes<'_>,
        pieces: &Pieces,
        material: &Material<'_>,
        conditions: &Conditions,
    ) -> Ties {
        let seed = self.options.seed.wrapping_add(1);
        if material.states.is_empty() {
            let parts = material.beginning.clone();
            return Ties { parts, fading: false, combined: None };
        }
        let (mut parts, seen) =
            tie(lanes, material, Idle::Unchanged, self.reads(), seed, &self.deadline);
        let mut combined = Some(seen);
        let part_of = pieces.part_of(self.net, &mut parts);
        match self.by_thresholds(conditions, &part_of, &parts) {
            Some(groups) => (parts, combined) = (groups, None),
            None => join_by_goals(self.net, conditions, &part_of, &mut parts, || {
                self.timely_victories(&material.independent)
            }),
        }
        let part_of = pieces.part_of(self.net, &mut parts);
        let acting = pieces.acting(self.net, &mut parts);
        join_compared(self.net, &acting, &part_of, &mut parts);
        let part_of = pieces.part_of(self.net, &mut parts);
        if parts_in_goal(self.net, &part_of).is_empty() {
            join_by_end(self.net, &part_of, &mut parts);
        }

        let part_of = pieces.part_of(self.net, &mut parts);
        if parts_in_goal(self.net, &part_of).len() == 1 && conditions.victories.len() > 1 {
            let (mut weak, _) =
                tie(lanes, material, Idle::Usual, self.reads(), seed, &self.deadline);
            let part_of = pieces.part_of(self.net, &mut weak);
            if let Some(parts) = self.by_thresholds(conditions, &part_of, &weak) {
                return Ties { parts, fading: true, combined };
            }
            let all_win = join_by_victories(self.net, conditions, &part_of, &mut weak);
            let part_of = pieces.part_of(self.net, &mut weak);
            if all_win && parts_in_goal(self.net, &part_of).len() > 1 {
                return Ties { parts: weak, fading: true, combined };
            }
        }
        Ties { parts, fading: false, combined }
    }

    /// Groups of which so many must be won.
    fn by_thresholds(
        &self,
        conditions: &Conditions,
        part_of: &PartOf,
        parts: &Partition,
    ) -> Option<Partition> {
        let budget = self.deadline.within(A_MOMENT).budget(1.0);
        by_thresholds(self.net, &conditions.victories, part_of, parts, &budget)
    }

    /// Who says what parts read.
    fn reads(&self) -> Reads {
        match self.options.method {
            Method::Structural => Reads::Rules,
            Method::Statistical | Method::Auto => Reads::Exchanges,
        }
    }

    /// What wins if the clock has run out, and what wins if it has not.
    fn timely_victories(&self, independent: &[FluentId]) -> Vec<Condition> {
        let ends = ends_alone(self.net, independent);
        let fixed = |fluent: FluentId| {
            self.fixed.value(fluent).is_some() || independent.binary_search(&fluent).is_ok()
        };
        let over: Vec<Option<FluentId>> =
            ends.iter().take(MOST_TIMES).copied().map(Some).chain([None]).collect();
        let at = |over: &Option<FluentId>| {
            let known = |fluent| ends.contains(&fluent).then_some(*over == Some(fluent));
            conditions(self.net, &known, &fixed).victories
        };
        match ends.is_empty() {
            true => Vec::new(),
            false => over.iter().flat_map(at).collect(),
        }
    }

    /// Joins larger sets of parts that are not free of one another, unless each of them wins alone:
    /// then the others only suffer from what is done for one.
    fn join_clusters(
        &self,
        lanes: &mut Lanes<'_>,
        pieces: &Pieces,
        material: &Material<'_>,
        conditions: &Conditions,
        mut parts: Partition,
    ) -> (Partition, bool) {
        let seed = self.options.seed.wrapping_add(3);
        let joined = tie_clusters(lanes, material, parts.clone(), seed, &self.deadline);
        let part_of = pieces.part_of(self.net, &mut parts);
        let before = parts.len();
        let all_win = join_by_victories(self.net, conditions, &part_of, &mut parts);
        let fades = joined.len() < before && all_win && parts.len() == before;
        if fades { (parts, true) } else { (joined, false) }
    }

    fn join_followers(
        &self,
        lanes: &mut Lanes<'_>,
        pieces: &Pieces,
        seen: &Observation,
        parts: &mut Partition,
    ) -> Vec<u32> {
        let acting = pieces.acting(self.net, parts);
        let stages = pieces.part_stages(parts);
        let active = match pieces.is_serial(parts) {
            true => active(lanes, &seen.met, &|action| {
                pieces.acts_on[action].iter().find_map(|&piece| pieces.stages[piece as usize])
            }),
            false => Vec::new(),
        };
        let followers = Followers {
            net: self.net,
            pieces: &pieces.fluents,
            part_of: &pieces.part_of(self.net, parts),
            acts_on: &pieces.acts_on,
            acted_in: &acting.iter().map(|roles| !roles.is_empty()).collect::<Vec<_>>(),
            stages: &stages,
        };
        followers.join(&active, parts)
    }

    fn join_useless(&self, pieces: &Pieces, parts: &mut Partition) {
        let part_of = pieces.part_of(self.net, parts);
        let read = self.useful_parts(&part_of);
        let (mut useful, mut useless) = (Vec::new(), Vec::new());
        for set in parts.sets() {
            let fluents: Vec<FluentId> = set
                .iter()
                .flat_map(|&piece| pieces.fluents[piece as usize].iter().copied())
                .collect();
            match read.binary_search(&set[0]) {
                Ok(_) => useful.push((set[0], fluents)),
                Err(_) => useless.push((set[0], fluents)),
            }
        }
        join_families(self.net, &useful, &useless, parts);
        if self.options.method != Method::Statistical && !pieces.is_serial(parts) {
            self.join_leading(pieces, &useful, &useless, parts);
        }
    }

    /// Joins parts that nobody seems to need with those whose transitions, or the legality of whose moves,
    /// look at them: that playouts have shown no influence is not enough to call them useless.
    fn join_leading(
        &self,
        pieces: &Pieces,
        useful: &[Fluents],
        useless: &[Fluents],
        parts: &mut Partition,
    ) {
        if useless.is_empty() {
            return;
        }
        let is_useless = |part: &u32| useless.iter().any(|(other, _)| other == part);
        // A move that acts in both may look at both.
        let acts_on = pieces.acts_on_parts(parts);
        let apart: Vec<(MoveId, &Vec<u32>)> =
            acts_on.iter_ids().filter(|(_, parts)| !parts.iter().any(is_useless)).collect();
        for (part, fluents) in useful {
            let next = fluents.iter().map(|&fluent| self.net.next[fluent]);
            let acting = apart.iter().filter(|(_, parts)| parts.contains(part));
            let legal = acting.map(|(action, _)| self.net.legal[*action]);
            let read = cone(self.net, next.chain(legal));
            let looks_at = |fluent: &FluentId| read[self.net.fluent_gate(*fluent).index()];
            for (other, _) in useless.iter().filter(|(_, f)| f.iter().any(looks_at)) {
                parts.join(*part, *other);
            }
        }
    }

    fn useful_parts(&self, part_of: &PartOf) -> Vec<u32> {
        let goals = self.net.goals.iter().map(|goal| goal.gate);
        parts_read(self.net, goals.chain([self.net.terminal]), part_of)
    }
}

/// Adds the states in which fluents were up to the players, and says where those of each piece are.
fn witnesses<'s>(
    pieces: &Pieces,
    seen: &'s Observation,
    states: &mut Vec<&'s State>,
) -> Vec<Vec<usize>> {
    let mut of_pieces = Vec::new();
    for fluents in &pieces.fluents {
        let first = states.len();
        states.extend(fluents.iter().flat_map(|&fluent| seen.witnesses_of(fluent)).take(16));
        of_pieces.push((first..states.len()).collect());
    }
    of_pieces
}
