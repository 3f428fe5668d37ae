//! Independent scores: the highest score of each role is the conjunction, or the disjunction, of
//! conditions each of which looks at one part only. A question to a solver, over all states that
//! satisfy the proved invariants.
//!
//! The condition of a part is what is left of the score without what only other parts decide. Of recursive
//! gates that look at several parts nothing can be left out, so such a score is not split.

use gambol_analysis::{Budget, Clause, Encoding, Frame, Lit, Proof, reads_only};
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, Net};

use crate::decomposition::{Decomposition, RoleInGoal, Subgame};
use crate::evaluate::lanes::cone;
use crate::prove::prover::EFFORT;
use crate::prove::score_square::highest;

/// Whether, for every role, the highest score splits into one condition per part.
pub(crate) fn scores_are_separate(
    net: &Net,
    found: &Decomposition,
    invariants: &[Clause],
    budget: &Budget,
) -> Option<Proof> {
    Scores { net, found, invariants, budget }.are_separate()
}

struct Scores<'a> {
    net: &'a Net,
    found: &'a Decomposition,
    invariants: &'a [Clause],
    budget: &'a Budget,
}

impl Scores<'_> {
    fn are_separate(&self) -> Option<Proof> {
        let in_goal = |part: &Subgame| part.role_in_goal != RoleInGoal::None;
        let played_for_score =
            self.found.subgames.iter().any(|part| part.action_dependent && in_goal(part));
        let scores: Vec<GateId> = match played_for_score {
            true => self.net.roles.ids().filter_map(|role| highest(self.net, role)).collect(),
            // The score looks only at how long the game lasted.
            false => vec![self.net.terminal],
        };
        let proofs: Option<Vec<Proof>> = scores.into_iter().map(|gate| self.splits(gate)).collect();
        Proof::all("scores split", proofs?)
    }

    /// Whether a condition looks at one part, or is the conjunction or the disjunction of one condition
    /// per part.
    fn splits(&self, gate: GateId) -> Option<Proof> {
        let parts = || self.found.subgames.iter().filter(|part| part.action_dependent);
        let alone = parts().find_map(|part| {
            let others = Others::of(self.net, self.found, part);
            reads_only(self.net, [gate], |fluent| !others.others[fluent])
        });
        let nothing = || reads_only(self.net, [gate], |_| parts().next().is_none());
        if let Some(proof) = alone.or_else(nothing) {
            return Some(proof);
        }
        let mut encoding = Encoding::new(self.net, self.budget);
        let state = encoding.state();
        encoding.assume(state, self.invariants);
        let mut conditions = Vec::new();
        for part in parts() {
            let others = Others::of(self.net, self.found, part);
            if others.reads_own(self.net, gate) {
                conditions.extend(others.left_of(self.net, &mut encoding, state, gate)?);
            }
        }
        let over = match gate == self.net.terminal {
            true => Vec::new(),
            false => vec![encoding.gate(state, self.net.terminal)],
        };
        let wins = encoding.gate(state, gate);
        let (all, any) = (encoding.and(conditions.clone()), encoding.or(conditions));
        [all, any].into_iter().find_map(|together| {
            let differ = encoding.differ(wins, together);
            let question: Vec<Lit> = over.iter().copied().chain([differ]).collect();
            encoding.prove("a score splits", &question, EFFORT)
        })
    }
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

    /// What is left of a condition without what only other parts decide: nothing, if they decide it
    /// all. None if it cannot be told: recursive gates cannot be taken apart.
    fn left_of(
        &self,
        net: &Net,
        encoding: &mut Encoding<'_>,
        state: Frame,
        gate: GateId,
    ) -> Option<Option<Lit>> {
        if !Self::reads(net, gate, &self.others) {
            return Some(Some(encoding.gate(state, gate)));
        }
        if !self.reads_own(net, gate) {
            return Some(None);
        }
        if net.cycle_of(gate).is_some() {
            return None;
        }
        let inputs = net.inputs_of(gate).iter();
        let left: Option<Vec<_>> =
            inputs.map(|&input| self.left_of(net, encoding, state, input)).collect();
        Some(combined(net, encoding, gate, left?))
    }
}

/// A gate of what is left of its inputs.
fn combined(
    net: &Net,
    encoding: &mut Encoding<'_>,
    gate: GateId,
    inputs: Vec<Option<Lit>>,
) -> Option<Lit> {
    let left: Vec<Lit> = inputs.into_iter().flatten().collect();
    match net.gate(gate) {
        _ if left.is_empty() => None,
        Gate::And(_) => Some(encoding.and(left)),
        Gate::Not(_) => Some(!left[0]),
        // Fluents and constants read one part at most and are not asked about.
        _ => Some(encoding.or(left)),
    }
}
