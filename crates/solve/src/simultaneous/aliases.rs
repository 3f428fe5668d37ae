//! States as they are met, and what stands for them: a table that holds whole states beside the answers, so
//! that one look at memory tells both.

use crate::listing::store::hash;

/// Slots at the start.
const FEW: usize = 1 << 10;
/// The answer that is not known yet.
const OPEN: u64 = u64::MAX;

/// Slot `i` is `words[i * (width + 1)..]`: a state and the answer and one, 0 where there is none.
pub(crate) struct Aliases {
    width: usize,
    words: Vec<u64>,
    slots: usize,
    len: usize,
}

/// The place of a state, until room is made for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(usize);

impl Aliases {
    /// For states of so many words.
    pub(crate) fn new(width: usize) -> Self {
        Self { width, words: vec![0; FEW * (width + 1)], slots: FEW, len: 0 }
    }

    /// Makes room for so many states.
    pub(crate) fn reserve(&mut self, more: usize) {
        let mut slots = self.slots;
        while (self.len + more) * 3 > slots * 2 {
            slots *= 2;
        }
        if slots == self.slots {
            return;
        }
        let (width, words) = (self.width, vec![0; slots * (self.width + 1)]);
        let old = std::mem::replace(self, Self { width, words, slots, len: 0 });
        for row in old.words.chunks_exact(width + 1).filter(|row| row[width] != 0) {
            let (Slot(slot), _) = self.insert(&row[..width]);
            self.words[slot * (width + 1) + width] = row[width];
        }
    }

    /// The slot of a state, and whether it is new. There must be room.
    pub(crate) fn insert(&mut self, state: &[u64]) -> (Slot, bool) {
        let stride = self.width + 1;
        let mut slot = hash(state) as usize & (self.slots - 1);
        loop {
            let row = &mut self.words[slot * stride..(slot + 1) * stride];
            if row[self.width] == 0 {
                row[..self.width].copy_from_slice(state);
                row[self.width] = OPEN;
                self.len += 1;
                return (Slot(slot), true);
            }
            if row[..self.width].iter().eq(state) {
                return (Slot(slot), false);
            }
            slot = (slot + 1) & (self.slots - 1);
        }
    }

    /// Puts down an answer.
    pub(crate) fn answer(&mut self, Slot(slot): Slot, answer: u64) {
        self.words[slot * (self.width + 1) + self.width] = answer + 1;
    }

    /// The answer of a slot.
    pub(crate) fn get(&self, Slot(slot): Slot) -> u64 {
        self.words[slot * (self.width + 1) + self.width] - 1
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_keep_their_answers_as_the_table_grows() {
        let mut table = Aliases::new(2);
        for state in 0..5_000u64 {
            table.reserve(1);
            let (slot, new) = table.insert(&[state, state / 7]);
            assert!(new);
            table.answer(slot, 3 * state);
        }
        for state in 0..5_000u64 {
            let (slot, new) = table.insert(&[state, state / 7]);
            assert_eq!((new, table.get(slot)), (false, 3 * state));
        }
        assert!(table.insert(&[1, 1]).1);
    }
}
