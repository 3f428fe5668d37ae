//! Rows of packed bits, one per lane, out of slots and into them, 64 slots at a time.

use crate::engine::word::{Isolated, Word, as_words, as_words_mut};
use crate::query::transpose::{rows_of, slots_of, transpose_parts};

/// How many words a row of this many bits takes. At least one: a game without fluents has states too.
pub(crate) fn words_for(bits: usize) -> usize {
    bits.div_ceil(64).max(1)
}

/// Up to this many parts are transposed one by one, more of them all at once.
const FEW_PARTS: usize = 2;

/// Reads the rows of the first lanes, as many as there is room for.
pub(crate) struct ReadRows<'a, W> {
    pub(crate) slots: &'a [W],
    pub(crate) rows: &'a mut [u64],
}

impl<W: Word> Isolated<W> for ReadRows<'_, W> {
    #[inline(always)]
    fn run(self) {
        let width = words_for(self.slots.len());
        let has_few_parts = self.rows.len() <= 64 * FEW_PARTS * width;
        for (column, slots) in self.slots.chunks(64).enumerate() {
            if has_few_parts {
                for (part, rows) in self.rows.chunks_mut(64 * width).enumerate() {
                    read_part(slots, part, &mut Column { rows, width, column });
                }
            } else {
                read_parts(slots, &mut Column { rows: self.rows, width, column });
            }
        }
    }
}

/// One word of each row.
struct Column<R> {
    rows: R,
    width: usize,
    column: usize,
}

impl Column<&mut [u64]> {
    #[inline(always)]
    fn words_mut(&mut self) -> impl Iterator<Item = &mut u64> {
        // Never further than there are rows, but without a column there is nothing to begin with.
        self.rows.get_mut(self.column..).unwrap_or_default().iter_mut().step_by(self.width)
    }
}

impl Column<&[u64]> {
    #[inline(always)]
    fn words(&self) -> impl Iterator<Item = u64> {
        self.rows.get(self.column..).unwrap_or_default().iter().step_by(self.width).copied()
    }
}

#[inline(always)]
fn read_part<W: Word>(slots: &[W], part: usize, column: &mut Column<&mut [u64]>) {
    let mut square = [0; 64];
    let words = as_words(slots).iter().skip(part).step_by(W::LANES / 64);
    for (slot, &word) in square.iter_mut().zip(words) {
        *slot = word;
    }
    match column.rows.len() / column.width {
        0..=1 => write_rows(column, rows_of::<1>(&square)),
        2..=8 => write_rows(column, rows_of::<8>(&square)),
        9..=16 => write_rows(column, rows_of::<16>(&square)),
        17..=32 => write_rows(column, rows_of::<32>(&square)),
        _ => write_rows(column, rows_of::<64>(&square)),
    }
}

#[inline(always)]
fn write_rows<const LANES: usize>(column: &mut Column<&mut [u64]>, rows: [u64; LANES]) {
    for (word, row) in column.words_mut().zip(rows) {
        *word = row;
    }
}

#[inline(always)]
fn read_parts<W: Word>(slots: &[W], column: &mut Column<&mut [u64]>) {
    let mut squares = [W::zero(); 64];
    squares[..slots.len()].copy_from_slice(slots);
    transpose_parts(&mut squares);
    let (words, parts) = (as_words(&squares), W::LANES / 64);
    for part in 0..parts {
        for lane in 0..64 {
            let place = (64 * part + lane) * column.width + column.column;
            if let Some(row) = column.rows.get_mut(place) {
                *row = words[lane * parts + part];
            }
        }
    }
}

/// Writes rows to the first lanes. What the others hold is undefined.
pub(crate) struct LoadRows<'a, W> {
    pub(crate) rows: &'a [u64],
    pub(crate) fluents: &'a mut [W],
}

impl<W: Word> Isolated<W> for LoadRows<'_, W> {
    #[inline(always)]
    fn run(self) {
        let width = words_for(self.fluents.len());
        let has_few_parts = self.rows.len() <= 64 * FEW_PARTS * width;
        for (column, fluents) in self.fluents.chunks_mut(64).enumerate() {
            if has_few_parts {
                for (part, rows) in self.rows.chunks(64 * width).enumerate() {
                    load_part(fluents, part, &Column { rows, width, column });
                }
            } else {
                load_parts(fluents, &Column { rows: self.rows, width, column });
            }
        }
    }
}

#[inline(always)]
fn load_part<W: Word>(fluents: &mut [W], part: usize, column: &Column<&[u64]>) {
    let slots = match column.rows.len() / column.width {
        0..=1 => slots_of::<1>(rows_in(column)),
        2..=8 => slots_of::<8>(rows_in(column)),
        9..=16 => slots_of::<16>(rows_in(column)),
        17..=32 => slots_of::<32>(rows_in(column)),
        _ => slots_of::<64>(rows_in(column)),
    };
    let words = as_words_mut(fluents).iter_mut().skip(part).step_by(W::LANES / 64);
    for (word, slot) in words.zip(slots) {
        *word = slot;
    }
}

#[inline(always)]
fn rows_in<const LANES: usize>(column: &Column<&[u64]>) -> [u64; LANES] {
    let mut rows = [0; LANES];
    for (row, word) in rows.iter_mut().zip(column.words()) {
        *row = word;
    }
    rows
}

#[inline(always)]
fn load_parts<W: Word>(fluents: &mut [W], column: &Column<&[u64]>) {
    let mut squares = [W::zero(); 64];
    let (words, parts) = (as_words_mut(&mut squares), W::LANES / 64);
    for part in 0..parts {
        for lane in 0..64 {
            let place = (64 * part + lane) * column.width + column.column;
            words[lane * parts + part] = column.rows.get(place).copied().unwrap_or(0);
        }
    }
    transpose_parts(&mut squares);
    fluents.copy_from_slice(&squares[..fluents.len()]);
}
