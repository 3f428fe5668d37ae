//! A state: which fluents are true, one bit each.

use gambol_index::{Id, bits};
use smallvec::{SmallVec, smallvec};

use crate::{FluentId, Net};

/// The fluents that are true, packed. Compares and hashes as a set of fluents.
///
/// Up to 256 fluents take no memory of their own: searches keep millions of states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    words: SmallVec<[u64; 4]>,
}

impl State {
    /// No fluent is true, of this many.
    pub fn empty(fluents: usize) -> Self {
        Self { words: smallvec![0; fluents.div_ceil(64)] }
    }

    /// The state in which exactly these fluents are true.
    pub fn of(net: &Net, fluents: &[FluentId]) -> Self {
        let mut state = Self::empty(net.next.len());
        fluents.iter().for_each(|&fluent| state.set(fluent));
        state
    }

    /// The state at the start of the game.
    pub fn initial(net: &Net) -> Self {
        Self::of(net, &net.initial)
    }

    /// The state with these bits, 64 fluents to a word. The bits beyond the last fluent must be clear.
    pub fn from_words(words: &[u64]) -> Self {
        Self { words: SmallVec::from_slice(words) }
    }

    /// The bits, 64 fluents to a word.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bits, to be changed. Those beyond the last fluent must stay clear.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Clears the bits beyond this many fluents.
    pub fn clear_beyond(&mut self, fluents: usize) {
        if let Some(last) = self.words.last_mut()
            && !fluents.is_multiple_of(64)
        {
            *last &= (1 << (fluents % 64)) - 1;
        }
    }

    /// Makes a fluent true.
    #[inline]
    pub fn set(&mut self, fluent: FluentId) {
        bits::set(&mut self.words, fluent.index());
    }

    /// Gives a fluent a value.
    #[inline]
    pub fn put(&mut self, fluent: FluentId, holds: bool) {
        let (word, bit) = (fluent.index() / 64, fluent.index() % 64);
        self.words[word] = self.words[word] & !(1 << bit) | u64::from(holds) << bit;
    }

    /// Whether a fluent is true.
    #[inline]
    pub fn holds(&self, fluent: FluentId) -> bool {
        bits::is_set(&self.words, fluent.index())
    }

    /// The numbers of the fluents that are true, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> {
        bits::ones_of_row(&self.words)
    }

    /// The true fluents, in order.
    pub fn fluents(&self) -> Vec<FluentId> {
        self.ones().map(FluentId::from_index).collect()
    }

    /// The values of some fluents, in their order.
    pub fn values(&self, fluents: &[FluentId]) -> Vec<bool> {
        fluents.iter().map(|&fluent| self.holds(fluent)).collect()
    }

    /// The same without what is false in another.
    pub fn masked(&self, mask: &State) -> State {
        Self { words: self.words.iter().zip(&mask.words).map(|(word, mask)| word & mask).collect() }
    }

    /// What is true in one and not in the other.
    pub fn difference(&self, other: &State) -> State {
        Self { words: self.words.iter().zip(&other.words).map(|(one, two)| one ^ two).collect() }
    }

    /// Whether it differs from another in something that is true in the mask.
    pub fn differs_within(&self, mask: &State, other: &State) -> bool {
        let words = self.words.iter().zip(&other.words).zip(&mask.words);
        words.fold(0, |any, ((one, two), mask)| any | (one ^ two) & mask) != 0
    }

    /// Takes the values of what is true in the mask from another state.
    pub fn take_within(&mut self, mask: &State, from: &State) {
        for ((word, from), mask) in self.words.iter_mut().zip(&from.words).zip(&mask.words) {
            *word = *word & !mask | from & mask;
        }
    }

    /// Takes the values of these fluents from another state.
    pub fn take(&mut self, fluents: &[FluentId], from: &State) {
        fluents.iter().for_each(|&fluent| self.put(fluent, from.holds(fluent)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_the_set_of_its_true_fluents() {
        let fluents = [0, 63, 64, 129].map(FluentId::from_index);
        let mut state = State::empty(130);
        fluents.iter().for_each(|&fluent| state.set(fluent));
        assert_eq!(state.fluents(), fluents);
        state.put(fluents[1], false);
        assert_eq!(state.ones().collect::<Vec<_>>(), [0, 64, 129]);
        let mut beyond = State::from_words(&[!0; 3]);
        beyond.clear_beyond(130);
        assert_eq!(beyond.ones().count(), 130);
        assert_eq!(beyond.masked(&state), state);
        assert!(!beyond.difference(&state).holds(fluents[0]));
        let (last, mut other) = (State::from_words(&[0, 0, 2]), State::empty(130));
        assert!(state.differs_within(&last, &other) && !last.differs_within(&other, &state));
        other.take_within(&last, &state);
        assert_eq!(other.fluents(), fluents[3..]);
    }
}
