//! Progress and checkpoints of a search, at a pace that costs little.

use std::time::{Duration, Instant};

use super::Range;
use super::checkpoint;
use super::table::Table;
use super::weights::Weights;
use crate::Observer;
use crate::checkpoint::pace::Pace;

/// Progress is told this often.
const PROGRESS: Duration = Duration::from_millis(200);

pub(crate) struct Report<'a> {
    observer: &'a mut dyn Observer,
    fingerprint: u64,
    pub(crate) range: Range,
    next_progress: Instant,
    pace: Pace,
}

impl<'a> Report<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer, fingerprint: u64) -> Self {
        let (now, pace) = (Instant::now(), Pace::new(observer.checkpoint_pause()));
        Self {
            observer,
            fingerprint,
            range: Range { least: 0, most: u8::MAX },
            next_progress: now,
            pace,
        }
    }

    /// Tells the observer how far the work is.
    pub(crate) fn progress(&mut self, nodes: u64, stage: &str) {
        self.observer.progress(nodes, stage);
    }

    /// Tells the observer what is due.
    pub(crate) fn tell<const K: usize>(&mut self, nodes: u64, weights: &Weights, table: &Table<K>) {
        let now = Instant::now();
        if now >= self.next_progress {
            self.observer.progress(nodes, "searching");
            self.next_progress = now + PROGRESS;
        }
        if self.pace.is_due() && self.observer.wants_checkpoints() {
            let bytes = checkpoint::write(self.fingerprint, self.range, weights, nodes, table);
            self.observer.checkpoint(&bytes);
            self.pace.written_since(now);
        }
    }
}
