//! How to take a game apart.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gambol_net::FluentId;

/// Which of the two ways.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Method {
    /// What the rules read (chapter 11): connected parts of the net, and free choice of moves. Playouts
    /// only tell which moves act where.
    Structural,
    /// What playouts show, and nothing else: fluents that no playout changes are left over.
    Statistical,
    /// What playouts show, since rules read more than they use; where playouts do not reach, the rules
    /// decide.
    #[default]
    Auto,
}

/// How to take a game apart.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DecomposeOptions {
    /// Which way.
    pub method: Method,
    /// How many random games to look at.
    pub playouts: u64,
    /// For the random games.
    pub seed: u64,
    /// The state to begin with, as its true fluents; the initial one if there is none.
    pub at: Option<Vec<FluentId>>,
    /// Whether to prove the cut.
    pub prove: bool,
    /// Whether parts stay apart that only what play never reached would tie. For those who test the cut themselves.
    pub keep_doubtful: bool,
    /// Wall time for everything together.
    pub time: Option<Duration>,
    /// Ends the work as soon as it is set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for DecomposeOptions {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            playouts: 5_000,
            seed: 1,
            at: None,
            prove: false,
            keep_doubtful: false,
            time: None,
            stop: None,
        }
    }
}

/// One setting after another: `DecomposeOptions::default().proved().seconds(10.0)`.
impl DecomposeOptions {
    /// By this method.
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// After so many random games.
    pub fn playouts(mut self, playouts: u64) -> Self {
        self.playouts = playouts;
        self
    }

    /// From this state on, as its true fluents.
    pub fn from_state(mut self, fluents: Vec<FluentId>) -> Self {
        self.at = Some(fluents);
        self
    }

    /// With proofs.
    pub fn proved(mut self) -> Self {
        self.prove = true;
        self
    }

    /// For no longer than this. A time that no clock can count is no limit.
    pub fn seconds(mut self, seconds: f64) -> Self {
        self.time = Duration::try_from_secs_f64(seconds).ok();
        self
    }
}
