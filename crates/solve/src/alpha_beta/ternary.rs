//! What follows from a few fluents alone: a net whose other fluents are unknown.
//!
//! Each gate has two words: in which lanes it can be true and in which it can be false. Recursive
//! rules count as unknown.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};

/// Which values are possible, lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Possible {
    pub(crate) can_be_true: u64,
    pub(crate) can_be_false: u64,
}

/// Anything is possible.
pub(crate) const UNKNOWN: Possible = Possible { can_be_true: u64::MAX, can_be_false: u64::MAX };

/// Evaluates all gates from what is possible of the fluents. A move can be done only if it can be
/// legal.
pub(crate) fn possible_values(
    net: &Net,
    fluents: impl Fn(FluentId) -> Possible,
) -> IndexVec<GateId, Possible> {
    possible_after(net, fluents, |_, legal| Possible { can_be_false: u64::MAX, ..legal })
}

/// The same, where what is possible of a move is given, from what is possible of its legality.
pub(crate) fn possible_after(
    net: &Net,
    fluents: impl Fn(FluentId) -> Possible,
    moves: impl Fn(MoveId, Possible) -> Possible,
) -> IndexVec<GateId, Possible> {
    let mut values: IndexVec<GateId, Possible> = IndexVec::filled(UNKNOWN, net.gate_count());
    let in_order = net.gate_ids().filter(|gate| gate.number() < net.state_gates().end);
    // Moves stand before the gates that say when they are legal, so they get their turn after them.
    for id in in_order.filter(|&gate| !matches!(net.gate(gate), Gate::Does(_))) {
        values[id] = value(net, &values, id, &fluents);
    }
    for action in (0..net.moves.len()).map(MoveId::from_index) {
        values[net.move_gate(action)] = moves(action, values[net.legal[action]]);
    }
    for id in net.step_gates().map(GateId::new) {
        values[id] = value(net, &values, id, &fluents);
    }
    values
}

fn value(
    net: &Net,
    values: &IndexVec<GateId, Possible>,
    id: GateId,
    fluents: &impl Fn(FluentId) -> Possible,
) -> Possible {
    let constant = |value: bool| Possible {
        can_be_true: if value { u64::MAX } else { 0 },
        can_be_false: if value { 0 } else { u64::MAX },
    };
    match net.gate(id) {
        Gate::Constant(value) => constant(value),
        Gate::Fluent(fluent) => fluents(fluent),
        Gate::Does(_) => UNKNOWN,
        _ if net.cycle_of(id).is_some() => UNKNOWN,
        Gate::Not(input) => Possible {
            can_be_true: values[input].can_be_false,
            can_be_false: values[input].can_be_true,
        },
        Gate::And(inputs) => inputs.iter().fold(constant(true), |all, &input| Possible {
            can_be_true: all.can_be_true & values[input].can_be_true,
            can_be_false: all.can_be_false | values[input].can_be_false,
        }),
        Gate::Or(inputs) => inputs.iter().fold(constant(false), |any, &input| Possible {
            can_be_true: any.can_be_true | values[input].can_be_true,
            can_be_false: any.can_be_false & values[input].can_be_false,
        }),
    }
}
