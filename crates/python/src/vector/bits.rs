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
    let whole = bits.next_multiple_of(8);
    let mut start = 0;
    for row in rows.chunks_exact(width).take(out.len() / bits.max(1)) {
        // Bytes beyond the end of a row are those of the next one, which is written later.
        let end = (start + whole).min(out.len());
        for (&word, out) in row.iter().zip(out[start..end].chunks_mut(64)) {
            let mut eights = out.chunks_exact_mut(8);
            let mut rest = word;
            for out in &mut eights {
                out.copy_from_slice(&spread(rest, 0).to_le_bytes());
                rest >>= 8;
            }
            let out = eights.into_remainder();
            out.copy_from_slice(&spread(rest, 0).to_le_bytes()[..out.len()]);
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

/// A one in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;

/// A word whose set bits can be counted and found by number without a branch: byte `i` of `sums` counts those of the
/// bytes up to `i` (Vigna, *Broadword implementation of rank/select queries*, 2008).
#[derive(Clone, Copy)]
struct Counted {
    word: u64,
    sums: u64,
}

impl Counted {
    #[inline]
    fn of(word: u64) -> Self {
        let pairs = word - ((word >> 1) & (0x55 * EACH));
        let fours = (pairs & (0x33 * EACH)) + ((pairs >> 2) & (0x33 * EACH));
        let bytes = (fours + (fours >> 4)) & (0x0f * EACH);
        Self { word, sums: bytes.wrapping_mul(EACH) }
    }

    #[inline]
    fn count(self) -> u64 {
        self.sums >> 56
    }

    /// The place of the set bit that has this number among them; there must be so many.
    #[inline]
    fn nth(self, number: u64) -> usize {
        // A byte's high bit stays where it is not beyond what came up to there. Sums and numbers are 64 at most.
        let before = (((number * EACH) | (0x80 * EACH)) - self.sums) & (0x80 * EACH);
        let place = 8 * ((before >> 7).wrapping_mul(EACH) >> 56);
        let rest = number - ((self.sums << 8) >> place & 0xff);
        let byte = self.word >> place & 0xff;
        place as usize + usize::from(NTH[(rest << 8 | byte) as usize])
    }
}

/// The place of a byte's set bit, by its number and the byte.
static NTH: [u8; 8 * 256] = nth_table();

const fn nth_table() -> [u8; 8 * 256] {
    let mut table = [0; 8 * 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut number) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[number << 8 | byte] = bit as u8;
                number += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

/// One of the set bits of a row, by a random number: each is as likely as the others. None if none is set.
#[inline]
pub(crate) fn drawn(row: &[u64], random: u64) -> Option<usize> {
    let number = |count: u64| ((random >> 32) * count) >> 32;
    if let [word] = row {
        let counted = Counted::of(*word);
        return (counted.count() > 0).then(|| counted.nth(number(counted.count())));
    }
    let words = || row.iter().map(|&word| Counted::of(word)).enumerate();
    let mut number = number(words().map(|(_, counted)| counted.count()).sum());
    for (place, counted) in words() {
        if number < counted.count() {
            return Some(64 * place + counted.nth(number));
        }
        number -= counted.count();
    }
    None
}
