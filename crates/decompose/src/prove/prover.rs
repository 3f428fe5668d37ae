//! Proof that a cut is right: its conditions as questions to a solver, over all states that satisfy
//! the proved invariants.
//!
//! - *Clocks*: two states that agree on a clock, whatever is played in them, agree on it afterwards.
//! - *Closure*: two states that agree on a part and on the clocks, left by moves of the same class
//!   for that part, agree on the part afterwards ([`crate::prove::closure`]).
//! - *Idle moves* leave a part as it is ([`crate::prove::idle`]); or their class is one like the others.
//! - *Availability*: a class of moves that can be played in one state can be played in every state
//!   that agrees on the part and the clocks.
//! - *Free choice*: every combination of classes has a move, or several one after the other
//!   ([`crate::prove::lossless_join`]).
//! - *Scores* are independent ([`crate::prove::scores`]).
//!
//! In a series two states are compared only if they are of the same stage ([`crate::prove::stages`]).
//!
//! "No model" settles a condition. Where there is one, play decides ([`crate::prove::refutation`]): if it leads to
//! such states the cut is wrong and is repaired; otherwise it stays as it was: sampled.

use gambol_analysis::{
    Budget, Clause, Encoding, FixedFluents, Frame, Lit, Proof, ShapeOptions, invariants,
};
use gambol_index::IndexVec;
use gambol_net::{FluentId, Net, State};

use crate::decomposition::{Decomposition, SubgameId};
use crate::evaluate::lanes::Lanes;
use crate::evaluate::scope::Scope;
use crate::prove::refutation::{Open, Reach, Shown, refute};
use crate::prove::score_counterexample::refute_scores;
use crate::prove::scores::{Scores, scores};
use crate::sample::outcome::{Situation, situations};
use gambol_run::Deadline;

/// Decisions of the solver per question.
pub(crate) const EFFORT: u64 = 400_000;
/// The share of the time that finding invariants may take.
const SHARE: f64 = 0.4;

/// The share of the time for a first try without invariants, and for a look at play near by.
const FIRST: f64 = 0.5;
const NEAR: f64 = 0.1;
/// The share of the rest for a try with invariants; what is left is for play further on.
const SECOND: f64 = 0.75;
/// States of play in which somebody may have been idle.
const MOST_MET: usize = 1024;
/// Classes of a part that are split at most.
pub(crate) const MOST_SPLITS: usize = 256;

/// What proofs of one game have in common.
pub(crate) struct Prover<'a> {
    net: &'a Net,
    fixed: &'a FixedFluents,
    deadline: &'a Deadline,
    seed: u64,
    /// The phase that is asked about, if not the whole game.
    scope: Option<&'a Scope>,
    /// What is known of all states of play: what is fixed and, once it was looked for, more.
    invariants: Vec<Clause>,
    searched: bool,
}

impl<'a> Prover<'a> {
    pub(crate) fn new(
        net: &'a Net,
        fixed: &'a FixedFluents,
        known: Option<Vec<Clause>>,
        deadline: &'a Deadline,
        seed: u64,
    ) -> Self {
        let (scope, searched) = (None, known.is_some());
        let mut invariants = known.unwrap_or_default();
        let new: Vec<Clause> =
            fixed.invariants().into_iter().filter(|clause| !invariants.contains(clause)).collect();
        invariants.extend(new);
        Self { net, fixed, deadline, seed, scope, invariants, searched }
    }

    /// The same about the states of a phase.
    pub(crate) fn within(self, scope: Option<&'a Scope>) -> Self {
        Self { scope, ..self }
    }

    /// Tries to prove a decomposition, and says in it what was proved; or what play shows against it,
    /// from the initial state and from these.
    pub(crate) fn prove(
        &mut self,
        lanes: &mut Lanes<'_>,
        states: Option<&[&State]>,
        found: &mut Decomposition,
    ) -> Option<Shown> {
        let initial = State::initial(self.net);
        let met = states.unwrap_or_default().iter().copied().take(MOST_MET).chain([&initial]);
        // What play comes to in another phase shows nothing of this one.
        let met = met.filter(|state| self.scope.is_none_or(|scope| scope.contains(state)));
        let met = situations(lanes, met.cloned().collect());
        if !met.iter().any(Situation::goes_on) {
            // Of a game, or of a phase, that nobody can play everything is true.
            return None;
        }
        // Lines of play through other phases are not looked for.
        let states = states.filter(|_| self.scope.is_none());
        let mut known = Known::nothing(found);
        let mut open = self.settle(lanes, &met, FIRST, found, &mut known);
        if found.basis.is_proved() {
            return None;
        }
        let budget = self.deadline.budget(NEAR);
        if let Some(states) = states.filter(|_| !open.is_empty()) {
            let near = refute(lanes, found, &open, states, Reach::Near, &budget);
            if near.is_some() {
                return near;
            }
        }
        // Most cuts need no invariants; those that do are worth the time to find them.
        if !self.searched {
            self.find_invariants();
            open = self.settle(lanes, &met, SECOND, found, &mut known);
        }
        // With one part that is played only a clock can be wrong, which is not worth long lines.
        if found.basis.is_proved() || found.counts().action_dependent < 2 {
            return None;
        }
        let (states, budget) = (states?, self.deadline.budget(1.0));
        match open.is_empty() {
            // Everything is proved but the scores.
            true => refute_scores(lanes, found, states, &budget).map(Shown::Tie),
            false => refute(lanes, found, &open, states, Reach::Far, &budget),
        }
    }

    fn find_invariants(&mut self) {
        let mut options = ShapeOptions::default();
        options.budget = self.deadline.budget(SHARE);
        options.seed = self.seed;
        self.invariants.extend(invariants(self.net, &options));
        self.searched = true;
    }

    /// What is known of all states of play, if somebody has looked for it.
    pub(crate) fn into_invariants(self) -> Option<Vec<Clause>> {
        self.searched.then_some(self.invariants)
    }

    /// Tries all conditions that are not proved yet; says which are still open.
    fn settle(
        &self,
        lanes: &mut Lanes<'_>,
        met: &[Situation],
        share: f64,
        found: &mut Decomposition,
        known: &mut Known,
    ) -> Vec<Open> {
        let budget = self.deadline.budget(share);
        let splits = if self.searched { MOST_SPLITS } else { 0 };
        let (net, invariants) = (self.net, self.invariants.as_slice());
        known.rest = self.rest_is_constant(found, &budget);
        let is_last = self.searched;
        let (scope, by_stage) = (self.scope, None);
        let mut case =
            Case { net, scope, invariants, met, budget, found, known, splits, by_stage, is_last };
        case.forget_stages();
        let mut open = case.settle(lanes);
        if !open.is_empty() {
            open = case.settle_by_stage(lanes).unwrap_or(open);
        }
        case.conclude(open.is_empty());
        open
    }

    /// Whether all fluents outside the parts keep their value: the first one or, in a phase, the one that they had
    /// when it began.
    fn rest_is_constant(&self, found: &Decomposition, budget: &Budget) -> Option<Proof> {
        self.fixed.prove(&found.rest).or_else(|| {
            let mut encoding = Encoding::new(self.net, budget);
            let state = encoding.state();
            encoding.assume(state, &self.invariants);
            if let Some(scope) = self.scope {
                scope.assume(&mut encoding, state);
                let next = encoding.step(state);
                scope.assume(&mut encoding, next);
                let moved = found.rest.iter().map(|&fluent| {
                    let (now, then) =
                        (encoding.fluent(state, fluent), encoding.fluent(next, fluent));
                    encoding.differ(now, then)
                });
                let moved: Vec<Lit> = moved.collect();
                let moved = encoding.or(moved);
                return encoding.prove("what is in no part never changes", &[moved], EFFORT);
            }
            let initial = State::initial(self.net);
            let moved = found.rest.iter().map(|&fluent| {
                let now = encoding.fluent(state, fluent);
                if initial.holds(fluent) { !now } else { now }
            });
            let moved: Vec<Lit> = moved.collect();
            let moved = encoding.or(moved);
            encoding.prove("what is in no part never changes", &[moved], EFFORT)
        })
    }
}

/// What is proved of a cut.
pub(crate) struct Known {
    rest: Option<Proof>,
    /// That a part satisfies the conditions on single parts; of a clock, that it runs by itself.
    pub(crate) parts: IndexVec<SubgameId, Option<Proof>>,
    /// That nothing happens to a part while everybody is idle in it, clocks of its own apart.
    pub(crate) quiet: IndexVec<SubgameId, Option<Proof>>,
    /// That the classes of a part can be chosen freely.
    joins: Option<Vec<Proof>>,
    /// Of which parts it is about states of the same stage only.
    pub(crate) staged: IndexVec<SubgameId, bool>,
}

impl Known {
    fn nothing(found: &Decomposition) -> Self {
        let none = || IndexVec::filled(None, found.subgames.len());
        let staged = IndexVec::filled(false, found.subgames.len());
        Self { rest: None, parts: none(), quiet: none(), joins: None, staged }
    }
}

/// The case for a cut: what is to be proved, and what for.
pub(crate) struct Case<'a> {
    pub(crate) net: &'a Net,
    /// The phase that is asked about, if not the whole game.
    pub(crate) scope: Option<&'a Scope>,
    pub(crate) invariants: &'a [Clause],
    /// States that play was seen to come to.
    pub(crate) met: &'a [Situation],
    pub(crate) budget: Budget,
    pub(crate) found: &'a mut Decomposition,
    pub(crate) known: &'a mut Known,
    /// Classes of a part that may be split: none as long as every state is held to occur.
    pub(crate) splits: usize,
    /// That the parts are a series, so that states of different stages need not be compared.
    pub(crate) by_stage: Option<Proof>,
    /// Whether there will be no better try.
    pub(crate) is_last: bool,
}

impl<'a> Case<'a> {
    /// Tries all conditions that are not proved yet; says which are still open.
    pub(crate) fn settle(&mut self, lanes: &mut Lanes<'_>) -> Vec<Open> {
        let mut open = Vec::new();
        let ids: Vec<SubgameId> = self.found.subgames.ids().collect();
        for id in ids {
            if self.known.parts[id].is_none() {
                open.extend(self.settle_part(lanes, id));
            }
        }
        if self.known.rest.is_none() {
            open.push(Open::Rest);
        }
        // Free choice is a question about classes that are right.
        let joins = match open.is_empty() {
            true => self.joins(),
            false => self.compound_roles().into_iter().map(Err).collect(),
        };
        open.extend(joins.iter().filter_map(|join| join.err()).map(Open::Join));
        self.known.joins = joins.into_iter().flatten().map(Some).collect();
        open
    }

    /// The conditions of a part that are open. What it reads is asked only if the rest is constant.
    fn settle_part(&mut self, lanes: &mut Lanes<'_>, id: SubgameId) -> Vec<Open> {
        let is_played = self.found.subgames[id].action_dependent;
        if self.known.rest.is_none() {
            return match is_played {
                true => vec![Open::Closure(id), Open::Availability(id)],
                false => vec![Open::Clock(id)],
            };
        }
        let by_stage = self.by_stage;
        let with_stages = |proof: Proof| by_stage.map_or(proof, |stages| proof.and(stages));
        self.known.staged[id] = by_stage.is_some();
        if !is_played {
            let proof = self.runs_by_itself(&self.found.subgames[id].fluents);
            self.known.parts[id] = proof.map(with_stages);
            return if proof.is_some() { Vec::new() } else { vec![Open::Clock(id)] };
        }
        match self.part_is_apart(lanes, id) {
            Ok(proof) => {
                self.known.parts[id] = Some(with_stages(proof));
                Vec::new()
            }
            Err(open) => open,
        }
    }

    /// Says in the decomposition what is proved.
    fn conclude(&mut self, all: bool) {
        let clocks = self.found.subgames.iter_ids().filter(|(_, part)| !part.action_dependent);
        let clocks: Option<Vec<Proof>> = clocks.map(|(id, _)| self.known.parts[id]).collect();
        let ground = self.known.rest.zip(clocks);
        let Some(ground) = ground.and_then(|(rest, clocks)| {
            Proof::all("clocks run by themselves", clocks.into_iter().chain([rest]))
        }) else {
            return;
        };
        let alone = self.played().len() < 2;
        let ids: Vec<SubgameId> = self.found.subgames.ids().collect();
        for id in ids {
            let part = &mut self.found.subgames[id];
            // What a part may not be combined with freely is not apart from it.
            let apart = self.known.parts[id].filter(|_| all || alone || !part.action_dependent);
            let apart = apart.and_then(|proof| Proof::all("is a part", [proof, ground]));
            part.basis = part.basis.or_proved(apart);
        }
        let played = self.played().into_iter().map(|id| self.known.parts[id]);
        let played: Option<Vec<Proof>> = played.collect();
        let classes =
            played.and_then(|parts| Proof::all("classes", parts.into_iter().chain([ground])));
        self.found.classes_exact = self.found.classes_exact.or_proved(classes);
        let joins = self.known.joins.iter().flatten().copied();
        let sound = match alone {
            true => Some(ground),
            false => classes.filter(|_| all),
        };
        let sound = sound.and_then(|proof| Proof::all("the cut is sound", joins.chain([proof])));
        self.found.sound = self.found.sound.or_proved(sound);
        // How parts score does not depend on how they move, but only parts that are right are worth it.
        if !self.found.scores_split.is_proved() && (sound.is_some() || self.is_last) {
            let Scores { split, forms } =
                scores(self.net, self.found, self.invariants, &self.budget);
            self.found.scores_split = self.found.scores_split.or_proved(split);
            self.found.scores = forms;
        }
        let found = &mut *self.found;
        found.basis = found.sound.and(found.classes_exact).and(found.scores_split);
        found.invariants = self.invariants.to_vec();
        found.by_stage = self.known.staged.iter().any(|&staged| staged);
    }

    pub(crate) fn encoding(&self) -> Encoding<'a> {
        Encoding::new(self.net, &self.budget)
    }

    /// A state of play in which the game goes on.
    pub(crate) fn going_on(&self, encoding: &mut Encoding<'_>, frame: Frame) {
        encoding.assume(frame, self.invariants);
        if let Some(scope) = self.scope {
            scope.assume(encoding, frame);
        }
        let terminal = encoding.gate(frame, self.net.terminal);
        encoding.add(&[!terminal]);
    }

    /// A state of play that is left by a legal joint move, but not for another phase.
    pub(crate) fn leave(&self, encoding: &mut Encoding<'_>, frame: Frame) {
        encoding.choose(frame);
        self.going_on(encoding, frame);
        if let Some(scope) = self.scope {
            let next = encoding.following(frame);
            scope.assume(encoding, next);
        }
    }

    /// Whether what some fluents become depends on them alone, whatever is played.
    pub(crate) fn runs_by_itself(&self, fluents: &[FluentId]) -> Option<Proof> {
        let mut encoding = self.encoding();
        let one = encoding.state();
        let other = encoding.state_sharing(one, |f| fluents.binary_search(&f).is_ok());
        self.leave(&mut encoding, one);
        self.leave(&mut encoding, other);
        self.same_stage(&mut encoding, one, other);
        let proofs = fluents.iter().map(|&fluent| {
            let differ = self.becomes_different(&mut encoding, one, other, fluent);
            encoding.prove("a clock runs by itself", &[differ], EFFORT)
        });
        let proofs: Option<Vec<Proof>> = proofs.collect();
        Proof::all("a clock runs by itself", proofs?)
    }

    /// The literal that says that a fluent becomes different.
    pub(crate) fn becomes_different(
        &self,
        encoding: &mut Encoding<'_>,
        one: Frame,
        other: Frame,
        fluent: FluentId,
    ) -> Lit {
        let gate = self.net.next[fluent];
        let (a, b) = (encoding.gate(one, gate), encoding.gate(other, gate));
        encoding.differ(a, b)
    }

    /// The parts that depend on what is played.
    pub(crate) fn played(&self) -> Vec<SubgameId> {
        let parts = self.found.subgames.iter_ids().filter(|(_, part)| part.action_dependent);
        parts.map(|(id, _)| id).collect()
    }
}
