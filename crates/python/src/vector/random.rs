//! Random numbers for a block of games: a stream of its own for each, so that they do not depend on threads.

use crate::vector::bits::nth_one;

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Stream(u64);

impl Stream {
    /// The stream of a block. Streams of different purposes differ.
    pub(crate) fn new(seed: u64, purpose: u64, block: u64) -> Self {
        let mut start = Self(seed);
        for word in [purpose, block] {
            start = Self(start.next() ^ word);
        }
        Self(start.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// One of the bits that are set, each as likely as the others; none if none is.
    pub(crate) fn draw(&mut self, row: &[u64]) -> Option<usize> {
        let count: u32 = row.iter().map(|word| word.count_ones()).sum();
        let number = ((self.next() >> 32) * u64::from(count)) >> 32;
        (count > 0).then(|| nth_one(row, number as u32))
    }
}
