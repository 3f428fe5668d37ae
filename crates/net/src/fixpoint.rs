//! Least fixpoints of gates that read one another.
//!
//! All gates of a cycle start from false, every time: a value kept from the last step would hold
//! itself up for ever. A gate that became true wakes its readers, so a long chain costs no more
//! than its length, in whatever order its gates are numbered.

use std::ops::Range;

use gambol_index::Id;

use crate::evaluate::{Value, gate_value};
use crate::{GateId, Net};

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
    pub(crate) fn settle<V: Value>(&self, net: &Net, cycle: usize, values: &mut [V]) {
        let range = net.cycles[cycle].clone();
        values[range.start as usize..range.end as usize].fill(V::FALSE);
        let mut woken = Vec::new();
        for gate in range.clone().map(GateId::new) {
            wake(net, gate, values, &mut woken);
            while let Some(risen) = woken.pop() {
                let row = (self.offset[cycle] + risen.number() - range.start) as usize;
                let readers = &self.readers[self.first[row] as usize..self.first[row + 1] as usize];
                readers.iter().for_each(|&reader| wake(net, reader, values, &mut woken));
            }
        }
    }
}

/// Raises a gate to what its inputs say.
fn wake<V: Value>(net: &Net, gate: GateId, values: &mut [V], woken: &mut Vec<GateId>) {
    // A truth value that has risen cannot rise further.
    if values[gate.index()] == V::TRUE {
        return;
    }
    let value = gate_value(net, gate, values);
    if value != values[gate.index()] {
        values[gate.index()] = value;
        woken.push(gate);
    }
}
