//! Blocks: games that one part of a word plays, 64 at a time.
//!
//! A block is the same games whichever thread plays it. It has a stream of random words of its own, and new games
//! begin in its lanes at fixed intervals, not when others have time for them. How many blocks there are
//! depends on the number of games alone. So the same seed gives the same games at every width, on any
//! number of threads and by any engine.

use std::sync::atomic::{AtomicU64, Ordering};

/// Some games, and the number of their random stream.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Block {
    pub(crate) number: u64,
    /// How many games are not begun.
    pub(crate) games: u64,
}

/// The blocks of all threads, handed out one by one.
#[derive(Debug)]
pub(crate) struct Blocks {
    games: u64,
    count: u64,
    next: AtomicU64,
}

/// Fewer blocks would leave lanes empty, unless there are too few games to fill them.
const FEWEST: u64 = 16;

impl Blocks {
    /// Blocks with this many games in all. At the end of each block its lanes wait for the longest game,
    /// at the end of all some threads wait for others; the square root balances the two.
    pub(crate) fn of_games(games: u64) -> Self {
        let fills = games.div_ceil(64);
        let count = fills.min(FEWEST.max(2 * fills.isqrt()));
        Self { games, count, next: AtomicU64::new(0) }
    }

    /// Blocks without an end.
    pub(crate) fn endless() -> Self {
        Self { games: u64::MAX, count: u64::MAX, next: AtomicU64::new(0) }
    }

    pub(crate) fn are_endless(&self) -> bool {
        self.games == u64::MAX
    }

    /// The next block; none if all are taken.
    pub(crate) fn take(&self) -> Option<Block> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.count {
            return None;
        }
        let games = match self.are_endless() {
            true => u64::MAX,
            false => self.games / self.count + u64::from(number < self.games % self.count),
        };
        Some(Block { number, games })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(games: u64) -> Vec<u64> {
        let blocks = Blocks::of_games(games);
        std::iter::from_fn(|| blocks.take()).map(|block| block.games).collect()
    }

    #[test]
    fn blocks_share_all_games_evenly() {
        assert_eq!(sizes(0), []);
        assert_eq!(sizes(1), [1]);
        assert_eq!(sizes(65), [33, 32]);
        for games in [700, 1_024, 5_000, 123_456] {
            let sizes = sizes(games);
            assert_eq!(sizes.iter().sum::<u64>(), games);
            assert!(sizes[0] - sizes[sizes.len() - 1] <= 1);
        }
        assert_eq!(sizes(1_000_000).len(), 250);
    }
}
