//! The best plans of a puzzle in words and as data.

use std::fmt;

use gambol_solve::BestPlans as Found;
use serde::Serialize;

/// How many plans are best, and whether there is one only.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestPlans {
    value: u32,
    length: u32,
    count: u128,
    /// Whether there is one only.
    pub unique: bool,
}

impl BestPlans {
    /// The same as data.
    pub fn of(found: &Found) -> Self {
        let Found { value, length, count } = *found;
        Self { value, length, count, unique: found.unique() }
    }
}

impl fmt::Display for BestPlans {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (length, value) = (self.length, self.value);
        match self.count {
            1 => write!(out, "one best plan only: {length} moves, worth {value}"),
            u128::MAX => write!(out, "more than 10^38 best plans of {length} moves, worth {value}"),
            count => write!(out, "{count} best plans of {length} moves, worth {value}"),
        }
    }
}
