//! How often a checkpoint is written: so that little is lost, and little time goes into it.

use std::time::{Duration, Instant};

/// The least time between two checkpoints.
const PAUSE: Duration = Duration::from_secs(1);
/// So many times as long as it takes to write one.
const SHARE: u32 = 20;

/// When the next checkpoint is due.
pub(crate) struct Pace {
    next: Instant,
}

impl Pace {
    /// Not at once.
    pub(crate) fn new() -> Self {
        Self { next: Instant::now() + PAUSE }
    }

    pub(crate) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// A checkpoint was written from then to now.
    pub(crate) fn written_since(&mut self, begun: Instant) {
        let now = Instant::now();
        self.next = now + PAUSE.max((now - begun) * SHARE);
    }
}
