//! A state, packed: one bit per fluent.

use gambol_index::{Id, bits};
use gambol_net::{FluentId, Net};

use crate::Literal;

/// The set of fluents that are true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    words: Box<[u64]>,
}

impl State {
    pub(crate) fn empty(fluents: usize) -> Self {
        Self { words: vec![0; fluents.div_ceil(64)].into() }
    }

    pub(crate) fn initial(net: &Net) -> Self {
        let mut state = Self::empty(net.next.len());
        net.initial.iter().for_each(|fluent| state.set(fluent.index()));
        state
    }

    pub(crate) fn set(&mut self, fluent: usize) {
        bits::set(&mut self.words, fluent);
    }

    pub(crate) fn holds(&self, fluent: FluentId) -> bool {
        bits::is_set(&self.words, fluent.index())
    }

    pub(crate) fn satisfies(&self, literal: Literal) -> bool {
        self.holds(literal.fluent) == literal.holds
    }

    /// A fluent with the value it has here.
    pub(crate) fn literal(&self, fluent: usize) -> Literal {
        let fluent = FluentId::from_index(fluent);
        Literal { fluent, holds: self.holds(fluent) }
    }

    /// The numbers of the fluents that are true, ascending.
    pub(crate) fn ones(&self) -> impl Iterator<Item = usize> {
        bits::ones_of_row(&self.words)
    }
}
