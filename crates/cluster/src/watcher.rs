//! What the program around a team is told while its workers are busy.

use std::time::Duration;

/// Who hears of what happens between workers.
pub trait Watcher: Send + Sync {
    /// Nothing has come in for so long.
    fn silence(&self, waited: Duration);
    /// Another process is lost. This one cannot go on: it must end, and never returns.
    fn lost(&self, what: &str) -> !;
}
