//! What a regression may cost, and its progress.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gambol_run::{Budget, Deadline};

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

/// Checks the limits now and then.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    deadline: Deadline,
    bytes: Option<u64>,
    ticks: u32,
}

/// The number of ticks between two checks of the clock.
const TICKS: u32 = 1 << 8;

impl Meter {
    pub(crate) fn start(limits: &Limits) -> Self {
        let budget = Budget { time: limits.time, stop: limits.stop.clone() };
        let bytes = limits.memory_mib.map(|mib| mib << 20);
        Self { deadline: Deadline::start(&budget), bytes, ticks: 0 }
    }

    /// Counts a small piece of work, at this memory use.
    #[inline]
    pub(crate) fn tick(&mut self, bytes: usize) -> Result<(), Halt> {
        self.ticks += 1;
        if self.ticks < TICKS {
            return Ok(());
        }
        self.ticks = 0;
        self.look(bytes)
    }

    /// Checks all limits.
    pub(crate) fn look(&self, bytes: usize) -> Result<(), Halt> {
        if self.deadline.is_over() {
            return Err(if self.deadline.is_stopped() { Halt::Stopped } else { Halt::Time });
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
