//! Random words: xoshiro256++ (Blackman and Vigna), one independent stream per 64 lanes.

use crate::word::{PARTS, Word};

/// A generator of words whose bits are all independent.
#[derive(Clone, Copy)]
pub(crate) struct Random<W> {
    state: [W; 4],
}

impl<W: Word> Random<W> {
    /// Streams that depend on the seed alone, not on how the width is implemented.
    pub(crate) fn new(seed: u64) -> Self {
        let mut mixer = seed;
        let mut state = [W::zero(); 4];
        for word in &mut state {
            let mut parts = [0; PARTS];
            for part in &mut parts {
                *part = split_mix(&mut mixer);
            }
            *word = W::from_parts(&parts);
        }
        Self { state }
    }

    #[inline(always)]
    pub(crate) fn word(&mut self) -> W {
        let [s0, s1, s2, s3] = self.state;
        let result = s0.add(s3).rotate::<23, 41>().add(s0);
        let (s2, s3) = (s2.xor(s0), s3.xor(s1));
        let (next1, next0) = (s1.xor(s2), s0.xor(s3));
        self.state = [next0, next1, s2.xor(s1.shift_left::<17>()), s3.rotate::<45, 19>()];
        result
    }
}

/// SplitMix64: spreads a counter over all bits.
pub(crate) fn split_mix(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut value = *counter;
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::Plain;

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
    fn the_generator_is_xoshiro_plus_plus() {
        // The reference code, started from 1, 2, 3, 4.
        let one = |value| Plain::<1>::from_parts(&[value, 0, 0, 0, 0, 0, 0, 0]);
        let mut random = Random { state: [one(1), one(2), one(3), one(4)] };
        let first: Vec<u64> = (0..3).map(|_| random.word().parts()[0]).collect();
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223]);
    }
}
