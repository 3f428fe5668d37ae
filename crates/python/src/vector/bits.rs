//! Between bits and bytes: rows of lanes to rows of states, and those to arrays of 0 and 1.
//!
//! A *slice* holds one bit per game: word `w` of it holds games `64 w` to `64 w + 63`. Slices of one block lie one
//! after the other. A *row* holds the bits of one game, one per slice.

use gambol::sim::transpose;

/// Eight bits as eight bytes.
static SPREAD: [u64; 256] = spread_table();

const fn spread_table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= (byte as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
}

/// Eight bits, from `first` on, as eight bytes of 0 or 1.
#[inline]
pub(crate) fn spread(word: u64, first: usize) -> u64 {
    SPREAD[(word >> first) as u8 as usize]
}

/// How many words a row of so many bits takes.
pub(crate) fn words_for(bits: usize) -> usize {
    bits.div_ceil(64).max(1)
}

/// The rows of 64 games: word `w` of the slices, each of `parts` words, turned. `rows` has room for 64.
pub(crate) fn rows_of(slices: &[u64], parts: usize, word: usize, rows: &mut [u64]) {
    let width = rows.len() / 64;
    for (column, slices) in slices.chunks(64 * parts).enumerate() {
        let mut square = [0; 64];
        for (to, slice) in square.iter_mut().zip(slices.chunks_exact(parts)) {
            *to = slice[word];
        }
        transpose(&mut square);
        for (row, bits) in rows.chunks_exact_mut(width).zip(square) {
            row[column] = bits;
        }
    }
}

/// Writes rows as bytes, `bits` of each, one game after the other.
pub(crate) fn write_bytes(rows: &[u64], width: usize, bits: usize, out: &mut [u8]) {
    let mut start = 0;
    for row in rows.chunks_exact(width).take(out.len() / bits.max(1)) {
        for first in (0..bits).step_by(8) {
            let bytes = spread(row[first / 64], first % 64).to_le_bytes();
            let at = start + first;
            // Bytes beyond the end of a row are those of the next one, which is written later.
            match out.get_mut(at..at + 8) {
                Some(place) => place.copy_from_slice(&bytes),
                None => out[at..].copy_from_slice(&bytes[..(start + bits - at).min(8)]),
            }
        }
        start += bits;
    }
}

/// Writes a slice as bytes, one per game.
pub(crate) fn write_slice(slice: &[u64], out: &mut [u8]) {
    for (word, out) in slice.iter().zip(out.chunks_mut(64)) {
        for (eight, out) in out.chunks_mut(8).enumerate() {
            let bytes = spread(*word, 8 * eight).to_le_bytes();
            out.copy_from_slice(&bytes[..out.len()]);
        }
    }
}

/// The numbers of the bits that are set.
pub(crate) fn ones(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(bit)
    })
}

/// The place of the set bit that has this number among them; there must be so many.
pub(crate) fn nth_one(row: &[u64], mut number: u32) -> usize {
    for (place, &word) in row.iter().enumerate() {
        let count = word.count_ones();
        if number < count {
            let mut rest = word;
            for _ in 0..number {
                rest &= rest - 1;
            }
            return 64 * place + rest.trailing_zeros() as usize;
        }
        number -= count;
    }
    0
}
