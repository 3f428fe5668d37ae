//! Least fixpoints of gates that read one another.
//!
//! All gates of a cycle start from false, every time: a value kept from the last step would hold
//! itself up for ever. A gate that became true wakes its readers, so a long chain costs no more
//! than its length, in whatever order its gates are numbered.

use std::ops::Range;

use gambol_index::Id;

use crate::{Gate, GateId, Net};

/// Who reads whom inside the cycles of a net.
///
/// The readers of the `n`-th cyclic gate are `readers[first[n]..first[n + 1]]`, where cyclic gates
/// are counted through all cycles and `offset[c]` are those before cycle `c`.
#[derive(Clone, Debug)]
pub(crate) struct Fixpoint {
    offset: Vec<u32>,
    first: Vec<u32>,
    readers: Vec<GateId>,
}

impl Fixpoint {
    pub(crate) fn of(net: &Net) -> Self {
        let mut fixpoint = Self { offset: Vec::new(), first: vec![0], readers: Vec::new() };
        for cycle in &net.cycles {
            fixpoint.offset.push(fixpoint.first.len() as u32 - 1);
            fixpoint.add_readers(net, cycle.clone());
        }
        fixpoint
    }

    fn add_readers(&mut self, net: &Net, cycle: Range<u32>) {
        let inside = |input: &&GateId| cycle.contains(&input.number());
        let mut edges = Vec::new();
        for reader in cycle.clone().map(GateId::new) {
            let inputs = net.inputs_of(reader).iter().filter(inside);
            edges.extend(inputs.map(|&input| (input, reader)));
        }
        edges.sort_unstable();
        let mut edges = edges.into_iter().peekable();
        for gate in cycle.clone().map(GateId::new) {
            while let Some((_, reader)) = edges.next_if(|&(input, _)| input == gate) {
                self.readers.push(reader);
            }
            self.first.push(self.readers.len() as u32);
        }
    }

    /// Computes the values of one cycle from those of the gates before it.
    pub(crate) fn settle(
        &self,
        net: &Net,
        cycle: usize,
        values: &mut [bool],
        woken: &mut Vec<GateId>,
    ) {
        let range = net.cycles[cycle].clone();
        values[range.start as usize..range.end as usize].fill(false);
        for gate in range.clone().map(GateId::new) {
            wake(net, gate, values, woken);
            while let Some(risen) = woken.pop() {
                let row = (self.offset[cycle] + risen.number() - range.start) as usize;
                let readers = &self.readers[self.first[row] as usize..self.first[row + 1] as usize];
                readers.iter().for_each(|&reader| wake(net, reader, values, woken));
            }
        }
    }
}

/// Makes a gate true if its inputs say so.
fn wake(net: &Net, gate: GateId, values: &mut [bool], woken: &mut Vec<GateId>) {
    if !values[gate.index()] && gate_value(net, gate, values) {
        values[gate.index()] = true;
        woken.push(gate);
    }
}

/// The value of an AND, OR or NOT from those of its inputs; that of a proposition as it stands.
#[inline]
pub(crate) fn gate_value(net: &Net, gate: GateId, values: &[bool]) -> bool {
    match net.gate(gate) {
        Gate::And(inputs) => inputs.iter().all(|input| values[input.index()]),
        Gate::Or(inputs) => inputs.iter().any(|input| values[input.index()]),
        Gate::Not(input) => !values[input.index()],
        Gate::Constant(value) => value,
        Gate::Fluent(_) | Gate::Does(_) => values[gate.index()],
    }
}
