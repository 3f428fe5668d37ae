//! All gates of a net in 64 states at once: slow beside a circuit, but every gate can be read.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};

pub(crate) struct GateSweep<'a> {
    net: &'a Net,
    values: IndexVec<GateId, u64>,
    /// The gates to evaluate, in order; all if nothing is said.
    cone: Option<Vec<GateId>>,
}

impl<'a> GateSweep<'a> {
    pub(crate) fn new(net: &'a Net) -> Self {
        Self { net, values: IndexVec::filled(0, net.gate_count()), cone: None }
    }

    /// Only what some gates depend on.
    pub(crate) fn of(net: &'a Net, gates: impl IntoIterator<Item = GateId>) -> Self {
        let cone = net.cycles.is_empty().then(|| cone(net, gates));
        Self { cone, ..Self::new(net) }
    }

    /// The moves that are read; nothing if that is not known.
    pub(crate) fn moves_read(&self) -> Option<Vec<MoveId>> {
        let action = |&gate: &GateId| match self.net.gate(gate) {
            Gate::Does(action) => Some(action),
            _ => None,
        };
        Some(self.cone.as_ref()?.iter().filter_map(action).collect())
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
        if let Some(cone) = self.cone.take() {
            self.evaluate(cone.iter().copied());
            self.cone = Some(cone);
            return;
        }
        let first = self.net.state_gates().start;
        let mut next = first;
        for cycle in &self.net.cycles {
            self.evaluate((next..cycle.start).map(GateId::new));
            cycle.clone().for_each(|gate| self.values[GateId::new(gate)] = 0);
            while self.evaluate(cycle.clone().map(GateId::new)) {}
            next = cycle.end;
        }
        self.evaluate((next..self.values.len() as u32).map(GateId::new));
    }

    /// Whether anything changed.
    fn evaluate(&mut self, gates: impl Iterator<Item = GateId>) -> bool {
        self.values[GateId::new(0)] = 0;
        self.values[GateId::new(1)] = u64::MAX;
        let mut changed = false;
        for id in gates {
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

/// The gates that some gates depend on, in order of evaluation.
fn cone(net: &Net, gates: impl IntoIterator<Item = GateId>) -> Vec<GateId> {
    let mut seen = vec![false; net.gate_count()];
    let mut open: Vec<GateId> = gates.into_iter().collect();
    while let Some(gate) = open.pop() {
        if !std::mem::replace(&mut seen[gate.index()], true) {
            match net.gate(gate) {
                Gate::And(inputs) | Gate::Or(inputs) => open.extend(inputs),
                Gate::Not(input) => open.push(input),
                Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => {}
            }
        }
    }
    net.gate_ids().filter(|gate| seen[gate.index()]).collect()
}
