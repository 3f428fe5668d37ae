//! Rounds: methods alternate, and none loses its work.
//!
//! After its first round a method lets the others have theirs before it continues. Rounds are counted in nodes and in
//! bytes of states, never in time, so that the same game is solved by the same method whatever else the machine does.
//!
//! A method whose first round is over lets the others have theirs before it goes on where it was.
//! Rounds are counted in nodes and in bytes of states, never in time, so that the same game is solved
//! by the same method whatever else the machine has to do.

use crate::{Observer, Solution, SolveError};

/// What a method says in the end.
pub(crate) type Found = Result<Solution, SolveError>;

/// What the others find in their round, if they find anything.
pub(crate) type Others<'o> = dyn FnMut(&mut dyn Observer) -> Option<Found> + 'o;

/// There are no others.
pub(crate) fn nobody(_: &mut dyn Observer) -> Option<Found> {
    None
}
