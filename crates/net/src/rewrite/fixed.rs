//! Fixed propositions: fluents that keep their first value for ever, and moves that are never legal.
//!
//! Suppose that every fluent keeps its initial value and no move is legal, and take back what the
//! net refutes: a fluent whose transition may differ from the supposed value, a move whose legality
//! gate may be true. What is left when nothing more is refuted holds in the initial state and is
//! handed on by every step, so it holds in every state that play can reach. It need not hold in
//! other states; use the rewritten net for play only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gambol_index::{Id, IndexVec};

use super::copy::{Rewritten, copy, finish};
use crate::evaluate::{Ternary, gate_value, known_values, settle};
use crate::query::Readers;
use crate::{FluentId, Gate, GateId, MoveId, Net};

/// What never changes in play.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fixed {
    /// Fluents that have this value in every reachable state.
    pub fluents: Vec<(FluentId, bool)>,
    /// Moves that are legal in no reachable state.
    pub never_legal: Vec<MoveId>,
}

/// Finds the fixed propositions. Gives up with an empty answer if recursive gates make it too
/// costly.
pub fn find_fixed(net: &Net) -> Fixed {
    let mut search = Search::new(net);
    if search.run().is_none() {
        return Fixed::default();
    }
    let held = |gate: GateId| search.known(gate);
    let fluent = |fluent| held(net.fluent_gate(fluent)).map(|value| (fluent, value));
    let never = |&action: &MoveId| held(net.move_gate(action)).is_some();
    Fixed {
        fluents: net.fluents.ids().filter_map(fluent).collect(),
        never_legal: net.moves.ids().filter(never).collect(),
    }
}

/// Replaces fixed propositions by constants wherever they are read. They keep their ids, and a
/// fixed fluent keeps its transition, to the constant.
pub fn replace_fixed(net: &Net, fixed: &Fixed) -> Net {
    let mut fluents = IndexVec::filled(None, net.fluents.len());
    fixed.fluents.iter().for_each(|&(fluent, held)| fluents[fluent] = Some(held));
    let mut moves = IndexVec::filled(None, net.moves.len());
    fixed.never_legal.iter().for_each(|&action| moves[action] = Some(false));
    let known = |gate: Gate| match gate {
        Gate::Fluent(fluent) => fluents[fluent],
        Gate::Does(action) => moves[action],
        Gate::Constant(_) | Gate::And(_) | Gate::Or(_) | Gate::Not(_) => None,
    };
    let values = known_values(net, known);
    finish(copy(net, |id| match values[id.index()].value() {
        Some(held) => Rewritten::Constant(held),
        None => Rewritten::Kept(net.gate(id)),
    }))
}

/// The suppositions, what they make of the gates, and the gates to look at again.
struct Search<'a> {
    net: &'a Net,
    values: Vec<Ternary<bool>>,
    readers: Readers,
    /// Propositions by the gate that can refute what is supposed of them, sorted.
    watched: Vec<(GateId, GateId)>,
    dirty: BinaryHeap<Reverse<GateId>>,
    is_dirty: Vec<bool>,
    /// How many more inputs may be looked at.
    budget: u64,
}

impl<'a> Search<'a> {
    fn new(net: &'a Net) -> Self {
        let mut initial = IndexVec::filled(false, net.fluents.len());
        net.initial.iter().for_each(|&fluent| initial[fluent] = true);
        let supposed = |gate: Gate| match gate {
            Gate::Fluent(fluent) => Some(initial[fluent]),
            _ => Some(false),
        };
        let transitions = net.next.iter_ids().map(|(id, &gate)| (gate, net.fluent_gate(id)));
        let legality = net.legal.iter_ids().map(|(id, &gate)| (gate, net.move_gate(id)));
        let mut watched: Vec<(GateId, GateId)> = transitions.chain(legality).collect();
        watched.sort_unstable();
        Self {
            net,
            values: known_values(net, supposed),
            readers: Readers::of(net),
            watched,
            dirty: BinaryHeap::new(),
            is_dirty: vec![false; net.gate_count()],
            budget: 10_000_000 + 100 * net.inputs.len() as u64,
        }
    }

    /// Takes back what is refuted until nothing more is; `None` if the budget did not suffice.
    fn run(&mut self) -> Option<()> {
        for row in 0..self.watched.len() {
            self.refute(self.watched[row].0, self.watched[row].1);
        }
        while let Some(Reverse(gate)) = self.dirty.pop() {
            if !std::mem::replace(&mut self.is_dirty[gate.index()], false) {
                continue;
            }
            match self.net.cycle_of(gate) {
                Some(cycle) => self.revise_cycle(cycle)?,
                None => self.revise_gate(gate)?,
            }
        }
        Some(())
    }

    /// Opens a proposition if the gate may differ from what is supposed of it.
    fn refute(&mut self, gate: GateId, proposition: GateId) {
        let known = self.known(proposition);
        if known.is_some() && self.known(gate) != known {
            self.open(proposition, Ternary::UNKNOWN);
        }
    }

    fn known(&self, gate: GateId) -> Option<bool> {
        self.values[gate.index()].value()
    }

    /// Gives a gate a new value and tells everyone who depends on it.
    fn open(&mut self, gate: GateId, value: Ternary<bool>) {
        self.values[gate.index()] = value;
        self.tell_readers(gate);
        self.tell_propositions(gate);
    }

    fn tell_readers(&mut self, gate: GateId) {
        for &reader in self.readers.of_gate(gate) {
            if !std::mem::replace(&mut self.is_dirty[reader.index()], true) {
                self.dirty.push(Reverse(reader));
            }
        }
    }

    fn tell_propositions(&mut self, gate: GateId) {
        let first = self.watched.partition_point(|&(watched, _)| watched < gate);
        let count = self.watched[first..].partition_point(|&(watched, _)| watched == gate);
        for row in first..first + count {
            self.refute(gate, self.watched[row].1);
        }
    }

    fn revise_gate(&mut self, gate: GateId) -> Option<()> {
        self.spend(self.net.inputs_of(gate).len())?;
        let found = gate_value(self.net, gate, &self.values);
        if found != self.values[gate.index()] {
            self.open(gate, found);
        }
        Some(())
    }

    /// A cycle is settled as a whole.
    fn revise_cycle(&mut self, cycle: usize) -> Option<()> {
        let range = self.net.cycles[cycle].clone();
        let gates = || range.clone().map(GateId::new);
        self.spend(gates().map(|gate| self.net.inputs_of(gate).len()).sum())?;
        let before = self.values[range.start as usize..range.end as usize].to_vec();
        settle(self.net, cycle, &mut self.values);
        // The gates of the cycle itself need not hear of one another.
        gates().for_each(|gate| self.is_dirty[gate.index()] = true);
        let changed =
            gates().zip(before).filter(|&(gate, before)| self.values[gate.index()] != before);
        let changed: Vec<GateId> = changed.map(|(gate, _)| gate).collect();
        changed.iter().for_each(|&gate| self.tell_readers(gate));
        gates().for_each(|gate| self.is_dirty[gate.index()] = false);
        changed.iter().for_each(|&gate| self.tell_propositions(gate));
        Some(())
    }

    fn spend(&mut self, inputs: usize) -> Option<()> {
        self.budget = self.budget.checked_sub(inputs as u64)?;
        Some(())
    }
}
