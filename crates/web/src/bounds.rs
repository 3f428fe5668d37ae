//! What the server may spend.

use std::time::Duration;

/// Limits of the explorer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServeOptions {
    /// The longest rulesheet, in bytes.
    pub longest_text: usize,
    /// Games kept at once; the one not used for longest goes first.
    pub most_games: usize,
    /// Jobs that run at once; more are refused.
    pub most_jobs: usize,
    /// Time to read and ground a game.
    pub load_time: Duration,
    /// Time for any other work.
    pub job_time: Duration,
    /// All work is stopped when the program holds more than this.
    pub memory_mib: u64,
    /// What the program holds now, in MiB.
    pub memory_used: fn() -> f64,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            longest_text: 4 << 20,
            most_games: 12,
            most_jobs: 4,
            load_time: Duration::from_secs(30),
            job_time: Duration::from_secs(600),
            memory_mib: 4096,
            memory_used: || 0.0,
        }
    }
}
