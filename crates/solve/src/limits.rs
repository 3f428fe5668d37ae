//! Limits: how long a solver may work, how much it may store, and a flag that ends it early.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gambol_run::{Budget, Deadline};

/// What a solver may spend. What is proved when it runs out is kept.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall time for everything together.
    pub time: Option<Duration>,
    /// Memory for tables of states, in MiB.
    pub memory_mib: u64,
    /// Ends the work as soon as it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: None, memory_mib: 2048, stop: None }
    }
}

impl Limits {
    /// The same limits, with less time.
    pub(crate) fn within(&self, time: Duration) -> Self {
        let time = self.time.map_or(time, |limit| limit.min(time));
        Self { time: Some(time), ..self.clone() }
    }

    /// What is left of the limits when `started` is some time ago.
    pub(crate) fn left(&self, started: Instant) -> Self {
        let time = self.time.map(|time| time.saturating_sub(started.elapsed()));
        Self { time, ..self.clone() }
    }
}

/// Which limit was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfinished {
    /// The time is over, or the stop flag is set.
    #[error("time ended the search")]
    Time,
    /// The tables are full.
    #[error("the memory for states was not enough")]
    Memory,
    /// Everything is known, but the value depends on how ends with several goals, or none, are read.
    #[error(
        "an end has several goals for a player, or none, and the value depends on which is meant"
    )]
    Readings,
}

/// Limits that have begun to run.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    deadline: Deadline,
    bytes: u64,
}

impl Meter {
    pub(crate) fn start(limits: &Limits) -> Self {
        let budget = Budget { time: limits.time, stop: limits.stop.clone() };
        let bytes = limits.memory_mib.saturating_mul(1 << 20);
        Self { deadline: Deadline::start(&budget), bytes }
    }

    /// Whether time is left.
    pub(crate) fn check_time(&self) -> Result<(), Unfinished> {
        if self.deadline.is_over() { Err(Unfinished::Time) } else { Ok(()) }
    }

    /// How many bytes there is room for.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether there is room for so many bytes in all.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        bytes as u64 <= self.bytes
    }

    /// Whether there is time left, and room for so many bytes in all.
    pub(crate) fn check(&self, bytes: usize) -> Result<(), Unfinished> {
        if !self.has_room(bytes) {
            return Err(Unfinished::Memory);
        }
        self.check_time()
    }
}
