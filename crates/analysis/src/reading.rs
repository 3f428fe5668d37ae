//! What gates look at: the plainest of all arguments.

use gambol_index::Id;
use gambol_net::{FluentId, Gate, GateId, Net};

use crate::proof::Proof;

/// Evidence that some gates, whatever is played, look at no fluents but these; `None` if one of them
/// looks at another.
pub fn reads_only(
    net: &Net,
    gates: impl IntoIterator<Item = GateId>,
    allowed: impl Fn(FluentId) -> bool,
) -> Option<Proof> {
    let mut open: Vec<GateId> = gates.into_iter().collect();
    let mut seen = vec![false; net.gate_count()];
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut seen[gate.index()], true) {
            continue;
        }
        if let Gate::Fluent(fluent) = net.gate(gate)
            && !allowed(fluent)
        {
            return None;
        }
        open.extend(net.inputs_of(gate));
    }
    Some(Proof::by_gates("looks at nothing else"))
}

/// Evidence that some gates look at no fluents but these, and at no move; `None` if one of them does.
pub fn runs_by_itself(
    net: &Net,
    gates: impl IntoIterator<Item = GateId>,
    allowed: impl Fn(FluentId) -> bool,
) -> Option<Proof> {
    let mut open: Vec<GateId> = gates.into_iter().collect();
    let mut seen = vec![false; net.gate_count()];
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut seen[gate.index()], true) {
            continue;
        }
        match net.gate(gate) {
            Gate::Does(_) => return None,
            Gate::Fluent(fluent) if !allowed(fluent) => return None,
            _ => open.extend(net.inputs_of(gate)),
        }
    }
    Some(Proof::by_gates("runs by itself"))
}
