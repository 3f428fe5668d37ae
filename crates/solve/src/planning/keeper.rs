//! Checkpoints of a search for one player: written at intervals, and never with less progress than the one before.

use std::time::{Duration, Instant};

use crate::Observer;
use crate::checkpoint::pace::Pace;
use crate::planning::breadth_first::Search;
use crate::planning::checkpoint::write;

/// The time between two words about progress.
const TELL: Duration = Duration::from_millis(100);

/// Keeps what is done, and reports progress.
pub(crate) struct Keeper<'a> {
    observer: &'a mut dyn Observer,
    fingerprint: u64,
    told: Instant,
    pace: Pace,
    /// The goal of the search kept last, and how many of its states were done.
    kept: Option<(u32, usize)>,
}

/// What is known besides the search at hand.
pub(crate) struct Decided<'a> {
    pub(crate) out_of_reach: &'a [u32],
    pub(crate) best: Option<(u32, &'a [u32])>,
}

impl<'a> Keeper<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer, fingerprint: u64) -> Self {
        let now = Instant::now();
        let pace = Pace::new(observer.checkpoint_pause());
        Self { observer, fingerprint, told: now, pace, kept: None }
    }

    /// Looks at a search for a goal, as often as the search likes.
    pub(crate) fn look(&mut self, decided: &Decided<'_>, value: u32, search: &Search) {
        let now = Instant::now();
        if now - self.told >= TELL {
            self.told = now;
            self.observer.progress(search.nodes, "breadth first");
        }
        let more = self.kept.is_none_or(|(goal, done)| goal != value || search.done > done);
        if !self.pace.is_due() || !more || !self.observer.wants_checkpoints() {
            return;
        }
        let Decided { out_of_reach, best } = *decided;
        let bytes = write(self.fingerprint, out_of_reach, best, Some((value, search)));
        self.observer.checkpoint(&bytes);
        self.kept = Some((value, search.done));
        self.pace.written_since(now);
    }
}
