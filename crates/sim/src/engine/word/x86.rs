//! Registers of 256 and 512 bits.
//!
//! Every `unsafe` block here is the call of an intrinsic whose only condition is that the
//! processor has the feature, or a load or store of parts that are there. SAFETY of all of them: values
//! of these types are made only by code that runs inside one of the three `run_` functions, whose
//! callers have asked the processor.

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
/// The processor must satisfy [`has_256`].
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn run_pair<T: Task>(task: T) -> T::Output {
    task.run::<Pair>()
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

/// # Safety
/// The processor must satisfy [`has_256`].
#[target_feature(enable = "avx2,popcnt")]
#[inline(never)]
unsafe fn isolated_pair(work: impl Isolated<Pair>) {
    work.run();
}

impl Word for __m512i {
    const LANES: usize = 512;
    type Piece = Self;
    const PIECES: usize = 1;
    #[inline(always)]
    fn piece(&self, _number: usize) -> Self {
        *self
    }
    #[inline(always)]
    fn set_piece(&mut self, _number: usize, piece: Self) {
        *self = piece;
    }
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
    fn rotate_24(self) -> Self {
        unsafe { _mm512_rol_epi64::<24>(self) }
    }
    #[inline(always)]
    fn shift_left<const BY: u32>(self) -> Self {
        unsafe { _mm512_slli_epi64::<BY>(self) }
    }
    #[inline(always)]
    fn shift_right<const BY: u32>(self) -> Self {
        unsafe { _mm512_srli_epi64::<BY>(self) }
    }
    #[inline(always)]
    fn used_parts(self) -> Self {
        unsafe { _mm512_maskz_set1_epi64(_mm512_test_epi64_mask(self, self), -1) }
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
    type Piece = Self;
    const PIECES: usize = 1;
    #[inline(always)]
    fn piece(&self, _number: usize) -> Self {
        *self
    }
    #[inline(always)]
    fn set_piece(&mut self, _number: usize, piece: Self) {
        *self = piece;
    }
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
    fn select_parts(mask: Self, yes: Self, no: Self) -> Self {
        // Whole parts are whole bytes.
        unsafe { _mm256_blendv_epi8(no, yes, mask) }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { _mm256_add_epi64(self, other) }
    }
    #[inline(always)]
    fn rotate_24(self) -> Self {
        // Whole bytes: one instruction instead of three.
        unsafe {
            let order = _mm256_setr_epi8(
                5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12, 5, 6, 7, 0, 1, 2, 3, 4, 13,
                14, 15, 8, 9, 10, 11, 12,
            );
            _mm256_shuffle_epi8(self, order)
        }
    }
    #[inline(always)]
    fn shift_left<const BY: u32>(self) -> Self {
        // The intrinsics with a constant take it signed, which cannot be computed from the parameter
        // on stable; the run-time form folds to the same instruction.
        unsafe { _mm256_sll_epi64(self, _mm_cvtsi32_si128(BY as i32)) }
    }
    #[inline(always)]
    fn shift_right<const BY: u32>(self) -> Self {
        unsafe { _mm256_srl_epi64(self, _mm_cvtsi32_si128(BY as i32)) }
    }
    #[inline(always)]
    fn used_parts(self) -> Self {
        unsafe {
            let unused = _mm256_cmpeq_epi64(self, _mm256_setzero_si256());
            Self::ones().and_not(unused)
        }
    }
    #[inline(always)]
    fn count(self) -> u32 {
        // Four plain instructions; a loop would be turned into many vector instructions.
        unsafe {
            _mm256_extract_epi64::<0>(self).count_ones()
                + _mm256_extract_epi64::<1>(self).count_ones()
                + _mm256_extract_epi64::<2>(self).count_ones()
                + _mm256_extract_epi64::<3>(self).count_ones()
        }
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

/// Two registers of 256 bits as one word. Aligned so that neither straddles two cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Pair([__m256i; 2]);

impl Word for Pair {
    const LANES: usize = 512;
    type Piece = __m256i;
    const PIECES: usize = 2;
    #[inline(always)]
    fn piece(&self, number: usize) -> __m256i {
        self.0[number]
    }
    #[inline(always)]
    fn set_piece(&mut self, number: usize, piece: __m256i) {
        self.0[number] = piece;
    }
    #[inline(always)]
    fn zero() -> Self {
        Self([__m256i::zero(); 2])
    }
    #[inline(always)]
    fn ones() -> Self {
        Self([__m256i::ones(); 2])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self([self.0[0].and(other.0[0]), self.0[1].and(other.0[1])])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self([self.0[0].or(other.0[0]), self.0[1].or(other.0[1])])
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self([self.0[0].xor(other.0[0]), self.0[1].xor(other.0[1])])
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Self([self.0[0].and_not(other.0[0]), self.0[1].and_not(other.0[1])])
    }
    #[inline(always)]
    fn select_parts(mask: Self, yes: Self, no: Self) -> Self {
        Self([0, 1].map(|half| __m256i::select_parts(mask.0[half], yes.0[half], no.0[half])))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0].add(other.0[0]), self.0[1].add(other.0[1])])
    }
    #[inline(always)]
    fn rotate_24(self) -> Self {
        Self([self.0[0].rotate_24(), self.0[1].rotate_24()])
    }
    #[inline(always)]
    fn shift_left<const BY: u32>(self) -> Self {
        Self([self.0[0].shift_left::<BY>(), self.0[1].shift_left::<BY>()])
    }
    #[inline(always)]
    fn shift_right<const BY: u32>(self) -> Self {
        Self([self.0[0].shift_right::<BY>(), self.0[1].shift_right::<BY>()])
    }
    #[inline(always)]
    fn used_parts(self) -> Self {
        Self([self.0[0].used_parts(), self.0[1].used_parts()])
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.0[0].count() + self.0[1].count()
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0[0].or(self.0[1]).any()
    }
    #[inline(always)]
    fn parts(self) -> [u64; PARTS] {
        let mut parts = [0u64; PARTS];
        let (low, high) = parts.split_at_mut(PARTS / 2);
        unsafe {
            _mm256_storeu_si256(low.as_mut_ptr().cast(), self.0[0]);
            _mm256_storeu_si256(high.as_mut_ptr().cast(), self.0[1]);
        }
        parts
    }
    #[inline(always)]
    fn from_parts(parts: &[u64; PARTS]) -> Self {
        let (low, high) = parts.split_at(PARTS / 2);
        unsafe {
            let low = _mm256_loadu_si256(low.as_ptr().cast());
            Self([low, _mm256_loadu_si256(high.as_ptr().cast())])
        }
    }
    #[inline(always)]
    fn isolated(work: impl Isolated<Self>) {
        unsafe { isolated_pair(work) }
    }
}
