//! Drawing numbers up to a bound that differs from lane to lane, by rejection.

use crate::random::Random;
use crate::word::{Isolated, Word};

/// Writes to `drawn` a number uniform on `0..=bound` in each active lane, low bit first.
///
/// Numbers of as many bits as the bound has are drawn until they do not exceed it. Fewer than half
/// are refused each time.
pub(crate) struct Draw<'a, W> {
    /// Zero in lanes that are not active.
    pub(crate) bound: &'a [W],
    /// The bound smeared to the right: ones as far up as the bound has bits.
    pub(crate) mask: &'a [W],
    pub(crate) active: W,
    pub(crate) random: &'a mut Random<W>,
    pub(crate) drawn: &'a mut [W],
}

impl<W: Word> Isolated<W> for Draw<'_, W> {
    #[inline(always)]
    fn run(self) {
        let mut bits = self.mask.len();
        while bits > 0 && !self.mask[bits - 1].any() {
            self.drawn[bits - 1] = W::zero();
            bits -= 1;
        }
        // With the number of bits known, everything stays in registers.
        match bits {
            0 => {}
            1 => self.rounds::<1>(),
            2 => self.rounds::<2>(),
            3 => self.rounds::<3>(),
            4 => self.rounds::<4>(),
            5 => self.rounds::<5>(),
            6 => self.rounds::<6>(),
            7 => self.rounds::<7>(),
            8 => self.rounds::<8>(),
            _ => self.many_rounds(bits),
        }
    }
}

impl<W: Word> Draw<'_, W> {
    #[inline(always)]
    fn rounds<const BITS: usize>(self) {
        let (mut bound, mut mask) = ([W::zero(); BITS], [W::zero(); BITS]);
        bound.copy_from_slice(&self.bound[..BITS]);
        mask.copy_from_slice(&self.mask[..BITS]);
        let mut random = *self.random;
        let mut drawn = [W::zero(); BITS];
        let mut pending = self.active;
        while pending.any() {
            let mut refused = W::zero();
            for bit in 0..BITS {
                let fresh = random.word().and(mask[bit]);
                refused = W::borrow(bound[bit], fresh, refused);
                // What is refused is drawn again.
                drawn[bit] = W::select(pending, fresh, drawn[bit]);
            }
            pending = pending.and(refused);
        }
        *self.random = random;
        self.drawn[..BITS].copy_from_slice(&drawn);
    }

    #[inline(always)]
    fn many_rounds(self, bits: usize) {
        let drawn = &mut self.drawn[..bits];
        drawn.fill(W::zero());
        let mut pending = self.active;
        while pending.any() {
            let mut refused = W::zero();
            for ((drawn, &bound), &mask) in drawn.iter_mut().zip(self.bound).zip(self.mask) {
                let fresh = self.random.word().and(mask);
                refused = W::borrow(bound, fresh, refused);
                *drawn = W::select(pending, fresh, *drawn);
            }
            pending = pending.and(refused);
        }
    }
}
