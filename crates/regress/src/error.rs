//! Reasons why an automaton cannot be solved.

use crate::exhaustive::Unsettled;
use crate::limits::Halt;

/// Why an automaton cannot be solved.
#[derive(Debug, thiserror::Error)]
pub enum RegressError {
    /// A limit was met.
    #[error(transparent)]
    Halt(#[from] Halt),
    /// Play can return, and values are not defined.
    #[error(transparent)]
    Unsettled(#[from] Unsettled),
    /// Distances that this backend does not count.
    #[error(
        "distances by diagrams need two opposed sides with at most one outcome better than endless \
         play and one worse; use --backend classes"
    )]
    Distances,
    /// A state is met in play in which nothing can be done.
    #[error(
        "play reaches a state in which nothing can be done: {0}; every state that is met must have \
         a transition whose guard holds"
    )]
    Stuck(String),
    /// Layers need an end.
    #[error("play can go on for ever: there are no layers, only a fixpoint")]
    Endless,
}

impl From<oxidd::error::OutOfMemory> for RegressError {
    fn from(_: oxidd::error::OutOfMemory) -> Self {
        RegressError::Halt(Halt::Memory)
    }
}
