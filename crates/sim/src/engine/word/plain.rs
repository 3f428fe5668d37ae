//! Words made of plain integers, for any processor; compilers turn them into what registers there are.

use super::{Isolated, PARTS, Word};

/// A word of `N` integers.
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
}

impl<const N: usize> Word for Plain<N> {
    const LANES: usize = 64 * N;
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
    fn add(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }
    #[inline(always)]
    fn rotate_24(self) -> Self {
        self.zip(self, |a, _| a.rotate_left(24))
    }
    #[inline(always)]
    fn shift_left<const BY: u32>(self) -> Self {
        self.zip(self, |a, _| a << BY)
    }
    #[inline(always)]
    fn shift_right<const BY: u32>(self) -> Self {
        self.zip(self, |a, _| a >> BY)
    }
    #[inline(always)]
    fn used_parts(self) -> Self {
        self.zip(self, |a, _| if a == 0 { 0 } else { !0 })
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
