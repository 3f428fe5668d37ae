//! Independent scores: the highest score of each role is the conjunction, or the disjunction, of
//! conditions each of which looks at one part only. A question to a solver, over all states that
//! satisfy the proved invariants.

use gambol_analysis::{Answer, Budget, Clause, Encoding, Frame, Lit};
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, Net, RoleId};

use crate::decomposition::{Decomposition, RoleInGoal, Subgame};
use crate::lanes::cone;
use crate::prove::EFFORT;
use crate::square::highest;

/// Whether, for every role, the highest score splits into one condition per part.
pub(crate) fn scores_are_separate(
    net: &Net,
    found: &Decomposition,
    invariants: &[Clause],
    budget: &Budget,
) -> bool {
    Scores { net, found, invariants, budget }.are_separate()
}

struct Scores<'a> {
    net: &'a Net,
    found: &'a Decomposition,
    invariants: &'a [Clause],
    budget: &'a Budget,
}

impl Scores<'_> {
    fn are_separate(&self) -> bool {
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
        highest(self.net, role).is_none_or(|gate| self.splits(gate))
    }

    /// Whether a condition is the conjunction or the disjunction of one condition per part.
    fn splits(&self, gate: GateId) -> bool {
        let mut encoding = Encoding::new(self.net, self.budget);
        let state = encoding.state();
        encoding.assume(state, self.invariants);
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
