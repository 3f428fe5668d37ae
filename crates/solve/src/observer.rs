//! Observers of a long solve: progress for people, checkpoints for the next run.

use std::time::Duration;

use crate::checkpoint::pace::PAUSE;

/// What a solver tells while it works. Everything is optional.
pub trait Observer {
    /// This many nodes are done, and this is the current stage.
    fn progress(&mut self, _nodes: u64, _stage: &str) {}

    /// Everything needed to go on from here. What is kept must be kept whole: a checkpoint that
    /// replaces another must not be seen half written.
    fn checkpoint(&mut self, _bytes: &[u8]) {}

    /// Whether checkpoints are wanted.
    fn wants_checkpoints(&self) -> bool {
        false
    }

    /// The least time between two checkpoints.
    fn checkpoint_pause(&self) -> Duration {
        PAUSE
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// Tells an observer about a stage of the work by one name. What is listed there is no checkpoint of
/// the whole.
pub(crate) struct Stage<'a> {
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) name: &'static str,
}

impl Observer for Stage<'_> {
    fn progress(&mut self, nodes: u64, _: &str) {
        self.observer.progress(nodes, self.name);
    }
}
