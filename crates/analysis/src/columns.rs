//! Columns of bits: for each fluent (or gate) its values over many states (or steps).
//!
//! Row `r` is `bits[r * words..(r + 1) * words]`; whether two fluents are ever true together is the
//! AND of two rows.

use gambol_index::Id;

use crate::Literal;
use gambol_net::State;

/// A matrix of bits, by fluent or gate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    count: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Columns {
    pub(crate) fn empty(rows: usize, count: usize) -> Self {
        let words = count.div_ceil(64);
        Self { count, words, bits: vec![0; rows * words] }
    }

    /// The fluents of these states.
    pub(crate) fn of<'s>(fluents: usize, states: impl ExactSizeIterator<Item = &'s State>) -> Self {
        let mut columns = Self::empty(fluents, states.len());
        for (place, state) in states.enumerate() {
            for fluent in state.ones() {
                columns.bits[fluent * columns.words + place / 64] |= 1 << (place % 64);
            }
        }
        columns
    }

    pub(crate) fn set_word(&mut self, row: usize, word: usize, value: u64) {
        self.bits[row * self.words + word] = value;
    }

    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }

    pub(crate) fn ones(&self, row: usize) -> usize {
        self.row(row).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether a row is true everywhere.
    pub(crate) fn is_full(&self, row: usize) -> bool {
        self.ones(row) == self.count
    }

    /// One word of a literal's values. Bits past the end are 0.
    #[inline]
    pub(crate) fn word(&self, literal: Literal, word: usize) -> u64 {
        let value = self.bits[literal.fluent.index() * self.words + word];
        if literal.holds { value } else { !value & self.mask(word) }
    }

    /// Which bits of a word are in use.
    #[inline]
    pub(crate) fn mask(&self, word: usize) -> u64 {
        if (word + 1) * 64 <= self.count { !0 } else { (1 << (self.count % 64)) - 1 }
    }

    pub(crate) fn rows(&self) -> usize {
        self.bits.len().checked_div(self.words).unwrap_or(0)
    }

    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The first place where all these literals hold.
    pub(crate) fn first_with(&self, literals: &[Literal]) -> Option<usize> {
        (0..self.words).find_map(|word| {
            let all = |all, &literal| all & self.word(literal, word);
            first_bit(word, literals.iter().fold(self.mask(word), all))
        })
    }
}

/// The place of the lowest bit of a word.
pub(crate) fn first_bit(word: usize, bits: u64) -> Option<usize> {
    (bits != 0).then(|| word * 64 + bits.trailing_zeros() as usize)
}
