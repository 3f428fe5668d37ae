//! Words of many lanes: bit `i` of every word belongs to game `i`.
//!
//! A [`Word`] is 64, 256 or 512 bits: registers of the processor where it has them, arrays of plain
//! integers elsewhere. Hot loops are generic over [`Word`] and `#[inline(always)]`; [`dispatch`]
//! instantiates them inside a function that may use the registers, once it has asked the processor.
#![allow(unsafe_code)]

mod plain;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use crate::engine::Width;
pub(crate) use plain::Plain;

/// 64-bit parts of the widest word.
pub(crate) const PARTS: usize = 8;

/// A machine word whose bits are lanes.
pub(crate) trait Word: Copy + Send + Sync + 'static {
    /// How many lanes.
    const LANES: usize;
    fn zero() -> Self;
    fn ones() -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self` and not `other`.
    fn and_not(self, other: Self) -> Self;
    /// The sum bit of a full adder.
    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        a.xor(b).xor(c)
    }
    /// The carry bit of a full adder.
    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        a.and(b).or(c.and(a.or(b)))
    }
    /// `yes` where the mask is set, `no` elsewhere.
    #[inline(always)]
    fn select(mask: Self, yes: Self, no: Self) -> Self {
        mask.and(yes).or(no.and_not(mask))
    }
    /// The same for a mask of whole 64-bit parts.
    #[inline(always)]
    fn select_parts(mask: Self, yes: Self, no: Self) -> Self {
        Self::select(mask, yes, no)
    }
    /// `sum` or (`a` and `b`).
    #[inline(always)]
    fn or_and(sum: Self, a: Self, b: Self) -> Self {
        sum.or(a.and(b))
    }
    /// What `a - b - borrow` borrows from the next digit.
    #[inline(always)]
    fn borrow(a: Self, b: Self, borrow: Self) -> Self {
        b.or(borrow).and_not(a).or(b.and(borrow))
    }
    /// Sum of the 64-bit parts.
    fn add(self, other: Self) -> Self;
    /// Rotates each 64-bit part to the left by 24.
    fn rotate_24(self) -> Self;
    /// Shifts each 64-bit part.
    fn shift_left<const BY: u32>(self) -> Self;
    /// Shifts each 64-bit part.
    fn shift_right<const BY: u32>(self) -> Self;
    /// All lanes of the 64-bit parts in which some lane is set.
    fn used_parts(self) -> Self;
    /// How many lanes are set.
    fn count(self) -> u32;
    fn any(self) -> bool;
    /// The lanes in groups of 64; parts beyond the width are zero.
    fn parts(self) -> [u64; PARTS];
    fn from_parts(parts: &[u64; PARTS]) -> Self;
    /// What a word consists of: itself, or the registers if it takes several.
    type Piece: Word;
    /// How many pieces there are.
    const PIECES: usize;
    fn piece(&self, number: usize) -> Self::Piece;
    fn set_piece(&mut self, number: usize, piece: Self::Piece);
    /// Runs work in a function of its own that is compiled for the processor.
    fn isolated(work: impl Isolated<Self>);
}

/// Work on words of one type that is large enough to be compiled once.
pub(crate) trait Isolated<W> {
    /// Must be `#[inline(always)]`, so that it is compiled for the processor.
    fn run(self);
}

/// Slots as plain 64-bit words, the parts of each slot in order.
pub(crate) fn as_words<W: Word>(slots: &[W]) -> &[u64] {
    let parts = W::LANES / 64;
    assert!(size_of::<W>() == 8 * parts && align_of::<W>() >= align_of::<u64>());
    // SAFETY: a word is `parts` integers of 64 bits and nothing else, at least as aligned.
    unsafe { std::slice::from_raw_parts(slots.as_ptr().cast(), slots.len() * parts) }
}

/// As [`as_words`], to be changed. Any bits are a word.
pub(crate) fn as_words_mut<W: Word>(slots: &mut [W]) -> &mut [u64] {
    let parts = W::LANES / 64;
    assert!(size_of::<W>() == 8 * parts && align_of::<W>() >= align_of::<u64>());
    // SAFETY: as above, and the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(slots.as_mut_ptr().cast(), slots.len() * parts) }
}

/// Work that can be done at any word width.
pub(crate) trait Task {
    type Output;
    /// Must be `#[inline(always)]`, so that it is compiled for the processor of its caller.
    fn run<W: Word>(self) -> Self::Output;
}

/// What words of 256 and 512 lanes are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Registers {
    /// Plain integers.
    Plain,
    /// Registers of 256 bits.
    R256,
    /// Registers of 512 bits.
    R512,
}

impl Registers {
    /// The widest that the processor has.
    pub(crate) fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if x86::has_512() {
            return Registers::R512;
        } else if x86::has_256() {
            return Registers::R256;
        }
        Registers::Plain
    }
}

/// Runs a task on words of a width that are made of registers no wider than asked for.
pub(crate) fn dispatch<T: Task>(width: Width, registers: Registers, task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: each of the callees is compiled for features that the processor has just been asked for.
    unsafe {
        match (width, registers) {
            (Width::W64, _) | (_, Registers::Plain) => {}
            (Width::W512, Registers::R512) if x86::has_512() => return x86::run_512(task),
            (Width::W512, _) if x86::has_256() => return x86::run_pair(task),
            (Width::W256, _) if x86::has_256() => return x86::run_256(task),
            _ => {}
        }
    }
    let _ = registers;
    match width {
        #[cfg(not(target_arch = "x86_64"))]
        Width::W256 => task.run::<Plain<4>>(),
        #[cfg(not(target_arch = "x86_64"))]
        Width::W512 | Width::Auto => task.run::<Plain<8>>(),
        // An x86-64 without AVX2 is too rare for kinds of words of its own.
        _ => task.run::<Plain<1>>(),
    }
}

impl Width {
    /// How many games run side by side at this width.
    pub fn lanes(self) -> usize {
        match self {
            Width::W64 => 64,
            Width::W256 => 256,
            Width::W512 | Width::Auto => 512,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the results below are words; the others count lanes.
    const WORDS: usize = 18;

    /// Three words with every combination of bits, through every operation.
    struct AllOperations;

    impl Task for AllOperations {
        type Output = Vec<[u64; PARTS]>;
        #[inline(always)]
        fn run<W: Word>(self) -> Self::Output {
            let word = |seed: u64| {
                let mut parts = [0; PARTS];
                for (index, part) in parts.iter_mut().enumerate() {
                    *part = (seed + index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                }
                W::from_parts(&parts)
            };
            let (a, b, c) = (word(3), word(77), word(4001));
            let with_gaps = W::from_parts(&[0, 5, 0, 1 << 63, 1, 0, 0, 7]);
            let results = [
                a.and(b),
                a.or(b),
                a.xor(b),
                a.and_not(b),
                W::xor3(a, b, c),
                W::majority(a, b, c),
                W::select(a, b, c),
                W::select_parts(with_gaps.used_parts(), a, b),
                W::or_and(a, b, c),
                W::borrow(a, b, c),
                a.add(b),
                a.rotate_24(),
                a.shift_left::<17>(),
                a.shift_right::<11>(),
                a.used_parts(),
                with_gaps.used_parts(),
                W::zero(),
                W::ones(),
            ];
            let mut seen: Vec<[u64; PARTS]> = results.iter().map(|word| word.parts()).collect();
            seen.push([u64::from(a.count()); PARTS]);
            seen.push([u64::from(a.any()) + 2 * u64::from(W::zero().any()); PARTS]);
            seen
        }
    }

    #[test]
    fn registers_and_plain_arrays_agree() {
        if Registers::widest() == Registers::Plain {
            return;
        }
        for registers in [Registers::R256, Registers::R512] {
            let wide = dispatch(Width::W512, registers, AllOperations);
            assert_eq!(wide, AllOperations.run::<Plain<8>>(), "{registers:?}");
        }
        let half = dispatch(Width::W256, Registers::R256, AllOperations);
        assert_eq!(half, AllOperations.run::<Plain<4>>());
    }

    #[test]
    fn narrow_words_are_the_first_lanes_of_wide_ones() {
        let (wide, narrow) = (AllOperations.run::<Plain<8>>(), AllOperations.run::<Plain<1>>());
        for (wide, narrow) in wide.iter().zip(&narrow).take(WORDS) {
            assert_eq!(wide[0], narrow[0]);
        }
    }

    /// Puts together the pieces of a word in another order.
    struct Pieces;

    impl Task for Pieces {
        type Output = bool;
        #[inline(always)]
        fn run<W: Word>(self) -> bool {
            let word = W::from_parts(&[1, 2, 3, 4, 5, 6, 7, 8]);
            let mut copy = W::zero();
            for number in (0..W::PIECES).rev() {
                copy.set_piece(number, word.piece(number));
            }
            copy.parts() == word.parts()
        }
    }

    #[test]
    fn a_word_is_its_pieces() {
        for registers in [Registers::Plain, Registers::R256, Registers::R512] {
            for width in [Width::W64, Width::W256, Width::W512] {
                assert!(dispatch(width, registers, Pieces), "{width:?} {registers:?}");
            }
        }
    }
}
