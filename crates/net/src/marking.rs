//! Markings: which propositions are true.
//!
//! A base marking says which fluents hold (a state), an input marking which moves are done. The two
//! determine the view marking, and with it the base marking of the next step.

use gambol_index::Id;

use crate::{FluentId, GateId, Net};

/// The base propositions that are true: a state of the game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BaseMarking {
    words: Box<[u64]>,
}

impl BaseMarking {
    /// The state in which exactly these fluents are true.
    pub fn of(net: &Net, fluents: &[FluentId]) -> Self {
        let mut marking = Self { words: vec![0; net.fluents.len().div_ceil(64)].into() };
        fluents.iter().for_each(|&fluent| marking.set(fluent));
        marking
    }

    /// The state at the start of the game.
    pub fn initial(net: &Net) -> Self {
        Self::of(net, &net.initial)
    }

    /// Whether a fluent is true.
    pub fn holds(&self, fluent: FluentId) -> bool {
        self.words[fluent.index() / 64] >> (fluent.index() % 64) & 1 == 1
    }

    /// The true fluents, in order.
    pub fn fluents(&self) -> Vec<FluentId> {
        let mut fluents = Vec::new();
        for (word, &bits) in self.words.iter().enumerate() {
            let mut rest = bits;
            while rest != 0 {
                fluents.push(FluentId::from_index(word * 64 + rest.trailing_zeros() as usize));
                rest &= rest - 1;
            }
        }
        fluents
    }

    pub(crate) fn set(&mut self, fluent: FluentId) {
        self.words[fluent.index() / 64] |= 1 << (fluent.index() % 64);
    }
}

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
