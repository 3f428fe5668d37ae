//! Tournaments: several players, several games, every match written down.
//!
//! The file of a tournament begins with its plan; then follow its matches, one after the other, in the form of
//! [`match_record`](crate::commands::match_record). Standings, and what is to be played next, depend on the plan and
//! on the matches that came to an end, and on nothing else: a tournament that was broken off goes on where it was.

pub(crate) mod page;
pub(crate) mod results;
pub(crate) mod schedule;
pub(crate) mod standings;

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

/// A match of the plan.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Fixture {
    /// An index of [`Plan::games`].
    pub(crate) game: usize,
    pub(crate) round: u32,
    /// Indices of [`Plan::players`], the smaller first: two, or one where a game has one seat.
    pub(crate) players: Vec<usize>,
}

/// Whether a role is played by nobody: its moves are chance.
pub(crate) fn is_chance(role: &str) -> bool {
    role.eq_ignore_ascii_case("random")
}
