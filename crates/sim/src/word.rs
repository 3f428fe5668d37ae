//! Words of many lanes: bit `i` of every word belongs to game `i`.
//!
//! A [`Word`] is 64, 256 or 512 bits: registers of the processor where it has them, arrays of plain
//! integers elsewhere. Hot loops are generic over [`Word`] and `#[inline(always)]`; [`dispatch`]
//! instantiates them inside a function that may use the registers, once it has asked the processor.
#![allow(unsafe_code)]

use crate::playouts::Width;

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
    fn xor3(a: Self, b: Self, c: Self) -> Self;
    /// The carry bit of a full adder.
    fn majority(a: Self, b: Self, c: Self) -> Self;
    /// `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self, yes: Self, no: Self) -> Self;
    /// `sum` or (`a` and `b`).
    fn or_and(sum: Self, a: Self, b: Self) -> Self;
    /// What `a - b - borrow` borrows from the next digit.
    fn borrow(a: Self, b: Self, borrow: Self) -> Self;
    /// Sum of the 64-bit parts.
    fn add(self, other: Self) -> Self;
    /// Rotates each 64-bit part by `LEFT`; `RIGHT` must be `64 - LEFT`.
    fn rotate<const LEFT: u32, const RIGHT: u32>(self) -> Self;
    /// Shifts each 64-bit part.
    fn shift_left<const BY: u32>(self) -> Self;
    /// How many lanes are set.
    fn count(self) -> u32;
    fn any(self) -> bool;
    /// The lanes in groups of 64; parts beyond the width are zero.
    fn parts(self) -> [u64; PARTS];
    fn from_parts(parts: &[u64; PARTS]) -> Self;
    /// Runs work in a function of its own that is compiled for the processor.
    fn isolated(work: impl Isolated<Self>);
}

/// Work on words of one type that is large enough to be compiled once.
pub(crate) trait Isolated<W> {
    /// Must be `#[inline(always)]`, so that it is compiled for the processor.
    fn run(self);
}

/// A word made of plain integers.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Plain<const N: usize>([u64; N]);

impl<const N: usize> Plain<N> {
    #[inline(always)]
    fn zip(self, other: Self, gate: impl Fn(u64, u64) -> u64) -> Self {
        let mut result = self;
        for part in 0..N {
            result.0[part] = gate(self.0[part], other.0[part]);
        }
        result
    }

    #[inline(always)]
    fn zip3(a: Self, b: Self, c: Self, gate: impl Fn(u64, u64, u64) -> u64) -> Self {
        let mut result = a;
        for part in 0..N {
            result.0[part] = gate(a.0[part], b.0[part], c.0[part]);
        }
        result
    }
}

impl<const N: usize> Word for Plain<N> {
    const LANES: usize = 64 * N;
    #[inline(always)]
    fn zero() -> Self {
        Self([0; N])
    }
    #[inline(always)]
    fn ones() -> Self {
        Self([!0; N])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
    #[inline(always)]
    fn xor3(a: Self, b: Self, c: Self) -> Self {
        Self::zip3(a, b, c, |a, b, c| a ^ b ^ c)
    }
    #[inline(always)]
    fn majority(a: Self, b: Self, c: Self) -> Self {
        Self::zip3(a, b, c, |a, b, c| (a & b) | (c & (a | b)))
    }
    #[inline(always)]
    fn select(mask: Self, yes: Self, no: Self) -> Self {
        Self::zip3(mask, yes, no, |mask, yes, no| (mask & yes) | (no & !mask))
    }
    #[inline(always)]
    fn or_and(sum: Self, a: Self, b: Self) -> Self {
        Self::zip3(sum, a, b, |sum, a, b| sum | (a & b))
    }
    #[inline(always)]
    fn borrow(a: Self, b: Self, borrow: Self) -> Self {
        Self::zip3(a, b, borrow, |a, b, borrow| (!a & (b | borrow)) | (b & borrow))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }
    #[inline(always)]
    fn rotate<const LEFT: u32, const RIGHT: u32>(self) -> Self {
        self.zip(self, |a, _| a.rotate_left(LEFT))
    }
    #[inline(always)]
    fn shift_left<const BY: u32>(self) -> Self {
        self.zip(self, |a, _| a << BY)
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.0.iter().map(|part| part.count_ones()).sum()
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().any(|&part| part != 0)
    }
    #[inline(always)]
    fn parts(self) -> [u64; PARTS] {
        let mut parts = [0; PARTS];
        parts[..N].copy_from_slice(&self.0);
        parts
    }
    #[inline(always)]
    fn from_parts(parts: &[u64; PARTS]) -> Self {
        let mut word = Self([0; N]);
        word.0.copy_from_slice(&parts[..N]);
        word
    }
    #[inline(never)]
    fn isolated(work: impl Isolated<Self>) {
        work.run();
    }
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

/// Runs a task at a width that [`Width::resolve`] returned.
pub(crate) fn dispatch<T: Task>(width: Width, task: T) -> T::Output {
    match width {
        // SAFETY: `resolve` asked the processor for the features the callees are compiled for; asking
        // again costs nothing, and makes this sound whatever the caller did.
        #[cfg(target_arch = "x86_64")]
        Width::W512 if x86::has_512() => unsafe { x86::run_512(task) },
        #[cfg(target_arch = "x86_64")]
        Width::W256 if x86::has_256() => unsafe { x86::run_256(task) },
        #[cfg(not(target_arch = "x86_64"))]
        Width::W256 => task.run::<Plain<4>>(),
        _ => task.run::<Plain<1>>(),
    }
}

impl Width {
    /// The width that is run: the one asked for, or the widest below it that the processor has.
    pub fn resolve(self) -> Width {
        let widest = widest();
        match self {
            Width::W64 => Width::W64,
            Width::W256 if widest != Width::W64 => Width::W256,
            _ => widest,
        }
    }

    /// How many games run side by side at this width.
    pub fn lanes(self) -> usize {
        match self.resolve() {
            Width::W512 => 512,
            Width::W256 => 256,
            Width::W64 | Width::Auto => 64,
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn widest() -> Width {
    if x86::has_512() {
        Width::W512
    } else if x86::has_256() {
        Width::W256
    } else {
        Width::W64
    }
}

/// Other processors have 128-bit registers at least, which the compiler uses for arrays.
#[cfg(not(target_arch = "x86_64"))]
fn widest() -> Width {
    Width::W256
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    //! Registers of 256 and 512 bits.
    //!
    //! Every `unsafe` block here is the call of an intrinsic whose only condition is that the
    //! processor has the feature. SAFETY of all of them: values of these two types are made only by
    //! code that runs inside [`run_256`] or [`run_512`], whose callers have asked the processor.

    use super::{Isolated, PARTS, Task, Word};
    use std::arch::x86_64::*;

    pub(crate) fn has_512() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("popcnt")
    }

    pub(crate) fn has_256() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
    }

    /// # Safety
    /// The processor must satisfy [`has_512`].
    #[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq,avx2,popcnt")]
    pub(super) unsafe fn run_512<T: Task>(task: T) -> T::Output {
        task.run::<__m512i>()
    }

    /// # Safety
    /// The processor must satisfy [`has_256`].
    #[target_feature(enable = "avx2,popcnt")]
    pub(super) unsafe fn run_256<T: Task>(task: T) -> T::Output {
        task.run::<__m256i>()
    }

    /// # Safety
    /// The processor must satisfy [`has_512`].
    #[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq,avx2,popcnt")]
    #[inline(never)]
    unsafe fn isolated_512(work: impl Isolated<__m512i>) {
        work.run();
    }

    /// # Safety
    /// The processor must satisfy [`has_256`].
    #[target_feature(enable = "avx2,popcnt")]
    #[inline(never)]
    unsafe fn isolated_256(work: impl Isolated<__m256i>) {
        work.run();
    }

    impl Word for __m512i {
        const LANES: usize = 512;
        #[inline(always)]
        fn zero() -> Self {
            unsafe { _mm512_setzero_si512() }
        }
        #[inline(always)]
        fn ones() -> Self {
            unsafe { _mm512_set1_epi64(-1) }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            unsafe { _mm512_and_si512(self, other) }
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            unsafe { _mm512_or_si512(self, other) }
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            unsafe { _mm512_xor_si512(self, other) }
        }
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            unsafe { _mm512_andnot_si512(other, self) }
        }
        #[inline(always)]
        fn xor3(a: Self, b: Self, c: Self) -> Self {
            unsafe { _mm512_ternarylogic_epi64::<0x96>(a, b, c) }
        }
        #[inline(always)]
        fn majority(a: Self, b: Self, c: Self) -> Self {
            unsafe { _mm512_ternarylogic_epi64::<0xe8>(a, b, c) }
        }
        #[inline(always)]
        fn select(mask: Self, yes: Self, no: Self) -> Self {
            unsafe { _mm512_ternarylogic_epi64::<0xca>(mask, yes, no) }
        }
        #[inline(always)]
        fn or_and(sum: Self, a: Self, b: Self) -> Self {
            unsafe { _mm512_ternarylogic_epi64::<0xf8>(sum, a, b) }
        }
        #[inline(always)]
        fn borrow(a: Self, b: Self, borrow: Self) -> Self {
            unsafe { _mm512_ternarylogic_epi64::<0x8e>(a, b, borrow) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            unsafe { _mm512_add_epi64(self, other) }
        }
        #[inline(always)]
        fn rotate<const LEFT: u32, const RIGHT: u32>(self) -> Self {
            unsafe {
                _mm512_or_si512(_mm512_slli_epi64::<LEFT>(self), _mm512_srli_epi64::<RIGHT>(self))
            }
        }
        #[inline(always)]
        fn shift_left<const BY: u32>(self) -> Self {
            unsafe { _mm512_slli_epi64::<BY>(self) }
        }
        #[inline(always)]
        fn count(self) -> u32 {
            unsafe { _mm512_reduce_add_epi64(_mm512_popcnt_epi64(self)) as u32 }
        }
        #[inline(always)]
        fn any(self) -> bool {
            unsafe { _mm512_test_epi64_mask(self, self) != 0 }
        }
        #[inline(always)]
        fn parts(self) -> [u64; PARTS] {
            let mut parts = [0u64; PARTS];
            unsafe { _mm512_storeu_si512(parts.as_mut_ptr().cast(), self) };
            parts
        }
        #[inline(always)]
        fn from_parts(parts: &[u64; PARTS]) -> Self {
            unsafe { _mm512_loadu_si512(parts.as_ptr().cast()) }
        }
        #[inline(always)]
        fn isolated(work: impl Isolated<Self>) {
            unsafe { isolated_512(work) }
        }
    }

    impl Word for __m256i {
        const LANES: usize = 256;
        #[inline(always)]
        fn zero() -> Self {
            unsafe { _mm256_setzero_si256() }
        }
        #[inline(always)]
        fn ones() -> Self {
            unsafe { _mm256_set1_epi64x(-1) }
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            unsafe { _mm256_and_si256(self, other) }
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            unsafe { _mm256_or_si256(self, other) }
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            unsafe { _mm256_xor_si256(self, other) }
        }
        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            unsafe { _mm256_andnot_si256(other, self) }
        }
        #[inline(always)]
        fn xor3(a: Self, b: Self, c: Self) -> Self {
            a.xor(b).xor(c)
        }
        #[inline(always)]
        fn majority(a: Self, b: Self, c: Self) -> Self {
            a.and(b).or(c.and(a.or(b)))
        }
        #[inline(always)]
        fn select(mask: Self, yes: Self, no: Self) -> Self {
            mask.and(yes).or(no.and_not(mask))
        }
        #[inline(always)]
        fn or_and(sum: Self, a: Self, b: Self) -> Self {
            sum.or(a.and(b))
        }
        #[inline(always)]
        fn borrow(a: Self, b: Self, borrow: Self) -> Self {
            b.or(borrow).and_not(a).or(b.and(borrow))
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            unsafe { _mm256_add_epi64(self, other) }
        }
        #[inline(always)]
        fn rotate<const LEFT: u32, const RIGHT: u32>(self) -> Self {
            // These intrinsics take signed shift counts, which cannot be computed from the
            // parameters on stable; the run-time form folds to the same instruction.
            unsafe {
                let left = _mm256_sll_epi64(self, _mm_cvtsi32_si128(LEFT as i32));
                left.or(_mm256_srl_epi64(self, _mm_cvtsi32_si128(RIGHT as i32)))
            }
        }
        #[inline(always)]
        fn shift_left<const BY: u32>(self) -> Self {
            unsafe { _mm256_sll_epi64(self, _mm_cvtsi32_si128(BY as i32)) }
        }
        #[inline(always)]
        fn count(self) -> u32 {
            self.parts().iter().map(|part| part.count_ones()).sum()
        }
        #[inline(always)]
        fn any(self) -> bool {
            unsafe { _mm256_testz_si256(self, self) == 0 }
        }
        #[inline(always)]
        fn parts(self) -> [u64; PARTS] {
            let mut parts = [0u64; PARTS];
            unsafe { _mm256_storeu_si256(parts.as_mut_ptr().cast(), self) };
            parts
        }
        #[inline(always)]
        fn from_parts(parts: &[u64; PARTS]) -> Self {
            unsafe { _mm256_loadu_si256(parts.as_ptr().cast()) }
        }
        #[inline(always)]
        fn isolated(work: impl Isolated<Self>) {
            unsafe { isolated_256(work) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let results = [
                a.and(b),
                a.or(b),
                a.xor(b),
                a.and_not(b),
                W::xor3(a, b, c),
                W::majority(a, b, c),
                W::select(a, b, c),
                W::or_and(a, b, c),
                W::borrow(a, b, c),
                a.add(b),
                a.rotate::<23, 41>(),
                a.shift_left::<17>(),
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
        for width in [Width::W64, Width::W256, Width::W512] {
            let expected = match width.resolve() {
                Width::W512 => AllOperations.run::<Plain<8>>(),
                Width::W256 => AllOperations.run::<Plain<4>>(),
                _ => AllOperations.run::<Plain<1>>(),
            };
            assert_eq!(dispatch(width.resolve(), AllOperations), expected);
        }
    }

    #[test]
    fn narrow_words_are_the_first_lanes_of_wide_ones() {
        let (wide, narrow) = (AllOperations.run::<Plain<8>>(), AllOperations.run::<Plain<1>>());
        for (wide, narrow) in wide.iter().zip(&narrow).take(14) {
            assert_eq!(wide[0], narrow[0]);
        }
    }
}
