//! How long work may take, and a flag that ends it early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much may be spent. What is finished when it runs out is kept.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Wall time for everything together; no limit if `None`.
    pub time: Option<Duration>,
    /// Ends the work as soon as it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// So much time, and no flag.
    pub fn seconds(seconds: f64) -> Self {
        Self { time: Some(Duration::from_secs_f64(seconds)), stop: None }
    }
}

/// A budget that has begun to run.
#[derive(Clone, Debug)]
pub struct Deadline {
    end: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
}

impl Deadline {
    /// The time begins now.
    pub fn start(budget: &Budget) -> Self {
        let end = budget.time.and_then(|time| Instant::now().checked_add(time));
        Self { end, stop: budget.stop.clone() }
    }

    /// Whether to stop.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end) || self.is_stopped()
    }

    /// Whether the flag is set.
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// What is left of the time; `None` if it has no end.
    pub fn time_left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// The same, but no later than this time from now.
    pub fn within(&self, time: Duration) -> Self {
        let end = Instant::now() + time;
        let end = self.end.map_or(end, |mine| mine.min(end));
        Self { end: Some(end), stop: self.stop.clone() }
    }

    /// The same, but no later than after this share of the time that is left.
    pub fn share(&self, share: f64) -> Self {
        self.time_left().map_or_else(|| self.clone(), |left| self.within(left.mul_f64(share)))
    }

    /// A share of the time that is left, for work that starts a deadline of its own.
    pub fn budget(&self, share: f64) -> Budget {
        Budget { time: self.time_left().map(|left| left.mul_f64(share)), stop: self.stop.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_limit_only_the_flag_ends_the_work() {
        let flag = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::start(&Budget { time: None, stop: Some(Arc::clone(&flag)) });
        let part = deadline.share(0.1);
        assert!(!part.is_over() && part.time_left().is_none());
        flag.store(true, Ordering::Relaxed);
        assert!(part.is_over() && deadline.is_over());
    }

    #[test]
    fn a_part_of_the_work_ends_no_later_than_the_whole() {
        let deadline = Deadline::start(&Budget::seconds(0.0));
        assert!(deadline.is_over() && deadline.within(Duration::from_secs(60)).is_over());
    }
}
