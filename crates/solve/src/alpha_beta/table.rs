//! The transposition table: for each state what is proved of its value.
//!
//! Whole states are stored, not hashes of them: an entry is a proof. A bucket is one cache line, or
//! a few; its entries stand by what they cost, and the last is replaced by whatever comes.
//!
//! Threads share a table. A bucket begins with a version, odd while somebody writes: what was read
//! counts only if the version was even and did not change meanwhile. Whoever finds a bucket taken
//! does without it.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use gambol_sim::hints::{expect_scattered_reads, fetch};

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

/// Words of a cache line.
const LINE: usize = 8;

/// Bucket `b` takes `stride` words from `first + b * stride`: the version, then the entries, each a
/// key and a packed [`Entry`]; a last word of 0 is no entry.
pub(crate) struct Table<const K: usize> {
    words: Vec<AtomicU64>,
    first: usize,
    buckets: u64,
}

impl<const K: usize> Table<K> {
    /// Whole lines that hold a version and two entries.
    const STRIDE: usize = (1 + 2 * (K + 1)).div_ceil(LINE) * LINE;
    const ENTRIES: usize = (Self::STRIDE - 1) / (K + 1);

    /// The largest table that fits in so many bytes.
    pub(crate) fn within(bytes: u64) -> Self {
        let buckets = (bytes / (8 * Self::STRIDE as u64)).max(2);
        let count = buckets as usize * Self::STRIDE + LINE;
        let mut words = Vec::with_capacity(count);
        expect_scattered_reads(words.spare_capacity_mut());
        words.resize_with(count, AtomicU64::default);
        // Buckets begin where lines do.
        let first = words.as_ptr().addr().wrapping_neg() % (8 * LINE) / 8;
        Self { words, first, buckets }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    /// How many entries there is room for.
    pub(crate) fn room(&self) -> u64 {
        self.buckets * Self::ENTRIES as u64
    }

    /// Sees to it that the bucket of a key is near when it is wanted.
    pub(crate) fn fetch(&self, key: &[u64; K]) {
        fetch(&self.words[self.bucket(key)]);
    }

    fn bucket(&self, key: &[u64; K]) -> usize {
        let place = (u128::from(mixed(key)) * u128::from(self.buckets)) >> 64;
        self.first + place as usize * Self::STRIDE
    }

    fn words_at(&self, bucket: usize) -> &[AtomicU64] {
        &self.words[bucket..bucket + Self::STRIDE]
    }

    pub(crate) fn find(&self, key: &[u64; K]) -> Option<Entry> {
        let words = self.words_at(self.bucket(key));
        let version = words[0].load(Ordering::Acquire);
        let entries = words[1..].chunks_exact(K + 1);
        let found = entries
            .filter(|entry| {
                let pairs = entry[..K].iter().zip(key);
                pairs.fold(0, |differs, (word, key)| differs | (load(word) ^ key)) == 0
            })
            .map(|entry| load(&entry[K]))
            .find(|&packed| packed != 0)?;
        fence(Ordering::Acquire);
        let whole = version & 1 == 0 && load(&words[0]) == version;
        whole.then(|| Entry::unpack(found))
    }

    /// Adds what is proved to what is known.
    pub(crate) fn add(&self, key: &[u64; K], entry: Entry) {
        let words = self.words_at(self.bucket(key));
        let version = load(&words[0]);
        let free = version & 1 == 0
            && words[0]
                .compare_exchange(version, version + 1, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        if free {
            fence(Ordering::Release);
            Self::put(&words[1..], key, entry);
            words[0].store(version + 2, Ordering::Release);
        }
    }

    fn put(words: &[AtomicU64], key: &[u64; K], entry: Entry) {
        let slot = |place: usize| &words[place * (K + 1)..(place + 1) * (K + 1)];
        let known = |place: usize| load(&slot(place)[K]);
        let is_it = |place: usize| {
            known(place) != 0
                && slot(place)[..K].iter().zip(key).all(|(word, key)| load(word) == *key)
        };
        if let Some(place) = (0..Self::ENTRIES).find(|&place| is_it(place)) {
            let known = Entry::unpack(known(place));
            let joined = Entry {
                least: known.least.max(entry.least),
                most: known.most.min(entry.most),
                work: known.work.max(entry.work),
                action: entry.action,
            };
            return slot(place)[K].store(joined.pack(), Ordering::Relaxed);
        }
        let last = Self::ENTRIES - 1;
        let cheaper = |place: &usize| entry.work >= Entry::unpack(known(*place)).work;
        let place = (0..last).find(cheaper).unwrap_or(last);
        for place in (place..last).rev() {
            for (from, to) in slot(place).iter().zip(slot(place + 1)) {
                to.store(load(from), Ordering::Relaxed);
            }
        }
        for (word, value) in slot(place).iter().zip(key.iter().copied().chain([entry.pack()])) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// All entries that cost at least so much, in the order of the table.
    pub(crate) fn entries(&self, work: u8) -> impl Iterator<Item = ([u64; K], Entry)> + '_ {
        self.some_entries(1).filter(move |(_, entry)| entry.work >= work)
    }

    /// The entries of every so-many-th bucket.
    pub(crate) fn some_entries(
        &self,
        every: usize,
    ) -> impl Iterator<Item = ([u64; K], Entry)> + '_ {
        let buckets = self.words[self.first..].chunks_exact(Self::STRIDE);
        buckets.step_by(every).flat_map(whole_entries)
    }
}

/// The entries of a bucket, unless a thread is writing to it.
fn whole_entries<const K: usize>(
    bucket: &[AtomicU64],
) -> smallvec::SmallVec<[([u64; K], Entry); 3]> {
    let version = bucket[0].load(Ordering::Acquire);
    let rows = bucket[1..].chunks_exact(K + 1).filter(|row| load(&row[K]) != 0);
    let entries = rows.map(|row| {
        let mut key = [0; K];
        key.iter_mut().zip(row).for_each(|(key, word)| *key = load(word));
        (key, Entry::unpack(load(&row[K])))
    });
    let entries: smallvec::SmallVec<_> = entries.collect();
    fence(Ordering::Acquire);
    let whole = version & 1 == 0 && load(&bucket[0]) == version;
    if whole { entries } else { Default::default() }
}

fn load(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}

/// A hash of which every bit depends on every bit of the key.
pub(crate) fn mixed<const K: usize>(key: &[u64; K]) -> u64 {
    let mut hash: u64 = 0;
    for word in key {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry = Entry { least: 0, most: 2, work: 1, action: 7 };

    #[test]
    fn what_is_proved_adds_up() {
        let table = Table::<1>::within(1 << 10);
        table.add(&[5], Entry { least: 1, ..ENTRY });
        table.add(&[5], Entry { most: 1, action: 9, ..ENTRY });
        assert_eq!(table.find(&[5]), Some(Entry { least: 1, most: 1, work: 1, action: 9 }));
        assert_eq!(table.find(&[6]), None);
    }

    #[test]
    fn dear_entries_stay() {
        let table = Table::<1>::within(1);
        table.add(&[0], Entry { work: 60, ..ENTRY });
        for key in 1..1000 {
            table.add(&[key], ENTRY);
        }
        assert_eq!(table.find(&[0]).map(|entry| entry.work), Some(60));
        assert!(table.entries(2).count() == 1);
    }

    #[test]
    fn neighbouring_states_do_not_share_buckets() {
        let table = Table::<2>::within(1 << 20);
        for word in 0..8 {
            let rows = (0..1000).map(|number| [number << (7 * word), number >> 3]);
            let buckets: std::collections::BTreeSet<usize> =
                rows.map(|key| table.bucket(&key)).collect();
            assert!(buckets.len() > 900, "{} buckets for 1000 states", buckets.len());
        }
    }

    #[test]
    fn what_threads_read_was_written_by_one_of_them() {
        let table = Table::<2>::within(1 << 8);
        let write = |salt: u64| {
            for round in 0..20_000u64 {
                let key = [round % 37 + salt, round % 37];
                let seen = table.find(&key);
                assert!(seen.is_none_or(|seen| u64::from(seen.action) == key[0] * 100 + key[1]));
                let action = (key[0] * 100 + key[1]) as u32;
                table.add(&key, Entry { action, work: (round % 5) as u8 + 1, ..ENTRY });
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| write(0));
            scope.spawn(|| write(1));
        });
        assert!(table.entries(0).count() > 0);
    }
}
