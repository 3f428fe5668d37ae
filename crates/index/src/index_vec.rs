//! A vector that only one kind of id can index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed row number. Made by [`define_id!`](crate::define_id).
pub trait Id: Copy {
    /// The id of row `index`.
    fn from_index(index: usize) -> Self;
    /// The row this id names.
    fn index(self) -> usize;
}

/// A `Vec<T>` indexed by `I` alone.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    rows: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { rows: Vec::new(), id: PhantomData }
    }

    /// A table of `len` equal rows.
    pub fn filled(row: T, len: usize) -> Self
    where
        T: Clone,
    {
        Self::from(vec![row; len])
    }

    /// Appends a row and returns its id.
    pub fn push(&mut self, row: T) -> I {
        let id = I::from_index(self.rows.len());
        self.rows.push(row);
        id
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row, if the id is one of this table's.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }

    /// All rows, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }

    /// All rows, in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.rows.iter_mut()
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.rows.len()).map(I::from_index)
    }

    /// Ids with their rows.
    pub fn iter_ids(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.rows.iter().enumerate().map(|(index, row)| (I::from_index(index), row))
    }

    /// The rows as a plain slice.
    pub fn as_slice(&self) -> &[T] {
        &self.rows
    }

    /// The rows as a plain vector.
    pub fn into_vec(self) -> Vec<T> {
        self.rows
    }
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(rows: Vec<T>) -> Self {
        Self { rows, id: PhantomData }
    }
}

impl<I: Id, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(rows: S) -> Self {
        Self::from(rows.into_iter().collect::<Vec<T>>())
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter()
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.rows[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.rows[id.index()]
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.fmt(out)
    }
}
