//! Three-valued evaluation of the goal circuit, one trial per lane.
//!
//! A value is two bits: *must* be true, and *may* be true. Recursive gates are the least fixpoint of
//! either. A trial fixes one gate and leaves the fluents open.

use gambol_index::Id;
use gambol_net::{FluentId, Gate, GateId, Net};

use crate::evaluate::lanes::{ALL, LANES, NONE, Word, and, cone, set};

/// One gate with a fixed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fixed {
    pub(crate) gate: GateId,
    pub(crate) value: bool,
}

/// The gates that some outputs look at, and what is known of the fluents.
pub(crate) struct Ternary<'a> {
    net: &'a Net,
    /// The gates, in evaluation order; cycles whole.
    gates: Vec<GateId>,
    must: Vec<Word>,
    may: Vec<Word>,
    /// Propositions that the last run fixed, and what they were before.
    replaced: Vec<(usize, Word, Word)>,
}

impl<'a> Ternary<'a> {
    /// For these outputs. `known` gives the fluents with a fixed value.
    pub(crate) fn new(
        net: &'a Net,
        outputs: impl IntoIterator<Item = GateId>,
        known: &dyn Fn(FluentId) -> Option<bool>,
    ) -> Self {
        let used = cone(net, outputs);
        let (mut must, mut may) = (vec![NONE; net.gate_count()], vec![NONE; net.gate_count()]);
        (must[1], may[1]) = (ALL, ALL);
        for fluent in net.fluents.ids() {
            let gate = net.fluent_gate(fluent).index();
            let value = known(fluent);
            must[gate] = if value == Some(true) { ALL } else { NONE };
            may[gate] = if value == Some(false) { NONE } else { ALL };
        }
        for action in net.moves.ids() {
            may[net.move_gate(action).index()] = ALL;
        }
        let gates = net.gate_ids().filter(|gate| used[gate.index()]).collect();
        Self { net, gates, must, may, replaced: Vec::new() }
    }

    /// The gates that the outputs look at, fluents and all, in evaluation order.
    pub(crate) fn gates(&self) -> &[GateId] {
        &self.gates
    }

    /// Evaluates up to 512 trials, one per lane.
    pub(crate) fn run(&mut self, trials: &[Fixed]) {
        debug_assert!(trials.len() <= LANES);
        let mut fixed: Vec<(GateId, usize, bool)> =
            trials.iter().enumerate().map(|(lane, fix)| (fix.gate, lane, fix.value)).collect();
        fixed.sort_unstable();
        self.fix_inputs(&fixed);
        let mut place = 0;
        while place < self.gates.len() {
            let gate = self.gates[place];
            match self.net.cycle_of(gate) {
                Some(cycle) => {
                    let end = self.net.cycles[cycle].end;
                    let until =
                        place + self.gates[place..].partition_point(|gate| gate.number() < end);
                    self.settle(place..until, &fixed);
                    place = until;
                }
                None => {
                    self.evaluate(gate, &fixed);
                    place += 1;
                }
            }
        }
    }

    /// Fixes propositions for this run, and frees those that the last run fixed.
    fn fix_inputs(&mut self, fixed: &[(GateId, usize, bool)]) {
        while let Some((gate, must, may)) = self.replaced.pop() {
            (self.must[gate], self.may[gate]) = (must, may);
        }
        let inputs = self.net.state_gates().start;
        for &(gate, lane, value) in fixed.iter().filter(|fix| fix.0.number() < inputs) {
            let row = gate.index();
            self.replaced.push((row, self.must[row], self.may[row]));
            self.put(row, lane, value);
        }
    }

    fn put(&mut self, row: usize, lane: usize, value: bool) {
        for word in [&mut self.must[row], &mut self.may[row]] {
            word[lane / 64] &= !(1 << (lane % 64));
            if value {
                set(word, lane);
            }
        }
    }

    fn evaluate(&mut self, gate: GateId, fixed: &[(GateId, usize, bool)]) {
        if gate.number() < self.net.state_gates().start {
            return;
        }
        let (must, may) = self.computed(gate);
        (self.must[gate.index()], self.may[gate.index()]) = (must, may);
        let first = fixed.partition_point(|fix| fix.0 < gate);
        for &(_, lane, value) in fixed[first..].iter().take_while(|fix| fix.0 == gate) {
            self.put(gate.index(), lane, value);
        }
    }

    fn settle(&mut self, range: std::ops::Range<usize>, fixed: &[(GateId, usize, bool)]) {
        for gate in &self.gates[range.clone()] {
            (self.must[gate.index()], self.may[gate.index()]) = (NONE, NONE);
        }
        loop {
            let mut changed = false;
            for place in range.clone() {
                let gate = self.gates[place];
                let before = (self.must[gate.index()], self.may[gate.index()]);
                self.evaluate(gate, fixed);
                changed |= before != (self.must[gate.index()], self.may[gate.index()]);
            }
            if !changed {
                return;
            }
        }
    }

    fn computed(&self, gate: GateId) -> (Word, Word) {
        match self.net.gate(gate) {
            Gate::And(inputs) => inputs.iter().fold((ALL, ALL), |(must, may), input| {
                (and(&must, &self.must[input.index()]), and(&may, &self.may[input.index()]))
            }),
            Gate::Or(inputs) => inputs.iter().fold((NONE, NONE), |(must, may), input| {
                (or(&must, &self.must[input.index()]), or(&may, &self.may[input.index()]))
            }),
            Gate::Not(input) => (
                self.may[input.index()].map(|part| !part),
                self.must[input.index()].map(|part| !part),
            ),
            Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => {
                (self.must[gate.index()], self.may[gate.index()])
            }
        }
    }

    /// The lanes in which a gate must be true.
    pub(crate) fn must(&self, gate: GateId) -> &Word {
        &self.must[gate.index()]
    }

    /// The lanes in which a gate may be true.
    pub(crate) fn may(&self, gate: GateId) -> &Word {
        &self.may[gate.index()]
    }
}

fn or(one: &Word, other: &Word) -> Word {
    std::array::from_fn(|part| one[part] | other[part])
}
