//! How far the trees of the parts can be believed, measured in the course of a search.
//!
//! Before a move is tried for the first time in a state the parts say how much better than usual it will
//! do. The slope of what it did on what they said shrinks what they say, so that advice that is mere
//! noise is not heard; and the more of what came was said before, the more visits the advice is worth.

/// What the advice of the parts was worth so far.
#[derive(Clone, Debug)]
pub(crate) struct Worth {
    /// By how much advice has to be shrunk, from nothing (0) to not at all (1).
    pub(crate) slope: f64,
    /// How many visits of a move it is worth.
    pub(crate) visits: f64,
    /// Means over first visits: the square of the advice, its product with what came, the square of that.
    advised: f64,
    product: f64,
    came: f64,
    firsts: u32,
}

/// What was seen long ago counts for less.
const MEMORY: u32 = 4_096;
/// Nothing is said before so many first visits.
const FEWEST: u32 = 64;
/// What advice is worth if it explains one half of what comes, and at most.
const HALF: f64 = 4.0;
const MOST: f64 = 50.0;

impl Default for Worth {
    fn default() -> Self {
        let (advised, product, came) = (0.0, 0.0, 0.0);
        Self { slope: 0.5, visits: 1.0, advised, product, came, firsts: 0 }
    }
}

impl Worth {
    /// A move was tried for the first time in a state: what was said of it, and what came.
    pub(crate) fn note(&mut self, advised: f64, came: f64) {
        self.firsts = self.firsts.saturating_add(1);
        let weight = 1.0 / f64::from(self.firsts.min(MEMORY));
        self.advised += weight * (advised * advised - self.advised);
        self.product += weight * (advised * came - self.product);
        self.came += weight * (came * came - self.came);
        if self.firsts >= FEWEST {
            self.conclude();
        }
    }

    fn conclude(&mut self) {
        self.slope = (self.product / self.advised.max(1e-9)).clamp(0.0, 1.0);
        let explained = self.slope * (2.0 * self.product - self.slope * self.advised);
        let unexplained = (self.came - explained).max(1e-9);
        self.visits = (HALF * explained / unexplained).min(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Advice and what came of it, a thousand times: the signal, and what is not explained by it.
    fn measured(heard: f64, noise: f64) -> Worth {
        let mut worth = Worth::default();
        for step in 0..1_000u32 {
            let signal = if step % 2 == 0 { 0.2 } else { -0.2 };
            let other = if step % 4 < 2 { noise } else { -noise };
            worth.note(signal, heard * signal + other);
        }
        worth
    }

    #[test]
    fn advice_that_comes_true_is_worth_many_visits() {
        let worth = measured(1.0, 0.1);
        assert!(worth.slope > 0.95 && worth.visits > 10.0, "{worth:?}");
    }

    #[test]
    fn advice_that_means_nothing_is_not_heard() {
        let worth = measured(0.0, 0.3);
        assert!(worth.slope < 0.05 && worth.visits < 1.0, "{worth:?}");
    }

    #[test]
    fn advice_that_exaggerates_is_shrunk() {
        let worth = measured(0.5, 0.1);
        assert!((0.45..0.55).contains(&worth.slope), "{worth:?}");
    }
}
