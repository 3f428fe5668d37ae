//! From slots to rows and back: slot `s` of lane `l` is bit `l` of word `s`, and becomes bit `s` of row `l`.
//!
//! A square of 64 slots and 64 lanes is turned by swapping ever smaller blocks (Warren, *Hacker's
//! Delight*). Where only a few lanes are wanted, the squares of so many lanes lie side by side in as many
//! words, and the swaps of larger blocks fall away.

use crate::engine::word::{PARTS, Word};

/// Swaps rows and bits.
#[inline(always)]
pub fn transpose(square: &mut [u64; 64]) {
    swap_all::<64>(square);
}

/// The rows of the first `LANES` lanes, a power of two.
#[inline(always)]
pub(crate) fn rows_of<const LANES: usize>(slots: &[u64; 64]) -> [u64; LANES] {
    let mut rows = [0; LANES];
    for (place, row) in rows.iter_mut().enumerate() {
        for first in (0..64).step_by(LANES) {
            *row |= (slots[first + place] & low_bits(LANES)) << first;
        }
    }
    swap_all(&mut rows);
    rows
}

/// The slots that hold these rows in the first `LANES` lanes, and nothing in the others.
#[inline(always)]
pub(crate) fn slots_of<const LANES: usize>(mut rows: [u64; LANES]) -> [u64; 64] {
    swap_all(&mut rows);
    let mut slots = [0; 64];
    for (place, row) in rows.iter().enumerate() {
        for first in (0..64).step_by(LANES) {
            slots[first + place] = row >> first & low_bits(LANES);
        }
    }
    slots
}

#[inline(always)]
const fn low_bits(count: usize) -> u64 {
    u64::MAX >> (64 - count)
}

/// Turns squares that lie side by side in words, each with as many rows as there are words.
#[inline(always)]
fn swap_all<const ROWS: usize>(rows: &mut [u64; ROWS]) {
    swap::<ROWS, 32>(rows, 0x0000_0000_ffff_ffff);
    swap::<ROWS, 16>(rows, 0x0000_ffff_0000_ffff);
    swap::<ROWS, 8>(rows, 0x00ff_00ff_00ff_00ff);
    swap::<ROWS, 4>(rows, 0x0f0f_0f0f_0f0f_0f0f);
    swap::<ROWS, 2>(rows, 0x3333_3333_3333_3333);
    swap::<ROWS, 1>(rows, 0x5555_5555_5555_5555);
}

#[inline(always)]
fn swap<const ROWS: usize, const HALF: usize>(rows: &mut [u64; ROWS], mask: u64) {
    for block in rows.chunks_exact_mut(2 * HALF) {
        let (upper, lower) = block.split_at_mut(HALF);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let swapped = (*upper >> HALF ^ *lower) & mask;
            *upper ^= swapped << HALF;
            *lower ^= swapped;
        }
    }
}

/// Swaps rows and bits in all parts of words at once.
#[inline(always)]
pub(crate) fn transpose_parts<W: Word>(rows: &mut [W; 64]) {
    swap_parts::<W, 32>(rows, 0x0000_0000_ffff_ffff);
    swap_parts::<W, 16>(rows, 0x0000_ffff_0000_ffff);
    swap_parts::<W, 8>(rows, 0x00ff_00ff_00ff_00ff);
    swap_parts::<W, 4>(rows, 0x0f0f_0f0f_0f0f_0f0f);
    swap_parts::<W, 2>(rows, 0x3333_3333_3333_3333);
    swap_parts::<W, 1>(rows, 0x5555_5555_5555_5555);
}

#[inline(always)]
fn swap_parts<W: Word, const HALF: u32>(rows: &mut [W; 64], mask: u64) {
    let (mask, half) = (W::from_parts(&[mask; PARTS]), HALF as usize);
    for block in rows.chunks_exact_mut(2 * half) {
        let (upper, lower) = block.split_at_mut(half);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let swapped = upper.shift_right::<HALF>().xor(*lower).and(mask);
            *upper = upper.xor(swapped.shift_left::<HALF>());
            *lower = lower.xor(swapped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::word::Plain;
    use gambol_run::Random;

    fn random_square(seed: u64) -> [u64; 64] {
        let mut random = Random::new(seed);
        std::array::from_fn(|_| random.word())
    }

    #[test]
    fn transposing_swaps_rows_and_lanes() {
        let rows = random_square(5);
        let mut square = rows;
        transpose(&mut square);
        for (lane, word) in square.iter().enumerate() {
            for (row, original) in rows.iter().enumerate() {
                assert_eq!(word >> row & 1, original >> lane & 1);
            }
        }
    }

    fn few_lanes_are_the_first_of_all<const LANES: usize>() {
        let slots = random_square(LANES as u64);
        let mut all = slots;
        transpose(&mut all);
        let rows: [u64; LANES] = rows_of(&slots);
        assert_eq!(rows, all[..LANES], "{LANES} lanes");
        let of_these = slots.map(|slot| slot & low_bits(LANES));
        assert_eq!(slots_of(rows), of_these, "{LANES} lanes");
    }

    #[test]
    fn few_lanes_are_turned_like_many() {
        few_lanes_are_the_first_of_all::<1>();
        few_lanes_are_the_first_of_all::<8>();
        few_lanes_are_the_first_of_all::<16>();
        few_lanes_are_the_first_of_all::<32>();
        few_lanes_are_the_first_of_all::<64>();
    }

    #[test]
    fn all_parts_are_transposed_like_one() {
        let mut random = Random::new(6);
        let mut words: [Plain<4>; 64] =
            std::array::from_fn(|_| Plain::from_parts(&std::array::from_fn(|_| random.word())));
        let mut squares: [[u64; 64]; 4] =
            std::array::from_fn(|part| std::array::from_fn(|row| words[row].parts()[part]));
        transpose_parts(&mut words);
        squares.iter_mut().for_each(transpose);
        for (row, word) in words.iter().enumerate() {
            assert!((0..4).all(|part| word.parts()[part] == squares[part][row]));
        }
    }
}
