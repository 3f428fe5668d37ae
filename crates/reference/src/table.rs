//! The rows of one relation, found by any of their parts.
//!
//! Rows are only ever added at the end and taken away from the end, so that what follows from a
//! move can be dropped without touching what follows from the state, and that without touching
//! what always holds. An index finds rows by the terms at some places, also below a function:
//! `(true (cell ?x ?y ?what))` with `?x` and `?y` known is found by these two. It is a filter: a
//! row it gives may still fail to match, because different keys may have one hash.

use std::hash::{BuildHasher, Hasher};

use gambol_syntax::Symbol;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::terms::{GroundTerm, Terms};

/// One step down: into an argument of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Descent {
    pub(crate) name: Symbol,
    pub(crate) arity: usize,
    pub(crate) argument: usize,
}

/// A place in a row: a column, and the way down from there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    pub(crate) column: usize,
    pub(crate) descents: Vec<Descent>,
}

impl Path {
    /// The term at this place, unless other functions stand on the way.
    pub(crate) fn follow(&self, terms: &Terms, row: &[GroundTerm]) -> Option<GroundTerm> {
        self.descents.iter().try_fold(row[self.column], |term, descent| {
            let (name, arguments) = terms.parts(term);
            let fits = name == descent.name && arguments.len() == descent.arity;
            fits.then(|| arguments[descent.argument])
        })
    }
}

/// What an index asks of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Probe {
    /// The term at this place is part of the key.
    Key(Path),
    /// The term at this place is made by this function of so many arguments.
    Function(Path, Symbol, usize),
}

/// No row.
pub(crate) const NONE: u32 = u32::MAX;
const NOT_INDEXED: u32 = u32::MAX - 1;

/// Rows with equal keys form a chain from the newest to the oldest.
#[derive(Clone, Debug)]
struct Index {
    probes: Vec<Probe>,
    newest: FxHashMap<u64, u32>,
    /// For each row its key and the next older row of the same key.
    chain: Vec<(u64, u32)>,
}

impl Index {
    fn add(&mut self, terms: &Terms, row: &[GroundTerm], number: u32) {
        let link = match key_of(&self.probes, terms, row) {
            Some(key) => (key, self.newest.insert(key, number).unwrap_or(NONE)),
            None => (0, NOT_INDEXED),
        };
        self.chain.push(link);
    }

    fn drop_newest_row(&mut self) {
        match self.chain.pop() {
            None | Some((_, NOT_INDEXED)) => {}
            Some((key, NONE)) => {
                self.newest.remove(&key);
            }
            Some((key, older)) => {
                self.newest.insert(key, older);
            }
        }
    }
}

fn key_of(probes: &[Probe], terms: &Terms, row: &[GroundTerm]) -> Option<u64> {
    let mut key = KeyHasher::new();
    for probe in probes {
        match probe {
            Probe::Key(path) => key.add(path.follow(terms, row)?),
            Probe::Function(path, name, arity) => {
                let (found, arguments) = terms.parts(path.follow(terms, row)?);
                if (found, arguments.len()) != (*name, *arity) {
                    return None;
                }
            }
        }
    }
    Some(key.finish())
}

/// Makes the key of an index from its terms.
pub(crate) struct KeyHasher(rustc_hash::FxHasher);

impl KeyHasher {
    pub(crate) fn new() -> Self {
        Self(FxBuildHasher.build_hasher())
    }

    #[inline]
    pub(crate) fn add(&mut self, term: GroundTerm) {
        self.0.write_u32(term.number());
    }

    #[inline]
    pub(crate) fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// The number of rows below the state's, and below the moves'.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    pub(crate) state: u32,
    pub(crate) moves: u32,
}

/// The rows of one relation.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    arity: usize,
    len: u32,
    cells: Vec<GroundTerm>,
    known: HashTable<u32>,
    indexes: Vec<Index>,
    /// The number of rows that always hold, and of those that follow from the state.
    pub(crate) marks: Marks,
    /// The rows that are new in this round of a recursion: from, and up to but without.
    pub(crate) recent: (u32, u32),
}

impl Table {
    /// No rows.
    pub(crate) fn new(arity: usize) -> Self {
        Self {
            arity,
            len: 0,
            cells: Vec::new(),
            known: HashTable::new(),
            indexes: Vec::new(),
            marks: Marks::default(),
            recent: (0, 0),
        }
    }

    /// A table of the rows that always hold.
    pub(crate) fn static_copy(&self, terms: &Terms) -> Self {
        let mut copy = Self::new(self.arity);
        for number in 0..self.marks.state {
            copy.insert(terms, self.row(number));
        }
        copy.marks = Marks { state: copy.len, moves: copy.len };
        copy
    }

    /// The number of rows.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// One row.
    #[inline]
    pub(crate) fn row(&self, number: u32) -> &[GroundTerm] {
        let first = number as usize * self.arity;
        &self.cells[first..first + self.arity]
    }

    /// All rows, oldest first.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[GroundTerm]> {
        (0..self.len).map(|number| self.row(number))
    }

    /// The number of the row that holds these terms.
    pub(crate) fn find(&self, row: &[GroundTerm]) -> Option<u32> {
        self.known.find(hash_of(row), |&number| self.row(number) == row).copied()
    }

    /// Adds a row; says whether it is new.
    pub(crate) fn insert(&mut self, terms: &Terms, row: &[GroundTerm]) -> bool {
        debug_assert_eq!(row.len(), self.arity);
        // Two numbers are reserved as marks; the budget on atoms stops far below.
        if self.find(row).is_some() || self.len >= NOT_INDEXED - 1 {
            return false;
        }
        let number = self.len;
        self.cells.extend_from_slice(row);
        self.len += 1;
        let (cells, arity) = (&self.cells, self.arity);
        let rehash = |&other: &u32| hash_of(&cells[other as usize * arity..][..arity]);
        self.known.insert_unique(hash_of(row), number, rehash);
        for index in &mut self.indexes {
            index.add(terms, row, number);
        }
        true
    }

    /// Drops the newest rows until `len` are left.
    pub(crate) fn truncate(&mut self, len: u32) {
        while self.len > len {
            self.drop_newest_row();
        }
    }

    fn drop_newest_row(&mut self) {
        let number = self.len - 1;
        let hash = hash_of(self.row(number));
        if let Ok(entry) = self.known.find_entry(hash, |&other| other == number) {
            entry.remove();
        }
        for index in &mut self.indexes {
            index.drop_newest_row();
        }
        self.len = number;
        self.cells.truncate(number as usize * self.arity);
    }

    /// The index with these probes, made if it is new.
    pub(crate) fn index(&mut self, terms: &Terms, probes: &[Probe]) -> usize {
        if let Some(known) = self.indexes.iter().position(|index| index.probes == probes) {
            return known;
        }
        let mut index =
            Index { probes: probes.to_vec(), newest: FxHashMap::default(), chain: Vec::new() };
        for number in 0..self.len {
            index.add(terms, self.row(number), number);
        }
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// The newest row with this key, or [`NONE`].
    #[inline]
    pub(crate) fn newest(&self, index: usize, key: u64) -> u32 {
        self.indexes[index].newest.get(&key).copied().unwrap_or(NONE)
    }

    /// The next older row with the same key, or [`NONE`].
    #[inline]
    pub(crate) fn older(&self, index: usize, row: u32) -> u32 {
        self.indexes[index].chain[row as usize].1
    }
}

fn hash_of(row: &[GroundTerm]) -> u64 {
    let mut hasher = KeyHasher::new();
    for &term in row {
        hasher.add(term);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_syntax::Symbols;

    fn cells() -> (Terms, Table, Vec<GroundTerm>) {
        let mut symbols = Symbols::new();
        let cell = symbols.intern("cell");
        let mut terms = Terms::default();
        let names = ["1", "2", "x"].map(|text| symbols.intern(text));
        let constants = names.map(|name| terms.make(&symbols, name, &[]));
        let mut table = Table::new(1);
        for [column, row] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let arguments = [constants[column], constants[row], constants[2]];
            let fluent = terms.make(&symbols, cell, &arguments);
            assert!(table.insert(&terms, &[fluent]));
            assert!(!table.insert(&terms, &[fluent]));
        }
        table.insert(&terms, &[constants[0]]);
        (terms, table, constants.to_vec())
    }

    fn second_argument(terms: &Terms, table: &Table) -> Vec<Probe> {
        let (name, _) = terms.parts(table.row(0)[0]);
        let descents = vec![Descent { name, arity: 3, argument: 1 }];
        vec![Probe::Key(Path { column: 0, descents })]
    }

    fn chain(table: &Table, index: usize, key: GroundTerm) -> Vec<u32> {
        let mut hasher = KeyHasher::new();
        hasher.add(key);
        let some = |row: u32| (row != NONE).then_some(row);
        let first = some(table.newest(index, hasher.finish()));
        std::iter::successors(first, |&row| some(table.older(index, row))).collect()
    }

    #[test]
    fn rows_are_found_by_a_part_below_a_function() {
        let (terms, mut table, constants) = cells();
        let probes = second_argument(&terms, &table);
        let index = table.index(&terms, &probes);
        assert_eq!(chain(&table, index, constants[0]), [2, 0]);
        assert_eq!(chain(&table, index, constants[1]), [3, 1]);
    }

    #[test]
    fn dropped_rows_are_forgotten_by_every_index() {
        let (terms, mut table, constants) = cells();
        let probes = second_argument(&terms, &table);
        let index = table.index(&terms, &probes);
        let last = table.row(3).to_vec();
        table.truncate(2);
        assert_eq!(chain(&table, index, constants[0]), [0]);
        assert_eq!(table.find(&last), None);
        assert!(table.insert(&terms, &last));
        assert_eq!(chain(&table, index, constants[1]), [2, 1]);
    }
}
