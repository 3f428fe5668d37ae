//! The gates that a question looks at, laid out to be evaluated one after the other.
//!
//! Inverters are read through: an input is a gate with a sign. Only an inverter that is itself asked
//! for has a row of its own.

use std::ops::Range;

use gambol_index::Id;
use gambol_net::{Gate, GateId, Net};

use crate::evaluate::lanes::{ALL, NONE, WORDS, Word};

/// The values of a gate, where they take one line of the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Row(pub(crate) Word);

/// A conjunction or a disjunction.
struct Operation {
    gate: u32,
    conjunction: bool,
    /// Where its inputs end; they begin where those of the operation before end.
    end: u32,
}

/// Operations that are done once, or over and over until nothing changes.
struct Stretch {
    operations: Range<usize>,
    cyclic: bool,
}

/// Operations in an order in which they can be done.
pub(crate) struct Plan {
    operations: Vec<Operation>,
    /// Twice the gate, plus one if its opposite is meant.
    inputs: Vec<u32>,
    stretches: Vec<Stretch>,
}

impl Plan {
    /// What some gates look at, without what is known. What is evaluated here is known afterwards.
    pub(crate) fn of(net: &Net, roots: &[GateId], known: &mut [bool]) -> Self {
        let used = used(net, roots, known);
        let mut plan = Self { operations: Vec::new(), inputs: Vec::new(), stretches: Vec::new() };
        let mut row = net.state_gates().start;
        while row < net.gate_count() as u32 {
            let piece = match net.cycle_of(GateId::new(row)) {
                Some(cycle) => net.cycles[cycle].clone(),
                None => row..row + 1,
            };
            let first = plan.operations.len();
            if piece.clone().any(|gate| used[gate as usize]) {
                piece.clone().for_each(|gate| plan.push(net, GateId::new(gate)));
                plan.stretch(first, piece.len() > 1);
            }
            row = piece.end;
        }
        known.iter_mut().zip(used).for_each(|(known, used)| *known |= used);
        plan
    }

    fn push(&mut self, net: &Net, gate: GateId) {
        let (inputs, conjunction) = match net.gate(gate) {
            Gate::Or(inputs) => (inputs, false),
            _ => (net.inputs_of(gate), true),
        };
        let negated = matches!(net.gate(gate), Gate::Not(_));
        for &input in inputs {
            let (source, sign) = seen_through(net, input);
            self.inputs.push(2 * source.number() + u32::from(sign == negated));
        }
        let end = self.inputs.len() as u32;
        self.operations.push(Operation { gate: gate.number(), conjunction, end });
    }

    fn stretch(&mut self, first: usize, cyclic: bool) {
        let operations = first..self.operations.len();
        match self.stretches.last_mut() {
            Some(last) if !cyclic && !last.cyclic => last.operations.end = operations.end,
            _ => self.stretches.push(Stretch { operations, cyclic }),
        }
    }

    /// How much is read when it is run once.
    pub(crate) fn effort(&self) -> u64 {
        self.inputs.len() as u64 + 1
    }

    pub(crate) fn run(&self, values: &mut [Row]) {
        for stretch in &self.stretches {
            if stretch.cyclic {
                self.settle(stretch.operations.clone(), values);
            } else {
                self.sweep(stretch.operations.clone(), values, |_, _| {});
            }
        }
    }

    /// `note` sees each value before and after.
    #[inline]
    fn sweep(
        &self,
        operations: Range<usize>,
        values: &mut [Row],
        mut note: impl FnMut(&Row, &Row),
    ) {
        let mut first = match operations.start {
            0 => 0,
            start => self.operations[start - 1].end,
        } as usize;
        for operation in &self.operations[operations] {
            let inputs = &self.inputs[first..operation.end as usize];
            let value = match operation.conjunction {
                true => conjunction(inputs, values),
                false => disjunction(inputs, values),
            };
            let row = &mut values[operation.gate as usize];
            note(row, &value);
            *row = value;
            first = operation.end as usize;
        }
    }

    /// The least fixpoint of gates that read one another: up from false until nothing changes.
    fn settle(&self, operations: Range<usize>, values: &mut [Row]) {
        for operation in &self.operations[operations.clone()] {
            values[operation.gate as usize] = Row(NONE);
        }
        let mut changed = true;
        while changed {
            changed = false;
            self.sweep(operations.clone(), values, |before, after| changed |= before != after);
        }
    }
}

/// The gate behind inverters, and whether it is meant as it is.
fn seen_through(net: &Net, mut gate: GateId) -> (GateId, bool) {
    let mut sign = true;
    while let Gate::Not(input) = net.gate(gate) {
        (gate, sign) = (input, !sign);
    }
    (gate, sign)
}

/// The gates that must be evaluated for some others.
fn used(net: &Net, roots: &[GateId], known: &[bool]) -> Vec<bool> {
    let mut used = vec![false; net.gate_count()];
    let mut open = roots.to_vec();
    while let Some(gate) = open.pop() {
        if !known[gate.index()] && !std::mem::replace(&mut used[gate.index()], true) {
            let inputs = net.inputs_of(gate).iter();
            open.extend(inputs.map(|&input| seen_through(net, input).0));
        }
    }
    used
}

#[inline]
fn signed(input: u32, values: &[Row]) -> (&Word, u64) {
    (&values[(input >> 1) as usize].0, 0u64.wrapping_sub(u64::from(input & 1)))
}

#[inline]
fn conjunction(inputs: &[u32], values: &[Row]) -> Row {
    let mut all = ALL;
    for &input in inputs {
        let (value, flip) = signed(input, values);
        (0..WORDS).for_each(|part| all[part] &= value[part] ^ flip);
    }
    Row(all)
}

#[inline]
fn disjunction(inputs: &[u32], values: &[Row]) -> Row {
    let mut any = NONE;
    for &input in inputs {
        let (value, flip) = signed(input, values);
        (0..WORDS).for_each(|part| any[part] |= value[part] ^ flip);
    }
    Row(any)
}
