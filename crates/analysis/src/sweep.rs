//! A net evaluated in 64 states at once: bit `i` of every word belongs to state `i`.

use gambol_index::Id;
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};

use crate::state::State;

/// The values of all gates in 64 states.
pub(crate) struct Sweep<'a> {
    net: &'a Net,
    values: Vec<u64>,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(net: &'a Net) -> Self {
        let mut values = vec![0; net.gate_count()];
        values[1] = !0;
        Self { net, values }
    }

    /// Puts up to 64 states in place and evaluates the gates that look at the state only.
    pub(crate) fn load<'s>(&mut self, states: impl IntoIterator<Item = &'s State>) {
        let first = self.net.fluent_gate(FluentId::new(0)).index();
        let fluents = self.net.next.len();
        self.values[first..first + fluents].fill(0);
        for (lane, state) in states.into_iter().enumerate() {
            for fluent in state.ones() {
                self.values[first + fluent] |= 1 << lane;
            }
        }
        self.run(self.net.state_gates());
    }

    /// Puts the same state in all places.
    pub(crate) fn load_everywhere(&mut self, state: &State) {
        let first = self.net.fluent_gate(FluentId::new(0)).index();
        let fluents = self.net.next.len();
        self.values[first..first + fluents].fill(0);
        state.ones().for_each(|fluent| self.values[first + fluent] = !0);
        self.run(self.net.state_gates());
    }

    /// Does joint moves, one per lane, and evaluates the gates that look at moves.
    pub(crate) fn step<'m>(&mut self, moves: impl IntoIterator<Item = &'m [MoveId]>) {
        let first = self.net.move_gate(MoveId::new(0)).index();
        let count = self.net.legal.len();
        self.values[first..first + count].fill(0);
        for (lane, joint) in moves.into_iter().enumerate() {
            for action in joint {
                self.values[first + action.index()] |= 1 << lane;
            }
        }
        self.run(self.net.step_gates());
    }

    /// The value of a gate in all lanes.
    #[inline]
    pub(crate) fn value(&self, gate: GateId) -> u64 {
        self.values[gate.index()]
    }

    /// The state that follows in one lane.
    pub(crate) fn successor(&self, lane: usize) -> State {
        let mut state = State::empty(self.net.next.len());
        for (fluent, &gate) in self.net.next.iter_ids() {
            if self.value(gate) >> lane & 1 == 1 {
                state.set(fluent.index());
            }
        }
        state
    }

    fn run(&mut self, range: std::ops::Range<u32>) {
        let mut row = range.start;
        while row < range.end {
            match self.net.cycle_of(GateId::new(row)) {
                Some(cycle) => {
                    let cycle = self.net.cycles[cycle].clone();
                    self.settle(cycle.clone());
                    row = cycle.end;
                }
                None => {
                    self.values[row as usize] = self.computed(GateId::new(row));
                    row += 1;
                }
            }
        }
    }

    /// The least fixpoint of gates that read one another: up from false until nothing changes.
    fn settle(&mut self, cycle: std::ops::Range<u32>) {
        self.values[cycle.start as usize..cycle.end as usize].fill(0);
        loop {
            let mut changed = false;
            for row in cycle.clone() {
                let value = self.computed(GateId::new(row));
                changed |= value != self.values[row as usize];
                self.values[row as usize] = value;
            }
            if !changed {
                return;
            }
        }
    }

    #[inline]
    fn computed(&self, gate: GateId) -> u64 {
        match self.net.gate(gate) {
            Gate::And(inputs) => inputs.iter().fold(!0, |all, input| all & self.value(*input)),
            Gate::Or(inputs) => inputs.iter().fold(0, |any, input| any | self.value(*input)),
            Gate::Not(input) => !self.value(input),
            Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => self.value(gate),
        }
    }
}
