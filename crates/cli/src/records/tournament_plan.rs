//! The plan of a tournament: the first line of its file.

use serde::{Deserialize, Serialize};

/// The form of the first line; the number changes with the form.
pub(crate) const FORMAT: &str = "gambol-tournament 1";

/// Who plays what, how often, and against which clock.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct Plan {
    /// [`FORMAT`].
    pub(crate) format: String,
    pub(crate) games: Vec<PlannedGame>,
    pub(crate) players: Vec<String>,
    /// How often two players meet in each game.
    pub(crate) rounds: u32,
    /// Newcomers begin at the bottom and go up as long as they win; otherwise all meet all.
    pub(crate) ladder: bool,
    /// Seconds that an engine of this process thinks about a move.
    pub(crate) clock: f64,
    /// Random games for a move, instead of a clock.
    pub(crate) playouts: Option<u64>,
    /// Seconds until the first step, and for each move, of players on the protocol.
    pub(crate) start_clock: u64,
    pub(crate) play_clock: u64,
    pub(crate) seed: u64,
    pub(crate) most_steps: usize,
}

/// A game of a tournament.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(crate) struct PlannedGame {
    /// As it was named on the command line.
    pub(crate) name: String,
    /// The digest of its rules.
    pub(crate) rules: String,
    /// Its roles, without chance.
    pub(crate) seats: usize,
}
