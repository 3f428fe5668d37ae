//! A relation as a table: rows of term numbers, each row once, with indexes made on first use.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Ends a chain of rows.
const NONE: u32 = u32::MAX;

/// Row `r` is `cells[r * arity..(r + 1) * arity]`. Rows are only ever added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relation {
    arity: usize,
    len: u32,
    cells: Vec<u32>,
    known: HashTable<u32>,
    indexes: Vec<Index>,
    /// Distinct values per column, and the length of the table when they were counted.
    distinct: Vec<(u32, u32)>,
}

/// Chains the rows that agree on some columns. Rows of one chain are in ascending order.
#[derive(Clone, Debug)]
struct Index {
    columns: Box<[usize]>,
    /// First and last row of each chain.
    chains: HashTable<(u32, u32)>,
    next: Vec<u32>,
}

/// Names an index of a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IndexNumber(usize);

impl IndexNumber {
    /// Stands for an index until it is made.
    pub(crate) const UNMADE: IndexNumber = IndexNumber(usize::MAX);
}

impl Relation {
    pub(crate) fn new(arity: usize) -> Self {
        Self { arity, ..Self::default() }
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    pub(crate) fn row(&self, row: u32) -> &[u32] {
        let first = row as usize * self.arity;
        &self.cells[first..first + self.arity]
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len).map(|row| self.row(row))
    }

    /// The number of this row, if it is in the table.
    #[inline]
    pub(crate) fn find(&self, row: &[u32]) -> Option<u32> {
        self.known.find(hash_of(row), |&other| self.row(other) == row).copied()
    }

    /// Adds a row; `None` if it was there before.
    pub(crate) fn insert(&mut self, row: &[u32]) -> Option<u32> {
        let (number, new) = self.insert_or_find(row);
        new.then_some(number)
    }

    /// The number of this row, added if it is new; and whether it was.
    pub(crate) fn insert_or_find(&mut self, row: &[u32]) -> (u32, bool) {
        let hash = hash_of(row);
        let Self { arity, cells, known, .. } = self;
        let (arity, seen) = (*arity, cells.len());
        let at = |number: u32| number as usize * arity..(number as usize + 1) * arity;
        if let Some(&number) = known.find(hash, |&number| cells[at(number)] == *row) {
            return (number, false);
        }
        debug_assert_eq!(seen, self.len as usize * arity);
        cells.extend_from_slice(row);
        known.insert_unique(hash, self.len, |&number| hash_of(&cells[at(number)]));
        let number = self.len;
        self.len += 1;
        for index in &mut self.indexes {
            index.add(number, row, |other| &self.cells[other as usize * arity..]);
        }
        (number, true)
    }

    /// About how much memory a row takes.
    pub(crate) fn bytes_per_row(&self) -> usize {
        self.arity * 4 + 8 + 16 * self.indexes.len()
    }

    /// The index on these columns, made if there is none.
    pub(crate) fn index_on(&mut self, columns: &[usize]) -> IndexNumber {
        if let Some(found) = self.indexes.iter().position(|index| *index.columns == *columns) {
            return IndexNumber(found);
        }
        let mut index =
            Index { columns: columns.into(), chains: HashTable::new(), next: Vec::new() };
        for number in 0..self.len {
            index.add(number, self.row(number), |other| &self.cells[other as usize * self.arity..]);
        }
        self.indexes.push(index);
        IndexNumber(self.indexes.len() - 1)
    }

    /// The first row whose indexed columns have these values.
    #[inline]
    pub(crate) fn first_with(&self, index: IndexNumber, key: &[u32]) -> Option<u32> {
        let index = &self.indexes[index.0];
        let found = index.chains.find(hash_of(key), |&(first, _)| {
            let row = self.row(first);
            index.columns.iter().zip(key).all(|(&column, &value)| row[column] == value)
        });
        found.map(|&(first, _)| first)
    }

    /// The next row of the same chain.
    #[inline]
    pub(crate) fn next_with(&self, index: IndexNumber, row: u32) -> Option<u32> {
        let next = self.indexes[index.0].next[row as usize];
        (next != NONE).then_some(next)
    }

    /// How many different values a column has. Counted again when the table has doubled.
    pub(crate) fn distinct(&mut self, column: usize) -> u32 {
        self.distinct.resize(self.arity, (0, 0));
        let (count, counted_at) = self.distinct[column];
        if counted_at > 0 && self.len < counted_at * 2 {
            return count;
        }
        let mut values: Vec<u32> = self.rows().map(|row| row[column]).collect();
        values.sort_unstable();
        values.dedup();
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        self.distinct[column] = (count, self.len);
        count
    }
}

impl Index {
    fn add<'a>(&mut self, number: u32, row: &[u32], row_of: impl Fn(u32) -> &'a [u32]) {
        let columns = &self.columns;
        let key_hash = |row: &[u32]| hash_columns(row, columns);
        let same = |&(first, _): &(u32, u32)| {
            let other = row_of(first);
            columns.iter().all(|&column| other[column] == row[column])
        };
        self.next.push(NONE);
        let entry = self.chains.entry(key_hash(row), same, |&(first, _)| key_hash(row_of(first)));
        match entry {
            hashbrown::hash_table::Entry::Occupied(mut chain) => {
                let (_, last) = chain.get_mut();
                self.next[*last as usize] = number;
                *last = number;
            }
            hashbrown::hash_table::Entry::Vacant(place) => {
                place.insert((number, number));
            }
        }
    }
}

#[inline]
fn hash_of(row: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    for &value in row {
        value.hash(&mut hasher);
    }
    hasher.finish()
}

#[inline]
fn hash_columns(row: &[u32], columns: &[usize]) -> u64 {
    let mut hasher = FxHasher::default();
    for &column in columns {
        row[column].hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_kept_once() {
        let mut relation = Relation::new(2);
        assert_eq!(relation.insert(&[1, 2]), Some(0));
        assert_eq!(relation.insert(&[1, 3]), Some(1));
        assert_eq!(relation.insert(&[1, 2]), None);
        assert_eq!(relation.find(&[1, 3]), Some(1));
        assert_eq!((relation.distinct(0), relation.distinct(1)), (1, 2));
    }

    #[test]
    fn a_proposition_is_a_table_of_no_columns() {
        let mut relation = Relation::new(0);
        assert_eq!(relation.find(&[]), None);
        assert_eq!(relation.insert(&[]), Some(0));
        assert_eq!(relation.insert(&[]), None);
        assert_eq!(relation.len(), 1);
    }

    #[test]
    fn an_index_follows_rows_added_later() {
        let mut relation = Relation::new(2);
        relation.insert(&[1, 2]);
        let index = relation.index_on(&[0]);
        relation.insert(&[1, 3]);
        relation.insert(&[2, 3]);
        let first = relation.first_with(index, &[1]).unwrap();
        let second = relation.next_with(index, first).unwrap();
        assert_eq!((relation.row(first), relation.row(second)), (&[1, 2][..], &[1, 3][..]));
        assert_eq!(relation.next_with(index, second), None);
    }
}
