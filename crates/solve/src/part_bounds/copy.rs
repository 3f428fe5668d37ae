//! Gates written anew into a net that is being built.

use gambol_net::{Gate, GateId, Net, NetBuilder, Wire};
use rustc_hash::FxHashMap;

/// Copies some gates and what they read; `leaf` says what becomes of fluents and moves. The net must
/// not be recursive. Equal gates become one wire.
pub(super) fn copy(
    net: &Net,
    gates: impl IntoIterator<Item = GateId>,
    built: &mut NetBuilder,
    mut leaf: impl FnMut(&mut NetBuilder, Gate<'_>) -> Wire,
) -> FxHashMap<GateId, Wire> {
    let mut seen = vec![false; net.gate_count()];
    let mut open: Vec<GateId> = gates.into_iter().collect();
    while let Some(gate) = open.pop() {
        if !std::mem::replace(&mut seen[gate.number() as usize], true) {
            open.extend(net.inputs_of(gate));
        }
    }
    let mut wires: FxHashMap<GateId, Wire> = FxHashMap::default();
    for gate in net.gate_ids().filter(|gate| seen[gate.number() as usize]) {
        let of = |inputs: &[GateId]| inputs.iter().map(|input| wires[input]).collect::<Vec<_>>();
        let wire = match net.gate(gate) {
            Gate::Constant(value) => built.constant(value),
            Gate::And(inputs) => built.and(of(inputs)),
            Gate::Or(inputs) => built.or(of(inputs)),
            Gate::Not(input) => built.not(wires[&input]),
            other => leaf(built, other),
        };
        wires.insert(gate, wire);
    }
    wires
}
