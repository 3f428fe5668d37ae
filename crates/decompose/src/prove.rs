//! Proof that a cut is right: its conditions as questions to a solver, over all states that satisfy
//! the proved invariants.
//!
//! - *Clocks*: two states that agree on a clock, whatever is played in them, agree on it afterwards.
//! - *Closure*: two states that agree on a part and on the clocks, left by moves of the same class
//!   for that part, agree on the part afterwards.
//! - *Free choice*: a class of moves that can be played in one state can be played in every state
//!   that agrees on the part and the clocks; and if single moves act in several parts, every
//!   combination of such classes has a move.
//! - *Scores* are independent ([`crate::score`]).
//!
//! In a series two states are compared only if they are of the same stage ([`crate::by_stage`]).
//!
//! "No model" settles a condition. Where there is one, play decides ([`crate::refute`]): if it leads to
//! such states the cut is wrong and is repaired; otherwise it stays as it was: sampled.

use gambol_analysis::{Answer, Budget, Clause, Encoding, Frame, Lit, ShapeOptions, shape};
use gambol_index::IndexVec;
use gambol_net::{FluentId, MoveId, Net, RoleId};

use crate::deadline::Deadline;
use crate::decomposition::{Basis, Decomposition, Subgame, SubgameId};
use crate::disagreement::refute_scores;
use crate::lanes::Lanes;
use crate::refine::{Unlike, joint, split};
use crate::refute::{Open, Reach, Refutation, refute};
use crate::scene::agree;
use crate::score::scores_are_separate;
use crate::state::State;

/// Decisions of the solver per question.
pub(crate) const EFFORT: u64 = 400_000;
/// The share of the time that finding invariants may take.
const SHARE: f64 = 0.4;

/// The share of the time for a first try without invariants, and for a look at play near by.
const FIRST: f64 = 0.5;
const NEAR: f64 = 0.1;
/// The share of the rest for a try with invariants; what is left is for play further on.
const SECOND: f64 = 0.75;
/// Classes of a part that are split at most.
const MOST_SPLITS: usize = 256;

/// What proofs of one game have in common.
pub(crate) struct Prover<'a> {
    net: &'a Net,
    constants: &'a IndexVec<FluentId, Option<bool>>,
    deadline: &'a Deadline,
    seed: u64,
    /// What is known of all states of play, once it was looked for.
    invariants: Option<Vec<Clause>>,
}

impl<'a> Prover<'a> {
    pub(crate) fn new(
        net: &'a Net,
        constants: &'a IndexVec<FluentId, Option<bool>>,
        deadline: &'a Deadline,
        seed: u64,
    ) -> Self {
        Self { net, constants, deadline, seed, invariants: None }
    }

    /// Tries to prove a decomposition, and says in it what was proved; or how play refutes it, from the
    /// initial state and from these.
    pub(crate) fn prove(
        &mut self,
        lanes: &mut Lanes<'_>,
        states: Option<&[&State]>,
        found: &mut Decomposition,
    ) -> Option<Refutation> {
        let mut open = self.settle(lanes, FIRST, found);
        if found.basis == Basis::Proved {
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
        if self.invariants.is_none() {
            self.find_invariants();
            open = self.settle(lanes, SECOND, found);
        }
        // With one part that is played only a clock can be wrong, which is not worth long lines.
        if found.basis == Basis::Proved || found.counts().action_dependent < 2 {
            return None;
        }
        let (states, budget) = (states?, self.deadline.budget(1.0));
        match open.is_empty() {
            // Everything is proved but the scores.
            true => refute_scores(lanes, found, states, &budget),
            false => refute(lanes, found, &open, states, Reach::Far, &budget),
        }
    }

    fn find_invariants(&mut self) {
        let mut options = ShapeOptions::default();
        options.budget = self.deadline.budget(SHARE);
        options.seed = self.seed;
        options.inhibitors = false;
        self.invariants = Some(shape(self.net, &options).invariants);
    }

    /// Tries all conditions that are not proved yet; says which are still open.
    fn settle(&self, lanes: &mut Lanes<'_>, share: f64, found: &mut Decomposition) -> Vec<Open> {
        let invariants = self.invariants.as_deref().unwrap_or_default();
        let budget = self.deadline.budget(share);
        let rest_is_constant = self.rest_is_constant(found);
        let splits = if self.invariants.is_some() { MOST_SPLITS } else { 0 };
        let by_stage = false;
        let mut proof =
            Proof { net: self.net, invariants, budget, found, rest_is_constant, splits, by_stage };
        let open = proof.settle(lanes);
        proof.by_stage = !open.is_empty() && proof.is_series();
        if proof.by_stage { proof.settle(lanes) } else { open }
    }

    /// Whether all fluents outside the parts keep their value for sure.
    fn rest_is_constant(&self, found: &Decomposition) -> bool {
        let invariants = self.invariants.as_deref().unwrap_or_default();
        let settled = |fluent: FluentId| {
            self.constants[fluent].is_some()
                || invariants.iter().any(|clause| clause.len() == 1 && clause[0].fluent == fluent)
        };
        found.rest.iter().all(|&fluent| settled(fluent))
    }
}

pub(crate) struct Proof<'a> {
    pub(crate) net: &'a Net,
    pub(crate) invariants: &'a [Clause],
    budget: Budget,
    pub(crate) found: &'a mut Decomposition,
    rest_is_constant: bool,
    /// Classes of a part that may be split: none as long as every state is held to occur.
    splits: usize,
    /// Whether states of different stages need not be compared.
    pub(crate) by_stage: bool,
}

/// For each role, the moves in classes.
type Classes = Vec<Vec<Vec<MoveId>>>;

impl Proof<'_> {
    /// Tries all conditions that are not proved yet; says which are still open.
    fn settle(&mut self, lanes: &mut Lanes<'_>) -> Vec<Open> {
        let mut open = Vec::new();
        let ids: Vec<SubgameId> = self.found.subgames.ids().collect();
        for id in ids {
            let before = open.len();
            if self.found.subgames[id].basis != Basis::Proved {
                open.extend(self.settle_part(lanes, id));
            }
            if open.len() == before {
                self.found.subgames[id].basis = Basis::Proved;
            }
        }
        if !self.rest_is_constant {
            open.push(Open::Rest);
        }
        let parts = open.is_empty();
        let compound = self.compound_roles();
        open.extend(
            compound.into_iter().filter(|&role| !parts || !self.is_lossless(role)).map(Open::Join),
        );
        let scores = || scores_are_separate(self.net, self.found, self.invariants, &self.budget);
        if open.is_empty() && scores() {
            self.found.basis = Basis::Proved;
        }
        open
    }

    /// The conditions of a part that are open. What it reads is asked only if the rest is constant.
    fn settle_part(&mut self, lanes: &mut Lanes<'_>, id: SubgameId) -> Vec<Open> {
        let part = &self.found.subgames[id];
        if !part.action_dependent {
            let holds = self.rest_is_constant && self.runs_by_itself(&part.fluents);
            return if holds { Vec::new() } else { vec![Open::Clock(id)] };
        }
        if !self.rest_is_constant {
            return vec![Open::Closure(id), Open::Availability(id)];
        }
        let before = part.clone();
        let closed = self.is_closed(lanes, id);
        if closed && self.is_free(&self.found.subgames[id]) {
            return Vec::new();
        }
        // Classes that were split for states that need not occur would make free choice harder.
        let split = self.found.subgames[id].meta_actions != before.meta_actions;
        self.found.subgames[id] = before;
        let open = [Open::Closure(id), Open::Availability(id)];
        open.into_iter().skip(usize::from(closed && !split)).collect()
    }

    pub(crate) fn encoding(&self) -> Encoding<'_> {
        Encoding::new(self.net, &self.budget)
    }

    /// A state of play that is left by a legal joint move.
    fn leave(&self, encoding: &mut Encoding<'_>, frame: Frame) {
        encoding.assume(frame, self.invariants);
        encoding.choose(frame);
        let terminal = encoding.gate(frame, self.net.terminal);
        encoding.add(&[!terminal]);
    }

    fn runs_by_itself(&self, fluents: &[FluentId]) -> bool {
        let mut encoding = self.encoding();
        let one = encoding.state();
        let other = encoding.state_sharing(one, |f| fluents.binary_search(&f).is_ok());
        self.leave(&mut encoding, one);
        self.leave(&mut encoding, other);
        self.same_stage(&mut encoding, one, other);
        self.agree_afterwards(&mut encoding, one, other, fluents)
    }

    /// Whether the fluents cannot become different.
    fn agree_afterwards(
        &self,
        encoding: &mut Encoding<'_>,
        one: Frame,
        other: Frame,
        fluents: &[FluentId],
    ) -> bool {
        let mut fluents = fluents.iter();
        fluents.all(|&f| self.becomes_different(encoding, one, other, f).1 == Answer::NoModel)
    }

    /// Whether a fluent can become different, and the literal that says so.
    fn becomes_different(
        &self,
        encoding: &mut Encoding<'_>,
        one: Frame,
        other: Frame,
        fluent: FluentId,
    ) -> (Lit, Answer) {
        let gate = self.net.next[fluent];
        let (a, b) = (encoding.gate(one, gate), encoding.gate(other, gate));
        let differ = encoding.differ(a, b);
        (differ, encoding.solve(&[differ], EFFORT))
    }

    /// The fluents of the parts that run by themselves.
    fn is_clock(&self) -> IndexVec<FluentId, bool> {
        let mut clock = IndexVec::filled(false, self.net.next.len());
        for subgame in self.found.subgames.iter().filter(|subgame| !subgame.action_dependent) {
            subgame.fluents.iter().for_each(|&fluent| clock[fluent] = true);
        }
        clock
    }

    fn classes(&self, subgame: &Subgame) -> Classes {
        let of_role = |role: RoleId| {
            let classes = subgame.meta_actions.iter().filter(|one| one.role == role);
            classes.map(|one| one.moves.clone()).collect()
        };
        self.net.roles.ids().map(of_role).collect()
    }

    /// Whether a part reads only itself; its classes are made finer where that is needed.
    fn is_closed(&mut self, lanes: &mut Lanes<'_>, id: SubgameId) -> bool {
        for _ in 0..=self.splits {
            match self.closure(&self.found.subgames[id]) {
                Closure::Holds => return true,
                Closure::Unlike(unlike)
                    if self.splits > 0 && split(lanes, &unlike, &mut self.found.subgames[id]) => {}
                _ => return false,
            }
        }
        false
    }

    fn closure(&self, subgame: &Subgame) -> Closure {
        let clock = self.is_clock();
        let own = |f: FluentId| clock[f] || subgame.fluents.binary_search(&f).is_ok();
        if self.net.fluents.ids().all(|f| own(f) || self.found.rest.binary_search(&f).is_ok()) {
            // There is nothing else that it could read.
            return Closure::Holds;
        }
        let mut encoding = self.encoding();
        let one = encoding.state();
        let other = encoding.state_sharing(one, own);
        self.leave(&mut encoding, one);
        self.leave(&mut encoding, other);
        self.same_stage(&mut encoding, one, other);
        for class in self.classes(subgame).into_iter().flatten() {
            let (a, b) =
                (does_any(&mut encoding, one, &class), does_any(&mut encoding, other, &class));
            encoding.add(&[!a, b]);
            encoding.add(&[a, !b]);
        }
        for &fluent in &subgame.fluents {
            match self.becomes_different(&mut encoding, one, other, fluent) {
                (_, Answer::NoModel) => {}
                (_, Answer::Unknown) => return Closure::Open,
                (differ, Answer::Model) => {
                    let unlike = self.unlike_moves(&mut encoding, [one, other], differ);
                    return unlike.map_or(Closure::Open, Closure::Unlike);
                }
            }
        }
        Closure::Holds
    }

    /// Whether the same happens in one state already: then the classes are too coarse.
    fn unlike_moves(
        &self,
        encoding: &mut Encoding<'_>,
        frames: [Frame; 2],
        differ: Lit,
    ) -> Option<Unlike> {
        let same = agree(encoding, frames[0], frames[1], self.net.fluents.ids());
        encoding.observe(frames[0]);
        (encoding.solve(&[differ, same], EFFORT) == Answer::Model).then(|| Unlike {
            state: State::of(&encoding.fluents_in_model(frames[0]), self.net.next.len()),
            moves: frames.map(|frame| joint(self.net, encoding.moves_in_model(frame))),
        })
    }

    /// Whether each class of moves that acts here can be played wherever the part and the clocks are
    /// the same.
    fn is_free(&self, subgame: &Subgame) -> bool {
        let clock = self.is_clock();
        let own = |f: FluentId| clock[f] || subgame.fluents.binary_search(&f).is_ok();
        if self.net.fluents.ids().all(|f| own(f) || self.found.rest.binary_search(&f).is_ok()) {
            return true;
        }
        let mut encoding = self.encoding();
        let one = encoding.state();
        let other = encoding.state_sharing(one, own);
        for frame in [one, other] {
            encoding.assume(frame, self.invariants);
            let terminal = encoding.gate(frame, self.net.terminal);
            encoding.add(&[!terminal]);
        }
        self.same_stage(&mut encoding, one, other);
        subgame.meta_actions.iter().filter(|class| !class.idle).all(|class| {
            let here = self.legal_any(&mut encoding, one, &class.moves);
            let there = self.legal_any(&mut encoding, other, &class.moves);
            encoding.solve(&[here, !there], EFFORT) == Answer::NoModel
        })
    }

    pub(crate) fn legal_any(
        &self,
        encoding: &mut Encoding<'_>,
        frame: Frame,
        moves: &[MoveId],
    ) -> Lit {
        let legal = moves.iter().map(|&action| encoding.gate(frame, self.net.legal[action]));
        let legal: Vec<Lit> = legal.collect();
        encoding.or(legal)
    }

    fn played(&self) -> Vec<&Subgame> {
        self.found.subgames.iter().filter(|subgame| subgame.action_dependent).collect()
    }

    /// The roles whose moves act in several parts.
    fn compound_roles(&self) -> Vec<RoleId> {
        let parts = self.played();
        let acts = |part: &Subgame, action: MoveId| part.moves.binary_search(&action).is_ok();
        let in_several =
            |action: MoveId| parts.iter().filter(|part| acts(part, action)).count() > 1;
        let compound = |role: &RoleId| self.net.moves_of(*role).map(MoveId::new).any(in_several);
        self.net.roles.ids().filter(compound).collect()
    }

    /// Whether each combination of classes of a role that are possible in the parts has a legal move.
    fn is_lossless(&self, role: RoleId) -> bool {
        let parts = self.played();
        let clock = self.is_clock();
        let mut encoding = self.encoding();
        let whole = encoding.state();
        encoding.assume(whole, self.invariants);
        let terminal = encoding.gate(whole, self.net.terminal);
        encoding.add(&[!terminal]);
        let mut chosen: Vec<Vec<(Lit, &[MoveId])>> = Vec::new();
        for part in &parts {
            let own = |f: FluentId| clock[f] || part.fluents.binary_search(&f).is_ok();
            let alone = encoding.state_sharing(whole, own);
            self.leave(&mut encoding, alone);
            let classes = part.meta_actions.iter().filter(|class| class.role == role);
            chosen.push(
                classes
                    .map(|class| {
                        (does_any(&mut encoding, alone, &class.moves), class.moves.as_slice())
                    })
                    .collect(),
            );
        }
        for action in self.net.moves_of(role).map(MoveId::new) {
            let legal = encoding.gate(whole, self.net.legal[action]);
            let mut clause = vec![!legal];
            for classes in &chosen {
                let class = classes.iter().find(|(_, moves)| moves.binary_search(&action).is_ok());
                let Some(&(class, _)) = class else { return false };
                clause.push(!class);
            }
            encoding.add(&clause);
        }
        encoding.solve(&[], EFFORT) == Answer::NoModel
    }
}

/// What the question whether a part reads only itself is answered with.
enum Closure {
    Holds,
    Open,
    Unlike(Unlike),
}

fn does_any(encoding: &mut Encoding<'_>, frame: Frame, moves: &[MoveId]) -> Lit {
    let does: Vec<Lit> = moves.iter().map(|&action| encoding.does(frame, action)).collect();
    encoding.or(does)
}
