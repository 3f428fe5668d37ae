//! Random numbers for a block of games: a stream of its own for each, so that they do not depend on threads.

use gambol_run::{Random, mixed};

use crate::vector::bits::drawn;

/// The random numbers of a block.
#[derive(Clone, Debug)]
pub(crate) struct Stream(Random);

impl Stream {
    /// The stream of a block. Streams of different purposes differ.
    pub(crate) fn new(seed: u64, purpose: u64, block: u64) -> Self {
        let start = [purpose, block].iter().fold(seed, |start, word| mixed(start, 1) ^ word);
        Self(Random::new(mixed(start, 1)))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.word()
    }

    /// One of the bits that are set, each as likely as the others; none if none is.
    pub(crate) fn draw(&mut self, row: &[u64]) -> Option<usize> {
        drawn(row, self.next())
    }
}
