//! The same net with its fluents and moves in another order.

use gambol_index::{Id, IndexVec};

use crate::{FluentId, GateId, MoveId, Net};

impl Net {
    /// The net whose fluents and moves stand in the order given: the first of the new net is the
    /// first of the list. Moves must stay together by role. Gates that compute something keep
    /// their numbers.
    pub fn renumbered(
        &self,
        fluents: &IndexVec<FluentId, FluentId>,
        moves: &IndexVec<MoveId, MoveId>,
    ) -> Net {
        debug_assert_eq!((fluents.len(), moves.len()), (self.next.len(), self.legal.len()));
        let mut to: IndexVec<GateId, GateId> = self.gate_ids().collect::<Vec<_>>().into();
        let mut new_fluent: IndexVec<FluentId, FluentId> = fluents.clone();
        for (new, &old) in fluents.iter_ids() {
            to[self.fluent_gate(old)] = self.fluent_gate(new);
            new_fluent[old] = new;
        }
        for (new, &old) in moves.iter_ids() {
            to[self.move_gate(old)] = self.move_gate(new);
        }
        let mut net = self.clone();
        for gate in self.gate_ids().filter(|&gate| self.kind[gate].is_logic()) {
            let row = gate.index();
            let range = self.first[row] as usize..self.first[row + 1] as usize;
            net.inputs[range].iter_mut().for_each(|input| *input = to[*input]);
        }
        net.fluents =
            fluents.iter().map(|&old| self.fluents[old].clone()).collect::<Vec<_>>().into();
        net.next = fluents.iter().map(|&old| to[self.next[old]]).collect::<Vec<_>>().into();
        net.moves = moves.iter().map(|&old| self.moves[old].clone()).collect::<Vec<_>>().into();
        net.legal = moves.iter().map(|&old| to[self.legal[old]]).collect::<Vec<_>>().into();
        net.initial = self.initial.iter().map(|&old| new_fluent[old]).collect();
        net.initial.sort_unstable();
        net.terminal = to[self.terminal];
        net.goals.iter_mut().for_each(|goal| goal.gate = to[goal.gate]);
        net.percepts.iter_mut().for_each(|percept| percept.gate = to[percept.gate]);
        net.views.iter_mut().for_each(|view| view.gate = to[view.gate]);
        net
    }
}
