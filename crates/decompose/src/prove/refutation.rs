//! Refutation of a cut by play.
//!
//! A condition of [`crate::prove::prover`] that has a counterexample may be right all the same: the states of
//! the counterexample need not occur. Here the states are reached by legal moves from a state that was
//! met, so they do occur; and since the lines of play are followed once more on the net itself before
//! anything is concluded, nothing rests on the solver. Lines get longer until the time is over.
//! What is refuted is repaired by joining: a part with the one that it reads, or the parts whose
//! choices exclude one another; as few as possible.

use std::sync::atomic::Ordering;
use std::time::Instant;

use gambol_analysis::Budget;
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net, RoleId, State};

use crate::decomposition::{Decomposition, Line, Repair, Requirement, SubgameId};
use crate::dependencies::lossless_join::{
    Idle, Meanwhile, join_bound_clusters, join_bound_pairs, meanwhile,
};
use crate::dependencies::sampled::with_move;
use crate::evaluate::lanes::{LANES, Lanes, Trial, cone};
use crate::partition::Partition;
use crate::parts::cut::Tied;
use crate::prove::bounded_runs::{Scene, Seen};
use crate::sample::outcome::{Outcome, PartOf, Situation, outcomes, situations};

/// A condition that is not proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Open {
    /// What is in no part never changes.
    Rest,
    /// A clock reads only itself.
    Clock(SubgameId),
    /// A part reads only itself.
    Closure(SubgameId),
    /// Moves that seem idle in a part leave it alone.
    Idle(SubgameId),
    /// The moves of a part are up to that part.
    Availability(SubgameId),
    /// The parts can be moved in every combination.
    Join(RoleId),
}

/// What play shows against a cut.
pub(crate) enum Shown {
    /// Parts are tied.
    Tie(Refutation),
    /// A move acts in a part in which it was held to be idle.
    Acts(SubgameId, MoveId),
}

/// A cut that is wrong, and what to join.
pub(crate) struct Refutation {
    pub(crate) tied: Vec<SubgameId>,
    /// Fluents that are in no part and should be.
    pub(crate) homeless: Vec<FluentId>,
    /// Moves that act in what was no part, or ran by itself.
    pub(crate) moves: Vec<MoveId>,
    pub(crate) repair: Repair,
}

impl Refutation {
    /// What to join.
    pub(crate) fn tied<'f>(&'f self, found: &'f Decomposition) -> Vec<Tied<'f>> {
        let subgames = self.tied.iter().map(|&id| &found.subgames[id]);
        let parts =
            subgames.map(|part| Tied { fluents: &part.fluents, clock: !part.action_dependent });
        let homeless =
            (!self.homeless.is_empty()).then_some(Tied { fluents: &self.homeless, clock: true });
        parts.chain(homeless).collect()
    }
}

/// How far to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// A few steps.
    Near,
    /// Many.
    Far,
}

/// Decisions of the solver per question.
pub(crate) const EFFORT: u64 = 30_000;
/// Gates that a scene may have.
pub(crate) const MOST_GATES: usize = 4_000_000;
/// Joint moves of a state that are all tried.
const MOST_JOINT_MOVES: usize = 5_000;
/// States met in play from which lines begin.
const STARTS: usize = 8;

impl Reach {
    fn steps(self) -> &'static [usize] {
        match self {
            Self::Near => &[1, 2, 3, 4, 6],
            Self::Far => &[8, 12, 16, 24, 32],
        }
    }

    /// Lengths of lines that begin elsewhere.
    fn steps_on(self) -> &'static [usize] {
        match self {
            Self::Near => &[1],
            Self::Far => &[2, 4, 8],
        }
    }

    /// States and lengths of lines, the shorter ones first.
    fn plan<'s>(self, initial: &'s State, states: &[&'s State]) -> Vec<(usize, &'s State)> {
        let on = chosen(states)
            .flat_map(|state| self.steps_on().iter().map(move |&steps| (steps, state)));
        let mut plan: Vec<(usize, &State)> =
            self.steps().iter().map(|&steps| (steps, initial)).chain(on).collect();
        plan.sort_by_key(|&(steps, _)| steps);
        plan
    }
}

/// Looks for play that refutes one of the conditions.
pub(crate) fn refute(
    lanes: &mut Lanes<'_>,
    found: &Decomposition,
    open: &[Open],
    states: &[&State],
    reach: Reach,
    budget: &Budget,
) -> Option<Shown> {
    let net = lanes.net();
    let initial = State::initial(net);
    let plan = reach.plan(&initial, states).into_iter();
    let mut plan = plan.filter(|(steps, _)| 2 * steps * net.gate_count() <= MOST_GATES);
    let clock = Clock::start(budget);
    plan.find_map(|(steps, start)| {
        let scene = Scene::new(net, found, start, steps, EFFORT, &clock.left()?);
        Judge { net, found, start, lanes }.ask(scene, open)
    })
}

/// What is left of a budget.
pub(crate) struct Clock<'b> {
    budget: &'b Budget,
    started: Instant,
}

impl<'b> Clock<'b> {
    pub(crate) fn start(budget: &'b Budget) -> Self {
        Self { budget, started: Instant::now() }
    }

    /// `None` if it is used up.
    pub(crate) fn left(&self) -> Option<Budget> {
        let mut left = self.budget.clone();
        left.time = left.time.map(|time| time.saturating_sub(self.started.elapsed()));
        let stopped = left.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        (!stopped && left.time.is_none_or(|time| !time.is_zero())).then_some(left)
    }
}

/// Some of the states met in play.
pub(crate) fn chosen<'s>(states: &[&'s State]) -> impl Iterator<Item = &'s State> {
    let starts = states.len().min(STARTS);
    (0..starts).map(move |number| states[number * states.len() / starts])
}

/// Follows what the solver proposes on the net.
pub(crate) struct Judge<'a, 'l, 'n> {
    pub(crate) net: &'a Net,
    pub(crate) found: &'a Decomposition,
    pub(crate) start: &'a State,
    pub(crate) lanes: &'l mut Lanes<'n>,
}

impl Judge<'_, '_, '_> {
    fn ask(&mut self, mut scene: Scene<'_>, open: &[Open]) -> Option<Shown> {
        open.iter().find_map(|&condition| {
            if let Open::Idle(id) = condition {
                return scene.idle(id).and_then(|(seen, role)| self.idle(id, &seen, role));
            }
            self.tie(&mut scene, condition).map(Shown::Tie)
        })
    }

    fn tie(&mut self, scene: &mut Scene<'_>, condition: Open) -> Option<Refutation> {
        match condition {
            Open::Rest => scene.rest().and_then(|seen| self.rest(seen)),
            Open::Clock(id) => scene.clock(id).and_then(|seen| self.clock(id, seen)),
            Open::Closure(id) => scene.closure(id).and_then(|seen| self.closure(id, seen)),
            Open::Availability(id) => {
                scene.availability(id).and_then(|(seen, class)| self.availability(id, seen, class))
            }
            Open::Join(role) => {
                let bound = scene.two_at_once(role).and_then(|seen| self.join(role, seen));
                bound.or_else(|| scene.join(role).and_then(|seen| self.join(role, seen)))
            }
            Open::Idle(_) => None,
        }
    }

    /// A move that changes a part in a state where another move of the same role does not.
    fn idle(&mut self, id: SubgameId, seen: &Seen, role: RoleId) -> Option<Shown> {
        let ends = self.ends(seen)?;
        let [first, second] = &seen.last;
        let fluents = &self.found.subgames[id].fluents;
        if ends[0].state != ends[1].state
            || !is_legal(self.net, &ends[0], first)
            || !is_legal(self.net, &ends[0], second)
        {
            return None;
        }
        let state = &ends[0].state;
        let (one, other) = (self.after(state, first), self.after(state, second));
        let acts = |&f: &FluentId| one.holds(f) != state.holds(f) && one.holds(f) != other.holds(f);
        fluents.iter().any(acts).then(|| Shown::Acts(id, first[role.index()]))
    }

    /// The state that a line of play leads to, if all its moves are legal and the game goes on.
    fn follow(&mut self, moves: &[Vec<MoveId>]) -> Option<Situation> {
        self.arrive(moves).filter(Situation::goes_on)
    }

    /// The state that a line of play leads to, if all its moves are legal.
    pub(crate) fn arrive(&mut self, moves: &[Vec<MoveId>]) -> Option<Situation> {
        let mut state = self.start.clone();
        for joint in moves {
            let before = self.situation(state);
            if !is_legal(self.net, &before, joint) {
                return None;
            }
            state = self.after(&before.state, joint);
        }
        Some(self.situation(state))
    }

    fn situation(&mut self, state: State) -> Situation {
        situations(self.lanes, vec![state]).swap_remove(0)
    }

    fn after(&mut self, state: &State, joint: &[MoveId]) -> State {
        self.lanes.successors(&[Trial { state, moves: joint.to_vec() }]).swap_remove(0)
    }

    /// The last states of both lines.
    fn ends(&mut self, seen: &Seen) -> Option<[Situation; 2]> {
        Some([self.follow(&seen.lines[0])?, self.follow(&seen.lines[1])?])
    }

    /// A fluent that the last moves make different.
    fn difference(
        &mut self,
        seen: &Seen,
        ends: &[Situation; 2],
        fluents: &[FluentId],
    ) -> Option<FluentId> {
        let [one, other] = ends;
        let [first, second] = &seen.last;
        if !is_legal(self.net, one, first) || !is_legal(self.net, other, second) {
            return None;
        }
        let (one, other) = (self.after(&one.state, first), self.after(&other.state, second));
        fluents.iter().copied().find(|&f| one.holds(f) != other.holds(f))
    }

    /// Whether the last states agree on a part and on the clocks.
    fn alike(&self, ends: &[Situation; 2], own: &[FluentId]) -> bool {
        let clocks = self.found.subgames.iter().filter(|part| !part.action_dependent);
        let mut fluents = clocks.flat_map(|part| &part.fluents).chain(own);
        fluents.all(|&f| ends[0].state.holds(f) == ends[1].state.holds(f))
    }

    fn closure(&mut self, id: SubgameId, seen: Seen) -> Option<Refutation> {
        let ends = self.ends(&seen)?;
        let part = &self.found.subgames[id];
        let &reads = seen.differing.first()?;
        if seen.last[0] != seen.last[1] || !self.alike(&ends, &part.fluents) {
            return None;
        }
        let fluent = self.difference(&seen, &ends, &part.fluents)?;
        let moves = vec![seen.last[0].clone()];
        Some(self.refutation(Requirement::Closure, &[id, reads], Some(fluent), moves, seen, &ends))
    }

    /// What a class of moves makes of a part in one state and no joint move does in the other.
    fn availability(&mut self, id: SubgameId, seen: Seen, class: usize) -> Option<Refutation> {
        let ends = self.ends(&seen)?;
        let part = &self.found.subgames[id];
        let class = &part.meta_actions[class];
        let legal = &ends[0].legal[class.role];
        let members = class.moves.iter().copied().filter(|m| legal.binary_search(m).is_ok());
        let here: Vec<Vec<MoveId>> =
            members.map(|action| with_move(&seen.last[0], class.role, action)).collect();
        let there = joint_moves(&ends[1])?;
        let &reads = seen.differing.first()?;
        if !self.alike(&ends, &part.fluents) {
            return None;
        }
        let (before, after) = (
            self.parts_after(&ends[0].state, &here, &part.fluents),
            self.parts_after(&ends[1].state, &there, &part.fluents),
        );
        let unchanged = ends[0].state.values(&part.fluents);
        let lost = |(values, _): &(&Vec<bool>, &Vec<MoveId>)| {
            **values != unchanged && !after.contains(values)
        };
        let (_, joint) = before.iter().zip(&here).find(lost)?;
        let moves = vec![joint.clone()];
        Some(self.refutation(Requirement::Availability, &[id, reads], None, moves, seen, &ends))
    }

    /// What joint moves make of some fluents.
    fn parts_after(
        &mut self,
        state: &State,
        joints: &[Vec<MoveId>],
        fluents: &[FluentId],
    ) -> Vec<Vec<bool>> {
        let mut after = Vec::with_capacity(joints.len());
        for chunk in joints.chunks(LANES) {
            let trials: Vec<Trial<'_>> =
                chunk.iter().map(|moves| Trial { state, moves: moves.clone() }).collect();
            after.extend(self.lanes.successors(&trials).iter().map(|next| next.values(fluents)));
        }
        after
    }

    /// A clock that reads something, or that moves can change.
    fn clock(&mut self, id: SubgameId, seen: Seen) -> Option<Refutation> {
        let ends = self.ends(&seen)?;
        let clock = &self.found.subgames[id].fluents;
        if clock.iter().any(|&f| ends[0].state.holds(f) != ends[1].state.holds(f)) {
            return None;
        }
        let fluent = self.difference(&seen, &ends, clock)?;
        let tied: Vec<SubgameId> =
            [id].into_iter().chain(seen.differing.first().copied()).collect();
        let moves = seen.last.to_vec();
        let acting = self.acting(&seen, &ends, fluent);
        let mut refutation =
            self.refutation(Requirement::Clock, &tied, Some(fluent), moves, seen, &ends);
        refutation.moves = acting;
        Some(refutation)
    }

    /// Something that no playout has changed, and that depends on what is played.
    fn rest(&mut self, seen: Seen) -> Option<Refutation> {
        let ends = self.ends(&seen)?;
        let rest = &self.found.rest;
        if !self.alike(&ends, rest) {
            return None;
        }
        let fluent = self.difference(&seen, &ends, rest)?;
        let tied: Vec<SubgameId> = seen.differing.first().copied().into_iter().collect();
        let homeless = self.companions(fluent, tied.first().copied());
        let moves = seen.last.to_vec();
        let acting = self.acting(&seen, &ends, fluent);
        let mut refutation =
            self.refutation(Requirement::Clock, &tied, Some(fluent), moves, seen, &ends);
        refutation.repair.joined.push(homeless.clone());
        (refutation.moves, refutation.homeless) = (acting, homeless);
        Some(refutation)
    }

    /// The moves that change a fluent in the last states where other moves do not.
    fn acting(&mut self, seen: &Seen, ends: &[Situation; 2], fluent: FluentId) -> Vec<MoveId> {
        let mut acting = Vec::new();
        for (end, (moves, others)) in
            ends.iter().zip([(&seen.last[0], &seen.last[1]), (&seen.last[1], &seen.last[0])])
        {
            let after = self.after(&end.state, moves);
            if after.holds(fluent) != end.state.holds(fluent) {
                let differ = moves.iter().zip(others).filter(|(one, other)| one != other);
                acting.extend(differ.map(|(&one, _)| one));
            }
        }
        acting
    }

    /// What is in no part and reads this fluent, or the part that it is tied to.
    fn companions(&self, fluent: FluentId, part: Option<SubgameId>) -> Vec<FluentId> {
        let own = part.map_or(&[][..], |id| &self.found.subgames[id].fluents);
        let reads = |&one: &FluentId| {
            let read = cone(self.net, [self.net.next[one]]);
            let mut wanted = own.iter().chain([&fluent]);
            one == fluent || wanted.any(|&f| f != one && read[self.net.fluent_gate(f).index()])
        };
        self.found.rest.iter().copied().filter(reads).collect()
    }

    /// Free choice in a state, tested as in states met by playouts.
    fn join(&mut self, role: RoleId, seen: Seen) -> Option<Refutation> {
        let ends = self.ends(&seen)?;
        let trial = |&action: &MoveId| Trial {
            state: &ends[0].state,
            moves: with_move(&seen.last[0], role, action),
        };
        let trials: Vec<Trial<'_>> = ends[0].legal[role].iter().map(trial).collect();
        let mut part_of: PartOf = IndexVec::filled(None, self.net.next.len());
        for (id, part) in self.found.subgames.iter_ids().filter(|(_, p)| p.action_dependent) {
            part.fluents.iter().for_each(|&fluent| part_of[fluent] = Some(id.number()));
        }
        let outcomes = outcomes(self.lanes, &trials, &part_of);
        let mut parts = Partition::singletons(self.found.subgames.len());
        let meanwhile = self.of_others(role, &seen, &ends[0].legal[role], &outcomes);
        join_bound_pairs(&outcomes, Idle::Unchanged, &meanwhile, &mut parts);
        if parts.len() == self.found.subgames.len() {
            join_bound_clusters(&outcomes, Idle::Unchanged, &meanwhile, &mut parts);
        }
        let bound = parts.sets().into_iter().find(|set| set.len() > 1)?;
        let tied: Vec<SubgameId> = bound.into_iter().map(SubgameId::new).collect();
        let moves = vec![ends[0].legal[role].clone()];
        Some(self.refutation(Requirement::LosslessJoin, &tied, None, moves, seen, &ends))
    }

    /// What the other roles do to parts while this one is idle in them.
    fn of_others(
        &self,
        role: RoleId,
        seen: &Seen,
        moves: &[MoveId],
        outcomes: &[Outcome],
    ) -> Meanwhile {
        let acts = |action: MoveId, part: u32| {
            self.found.subgames[SubgameId::new(part)].moves.binary_search(&action).is_ok()
        };
        let others = seen.last[0].iter().enumerate().filter(|(place, _)| *place != role.index());
        let others: Vec<MoveId> = others.map(|(_, &action)| action).collect();
        let parts = self.found.subgames.ids().map(|id| id.number());
        let theirs = parts.filter(|&part| others.iter().any(|&action| acts(action, part)));
        meanwhile(outcomes, theirs, |place, part| acts(moves[place], part))
    }

    fn refutation(
        &self,
        requirement: Requirement,
        tied: &[SubgameId],
        fluent: Option<FluentId>,
        moves: Vec<Vec<MoveId>>,
        seen: Seen,
        ends: &[Situation; 2],
    ) -> Refutation {
        let joined = tied.iter().map(|&id| self.found.subgames[id].fluents.clone()).collect();
        let start = self.start.fluents();
        let mut lines: Vec<Line> = seen.lines([&ends[0].state, &ends[1].state]);
        if requirement == Requirement::LosslessJoin {
            lines.truncate(1);
        }
        let repair = Repair { requirement, joined, moves, fluent, role: None, start, lines };
        Refutation { tied: tied.to_vec(), homeless: Vec::new(), moves: Vec::new(), repair }
    }
}

/// Whether a joint move is legal in a state in which the game goes on.
fn is_legal(net: &Net, situation: &Situation, joint: &[MoveId]) -> bool {
    let legal = |(&action, role): (&MoveId, RoleId)| {
        net.moves[action].role == role && situation.legal[role].binary_search(&action).is_ok()
    };
    situation.goes_on()
        && joint.len() == net.roles.len()
        && joint.iter().zip(net.roles.ids()).all(legal)
}

/// All joint moves in a state, if there are not too many.
fn joint_moves(situation: &Situation) -> Option<Vec<Vec<MoveId>>> {
    let mut joints = vec![Vec::new()];
    for legal in situation.legal.iter() {
        if joints.len() * legal.len() > MOST_JOINT_MOVES {
            return None;
        }
        let longer = |joint: &Vec<MoveId>| -> Vec<Vec<MoveId>> {
            legal.iter().map(|&m| joint.iter().copied().chain([m]).collect()).collect()
        };
        joints = joints.iter().flat_map(longer).collect();
    }
    Some(joints)
}
