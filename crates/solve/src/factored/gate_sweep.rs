//! All gates of a net in 64 states at once: slow beside a circuit, but every gate can be read.

use gambol_index::IndexVec;
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};

pub(crate) struct GateSweep<'a> {
    net: &'a Net,
    values: IndexVec<GateId, u64>,
}

impl<'a> GateSweep<'a> {
    pub(crate) fn new(net: &'a Net) -> Self {
        Self { net, values: IndexVec::filled(0, net.gate_count()) }
    }

    /// Sets a fluent in all lanes.
    pub(crate) fn set(&mut self, fluent: FluentId, lanes: u64) {
        self.values[self.net.fluent_gate(fluent)] = lanes;
    }

    /// Sets a move in all lanes.
    pub(crate) fn set_move(&mut self, action: MoveId, lanes: u64) {
        self.values[self.net.move_gate(action)] = lanes;
    }

    /// Evaluates everything.
    pub(crate) fn run(&mut self) {
        let first = self.net.state_gates().start;
        let mut next = first;
        for cycle in &self.net.cycles {
            self.evaluate(next..cycle.start);
            cycle.clone().for_each(|gate| self.values[GateId::new(gate)] = 0);
            while self.evaluate(cycle.clone()) {}
            next = cycle.end;
        }
        self.evaluate(next..self.values.len() as u32);
        self.values[GateId::new(1)] = u64::MAX;
    }

    /// Whether anything changed.
    fn evaluate(&mut self, gates: std::ops::Range<u32>) -> bool {
        self.values[GateId::new(0)] = 0;
        self.values[GateId::new(1)] = u64::MAX;
        let mut changed = false;
        for id in gates.map(GateId::new) {
            let value = match self.net.gate(id) {
                Gate::And(inputs) => inputs.iter().fold(u64::MAX, |all, &i| all & self.values[i]),
                Gate::Or(inputs) => inputs.iter().fold(0, |any, &i| any | self.values[i]),
                Gate::Not(input) => !self.values[input],
                Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => continue,
            };
            changed |= std::mem::replace(&mut self.values[id], value) != value;
        }
        changed
    }

    /// A gate in all lanes.
    pub(crate) fn value(&self, gate: GateId) -> u64 {
        self.values[gate]
    }
}
