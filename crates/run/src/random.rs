//! SplitMix64 (Steele, Lea, Flood 2014): a small generator whose whole state is a counter.

/// The golden ratio: what the counter goes up by.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of random numbers. Equal seeds give equal numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next word; all bits are random.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        spread(self.0)
    }

    /// A number below `bound`, which is not 0. For bounds far below 2^32 the bias is too small to be seen.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.word() >> 32).wrapping_mul(bound as u64) >> 32) as usize
    }
}

/// The word at a place of a seed's sequence, which depends on nothing else.
#[inline]
pub fn mixed(seed: u64, place: u64) -> u64 {
    spread(seed.wrapping_add(place.wrapping_mul(STEP)))
}

/// Spreads a counter over all bits.
#[inline]
fn spread(counter: u64) -> u64 {
    let mut word = counter;
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        let words = [(); 3].map(|()| random.word());
        assert_eq!(
            words,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
        assert_eq!(words[2], mixed(1_234_567, 3));
    }

    #[test]
    fn numbers_below_a_bound_are_about_equally_likely() {
        let mut random = Random::new(3);
        let mut counts = [0u32; 5];
        (0..50_000).for_each(|_| counts[random.below(5)] += 1);
        // Standard deviation 90.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    }
}
