//! Drawing numbers up to a bound that differs from lane to lane, by rejection.
//!
//! The 64 lanes of a part have a stream of random words of their own and take from it what they need,
//! whatever the other parts do: so many words a round as their largest bound has bits, and rounds
//! until all of them are served. That is what makes games the same at every width.

use crate::engine::random::Random;
use crate::engine::word::{Isolated, Word};

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
    /// One register after the other: with more at once, nothing would stay in registers.
    #[inline(always)]
    fn run(mut self) {
        for number in 0..W::PIECES {
            self.draw_piece(number);
        }
    }
}

impl<W: Word> Draw<'_, W> {
    #[inline(always)]
    fn draw_piece(&mut self, number: usize) {
        let mut bits = self.mask.len();
        while bits > 0 && !self.mask[bits - 1].piece(number).any() {
            self.drawn[bits - 1].set_piece(number, W::Piece::zero());
            bits -= 1;
        }
        if bits == 0 {
            return;
        }
        let (parts, largest) = (self.active.piece(number), self.mask[bits - 1].piece(number));
        let differ = parts.used_parts().and_not(largest.used_parts()).any();
        // With the number of bits known, everything stays in registers.
        match if differ { usize::MAX } else { bits } {
            1 => self.rounds::<1>(number),
            2 => self.rounds::<2>(number),
            3 => self.rounds::<3>(number),
            4 => self.rounds::<4>(number),
            5 => self.rounds::<5>(number),
            6 => self.rounds::<6>(number),
            7 => self.rounds::<7>(number),
            8 => self.rounds::<8>(number),
            _ => self.rounds_by_part(number, bits),
        }
    }

    #[inline(always)]
    fn rounds<const BITS: usize>(&mut self, number: usize) {
        let (mut bound, mut mask) = ([W::Piece::zero(); BITS], [W::Piece::zero(); BITS]);
        for bit in 0..BITS {
            bound[bit] = self.bound[bit].piece(number);
            mask[bit] = self.mask[bit].piece(number);
        }
        let mut pending = self.active.piece(number);
        let mut parts = pending.used_parts();
        let mut random = self.random.piece(number);
        let mut drawn = [W::Piece::zero(); BITS];
        while pending.any() {
            let before = random;
            let mut refused = W::Piece::zero();
            let mut fresh = [W::Piece::zero(); BITS];
            for bit in 0..BITS {
                fresh[bit] = random.word().and(mask[bit]);
                refused = W::Piece::borrow(bound[bit], fresh[bit], refused);
            }
            random.keep(parts, &before);
            // Every lane accepts once; what is refused is drawn again.
            let accepted = pending.and_not(refused);
            for bit in 0..BITS {
                drawn[bit] = W::Piece::or_and(drawn[bit], accepted, fresh[bit]);
            }
            pending = pending.and(refused);
            parts = pending.used_parts();
        }
        self.random.set_piece(number, random);
        for (target, drawn) in self.drawn.iter_mut().zip(drawn) {
            target.set_piece(number, drawn);
        }
    }

    /// The same where parts need words of different numbers of bits, or many.
    #[inline(always)]
    fn rounds_by_part(&mut self, number: usize, bits: usize) {
        let mut random = self.random.piece(number);
        let mut pending = self.active.piece(number);
        for drawn in &mut self.drawn[..bits] {
            drawn.set_piece(number, W::Piece::zero());
        }
        while pending.any() {
            let parts = pending.used_parts();
            let mut refused = W::Piece::zero();
            for bit in 0..bits {
                let mask = self.mask[bit].piece(number);
                let before = random;
                let fresh = random.word().and(mask);
                random.keep(parts.and(mask.used_parts()), &before);
                refused = W::Piece::borrow(self.bound[bit].piece(number), fresh, refused);
                // What is refused is drawn again.
                let drawn = self.drawn[bit].piece(number);
                self.drawn[bit].set_piece(number, W::Piece::select(pending, fresh, drawn));
            }
            pending = pending.and(refused);
        }
        self.random.set_piece(number, random);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::word::{PARTS, Plain};
    use gambol_run::Random as Seeded;

    /// Bounds that differ from lane to lane: parts with large ones, with small ones, and with none.
    fn bounds(parts: usize) -> (Vec<[u64; PARTS]>, [u64; PARTS]) {
        let mut seeded = Seeded::new(3);
        let mut bound = vec![[0; PARTS]; 4];
        let mut active = [0; PARTS];
        for part in 0..parts {
            active[part] = if part % 4 == 3 { 0 } else { seeded.word() };
            for bits in bound.iter_mut().take(4 - part % 3) {
                bits[part] = seeded.word() & active[part];
            }
        }
        (bound, active)
    }

    fn drawn<W: Word>(
        bound: &[[u64; PARTS]],
        active: [u64; PARTS],
        first: u64,
    ) -> Vec<[u64; PARTS]> {
        let bound: Vec<W> = bound.iter().map(W::from_parts).collect();
        let mut mask = bound.clone();
        for bit in (0..mask.len() - 1).rev() {
            mask[bit] = mask[bit].or(mask[bit + 1]);
        }
        let mut random = Random::<W>::new(0);
        for part in 0..W::LANES / 64 {
            random.begin_stream(part, 17, first + part as u64);
        }
        let active = W::from_parts(&active);
        let mut drawn = vec![W::ones(); bound.len()];
        let mut all = Vec::new();
        for _ in 0..5 {
            let (bound, mask, drawn) = (&bound[..], &mask[..], &mut drawn[..]);
            Draw { bound, mask, active, random: &mut random, drawn }.run();
            all.extend(drawn.iter().map(|word| word.and(active).parts()));
        }
        all
    }

    #[test]
    fn what_a_part_draws_does_not_depend_on_the_others() {
        let (bound, active) = bounds(8);
        let wide = drawn::<Plain<8>>(&bound, active, 0);
        for part in 0..8 {
            let alone = |words: &[u64; PARTS]| [words[part], 0, 0, 0, 0, 0, 0, 0];
            let bound: Vec<_> = bound.iter().map(alone).collect();
            let narrow = drawn::<Plain<1>>(&bound, alone(&active), part as u64);
            assert!(wide.iter().zip(&narrow).all(|(wide, narrow)| wide[part] == narrow[0]));
        }
    }

    #[test]
    fn no_number_exceeds_its_bound() {
        let (bound, active) = bounds(8);
        let value = |words: &[[u64; PARTS]], part: usize, lane: usize| {
            words.iter().rev().fold(0, |value, word| 2 * value + (word[part] >> lane & 1))
        };
        for drawn in drawn::<Plain<8>>(&bound, active, 0).chunks(4) {
            for lane in 0..512 {
                assert!(value(drawn, lane / 64, lane % 64) <= value(&bound, lane / 64, lane % 64));
            }
        }
    }
}
