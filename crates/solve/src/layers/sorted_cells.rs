//! Open tables that are always in order: sets of keys, and keys with numbers.
//!
//! Keys are spread evenly, so that the bits of a key tell within a few steps where it lies among the others: no other
//! hash is needed, a search ends at the first greater cell, and a table is read in order without sorting. Cells are as
//! wide as a key without its partition and a number need.

use gambol_sim::hints::fetch;

use super::routing::Routing;

/// So far ahead memory is asked for.
const AHEAD: usize = 12;
/// A set grows by half when it is so full, in eighths. So a key takes between 4/3 and 2 cells.
const FULLEST: usize = 6;

/// A cell of a table: a key, and a number in the lowest bits.
pub(crate) trait Cell: Copy + Ord {
    /// Greater than every cell that holds a key.
    const FREE: Self;
    /// How many bytes it takes.
    const BYTES: usize;
    fn pack(key: u64, number: u32, bits: u32) -> Self;
    fn key(self, bits: u32) -> u64;
    fn number(self, bits: u32) -> u32;
}

macro_rules! cell {
    ($word:ty) => {
        impl Cell for $word {
            const FREE: Self = <$word>::MAX;
            const BYTES: usize = size_of::<$word>();

            #[inline]
            fn pack(key: u64, number: u32, bits: u32) -> Self {
                (key as $word) << bits | number as $word
            }

            #[inline]
            fn key(self, bits: u32) -> u64 {
                (self >> bits) as u64
            }

            #[inline]
            fn number(self, bits: u32) -> u32 {
                (self & ((1 << bits) - 1)) as u32
            }
        }
    };
}

cell!(u32);
cell!(u64);
cell!(u128);

/// The cells of one partition. The last one is always free.
#[derive(Clone, Debug)]
struct Cells<C> {
    cells: Vec<C>,
    /// Keys belong to so many cells at the beginning; the others are for what is pushed over the edge.
    homes: usize,
    len: usize,
    /// Bits of a key that vary, and bits of a number.
    low: u32,
    bits: u32,
}

impl<C: Cell> Cells<C> {
    fn new(low: u32, bits: u32, homes: usize) -> Self {
        let mut cells = Vec::with_capacity(homes + 16);
        cells.resize(homes + 1, C::FREE);
        Self { cells, homes, len: 0, low, bits }
    }

    /// Keys in order with their numbers.
    fn of(low: u32, bits: u32, homes: usize, sorted: impl Iterator<Item = (u64, u32)>) -> Self {
        let (mut table, mut free) = (Self::new(low, bits, homes), 0);
        for (key, number) in sorted {
            let at = table.home(key).max(free);
            table.cells[at] = C::pack(key, number, bits);
            free = at + 1;
            if free == table.cells.len() {
                table.cells.push(C::FREE);
            }
            table.len += 1;
        }
        table
    }

    /// The cell a key belongs to; it grows with the key.
    #[inline]
    fn home(&self, key: u64) -> usize {
        ((u128::from(key << (64 - self.low)) * self.homes as u128) >> 64) as usize
    }

    #[inline]
    fn expect(&self, key: u64) {
        if let Some(cell) = self.cells.get(self.home(key)) {
            fetch(cell);
        }
    }

    /// The first cell that is not less than a key.
    #[inline]
    fn search(&self, key: u64) -> usize {
        let (mut at, wanted) = (self.home(key), C::pack(key, 0, self.bits));
        while self.cells[at] < wanted {
            at += 1;
        }
        at
    }

    /// The number of a key, if it is there.
    #[inline]
    fn find(&self, key: u64) -> Option<u32> {
        let cell = self.cells[self.search(key)];
        // A free cell would be the key of all bits only if cells were too narrow.
        (cell != C::FREE && cell.key(self.bits) == key).then(|| cell.number(self.bits))
    }

    /// Adds a key with a number, unless it is there; its number is told if it was.
    #[inline]
    fn insert(&mut self, key: u64, number: u32) -> Option<u32> {
        let mut at = self.search(key);
        let met = self.cells[at];
        if met != C::FREE && met.key(self.bits) == key {
            return Some(met.number(self.bits));
        }
        let mut carried = C::pack(key, number, self.bits);
        while carried != C::FREE {
            std::mem::swap(&mut self.cells[at], &mut carried);
            at += 1;
        }
        self.len += 1;
        if at == self.cells.len() {
            self.cells.push(C::FREE);
        }
        if self.len * 8 >= self.homes * FULLEST {
            self.grow();
        }
        None
    }

    #[cold]
    fn grow(&mut self) {
        let homes = (self.homes + self.homes / 2).max(16);
        let held = self.cells.iter().filter(|&&cell| cell != C::FREE);
        let held = held.map(|cell| (cell.key(self.bits), cell.number(self.bits)));
        *self = Self::of(self.low, self.bits, homes, held);
    }

    fn keys(&self) -> impl Iterator<Item = u64> {
        self.cells.iter().filter(|&&cell| cell != C::FREE).map(|cell| cell.key(self.bits))
    }

    fn bytes(&self) -> usize {
        self.cells.capacity() * C::BYTES
    }
}

/// Tables of some partitions of a worker, in the narrowest cells that do.
#[derive(Clone, Debug)]
enum Tables {
    Narrow(Vec<Cells<u32>>),
    Wide(Vec<Cells<u64>>),
    Widest(Vec<Cells<u128>>),
}

/// The same for whatever cells there are.
macro_rules! with_cells {
    ($tables:expr, $cells:ident => $work:expr) => {
        match $tables {
            Tables::Narrow($cells) => $work,
            Tables::Wide($cells) => $work,
            Tables::Widest($cells) => $work,
        }
    };
}

/// Keys of some partitions of a worker.
#[derive(Clone, Debug)]
pub(crate) struct KeySets {
    tables: Tables,
    routing: Routing,
}

impl KeySets {
    /// Empty sets for all partitions that a routing leads to.
    pub(crate) fn new(routing: Routing) -> Self {
        let (count, low) = (routing.places(), routing.low);
        let tables = match low {
            ..32 => Tables::Narrow(vec![Cells::new(low, 0, 0); count]),
            _ => Tables::Wide(vec![Cells::new(low, 0, 0); count]),
        };
        Self { tables, routing }
    }

    /// How many bytes a key takes at most.
    pub(crate) fn bytes_of_key(low: u32) -> usize {
        if low < 32 { 8 } else { 16 }
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        with_cells!(&self.tables, tables => tables.iter().map(|cells| cells.len).sum())
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        with_cells!(&self.tables, tables => tables.iter().map(Cells::bytes).sum())
    }

    /// Adds keys, with the memory asked for in advance. Tells those that are new.
    pub(crate) fn insert_all(&mut self, keys: &[u64], mut tell: impl FnMut(u64)) {
        let routing = self.routing;
        with_cells!(&mut self.tables, tables => {
            for (number, &key) in keys.iter().enumerate() {
                if let Some(&soon) = keys.get(number + AHEAD) {
                    tables[routing.place(soon)].expect(routing.low_of(soon));
                }
                if tables[routing.place(key)].insert(routing.low_of(key), 0).is_none() {
                    tell(key);
                }
            }
        });
    }

    /// The keys of each partition in order, without the bits that name the partition. What is told is freed.
    pub(crate) fn drain(self, mut tell: impl FnMut(Vec<u64>)) {
        with_cells!(self.tables, tables => {
            for cells in tables {
                let mut keys = Vec::with_capacity(cells.len);
                keys.extend(cells.keys());
                drop(cells);
                tell(keys);
            }
        });
    }
}

/// Keys of some partitions of a worker, each with a number.
#[derive(Clone, Debug)]
pub(crate) struct KeyTable {
    tables: Tables,
    routing: Routing,
    bits: u32,
}

impl KeyTable {
    /// A table without partitions yet. Numbers have so many bits.
    pub(crate) fn new(routing: Routing, bits: u32) -> Self {
        let tables = match routing.low + bits {
            ..32 => Tables::Narrow(Vec::new()),
            32..64 => Tables::Wide(Vec::new()),
            _ => Tables::Widest(Vec::new()),
        };
        Self { tables, routing, bits }
    }

    /// A table to which keys are added in any order, about so many. Numbers have at most 32 bits, and fewer where that
    /// makes cells of 8 bytes of those of 16.
    pub(crate) fn growing(routing: Routing, expected: usize) -> Self {
        let bits = if routing.low < 40 { (63 - routing.low).min(32) } else { 32 };
        let mut table = Self::new(routing, bits);
        let homes = expected / routing.places() * 8 / FULLEST;
        with_cells!(&mut table.tables, tables => {
            tables.resize_with(routing.places(), || Cells::new(routing.low, bits, homes));
        });
        table
    }

    /// Numbers are less than this.
    pub(crate) fn most(&self) -> u64 {
        1 << self.bits
    }

    /// Gives each key its number: the one it has, or the next one. The keys that had none are appended to `fresh`,
    /// so that the next number is always as many as there are. None if there are more than have numbers.
    pub(crate) fn number_all(
        &mut self,
        keys: &[u64],
        next: &mut u64,
        numbers: &mut Vec<u32>,
        fresh: &mut Vec<u64>,
    ) -> Option<()> {
        let routing = self.routing;
        numbers.clear();
        (*next + keys.len() as u64 <= self.most()).then_some(())?;
        with_cells!(&mut self.tables, tables => {
            for (place, &key) in keys.iter().enumerate() {
                if let Some(&soon) = keys.get(place + AHEAD) {
                    tables[routing.place(soon)].expect(routing.low_of(soon));
                }
                let met = tables[routing.place(key)].insert(routing.low_of(key), *next as u32);
                numbers.push(met.unwrap_or_else(|| {
                    fresh.push(key);
                    *next += 1;
                    (*next - 1) as u32
                }));
            }
        });
        Some(())
    }

    /// How many bytes a key takes, for keys and numbers of so many bits.
    pub(crate) fn bytes_of_key(low: u32, bits: u32) -> usize {
        match low + bits {
            ..32 => 5,
            32..64 => 10,
            _ => 20,
        }
    }

    /// Adds the next partition: its keys in order, without the bits that name it, and their numbers.
    pub(crate) fn push(&mut self, keys: &[u64], numbers: &[u32]) {
        let (low, bits) = (self.routing.low, self.bits);
        let both = keys.iter().copied().zip(numbers.iter().copied());
        let homes = keys.len() + keys.len() / 4;
        with_cells!(&mut self.tables, tables => tables.push(Cells::of(low, bits, homes, both)));
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        with_cells!(&self.tables, tables => tables.iter().map(Cells::bytes).sum())
    }

    /// Looks many keys up, with the memory asked for in advance.
    pub(crate) fn find_all(&self, keys: &[u64], mut tell: impl FnMut(usize, Option<u32>)) {
        let routing = self.routing;
        with_cells!(&self.tables, tables => {
            for (number, &key) in keys.iter().enumerate() {
                if let Some(&soon) = keys.get(number + AHEAD) {
                    tables[routing.place(soon)].expect(routing.low_of(soon));
                }
                tell(number, tables[routing.place(key)].find(routing.low_of(key)));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_run::Random;

    #[test]
    fn a_set_holds_each_key_once_in_order_and_a_table_finds_them() {
        for (bits, number_bits) in [(20, 13), (34, 13), (50, 13), (60, 20)] {
            let (low, mut random) = (bits - 4, Random::new(3));
            // Few of the upper bits vary, so that many keys come twice.
            let keys: Vec<u64> =
                (0..5_000).map(|_| random.word() & ((1 << bits) - 1) & !0xff0).collect();
            let routing = Routing::new(low, 4, (1, 0), (1, 0));
            let mut expected = keys.clone();
            expected.sort_unstable();
            expected.dedup();
            let (mut sets, mut fresh) = (KeySets::new(routing), 0);
            sets.insert_all(&keys, |_| fresh += 1);
            assert_eq!((fresh, sets.len()), (expected.len(), expected.len()));
            let (mut table, mut sorted) = (KeyTable::new(routing, number_bits), Vec::new());
            let mut partition = 0;
            sets.drain(|keys| {
                let first = sorted.len() as u32;
                let numbers: Vec<u32> = (first..first + keys.len() as u32).collect();
                table.push(&keys, &numbers);
                sorted.extend(keys.iter().map(|key| partition << low | key));
                partition += 1;
            });
            assert_eq!(sorted, expected);
            let others = (0..5_000).map(|_| random.word() & ((1 << bits) - 1));
            let asked: Vec<u64> = keys.iter().copied().chain(others).collect();
            table.find_all(&asked, |place, number| {
                let known = expected.binary_search(&asked[place]).ok();
                assert_eq!(number, known.map(|place| place as u32));
            });
        }
    }

    #[test]
    fn keys_are_numbered_in_the_order_in_which_they_come() {
        for bits in [12, 30, 45, 60] {
            let mut random = Random::new(11);
            let keys: Vec<u64> =
                (0..5_000).map(|_| random.word() & ((1 << bits) - 1) & !0xf0).collect();
            let mut table = KeyTable::growing(Routing::new(bits - 4, 4, (1, 0), (1, 0)), 10);
            let (mut next, mut numbers, mut fresh) = (0, Vec::new(), Vec::new());
            for keys in keys.chunks(700) {
                table.number_all(keys, &mut next, &mut numbers, &mut fresh).expect("room");
                assert!(
                    keys.iter().zip(&numbers).all(|(key, &number)| fresh[number as usize] == *key)
                );
            }
            assert_eq!(next as usize, fresh.len());
            fresh.sort_unstable();
            assert!(fresh.windows(2).all(|two| two[0] < two[1]));
            let mut last = table.most() - 1;
            assert!(table.number_all(&keys, &mut last, &mut numbers, &mut fresh).is_none());
        }
    }

    #[test]
    fn keys_that_all_belong_at_the_end_are_kept() {
        let mut cells: Cells<u32> = Cells::new(20, 0, 0);
        let keys = (1 << 20) - 500..1 << 20;
        assert!(keys.clone().rev().all(|key| cells.insert(key, 0).is_none()));
        assert!(cells.keys().eq(keys.clone()));
        assert!(
            keys.clone().all(|key| cells.find(key) == Some(0) && cells.insert(key, 0).is_some())
        );
        assert_eq!(cells.find(5), None);
    }
}
