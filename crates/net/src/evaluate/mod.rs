//! Evaluation of gates: one loop over gates and cycles, for every kind of value.
//!
//! A [`Value`] is a truth value, a word of them (one per lane, so that 64 states or more are evaluated
//! at once), or a [`Ternary`](crate::Ternary) of either, where some propositions are unknown.

mod fixpoint;
mod lanes;
mod ternary;

use gambol_index::Id;

pub(crate) use self::fixpoint::settle;
pub use self::lanes::Lanes;
pub(crate) use self::ternary::known_values;
pub use self::ternary::{Ternary, possible_after, possible_given, possible_values};

use crate::{Gate, GateId, Net};

/// What a gate can carry: the operations of its gates, lane by lane.
pub trait Value: Copy + PartialEq {
    /// False in all lanes.
    const FALSE: Self;
    /// True in all lanes.
    const TRUE: Self;

    /// Both.
    fn and(self, other: Self) -> Self;
    /// At least one.
    fn or(self, other: Self) -> Self;
    /// The opposite.
    fn not(self) -> Self;

    /// The same truth value in all lanes.
    #[inline]
    fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }
}

impl Value for bool {
    const FALSE: Self = false;
    const TRUE: Self = true;

    #[inline]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline]
    fn not(self) -> Self {
        !self
    }
}

/// 64 lanes.
impl Value for u64 {
    const FALSE: Self = 0;
    const TRUE: Self = !0;

    #[inline]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline]
    fn not(self) -> Self {
        !self
    }
}

/// `N` times as many lanes.
impl<V: Value, const N: usize> Value for [V; N] {
    const FALSE: Self = [V::FALSE; N];
    const TRUE: Self = [V::TRUE; N];

    #[inline]
    fn and(self, other: Self) -> Self {
        std::array::from_fn(|part| self[part].and(other[part]))
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        std::array::from_fn(|part| self[part].or(other[part]))
    }

    #[inline]
    fn not(self) -> Self {
        self.map(V::not)
    }
}

/// The value of an AND, OR, NOT or constant from those of its inputs; that of a proposition as it
/// stands.
#[inline]
pub fn gate_value<V: Value>(net: &Net, gate: GateId, values: &[V]) -> V {
    match net.gate(gate) {
        Gate::And(inputs) => {
            let mut all = V::TRUE;
            for input in inputs {
                all = all.and(values[input.index()]);
                if all == V::FALSE {
                    break;
                }
            }
            all
        }
        Gate::Or(inputs) => {
            let mut any = V::FALSE;
            for input in inputs {
                any = any.or(values[input.index()]);
                if any == V::TRUE {
                    break;
                }
            }
            any
        }
        Gate::Not(input) => values[input.index()].not(),
        Gate::Constant(value) => V::constant(value),
        Gate::Fluent(_) | Gate::Does(_) => values[gate.index()],
    }
}

/// Evaluates gates, given in ascending order, from the values of what stands before them. A cycle is
/// evaluated as a whole with its first gate that is met.
pub fn evaluate<V: Value>(net: &Net, values: &mut [V], gates: impl IntoIterator<Item = GateId>) {
    let mut cycle = 0;
    for gate in gates {
        while net.cycles.get(cycle).is_some_and(|cycle| cycle.end <= gate.number()) {
            cycle += 1;
        }
        match net.cycles.get(cycle) {
            Some(range) if range.contains(&gate.number()) => {
                settle(net, cycle, values);
                cycle += 1;
            }
            // The rest of a cycle that is settled already.
            _ if cycle > 0 && net.cycles[cycle - 1].contains(&gate.number()) => {}
            _ => values[gate.index()] = gate_value(net, gate, values),
        }
    }
}
