//! Progress and checkpoints of a search, at a pace that costs little.

use std::time::{Duration, Instant};

use super::Range;
use super::checkpoint;
use super::table::Table;
use super::weights::Weights;
use crate::Observer;

/// Progress is told this often.
const PROGRESS: Duration = Duration::from_millis(200);
/// A checkpoint is made at most this often, and takes at most a twentieth of the time; but so much
/// work may always be lost, and no more.
const CHECKPOINT: Duration = Duration::from_secs(3);
const SHARE: u32 = 20;
const MOST_LOST: Duration = Duration::from_secs(60);

pub(crate) struct Report<'a> {
    observer: &'a mut dyn Observer,
    fingerprint: u64,
    pub(crate) range: Range,
    next_progress: Instant,
    next_checkpoint: Instant,
}

impl<'a> Report<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer, fingerprint: u64) -> Self {
        let now = Instant::now();
        Self {
            observer,
            fingerprint,
            range: Range { least: 0, most: u8::MAX },
            next_progress: now,
            next_checkpoint: now + CHECKPOINT,
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
        if now >= self.next_checkpoint && self.observer.wants_checkpoints() {
            let bytes = checkpoint::write(self.fingerprint, self.range, weights, nodes, table);
            self.observer.checkpoint(&bytes);
            self.next_checkpoint =
                Instant::now() + (SHARE * now.elapsed()).clamp(CHECKPOINT, MOST_LOST);
        }
    }
}
