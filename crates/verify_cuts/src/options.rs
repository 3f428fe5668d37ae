//! How a certificate is checked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How to check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Games with more states than this are not listed.
    pub most_states: usize,
    /// Ends the check early.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { most_states: 4_000, stop: None }
    }
}

impl CheckOptions {
    pub(crate) fn is_over(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
