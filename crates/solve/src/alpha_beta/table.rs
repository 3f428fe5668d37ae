//! The transposition table: for each state what is proved of its value.
//!
//! Whole states are stored, not hashes of them: an entry is a proof. Two entries share a bucket; the
//! one that cost more stays, the other is replaced by whatever comes.

use crate::store::hash;

/// What is proved of a state: its value lies between two goal values, given by their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) least: u8,
    pub(crate) most: u8,
    /// The logarithm of the nodes it cost, plus one.
    pub(crate) work: u8,
    /// The move that proved it.
    pub(crate) action: u32,
}

impl Entry {
    pub(super) fn pack(self) -> u64 {
        u64::from(self.least)
            | u64::from(self.most) << 8
            | u64::from(self.work) << 16
            | u64::from(self.action) << 32
    }

    pub(super) fn unpack(word: u64) -> Self {
        let byte = |place: u32| (word >> (8 * place)) as u8;
        Self { least: byte(0), most: byte(1), work: byte(2), action: (word >> 32) as u32 }
    }
}

/// Entry `e` of bucket `b` takes `K + 1` words from `(2 b + e) (K + 1)`; a last word of 0 is none.
pub(crate) struct Table<const K: usize> {
    words: Vec<u64>,
    mask: usize,
}

impl<const K: usize> Table<K> {
    /// The largest table that fits in so many bytes.
    pub(crate) fn within(bytes: u64) -> Self {
        let bucket = 2 * (K as u64 + 1) * 8;
        let buckets = (bytes / bucket).max(2);
        let buckets = 1usize << (63 - buckets.leading_zeros());
        Self { words: vec![0; buckets * 2 * (K + 1)], mask: buckets - 1 }
    }

    fn bucket(&self, key: &[u64; K]) -> usize {
        // The low bits of the hash are the weak ones.
        (hash(key) >> 20) as usize & self.mask
    }

    pub(crate) fn find(&self, key: &[u64; K]) -> Option<Entry> {
        let first = 2 * self.bucket(key) * (K + 1);
        let bucket = &self.words[first..first + 2 * (K + 1)];
        let (one, other) = bucket.split_at(K + 1);
        let found = [one, other].into_iter().find(|entry| entry[K] != 0 && entry[..K] == key[..]);
        found.map(|entry| Entry::unpack(entry[K]))
    }

    /// Adds what is proved to what is known.
    pub(crate) fn add(&mut self, key: &[u64; K], entry: Entry) {
        let first = 2 * self.bucket(key) * (K + 1);
        let (one, other) = self.words[first..first + 2 * (K + 1)].split_at_mut(K + 1);
        for slot in [&mut *one, &mut *other] {
            if slot[K] != 0 && slot[..K] == key[..] {
                let known = Entry::unpack(slot[K]);
                let joined = Entry {
                    least: known.least.max(entry.least),
                    most: known.most.min(entry.most),
                    work: known.work.max(entry.work),
                    action: entry.action,
                };
                slot[K] = joined.pack();
                return;
            }
        }
        if one[K] == 0 || entry.work >= Entry::unpack(one[K]).work {
            other.copy_from_slice(one);
            one[..K].copy_from_slice(key);
            one[K] = entry.pack();
        } else {
            other[..K].copy_from_slice(key);
            other[K] = entry.pack();
        }
    }

    /// All entries that cost at least so much, in the order of the table.
    pub(crate) fn entries(&self, work: u8) -> impl Iterator<Item = ([u64; K], Entry)> + '_ {
        let rows = self.words.chunks_exact(K + 1).filter(|row| row[K] != 0);
        let entries = rows.map(|row| {
            let mut key = [0; K];
            key.copy_from_slice(&row[..K]);
            (key, Entry::unpack(row[K]))
        });
        entries.filter(move |(_, entry)| entry.work >= work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry = Entry { least: 0, most: 2, work: 1, action: 7 };

    #[test]
    fn what_is_proved_adds_up() {
        let mut table = Table::<1>::within(1 << 10);
        table.add(&[5], Entry { least: 1, ..ENTRY });
        table.add(&[5], Entry { most: 1, action: 9, ..ENTRY });
        assert_eq!(table.find(&[5]), Some(Entry { least: 1, most: 1, work: 1, action: 9 }));
        assert_eq!(table.find(&[6]), None);
    }

    #[test]
    fn dear_entries_stay() {
        let mut table = Table::<1>::within(1);
        table.add(&[0], Entry { work: 60, ..ENTRY });
        for key in 1..1000 {
            table.add(&[key], ENTRY);
        }
        assert_eq!(table.find(&[0]).map(|entry| entry.work), Some(60));
        assert!(table.entries(2).count() == 1);
    }
}
