//! How often a checkpoint is written: so that little is lost, and little time goes into it.

use std::time::{Duration, Instant};

/// The least time between two checkpoints, if nothing else is asked for.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);
/// So many times as long as it takes to write one.
const SHARE: u32 = 20;
/// But no more than so much work is lost.
const MOST_LOST: Duration = Duration::from_secs(60);

/// When the next checkpoint is due.
pub(crate) struct Pace {
    next: Instant,
    pause: Duration,
}

impl Pace {
    /// Not at once.
    pub(crate) fn new(pause: Duration) -> Self {
        Self { next: Instant::now() + pause, pause }
    }

    pub(crate) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// A checkpoint was written from then to now.
    pub(crate) fn written_since(&mut self, begun: Instant) {
        let now = Instant::now();
        let enough = ((now - begun) * SHARE).min(MOST_LOST);
        self.next = now + self.pause.max(enough);
    }
}
