//! What gates read: the simplest kind of proof.

use gambol_index::Id;
use gambol_net::{FluentId, Gate, GateId, Net};

use crate::proof::Proof;

/// Evidence that some gates, whatever is played, read no fluents but these; `None` if one of them
/// reads another.
pub fn reads_only(
    net: &Net,
    gates: impl IntoIterator<Item = GateId>,
    allowed: impl Fn(FluentId) -> bool,
) -> Option<Proof> {
    let fits = |gate: Gate<'_>| !matches!(gate, Gate::Fluent(fluent) if !allowed(fluent));
    all_in_cone(net, gates, fits).then(|| Proof::by_gates("looks at nothing else"))
}

/// Evidence that some gates read no fluents but these, and no move; `None` if one of them does.
pub fn runs_by_itself(
    net: &Net,
    gates: impl IntoIterator<Item = GateId>,
    allowed: impl Fn(FluentId) -> bool,
) -> Option<Proof> {
    let fits = |gate: Gate<'_>| match gate {
        Gate::Does(_) => false,
        Gate::Fluent(fluent) => allowed(fluent),
        _ => true,
    };
    all_in_cone(net, gates, fits).then(|| Proof::by_gates("runs by itself"))
}

/// Whether all gates of a cone fit. Ends with the first that does not, unlike [`Net::cone`].
fn all_in_cone(
    net: &Net,
    gates: impl IntoIterator<Item = GateId>,
    fits: impl Fn(Gate<'_>) -> bool,
) -> bool {
    let mut open: Vec<GateId> = gates.into_iter().collect();
    let mut seen = vec![false; net.gate_count()];
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut seen[gate.index()], true) {
            continue;
        }
        if !fits(net.gate(gate)) {
            return false;
        }
        open.extend(net.inputs_of(gate));
    }
    true
}
