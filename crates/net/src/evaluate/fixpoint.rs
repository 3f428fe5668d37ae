//! Least fixpoints of gates that read one another.
//!
//! All gates of a cycle start from false, every time: a value kept from the last step would hold
//! itself up for ever. A gate that rose wakes its readers, so a long chain costs no more than its
//! length, in whatever order its gates are numbered.

use std::ops::Range;

use gambol_index::Id;

use super::{Value, gate_value};
use crate::net::CycleReaders;
use crate::{GateId, Net};

/// Computes the values of one cycle from those of the gates before it.
pub(crate) fn settle<V: Value>(net: &Net, cycle: usize, values: &mut [V]) {
    let CycleReaders { offset, first, readers } = cycle_readers(net);
    let range = net.cycles[cycle].clone();
    values[range.start as usize..range.end as usize].fill(V::FALSE);
    let mut woken = Vec::new();
    for gate in range.clone().map(GateId::new) {
        wake(net, gate, values, &mut woken);
        while let Some(risen) = woken.pop() {
            let row = (offset[cycle] + risen.number() - range.start) as usize;
            let readers = &readers[first[row] as usize..first[row + 1] as usize];
            readers.iter().for_each(|&reader| wake(net, reader, values, &mut woken));
        }
    }
}

/// Raises a gate to what its inputs say.
fn wake<V: Value>(net: &Net, gate: GateId, values: &mut [V], woken: &mut Vec<GateId>) {
    // What is true in all lanes cannot rise further.
    if values[gate.index()] == V::TRUE {
        return;
    }
    let value = gate_value(net, gate, values);
    if value != values[gate.index()] {
        values[gate.index()] = value;
        woken.push(gate);
    }
}

fn cycle_readers(net: &Net) -> &CycleReaders {
    net.cycle_readers.get_or_init(|| {
        let mut all = CycleReaders { offset: Vec::new(), first: vec![0], readers: Vec::new() };
        for cycle in &net.cycles {
            all.offset.push(all.first.len() as u32 - 1);
            add_readers(&mut all, net, cycle.clone());
        }
        all
    })
}

fn add_readers(all: &mut CycleReaders, net: &Net, cycle: Range<u32>) {
    let inside = |input: &&GateId| cycle.contains(&input.number());
    let mut edges = Vec::new();
    for reader in cycle.clone().map(GateId::new) {
        let inputs = net.inputs_of(reader).iter().filter(inside);
        edges.extend(inputs.map(|&input| (input, reader)));
    }
    edges.sort_unstable();
    let mut edges = edges.into_iter().peekable();
    for gate in cycle.map(GateId::new) {
        while let Some((_, reader)) = edges.next_if(|&(input, _)| input == gate) {
            all.readers.push(reader);
        }
        all.first.push(all.readers.len() as u32);
    }
}
