//! Proof that a cut is right: its conditions as questions to a solver, over all states that satisfy
//! the proved invariants.
//!
//! - *Clocks*: two states that agree on a clock, whatever is played in them, agree on it afterwards.
//! - *Closure*: two states that agree on a part and on the clocks, left by moves of the same class
//!   for that part, agree on the part afterwards.
//! - *Free choice*: a class of moves that can be played in one state can be played in every state
//!   that agrees on the part and the clocks; and if single moves act in several parts, every
//!   combination of such classes has a move.
//! - *Scores*: the highest score of each role is the conjunction, or the disjunction, of conditions
//!   each of which looks at one part only.
//!
//! "No model" settles a condition; anything else leaves the cut as it was: sampled.

use gambol_analysis::{Answer, Budget, Clause, Encoding, Frame, Lit, ShapeOptions, shape};
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, RoleId};

use crate::deadline::Deadline;
use crate::decomposition::{Basis, Decomposition, RoleInGoal, Subgame};
use crate::lanes::cone;

/// Decisions of the solver per question.
const EFFORT: u64 = 400_000;
/// The share of the time that finding invariants may take.
const SHARE: f64 = 0.4;

/// Tries to prove a decomposition, and says in it what was proved.
pub(crate) fn prove(
    net: &Net,
    constants: &IndexVec<FluentId, Option<bool>>,
    deadline: &Deadline,
    seed: u64,
    found: &mut Decomposition,
) {
    if !rest_is_constant(constants, found) {
        return;
    }
    let mut proof = Proof { net, invariants: Vec::new(), budget: deadline.budget(1.0), found };
    // Most cuts need no invariants; those that do are worth the time to find them.
    if !proof.settle() {
        let mut options = ShapeOptions::default();
        options.budget = deadline.budget(SHARE);
        options.seed = seed;
        options.inhibitors = false;
        proof.invariants = shape(net, &options).invariants;
        proof.budget = deadline.budget(1.0);
        proof.settle();
    }
}

/// Whether all fluents outside the parts keep their value for sure.
fn rest_is_constant(constants: &IndexVec<FluentId, Option<bool>>, found: &Decomposition) -> bool {
    found.rest.iter().all(|&fluent| constants[fluent].is_some())
}

struct Proof<'a> {
    net: &'a Net,
    invariants: Vec<Clause>,
    budget: Budget,
    found: &'a mut Decomposition,
}

/// For each role, the moves in classes.
type Classes = Vec<Vec<Vec<MoveId>>>;

impl Proof<'_> {
    /// Tries all conditions that are not proved yet; whether all are now.
    fn settle(&mut self) -> bool {
        for id in self.found.subgames.ids() {
            let subgame = &self.found.subgames[id];
            if subgame.basis == Basis::Proved {
                continue;
            }
            let holds = match subgame.action_dependent {
                false => self.runs_by_itself(&subgame.fluents),
                true => self.is_closed(subgame) && self.is_free(subgame),
            };
            if holds {
                self.found.subgames[id].basis = Basis::Proved;
            }
        }
        let parts = self.found.subgames.iter().all(|subgame| subgame.basis == Basis::Proved);
        let whole = parts && self.joins_are_lossless() && self.scores_are_separate();
        if whole {
            self.found.basis = Basis::Proved;
        }
        whole
    }

    fn encoding(&self) -> Encoding<'_> {
        Encoding::new(self.net, &self.budget)
    }

    /// A state of play that is left by a legal joint move.
    fn leave(&self, encoding: &mut Encoding<'_>, frame: Frame) {
        encoding.assume(frame, &self.invariants);
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
        fluents.iter().all(|&fluent| {
            let gate = self.net.next[fluent];
            let (a, b) = (encoding.gate(one, gate), encoding.gate(other, gate));
            let differ = encoding.differ(a, b);
            encoding.solve(&[differ], EFFORT) == Answer::NoModel
        })
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

    fn is_closed(&self, subgame: &Subgame) -> bool {
        let clock = self.is_clock();
        let own = |f: FluentId| clock[f] || subgame.fluents.binary_search(&f).is_ok();
        if self.net.fluents.ids().all(|f| own(f) || self.found.rest.binary_search(&f).is_ok()) {
            // There is nothing else that it could read.
            return true;
        }
        let mut encoding = self.encoding();
        let one = encoding.state();
        let other = encoding.state_sharing(one, own);
        self.leave(&mut encoding, one);
        self.leave(&mut encoding, other);
        for class in self.classes(subgame).into_iter().flatten() {
            let (a, b) =
                (does_any(&mut encoding, one, &class), does_any(&mut encoding, other, &class));
            encoding.add(&[!a, b]);
            encoding.add(&[a, !b]);
        }
        self.agree_afterwards(&mut encoding, one, other, &subgame.fluents)
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
            encoding.assume(frame, &self.invariants);
            let terminal = encoding.gate(frame, self.net.terminal);
            encoding.add(&[!terminal]);
        }
        subgame.meta_actions.iter().filter(|class| !class.idle).all(|class| {
            let here = self.legal_any(&mut encoding, one, &class.moves);
            let there = self.legal_any(&mut encoding, other, &class.moves);
            encoding.solve(&[here, !there], EFFORT) == Answer::NoModel
        })
    }

    fn legal_any(&self, encoding: &mut Encoding<'_>, frame: Frame, moves: &[MoveId]) -> Lit {
        let legal = moves.iter().map(|&action| encoding.gate(frame, self.net.legal[action]));
        let legal: Vec<Lit> = legal.collect();
        encoding.or(legal)
    }

    /// Whether, for every role whose moves act in several parts, each combination of classes that
    /// are possible in the parts has a legal move.
    fn joins_are_lossless(&self) -> bool {
        let parts: Vec<&Subgame> =
            self.found.subgames.iter().filter(|subgame| subgame.action_dependent).collect();
        let acts = |part: &Subgame, action: MoveId| part.moves.binary_search(&action).is_ok();
        let compound = |role: RoleId| {
            self.net
                .moves_of(role)
                .map(MoveId::new)
                .any(|action| parts.iter().filter(|part| acts(part, action)).count() > 1)
        };
        self.net
            .roles
            .ids()
            .filter(|&role| compound(role))
            .all(|role| self.is_lossless(role, &parts))
    }

    fn is_lossless(&self, role: RoleId, parts: &[&Subgame]) -> bool {
        let clock = self.is_clock();
        let mut encoding = self.encoding();
        let whole = encoding.state();
        encoding.assume(whole, &self.invariants);
        let terminal = encoding.gate(whole, self.net.terminal);
        encoding.add(&[!terminal]);
        let mut chosen: Vec<Vec<(Lit, &[MoveId])>> = Vec::new();
        for part in parts {
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

    /// Whether, for every role, the highest score splits into one condition per part.
    fn scores_are_separate(&self) -> bool {
        let parts = self.found.subgames.iter().filter(|part| part.action_dependent).count();
        let in_goal = |part: &Subgame| part.role_in_goal != RoleInGoal::None;
        let played_for_score =
            self.found.subgames.iter().any(|part| part.action_dependent && in_goal(part));
        parts < 2
            || match played_for_score {
                true => self.net.roles.ids().all(|role| self.score_splits(role)),
                // The score looks only at how long the game lasted.
                false => self.splits(self.net.terminal),
            }
    }

    fn score_splits(&self, role: RoleId) -> bool {
        let highest = self.net.goals.iter().rfind(|goal| goal.role == role);
        highest.is_none_or(|highest| self.splits(highest.gate))
    }

    /// Whether a condition is the conjunction or the disjunction of one condition per part.
    fn splits(&self, gate: GateId) -> bool {
        let mut encoding = self.encoding();
        let state = encoding.state();
        encoding.assume(state, &self.invariants);
        let mut conditions = Vec::new();
        for part in self.found.subgames.iter().filter(|part| part.action_dependent) {
            let others = Others::of(self.net, self.found, part);
            if others.reads_own(self.net, gate) {
                conditions.extend(others.encode(self.net, &mut encoding, state, gate));
            }
        }
        if conditions.len() < 2 {
            return true;
        }
        let over = match gate == self.net.terminal {
            true => Vec::new(),
            false => vec![encoding.gate(state, self.net.terminal)],
        };
        let wins = encoding.gate(state, gate);
        let (all, any) = (encoding.and(conditions.clone()), encoding.or(conditions));
        [all, any].into_iter().any(|together| {
            let differ = encoding.differ(wins, together);
            let question: Vec<Lit> = over.iter().copied().chain([differ]).collect();
            encoding.solve(&question, EFFORT) == Answer::NoModel
        })
    }
}

fn does_any(encoding: &mut Encoding<'_>, frame: Frame, moves: &[MoveId]) -> Lit {
    let does: Vec<Lit> = moves.iter().map(|&action| encoding.does(frame, action)).collect();
    encoding.or(does)
}

/// Which fluents belong to a part, and which to other parts that are played.
struct Others {
    own: IndexVec<FluentId, bool>,
    others: IndexVec<FluentId, bool>,
}

impl Others {
    fn of(net: &Net, found: &Decomposition, part: &Subgame) -> Self {
        let mut own = IndexVec::filled(false, net.next.len());
        part.fluents.iter().for_each(|&fluent| own[fluent] = true);
        let mut others = IndexVec::filled(false, net.next.len());
        for other in found.subgames.iter().filter(|other| other.action_dependent) {
            other.fluents.iter().for_each(|&fluent| others[fluent] = !own[fluent]);
        }
        Self { own, others }
    }

    fn reads(net: &Net, gate: GateId, marked: &IndexVec<FluentId, bool>) -> bool {
        let read = cone(net, [gate]);
        net.fluents.ids().any(|f| marked[f] && read[net.fluent_gate(f).index()])
    }

    fn reads_own(&self, net: &Net, gate: GateId) -> bool {
        Self::reads(net, gate, &self.own)
    }

    /// What is left of a condition without what only other parts decide.
    fn encode(
        &self,
        net: &Net,
        encoding: &mut Encoding<'_>,
        state: Frame,
        gate: GateId,
    ) -> Option<Lit> {
        if !Self::reads(net, gate, &self.others) || net.cycle_of(gate).is_some() {
            return Some(encoding.gate(state, gate));
        }
        if !self.reads_own(net, gate) {
            return None;
        }
        let inputs = net.inputs_of(gate);
        let left: Vec<Lit> =
            inputs.iter().filter_map(|&input| self.encode(net, encoding, state, input)).collect();
        match net.gate(gate) {
            _ if left.is_empty() => None,
            Gate::And(_) => Some(encoding.and(left)),
            Gate::Or(_) => Some(encoding.or(left)),
            Gate::Not(_) => Some(!left[0]),
            _ => Some(encoding.gate(state, gate)),
        }
    }
}
