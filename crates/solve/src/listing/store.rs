//! A store of states: each once, with a number, in the order of arrival.

use gambol_index::{Id, define_id};
use hashbrown::HashTable;

define_id! {
    /// A state of a store.
    pub struct StateId;
}

/// States as rows of words. Row `i` is `rows[i * width..(i + 1) * width]`.
#[derive(Clone, Debug)]
pub struct Store {
    width: usize,
    rows: Vec<u64>,
    known: HashTable<u32>,
}

impl Store {
    /// An empty store of states of this many words.
    pub fn new(width: usize) -> Self {
        Self { width, rows: Vec::new(), known: HashTable::new() }
    }

    /// States written as bytes, row after row.
    pub(crate) fn of_rows(words: &[[u8; 8]], width: usize) -> Self {
        let mut store = Self::new(width);
        let mut row = vec![0; width];
        for words in words.chunks_exact(width) {
            row.iter_mut().zip(words).for_each(|(to, &word)| *to = u64::from_le_bytes(word));
            store.insert(&row);
        }
        store
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A state.
    pub fn row(&self, state: StateId) -> &[u64] {
        &self.rows[state.index() * self.width..(state.index() + 1) * self.width]
    }

    /// The states from one number to another, row after row.
    pub fn rows(&self, states: std::ops::Range<usize>) -> &[u64] {
        &self.rows[states.start * self.width..states.end * self.width]
    }

    /// The number of a state, if it is there.
    pub fn find(&self, row: &[u64]) -> Option<StateId> {
        let found = self.known.find(hash(row), |&other| same(self.row(StateId::new(other)), row));
        found.map(|&number| StateId::new(number))
    }

    /// The number of a state, and whether it is new.
    pub fn insert(&mut self, row: &[u64]) -> (StateId, bool) {
        let Self { width, rows, known } = self;
        let at = |number: u32| number as usize * *width..(number as usize + 1) * *width;
        let hash_of = hash(row);
        if let Some(&number) = known.find(hash_of, |&other| same(&rows[at(other)], row)) {
            return (StateId::new(number), false);
        }
        let fresh = StateId::from_index(rows.len() / *width);
        known.insert_unique(hash_of, fresh.number(), |&other| hash(&rows[at(other)]));
        rows.extend_from_slice(row);
        (fresh, true)
    }

    /// Bytes in use, about.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * 8 + self.known.capacity() * 6
    }
}

/// A hash of a state: all bits of all words count for all bits of it.
pub(crate) fn hash(row: &[u64]) -> u64 {
    let mut hash = row.len() as u64;
    for &word in row {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ hash >> 29
}

/// Whether two rows are the same; rows are short, so a loop is faster than a call.
fn same(one: &[u64], other: &[u64]) -> bool {
    one.iter().eq(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_stored_once() {
        let mut store = Store::new(2);
        assert_eq!(store.insert(&[1, 2]), (StateId::new(0), true));
        assert_eq!(store.insert(&[2, 1]), (StateId::new(1), true));
        assert_eq!(store.insert(&[1, 2]), (StateId::new(0), false));
        assert_eq!(store.row(StateId::new(1)), [2, 1]);
        assert_eq!(store.find(&[3, 3]), None);
        assert_eq!(store.len(), 2);
    }
}
