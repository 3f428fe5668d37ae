//! Fluents that keep their first value for ever, whatever is played: a sound, cheap argument.
//!
//! Suppose that only the fluents outside a set can change. If every transition into the set then
//! hands on the first value, the supposition was right. Start with all fluents in the set and take
//! out those that fail, until none does.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, Net};

use crate::state::State;

/// The fixed value of each fluent that has one.
pub(crate) fn constants(net: &Net) -> IndexVec<FluentId, Option<bool>> {
    let initial = State::initial(net);
    let mut known: IndexVec<FluentId, Option<bool>> =
        net.fluents.ids().map(|fluent| Some(initial.holds(fluent))).collect::<Vec<_>>().into();
    loop {
        let values = evaluate(net, &known);
        let mut changed = false;
        for (fluent, value) in net.fluents.ids().zip(known.iter_mut()) {
            if value.is_some() && *value != values[net.next[fluent].index()] {
                *value = None;
                changed = true;
            }
        }
        if !changed {
            return known;
        }
    }
}

/// What each gate is, as far as it follows.
fn evaluate(net: &Net, known: &IndexVec<FluentId, Option<bool>>) -> Vec<Option<bool>> {
    let mut values = vec![None; net.gate_count()];
    for fluent in net.fluents.ids() {
        values[net.fluent_gate(fluent).index()] = known[fluent];
    }
    sweep(net, net.state_gates(), &mut values);
    for action in net.moves.ids() {
        // A move that is never legal is never made.
        let barred = values[net.legal[action].index()] == Some(false);
        values[net.move_gate(action).index()] = barred.then_some(false);
    }
    sweep(net, net.step_gates(), &mut values);
    values[0] = Some(false);
    values[1] = Some(true);
    values
}

fn sweep(net: &Net, range: std::ops::Range<u32>, values: &mut [Option<bool>]) {
    values[0] = Some(false);
    values[1] = Some(true);
    for gate in range.map(GateId::new) {
        // What reads itself is left open: that is always right.
        if net.cycle_of(gate).is_none() {
            values[gate.index()] = computed(net, gate, values);
        }
    }
}

fn computed(net: &Net, gate: GateId, values: &[Option<bool>]) -> Option<bool> {
    match net.gate(gate) {
        Gate::And(inputs) => fold(inputs, values, false),
        Gate::Or(inputs) => fold(inputs, values, true),
        Gate::Not(input) => values[input.index()].map(|value| !value),
        Gate::Constant(value) => Some(value),
        Gate::Fluent(_) | Gate::Does(_) => values[gate.index()],
    }
}

/// `deciding` if one input is that, the opposite if all are, open otherwise.
fn fold(inputs: &[GateId], values: &[Option<bool>], deciding: bool) -> Option<bool> {
    let mut open = false;
    for input in inputs {
        match values[input.index()] {
            Some(value) if value == deciding => return Some(deciding),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!deciding)
}
