//! Sets of keys, sorted keys with values, and to which worker a key belongs. Keys are spread evenly, so that no other
//! hash is needed.

use gambol_sim::hints::fetch;

/// No key.
const NONE: u64 = u64::MAX;
/// An open table is at most so full, in eighths.
const FULLEST: usize = 6;
/// So far ahead memory is asked for.
const AHEAD: usize = 12;

/// An open table in the order of the keys, of which the lowest `bits` vary.
#[derive(Clone, Debug)]
pub(crate) struct KeySet {
    slots: Vec<u64>,
    len: usize,
    bits: u32,
}

impl KeySet {
    /// An empty set.
    pub(crate) fn new(bits: u32) -> Self {
        Self { slots: Vec::new(), len: 0, bits }
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * 8
    }

    #[inline]
    fn home(&self, key: u64) -> usize {
        let (key, log) = (key & ((1 << self.bits) - 1), self.slots.len().trailing_zeros());
        (if self.bits >= log { key >> (self.bits - log) } else { key << (log - self.bits) })
            as usize
    }

    /// Says that a key will be looked for soon.
    #[inline]
    pub(crate) fn expect(&self, key: u64) {
        if let Some(slot) = self.slots.get(self.home(key)) {
            fetch(slot);
        }
    }

    /// Adds a key; whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, key: u64) -> bool {
        if self.len * 8 >= self.slots.len() * FULLEST {
            self.grow();
        }
        let mut at = self.home(key);
        loop {
            let slot = &mut self.slots[at];
            if *slot == key {
                return false;
            }
            if *slot == NONE {
                *slot = key;
                self.len += 1;
                return true;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn grow(&mut self) {
        let bigger = vec![NONE; (2 * self.slots.len()).max(16)];
        let old = std::mem::replace(&mut self.slots, bigger);
        self.len = 0;
        for key in old.into_iter().filter(|&key| key != NONE) {
            self.insert(key);
        }
    }

    /// The keys in order.
    pub(crate) fn into_sorted(mut self) -> Vec<u64> {
        self.slots.retain(|&key| key != NONE);
        self.slots.sort_unstable();
        self.slots
    }
}

/// Sorted keys, each with a number, and an index to the buckets of keys with equal top bits.
#[derive(Clone, Debug)]
pub(crate) struct KeyTable<V> {
    keys: Vec<u64>,
    values: Vec<V>,
    first: Vec<u32>,
    routing: Routing,
    /// How many bits of a key below its partition tell its bucket.
    log: u32,
}

impl<V: Copy> KeyTable<V> {
    /// A table of the sorted keys of all partitions of a worker.
    pub(crate) fn new(keys: Vec<u64>, values: Vec<V>, routing: Routing, partitions: usize) -> Self {
        let log =
            (keys.len() / (2 * partitions.max(1))).checked_ilog2().unwrap_or(0).min(routing.low);
        let first = vec![0; (partitions << log) + 1];
        let mut table = Self { keys, values, first, routing, log };
        for place in 0..table.keys.len() {
            let bucket = table.bucket(table.keys[place]);
            table.first[bucket + 1] += 1;
        }
        for bucket in 1..table.first.len() {
            table.first[bucket] += table.first[bucket - 1];
        }
        table
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.capacity() * 8
            + self.values.capacity() * size_of::<V>()
            + self.first.capacity() * 4
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        let low = key & ((1 << self.routing.low) - 1);
        self.routing.place(key) << self.log | (low >> (self.routing.low - self.log)) as usize
    }

    /// The number of a key, if it is there.
    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<V> {
        let bucket = self.bucket(key);
        let range = self.first[bucket] as usize..self.first[bucket + 1] as usize;
        let place = range.start + self.keys[range].iter().position(|&other| other == key)?;
        Some(self.values[place])
    }

    /// Looks many keys up, with the memory asked for in advance: first where the bucket begins, then its keys and
    /// values.
    pub(crate) fn find_all(&self, keys: &[u64], mut tell: impl FnMut(usize, Option<V>)) {
        for (number, &key) in keys.iter().enumerate() {
            if let Some(&later) = keys.get(number + 2 * AHEAD) {
                fetch(&self.first[self.bucket(later)]);
            }
            if let Some(&soon) = keys.get(number + AHEAD) {
                let first = self.first[self.bucket(soon)] as usize;
                if let (Some(key), Some(value)) = (self.keys.get(first), self.values.get(first)) {
                    fetch(key);
                    fetch(value);
                }
            }
            tell(number, self.find(key));
        }
    }
}

/// How a key finds the worker it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Routing {
    /// Bits of a key below its partition.
    pub(crate) low: u32,
    pub(crate) peers: u64,
    pub(crate) mine: u64,
}

impl Routing {
    /// The worker a key belongs to, unless it is this one.
    #[inline]
    pub(crate) fn elsewhere(self, key: u64) -> Option<usize> {
        let owner = (key >> self.low) % self.peers;
        (owner != self.mine).then_some(owner as usize)
    }

    /// The place of its partition among those of the owner.
    #[inline]
    pub(crate) fn place(self, key: u64) -> usize {
        ((key >> self.low) / self.peers) as usize
    }
}

/// Adds many keys to the sets of partitions, with the memory asked for in advance.
pub(crate) fn insert_all(sets: &mut [KeySet], place: impl Fn(u64) -> usize, keys: &[u64]) {
    for (number, &key) in keys.iter().enumerate() {
        if let Some(&soon) = keys.get(number + AHEAD) {
            sets[place(soon)].expect(soon);
        }
        sets[place(key)].insert(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_walk::Random;

    #[test]
    fn a_set_holds_each_key_once_and_a_table_finds_them() {
        let (bits, mut random) = (20, Random(3));
        let keys: Vec<u64> = (0..5_000).map(|_| random.next() & ((1 << bits) - 1)).collect();
        let mut set = KeySet::new(bits);
        let fresh = keys.iter().filter(|&&key| set.insert(key)).count();
        let mut expected = keys.clone();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!((fresh, set.len()), (expected.len(), expected.len()));
        let sorted = set.into_sorted();
        assert_eq!(sorted, expected);
        let values = (0..sorted.len()).map(|number| number as u16).collect();
        let routing = Routing { low: bits - 4, peers: 1, mine: 0 };
        let table = KeyTable::new(sorted, values, routing, 16);
        for key in 0..1 << bits {
            let place = expected.binary_search(&key).ok().map(|place| place as u16);
            assert_eq!(table.find(key), place);
        }
    }
}
