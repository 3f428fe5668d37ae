//! Sets of states as decision diagrams.
//!
//! Each variable becomes as many bits as its values need; a set of states is a reduced ordered
//! diagram over the bits, with complemented edges. Regression through a transition is a cofactor.
//! The order of the variables is found from the automaton's structure.

mod encode;
mod fixpoint;
mod layered;
mod order;
mod sets;

pub use fixpoint::{Fixpoint, regress_to_fixpoint};
pub use layered::{Layered, regress_in_layers};
pub use order::variable_order;

use crate::exhaustive::Unsettled;
use crate::limits::Halt;

/// Why diagrams could not be built.
#[derive(Debug, thiserror::Error)]
pub enum DiagramError {
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
    /// Layers need an end.
    #[error("play can go on for ever: there are no layers, only a fixpoint")]
    Endless,
}

impl From<oxidd::error::OutOfMemory> for DiagramError {
    fn from(_: oxidd::error::OutOfMemory) -> Self {
        DiagramError::Halt(Halt::Memory)
    }
}
