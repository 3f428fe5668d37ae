//! A budget: how long an analysis may take, and a flag that ends it early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much an analysis may spend. What is finished when it runs out is kept.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Wall time for everything together.
    pub time: Option<Duration>,
    /// Ends the work as soon as it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { time: Some(Duration::from_secs(8)), stop: None }
    }
}

/// A budget that has begun to run.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    end: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
}

impl Deadline {
    pub(crate) fn start(budget: &Budget) -> Self {
        let end = budget.time.and_then(|time| Instant::now().checked_add(time));
        Self { end, stop: budget.stop.clone() }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
            || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// A deadline for one part of the work: this share of the time that is left.
    pub(crate) fn share(&self, share: f64) -> Self {
        let now = Instant::now();
        let end = self.end.map(|end| now + end.saturating_duration_since(now).mul_f64(share));
        Self { end, stop: self.stop.clone() }
    }
}
