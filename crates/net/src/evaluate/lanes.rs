//! All gates of a net in 64 states at once: slow beside a circuit, but every gate can be read.

use gambol_index::Id;

use super::evaluate;
use crate::{FluentId, Gate, GateId, MoveId, Net};

/// The values of the gates, one state per bit.
#[derive(Clone, Debug)]
pub struct Lanes<'a> {
    net: &'a Net,
    values: Vec<u64>,
    /// The gates to evaluate, in order; all if nothing is said.
    cone: Option<Vec<GateId>>,
}

impl<'a> Lanes<'a> {
    /// All gates; no fluent is true and no move is made.
    pub fn new(net: &'a Net) -> Self {
        let mut values = vec![0; net.gate_count()];
        values[1] = !0;
        Self { net, values, cone: None }
    }

    /// Only what some gates depend on.
    pub fn of(net: &'a Net, gates: impl IntoIterator<Item = GateId>) -> Self {
        Self { cone: Some(net.cone(gates)), ..Self::new(net) }
    }

    /// The moves that are read.
    pub fn moves_read(&self) -> Vec<MoveId> {
        let action = |gate: GateId| match self.net.gate(gate) {
            Gate::Does(action) => Some(action),
            _ => None,
        };
        match &self.cone {
            Some(cone) => cone.iter().filter_map(|&gate| action(gate)).collect(),
            None => self.net.moves.ids().collect(),
        }
    }

    /// In which lanes a fluent is true.
    pub fn set(&mut self, fluent: FluentId, lanes: u64) {
        self.values[self.net.fluent_gate(fluent).index()] = lanes;
    }

    /// In which lanes a move is done.
    pub fn set_move(&mut self, action: MoveId, lanes: u64) {
        self.values[self.net.move_gate(action).index()] = lanes;
    }

    /// Makes all fluents false.
    pub fn clear_fluents(&mut self) {
        let first = self.net.fluent_gate(FluentId::new(0)).index();
        self.values[first..first + self.net.next.len()].fill(0);
    }

    /// Does no move.
    pub fn clear_moves(&mut self) {
        let first = self.net.move_gate(MoveId::new(0)).index();
        self.values[first..first + self.net.legal.len()].fill(0);
    }

    /// Makes a fluent true in one lane.
    pub fn add(&mut self, fluent: FluentId, lane: usize) {
        self.values[self.net.fluent_gate(fluent).index()] |= 1 << lane;
    }

    /// Does a move in one lane.
    pub fn add_move(&mut self, action: MoveId, lane: usize) {
        self.values[self.net.move_gate(action).index()] |= 1 << lane;
    }

    /// Evaluates everything.
    pub fn run(&mut self) {
        match &self.cone {
            Some(cone) => evaluate(self.net, &mut self.values, cone.iter().copied()),
            None => {
                self.run_state();
                self.run_step();
            }
        }
    }

    /// Evaluates the gates that look at the state only.
    pub fn run_state(&mut self) {
        evaluate(self.net, &mut self.values, self.net.state_gates().map(GateId::new));
    }

    /// Evaluates the gates that look at the moves too.
    pub fn run_step(&mut self) {
        evaluate(self.net, &mut self.values, self.net.step_gates().map(GateId::new));
    }

    /// In which lanes a gate is true.
    #[inline]
    pub fn value(&self, gate: GateId) -> u64 {
        self.values[gate.index()]
    }
}
