//! Who reads a gate: the net's edges the other way round.

use gambol_index::Id;

use crate::{Gate, GateId, Net};

/// The readers of gate `g` are `readers[first[g]..first[g + 1]]`, in evaluation order.
#[derive(Clone, Debug)]
pub struct Readers {
    first: Vec<u32>,
    readers: Vec<GateId>,
}

impl Readers {
    /// Turns the edges of a net round.
    pub fn of(net: &Net) -> Self {
        let mut first = vec![0u32; net.gate_count() + 1];
        for id in net.gate_ids() {
            net.inputs_of(id).iter().for_each(|input| first[input.index() + 1] += 1);
        }
        for gate in 0..net.gate_count() {
            first[gate + 1] += first[gate];
        }
        let mut cursor = first.clone();
        let mut readers = vec![GateId::new(0); first[net.gate_count()] as usize];
        for id in net.gate_ids() {
            for input in net.inputs_of(id) {
                readers[cursor[input.index()] as usize] = id;
                cursor[input.index()] += 1;
            }
        }
        Self { first, readers }
    }

    /// The gates that read this one.
    pub fn of_gate(&self, gate: GateId) -> &[GateId] {
        &self.readers[self.first[gate.index()] as usize..self.first[gate.index() + 1] as usize]
    }
}

impl Net {
    /// What a gate reads: empty if it is a constant or a proposition.
    #[inline]
    pub fn inputs_of(&self, id: GateId) -> &[GateId] {
        match self.gate(id) {
            Gate::And(inputs) | Gate::Or(inputs) => inputs,
            Gate::Not(_) => &self.inputs[self.first[id.index()] as usize..][..1],
            Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => &[],
        }
    }

    /// Every gate that is read from outside the gates: transitions, legality, end, goals,
    /// percepts and views, in this order.
    pub fn roots(&self) -> impl Iterator<Item = GateId> {
        let goals = self.goals.iter().map(|goal| goal.gate);
        let percepts = self.percepts.iter().map(|percept| percept.gate);
        let views = self.views.iter().map(|view| view.gate);
        let transitions = self.next.iter().chain(&self.legal).copied();
        transitions.chain([self.terminal]).chain(goals).chain(percepts).chain(views)
    }
}
