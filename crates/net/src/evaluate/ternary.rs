//! Three-valued evaluation: what follows when only some propositions are known.
//!
//! A value says in which lanes a gate can be true and in which it can be false. Gates of a cycle rise
//! from false to what follows, whatever the unknown propositions are. Too much may be called possible,
//! never too little.

use gambol_index::{Id, IndexVec};
use rustc_hash::FxHashMap;

use super::{Value, evaluate, gate_value};
use crate::{FluentId, Gate, GateId, MoveId, Net};

/// Which truth values are possible, lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ternary<W> {
    /// Where it can be true.
    pub can_be_true: W,
    /// Where it can be false.
    pub can_be_false: W,
}

impl<W: Value> Ternary<W> {
    /// Anything is possible.
    pub const UNKNOWN: Self = Self { can_be_true: W::TRUE, can_be_false: W::TRUE };
}

impl Ternary<bool> {
    /// Known to be this, or unknown.
    pub fn of(value: Option<bool>) -> Self {
        value.map_or(Self::UNKNOWN, Self::constant)
    }

    /// The value, if only one is possible.
    pub fn value(self) -> Option<bool> {
        (self.can_be_true != self.can_be_false).then_some(self.can_be_true)
    }
}

impl<W: Value> Value for Ternary<W> {
    const FALSE: Self = Self { can_be_true: W::FALSE, can_be_false: W::TRUE };
    const TRUE: Self = Self { can_be_true: W::TRUE, can_be_false: W::FALSE };

    #[inline]
    fn and(self, other: Self) -> Self {
        Self {
            can_be_true: self.can_be_true.and(other.can_be_true),
            can_be_false: self.can_be_false.or(other.can_be_false),
        }
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        Self {
            can_be_true: self.can_be_true.or(other.can_be_true),
            can_be_false: self.can_be_false.and(other.can_be_false),
        }
    }

    #[inline]
    fn not(self) -> Self {
        Self { can_be_true: self.can_be_false, can_be_false: self.can_be_true }
    }
}

/// Evaluates all gates from what is known of each fluent and move, told by its gate.
pub(crate) fn known_values(
    net: &Net,
    proposition: impl Fn(Gate<'_>) -> Option<bool>,
) -> Vec<Ternary<bool>> {
    let mut values = vec![Ternary::UNKNOWN; net.gate_count()];
    let leaf = |&gate: &GateId| gate.number() < net.state_gates().start;
    for gate in net.gate_ids().take_while(leaf) {
        values[gate.index()] = match net.gate(gate) {
            Gate::Constant(value) => Ternary::constant(value),
            gate => Ternary::of(proposition(gate)),
        };
    }
    evaluate(net, &mut values, net.gate_ids().skip_while(leaf));
    values
}

/// Evaluates all gates from what is possible of the fluents. A move can be done only if it can be
/// legal.
pub fn possible_values<W: Value>(
    net: &Net,
    fluents: impl Fn(FluentId) -> Ternary<W>,
) -> IndexVec<GateId, Ternary<W>> {
    possible_after(net, fluents, |_, legal| Ternary { can_be_false: W::TRUE, ..legal })
}

/// The same, where what is possible of a move is given, from what is possible of its legality.
pub fn possible_after<W: Value>(
    net: &Net,
    fluents: impl Fn(FluentId) -> Ternary<W>,
    moves: impl Fn(MoveId, Ternary<W>) -> Ternary<W>,
) -> IndexVec<GateId, Ternary<W>> {
    let mut values = leaves(net, fluents);
    evaluate(net, &mut values, net.state_gates().map(GateId::new));
    do_moves(net, &mut values, moves);
    evaluate(net, &mut values, net.step_gates().map(GateId::new));
    values.into()
}

/// The same, where all that is known is the values of some gates.
pub fn possible_given<W: Value>(
    net: &Net,
    given: &FxHashMap<GateId, bool>,
    moves: impl Fn(MoveId, Ternary<W>) -> Ternary<W>,
) -> IndexVec<GateId, Ternary<W>> {
    let mut values = leaves(net, |_| Ternary::UNKNOWN);
    let known = |gate: GateId| given.get(&gate).map(|&value| Ternary::constant(value));
    for gate in net.fluents.ids().map(|fluent| net.fluent_gate(fluent)) {
        values[gate.index()] = known(gate).unwrap_or(Ternary::UNKNOWN);
    }
    evaluate_given(net, &mut values, net.state_gates().map(GateId::new), &known);
    do_moves(net, &mut values, moves);
    evaluate_given(net, &mut values, net.step_gates().map(GateId::new), &known);
    values.into()
}

/// Gates whose value is given keep it, unless they lie in a cycle.
fn evaluate_given<W: Value>(
    net: &Net,
    values: &mut [Ternary<W>],
    gates: impl Iterator<Item = GateId>,
    known: &impl Fn(GateId) -> Option<Ternary<W>>,
) {
    for gate in gates {
        match (net.cycle_of(gate), known(gate)) {
            (Some(cycle), _) if net.cycles[cycle].start == gate.number() => {
                evaluate(net, values, [gate]);
            }
            (Some(_), _) => {}
            (None, Some(value)) => values[gate.index()] = value,
            (None, None) => values[gate.index()] = gate_value(net, gate, values),
        }
    }
}

fn leaves<W: Value>(net: &Net, fluents: impl Fn(FluentId) -> Ternary<W>) -> Vec<Ternary<W>> {
    let mut values = vec![Ternary::UNKNOWN; net.gate_count()];
    (values[0], values[1]) = (Ternary::FALSE, Ternary::TRUE);
    for fluent in net.fluents.ids() {
        values[net.fluent_gate(fluent).index()] = fluents(fluent);
    }
    values
}

/// Moves stand before the gates that say when they are legal, so they get their turn after them.
fn do_moves<W: Value>(
    net: &Net,
    values: &mut [Ternary<W>],
    moves: impl Fn(MoveId, Ternary<W>) -> Ternary<W>,
) {
    for action in net.moves.ids() {
        let legal = values[net.legal[action].index()];
        values[net.move_gate(action).index()] = moves(action, legal);
    }
}
