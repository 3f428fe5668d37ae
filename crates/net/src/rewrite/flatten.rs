//! Flattening: an AND whose only reader is an AND becomes part of it, and so for OR.
//!
//! Gates with several readers stay, since each reader would need its own copy of the inputs; so do
//! named gates and gates that read one another.

use gambol_index::IndexVec;

use super::copy::{Rewritten, copy, finish};
use crate::net::Kind;
use crate::{Gate, GateId, Net};

/// Merges single-reader gates into readers of the same kind.
pub fn flatten(net: &Net) -> Net {
    let absorbed = find_absorbed(net);
    if absorbed.iter().all(|absorbed| !absorbed) {
        return net.clone();
    }
    finish(copy(net, |id| match net.gate(id) {
        _ if absorbed[id] => Rewritten::Left,
        Gate::And(inputs) | Gate::Or(inputs) if inputs.iter().any(|&input| absorbed[input]) => {
            Rewritten::Inputs(spread(net, inputs, &absorbed))
        }
        gate => Rewritten::Kept(gate),
    }))
}

/// What is known of the readers of a gate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    None,
    One(Kind),
    Several,
}

fn find_absorbed(net: &Net) -> IndexVec<GateId, bool> {
    let mut readers = IndexVec::filled(Readers::None, net.gate_count());
    for id in net.gate_ids() {
        if let Gate::And(inputs) | Gate::Or(inputs) = net.gate(id) {
            inputs.iter().for_each(|&input| add_reader(&mut readers[input], net.kind[id]));
        } else if let Gate::Not(input) = net.gate(id) {
            readers[input] = Readers::Several;
        }
    }
    net.roots().for_each(|root| readers[root] = Readers::Several);
    for id in net.cycles.iter().cloned().flatten().map(GateId::new) {
        readers[id] = Readers::Several;
    }
    let same_kind = |id: GateId| {
        matches!(net.kind[id], Kind::And | Kind::Or) && readers[id] == Readers::One(net.kind[id])
    };
    net.gate_ids().map(same_kind).collect()
}

fn add_reader(readers: &mut Readers, kind: Kind) {
    *readers = if *readers == Readers::None { Readers::One(kind) } else { Readers::Several };
}

/// The inputs with absorbed gates replaced by theirs, however deep.
fn spread(net: &Net, inputs: &[GateId], absorbed: &IndexVec<GateId, bool>) -> Vec<GateId> {
    let mut spread = Vec::new();
    let mut open = inputs.to_vec();
    while let Some(input) = open.pop() {
        match net.gate(input) {
            Gate::And(inner) | Gate::Or(inner) if absorbed[input] => open.extend(inner),
            _ => spread.push(input),
        }
    }
    spread
}
