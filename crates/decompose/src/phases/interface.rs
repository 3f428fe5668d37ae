//! Interfaces: what the rest of a game looks at, if some fluents have known values at its beginning.
//!
//! A fluent keeps such a value as long as nothing that can still happen to the others changes it. With these
//! as constants many gates are constant too, and what no open gate behind legality, the end and the goals looks at has
//! no influence any more. The fluents that are left, and whose values are not known, are the interface.

use gambol_index::IndexVec;
use gambol_net::{FluentId, Gate, GateId, Net, Ternary, possible_values};

/// What is known of the fluents at the beginning.
pub(crate) type Known = IndexVec<FluentId, Option<bool>>;

/// The fluents on which play depends from a state on in which these values are known, and whether conditions come to
/// hold that look at certain fluents.
pub(crate) fn interface(net: &Net, known: &Known, watched: &[FluentId]) -> Vec<FluentId> {
    let values = lasting(net, known);
    let needed = needed(net, &values, watched);
    let is_open = |fluent: &FluentId| known[*fluent].is_none() && needed[net.fluent_gate(*fluent)];
    net.fluents.ids().filter(is_open).collect()
}

/// Fluents of which it is certain, after one look at the gates, that they are in the interface: they are even if
/// all that is known were to stay as it is.
pub(crate) fn surely_open(net: &Net, known: &Known) -> IndexVec<FluentId, bool> {
    let values = possible_values(net, |fluent| Ternary::of(known[fluent]));
    let needed = needed(net, &values, &[]);
    let is_open = |fluent| known[fluent].is_none() && needed[net.fluent_gate(fluent)];
    net.fluents.ids().map(is_open).collect::<Vec<_>>().into()
}

/// What the gates can be, in all states from then on.
fn lasting(net: &Net, known: &Known) -> IndexVec<GateId, Ternary<bool>> {
    let mut kept = known.clone();
    loop {
        let values = possible_values(net, |fluent| Ternary::of(kept[fluent]));
        let mut changed = false;
        for fluent in net.fluents.ids() {
            let stays = kept[fluent].is_none() || values[net.next[fluent]].value() == kept[fluent];
            changed |= !stays;
            if !stays {
                kept[fluent] = None;
            }
        }
        if !changed {
            return values;
        }
    }
}

/// The gates that something that matters looks at.
fn needed(
    net: &Net,
    values: &IndexVec<GateId, Ternary<bool>>,
    watched: &[FluentId],
) -> IndexVec<GateId, bool> {
    let mut needed = IndexVec::filled(false, net.gate_count());
    let mut open: Vec<GateId> = net.legal.iter().copied().collect();
    open.extend(watched.iter().map(|&fluent| net.fluent_gate(fluent)));
    open.push(net.terminal);
    open.extend(net.goals.iter().map(|goal| goal.gate));
    while let Some(gate) = open.pop() {
        if values[gate].value().is_some() || std::mem::replace(&mut needed[gate], true) {
            continue;
        }
        match net.gate(gate) {
            Gate::And(inputs) | Gate::Or(inputs) => open.extend(inputs),
            Gate::Not(input) => open.push(input),
            Gate::Fluent(fluent) => open.push(net.next[fluent]),
            Gate::Constant(_) | Gate::Does(_) => {}
        }
    }
    needed
}
