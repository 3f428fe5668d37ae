//! A deadline and a cancellation flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_analysis::Budget;

/// A limit on time that has begun to run, and a flag that ends the work early.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    end: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
}

impl Deadline {
    pub(crate) fn start(time: Option<Duration>, stop: Option<Arc<AtomicBool>>) -> Self {
        Self { end: time.and_then(|time| Instant::now().checked_add(time)), stop }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
            || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The same, but no later than this time from now.
    pub(crate) fn within(&self, time: Duration) -> Self {
        let end = Instant::now() + time;
        let end = self.end.map_or(end, |mine| mine.min(end));
        Self { end: Some(end), stop: self.stop.clone() }
    }

    /// The same, but no later than after this share of the time that is left.
    pub(crate) fn share(&self, share: f64) -> Self {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or_else(|| self.clone(), |left| self.within(left.mul_f64(share)))
    }

    /// A share of the time that is left, for work in other crates.
    pub(crate) fn budget(&self, share: f64) -> Budget {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        Budget { time: left.map(|left| left.mul_f64(share)), stop: self.stop.clone() }
    }
}
