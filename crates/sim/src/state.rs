//! A state: one bit per fluent.

use smallvec::{SmallVec, smallvec};

/// The fluents that are true, packed. Compares and hashes as a set of fluents.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State {
    words: SmallVec<[u64; 4]>,
}

impl State {
    /// No fluent is true.
    pub(crate) fn empty(fluents: usize) -> Self {
        Self { words: smallvec![0; fluents.div_ceil(64)] }
    }

    /// The bits beyond the last fluent must be clear.
    pub(crate) fn from_words(words: &[u64]) -> Self {
        Self { words: SmallVec::from_slice(words) }
    }

    pub(crate) fn from_bits(bits: &[bool]) -> Self {
        let mut state = Self::empty(bits.len());
        for (fluent, _) in bits.iter().enumerate().filter(|&(_, &bit)| bit) {
            state.set(fluent);
        }
        state
    }

    pub(crate) fn contains(&self, fluent: usize) -> bool {
        self.words().get(fluent / 64).is_some_and(|word| word >> (fluent % 64) & 1 == 1)
    }

    pub(crate) fn set(&mut self, fluent: usize) {
        self.words[fluent / 64] |= 1 << (fluent % 64);
    }

    /// Clears bits that belong to no fluent.
    pub(crate) fn clear_beyond(&mut self, fluents: usize) {
        if let Some(last) = self.words.last_mut()
            && !fluents.is_multiple_of(64)
        {
            *last &= (1 << (fluents % 64)) - 1;
        }
    }

    /// The bits, 64 fluents to a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_the_set_of_its_true_fluents() {
        let mut bits = vec![false; 130];
        for fluent in [0, 63, 64, 129] {
            bits[fluent] = true;
        }
        assert_eq!(State::from_bits(&bits).ones().collect::<Vec<_>>(), [0, 63, 64, 129]);
    }
}
