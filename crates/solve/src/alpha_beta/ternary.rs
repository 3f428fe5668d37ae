//! What follows from a few fluents alone: a net whose other fluents are unknown.
//!
//! Each gate has two words: in which lanes it can be true and in which it can be false. Gates of a
//! cycle start as false and grow to what follows, whatever the unknown fluents are.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};
use rustc_hash::FxHashMap;

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
    possible(net, fluents, moves, &FxHashMap::default())
}

/// The same, where all that is known is the values of some gates.
pub(crate) fn possible_given(
    net: &Net,
    given: &FxHashMap<GateId, bool>,
    moves: impl Fn(MoveId, Possible) -> Possible,
) -> IndexVec<GateId, Possible> {
    possible(net, |_| UNKNOWN, moves, given)
}

fn possible(
    net: &Net,
    fluents: impl Fn(FluentId) -> Possible,
    moves: impl Fn(MoveId, Possible) -> Possible,
    given: &FxHashMap<GateId, bool>,
) -> IndexVec<GateId, Possible> {
    let mut values: IndexVec<GateId, Possible> = IndexVec::filled(UNKNOWN, net.gate_count());
    let in_order = net.gate_ids().filter(|gate| gate.number() < net.state_gates().end);
    // Moves stand before the gates that say when they are legal, so they get their turn after them.
    for id in in_order.filter(|&gate| !matches!(net.gate(gate), Gate::Does(_))) {
        evaluate(net, &mut values, id, (&fluents, given));
    }
    for action in (0..net.moves.len()).map(MoveId::from_index) {
        values[net.move_gate(action)] = moves(action, values[net.legal[action]]);
    }
    for id in net.step_gates().map(GateId::new) {
        evaluate(net, &mut values, id, (&fluents, given));
    }
    values
}

/// Evaluates a gate; with the first gate of a cycle the whole cycle, with its others nothing.
fn evaluate(
    net: &Net,
    values: &mut IndexVec<GateId, Possible>,
    id: GateId,
    (fluents, given): (&impl Fn(FluentId) -> Possible, &FxHashMap<GateId, bool>),
) {
    if !given.is_empty()
        && let Some(&known) = given.get(&id)
    {
        values[id] = constant(known);
        return;
    }
    if net.cycles.is_empty() {
        values[id] = value(net, values, id, fluents);
        return;
    }
    let Some(cycle) = net.cycle_of(id).map(|cycle| net.cycles[cycle].clone()) else {
        values[id] = value(net, values, id, fluents);
        return;
    };
    if cycle.start != id.number() {
        return;
    }
    for member in cycle.clone().map(GateId::new) {
        values[member] = constant(false);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for member in cycle.clone().map(GateId::new) {
            let now = value(net, values, member, fluents);
            changed |= std::mem::replace(&mut values[member], now) != now;
        }
    }
}

/// The same value in all lanes.
pub(crate) fn constant(value: bool) -> Possible {
    Possible {
        can_be_true: if value { u64::MAX } else { 0 },
        can_be_false: if value { 0 } else { u64::MAX },
    }
}

fn value(
    net: &Net,
    values: &IndexVec<GateId, Possible>,
    id: GateId,
    fluents: &impl Fn(FluentId) -> Possible,
) -> Possible {
    match net.gate(id) {
        Gate::Constant(value) => constant(value),
        Gate::Fluent(fluent) => fluents(fluent),
        Gate::Does(_) => UNKNOWN,
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
