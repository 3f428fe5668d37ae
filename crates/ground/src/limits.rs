//! Limits on time and memory, and the meter that watches them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::GroundError;

/// What grounding may cost.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory of the tables, in MiB (an estimate that the grounder keeps as it grows them).
    pub memory_mib: Option<u64>,
    /// Set from outside to stop.
    pub stop: Option<Arc<AtomicBool>>,
    /// How deep a ground term may be nested before the rules count as growing without bound.
    pub term_depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Some(Duration::from_secs(60)),
            memory_mib: Some(4096),
            stop: None,
            term_depth: 64,
        }
    }
}

/// Why work was broken off.
pub(crate) enum Halt {
    /// It cannot go on.
    Error(GroundError),
    /// It would go on, but took more effort than it was given.
    Effort,
}

impl From<GroundError> for Halt {
    fn from(error: GroundError) -> Self {
        Halt::Error(error)
    }
}

/// Checks the limits now and then, cheaply.
pub(crate) struct Meter {
    deadline: Option<Instant>,
    seconds: f64,
    memory: Option<u64>,
    stop: Option<Arc<AtomicBool>>,
    pub(crate) term_depth: u32,
    used: u64,
    ticks: u32,
    /// Looks at the clock that are left before the effort is spent.
    effort: Option<u64>,
}

/// The number of ticks between two checks of the clock.
const TICKS: u32 = 1 << 14;

impl Meter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            seconds: limits.time.unwrap_or_default().as_secs_f64(),
            memory: limits.memory_mib.map(|mib| mib << 20),
            stop: limits.stop.clone(),
            term_depth: limits.term_depth,
            used: 0,
            ticks: 0,
            effort: None,
        }
    }

    /// Breaks off with [`Halt::Effort`] after about this many ticks; `None` lifts the limit.
    pub(crate) fn limit_effort(&mut self, ticks: Option<u64>) {
        self.effort = ticks.map(|ticks| ticks / u64::from(TICKS));
        // So that a small effort is spent at the first look, that look comes early.
        let rest = ticks.map_or(0, |ticks| ticks % u64::from(TICKS));
        self.ticks = if rest == 0 { 0 } else { TICKS - u32::try_from(rest).unwrap_or(TICKS) };
    }

    /// Gives back memory that was counted.
    pub(crate) fn release_all(&mut self) {
        self.used = 0;
    }

    /// Counts one small piece of work.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Halt> {
        self.ticks += 1;
        if self.ticks < TICKS { Ok(()) } else { self.look() }
    }

    /// Counts a larger piece of work.
    #[inline]
    pub(crate) fn spend(&mut self, ticks: u32) -> Result<(), Halt> {
        self.ticks += ticks;
        if self.ticks < TICKS { Ok(()) } else { self.look() }
    }

    /// Counts memory that was taken.
    #[inline]
    pub(crate) fn charge(&mut self, bytes: usize) {
        self.used += bytes as u64;
    }

    #[cold]
    fn look(&mut self) -> Result<(), Halt> {
        let looks = u64::from(self.ticks / TICKS);
        self.ticks = 0;
        if let Some(effort) = &mut self.effort {
            *effort = effort.checked_sub(looks).ok_or(Halt::Effort)?;
        }
        self.check_limits().map_err(Halt::Error)
    }

    fn check_limits(&self) -> Result<(), GroundError> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(GroundError::Stopped);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(GroundError::Time { seconds: self.seconds });
        }
        match self.memory {
            Some(limit) if self.used > limit => Err(GroundError::Memory { mib: limit >> 20 }),
            _ => Ok(()),
        }
    }
}
