//! Random words: sfc64 (Doty-Humphrey), one independent stream per 64 lanes.
//!
//! It takes nine instructions a word where xoshiro256++ takes fourteen, because a rotation by 24 moves
//! whole bytes.

use gambol_run::mixed;

use crate::engine::word::{PARTS, Plain, Word};

/// A generator of words whose bits are all independent.
#[derive(Clone, Copy)]
pub(crate) struct Random<W> {
    state: [W; 4],
}

impl<W: Word> Random<W> {
    /// Streams that depend on the seed alone, not on how the width is implemented.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self { state: [W::zero(); 4] };
        for part in 0..W::LANES / 64 {
            random.begin_stream(part, seed, part as u64);
        }
        random
    }

    /// From now on a part of the word comes from the stream of that number.
    pub(crate) fn begin_stream(&mut self, part: usize, seed: u64, number: u64) {
        for (word, value) in self.state.iter_mut().zip(first_state(seed, number)) {
            let mut parts = word.parts();
            parts[part] = value;
            *word = W::from_parts(&parts);
        }
    }

    #[inline(always)]
    pub(crate) fn word(&mut self) -> W {
        let [a, b, c, counter] = self.state;
        let result = a.add(b).add(counter);
        self.state = [
            b.xor(b.shift_right::<11>()),
            c.add(c.shift_left::<3>()),
            c.rotate_24().add(result),
            // All ones are minus one: the counter goes down.
            counter.add(W::ones()),
        ];
        result
    }

    /// In these lanes, which must be whole parts, what has been drawn since is drawn; elsewhere nothing is.
    #[inline(always)]
    pub(crate) fn keep(&mut self, parts: W, before: &Self) {
        for place in 0..4 {
            self.state[place] = W::select_parts(parts, self.state[place], before.state[place]);
        }
    }

    /// The generator of one piece of the word.
    #[inline(always)]
    pub(crate) fn piece(&self, number: usize) -> Random<W::Piece> {
        let [a, b, c, counter] = &self.state;
        let state = [a.piece(number), b.piece(number), c.piece(number), counter.piece(number)];
        Random { state }
    }

    #[inline(always)]
    pub(crate) fn set_piece(&mut self, number: usize, random: Random<W::Piece>) {
        for place in 0..4 {
            self.state[place].set_piece(number, random.state[place]);
        }
    }
}

/// Where a stream begins. Twelve words are thrown away, as its author advises.
fn first_state(seed: u64, number: u64) -> [u64; 4] {
    let stream = mixed(seed, 1) ^ number;
    let word = |value| Plain::<1>::from_parts(&[value; PARTS]);
    let [a, b, c] = [1, 2, 3].map(|place| word(mixed(stream, place)));
    let mut random = Random { state: [a, b, c, word(1)] };
    for _ in 0..12 {
        random.word();
    }
    random.state.map(|word| word.parts()[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_is_set_half_of_the_time() {
        let mut random = Random::<Plain<8>>::new(7);
        let mut counts = [[0u32; 64]; PARTS];
        for _ in 0..10_000 {
            for (part, counts) in random.word().parts().iter().zip(&mut counts) {
                for (lane, count) in counts.iter_mut().enumerate() {
                    *count += (part >> lane & 1) as u32;
                }
            }
        }
        // 512 lanes, standard deviation 50: beyond 5.5 deviations one run in 50,000 fails.
        assert!(counts.iter().flatten().all(|&count| count.abs_diff(5_000) < 275));
    }

    #[test]
    fn the_generator_is_small_fast_chaotic() {
        let one = |value| Plain::<1>::from_parts(&[value; PARTS]);
        let mut random = Random { state: [one(1), one(2), one(3), one(4)] };
        // The published code, with a counter that goes down.
        let (mut a, mut b, mut c, mut counter) = (1u64, 2u64, 3u64, 4u64);
        for _ in 0..40 {
            let word = a.wrapping_add(b).wrapping_add(counter);
            counter = counter.wrapping_sub(1);
            a = b ^ (b >> 11);
            b = c.wrapping_add(c << 3);
            c = c.rotate_left(24).wrapping_add(word);
            assert_eq!(random.word().parts()[0], word);
        }
    }

    #[test]
    fn streams_belong_to_parts_and_move_on_where_they_are_kept() {
        let mut wide = Random::<Plain<4>>::new(9);
        let mut second = Random::<Plain<1>>::new(0);
        second.begin_stream(0, 9, 1);
        let before = wide;
        assert_eq!(wide.word().parts()[1], second.word().parts()[0]);
        wide.keep(Plain::from_parts(&[!0, 0, !0, !0, 0, 0, 0, 0]), &before);
        second.begin_stream(0, 9, 1);
        assert_eq!(wide.word().parts()[1], second.word().parts()[0], "the part stands still");
    }
}
