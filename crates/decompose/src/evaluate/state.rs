//! A state, packed: one bit per fluent.

use gambol_index::Id;
use gambol_net::{FluentId, Net};

/// The set of fluents that are true.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct State {
    words: Box<[u64]>,
}

impl State {
    pub(crate) fn empty(fluents: usize) -> Self {
        Self { words: vec![0; fluents.div_ceil(64)].into() }
    }

    pub(crate) fn initial(net: &Net) -> Self {
        let mut state = Self::empty(net.next.len());
        net.initial.iter().for_each(|&fluent| state.set(fluent));
        state
    }

    #[inline]
    pub(crate) fn set(&mut self, fluent: FluentId) {
        self.words[fluent.index() / 64] |= 1 << (fluent.index() % 64);
    }

    #[inline]
    pub(crate) fn put(&mut self, fluent: FluentId, holds: bool) {
        let (word, bit) = (fluent.index() / 64, fluent.index() % 64);
        self.words[word] = self.words[word] & !(1 << bit) | u64::from(holds) << bit;
    }

    #[inline]
    pub(crate) fn holds(&self, fluent: FluentId) -> bool {
        self.words[fluent.index() / 64] >> (fluent.index() % 64) & 1 == 1
    }

    /// The numbers of the fluents that are true, ascending.
    pub(crate) fn ones(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(64 * index + bit)
            })
        })
    }

    /// The values of some fluents, as bits in their order.
    pub(crate) fn values(&self, fluents: &[FluentId]) -> Vec<bool> {
        fluents.iter().map(|&fluent| self.holds(fluent)).collect()
    }

    /// Some fluents, as those that are true.
    pub(crate) fn of(fluents: &[FluentId], count: usize) -> Self {
        let mut state = Self::empty(count);
        fluents.iter().for_each(|&fluent| state.set(fluent));
        state
    }

    /// The same without what is false in another.
    pub(crate) fn masked(&self, mask: &State) -> State {
        Self { words: self.words.iter().zip(&mask.words).map(|(word, mask)| word & mask).collect() }
    }

    /// What is true in one and not in the other.
    pub(crate) fn difference(&self, other: &State) -> State {
        Self { words: self.words.iter().zip(&other.words).map(|(one, two)| one ^ two).collect() }
    }

    /// Takes the values of these fluents from another state.
    pub(crate) fn take(&mut self, fluents: &[FluentId], from: &State) {
        fluents.iter().for_each(|&fluent| self.put(fluent, from.holds(fluent)));
    }
}
