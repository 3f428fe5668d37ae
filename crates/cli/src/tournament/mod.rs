//! Tournaments: several players, several games, every match written down.
//!
//! The file of a tournament begins with its plan; then follow its matches, one after the other, in the form of
//! [`match_record`](crate::records::match_record). Standings, and what is to be played next, depend on the plan and
//! on the matches that came to an end, and on nothing else: a tournament that was broken off goes on where it was.

pub(crate) mod page;
pub(crate) mod results;
pub(crate) mod schedule;
pub(crate) mod standings;

/// A match of the plan.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Fixture {
    /// An index of the games of the plan.
    pub(crate) game: usize,
    pub(crate) round: u32,
    /// Indices of its players, the smaller first: two, or one where a game has one seat.
    pub(crate) players: Vec<usize>,
}

/// Whether a role is played by nobody: its moves are chance.
pub(crate) fn is_chance(role: &str) -> bool {
    role.eq_ignore_ascii_case("random")
}
