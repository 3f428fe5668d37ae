//! What a regression may cost, and how far it has come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits on time and memory.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory of the tables, in MiB.
    pub memory_mib: Option<u64>,
    /// Set from outside to stop.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Which limit was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Halt {
    /// The time is over.
    #[error("the time limit was reached")]
    Time,
    /// The tables are as large as they may become.
    #[error("the memory limit was reached")]
    Memory,
    /// Stopped from outside.
    #[error("stopped from outside")]
    Stopped,
}

/// Looks at the limits now and then.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    deadline: Option<Instant>,
    bytes: Option<u64>,
    stop: Option<Arc<AtomicBool>>,
    ticks: u32,
}

/// So many ticks pass between two looks at the clock.
const TICKS: u32 = 1 << 8;

impl Meter {
    pub(crate) fn start(limits: &Limits) -> Self {
        Self {
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            bytes: limits.memory_mib.map(|mib| mib << 20),
            stop: limits.stop.clone(),
            ticks: 0,
        }
    }

    /// Counts a small piece of work by one that holds so many bytes.
    #[inline]
    pub(crate) fn tick(&mut self, bytes: usize) -> Result<(), Halt> {
        self.ticks += 1;
        if self.ticks < TICKS {
            return Ok(());
        }
        self.ticks = 0;
        self.look(bytes)
    }

    /// Looks at all limits.
    pub(crate) fn look(&self, bytes: usize) -> Result<(), Halt> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Halt::Stopped);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Halt::Time);
        }
        match self.bytes {
            Some(most) if bytes as u64 > most => Err(Halt::Memory),
            _ => Ok(()),
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The share of the states that is decided, if it is known.
    pub share: Option<f64>,
    /// Classes (or tuples, or decision-diagram nodes) held.
    pub classes: usize,
    /// Cubes (or sets) regressed through a transition.
    pub regressions: u64,
    /// Bytes held by the tables, about.
    pub bytes: usize,
}
