//! Markings: which propositions are true.
//!
//! A base marking says which fluents hold (a state), an input marking which moves are done. The two
//! determine the view marking, and with it the base marking of the next step.

use gambol_index::Id;

use crate::{GateId, Net, State};

/// The base propositions that are true: chapter 9's word for a state.
pub type BaseMarking = State;

/// The value of every gate, and so of every proposition, under a state and the moves done in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marking {
    pub(crate) values: Vec<bool>,
}

impl Marking {
    /// Whether a gate is true.
    pub fn holds(&self, gate: GateId) -> bool {
        self.values[gate.index()]
    }

    /// The base marking of the next step: each transition hands on the value at its input.
    pub fn next(&self, net: &Net) -> BaseMarking {
        let mut next = BaseMarking::of(net, &[]);
        for (fluent, &gate) in net.next.iter_ids() {
            if self.holds(gate) {
                next.set(fluent);
            }
        }
        next
    }
}
