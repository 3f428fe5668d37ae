//! Sets of states as decision diagrams.
//!
//! Each variable becomes as many bits as its values need; a set of states is a reduced ordered
//! diagram over the bits, with complemented edges. Regression through a transition is a cofactor.
//! The order of the variables is found from the automaton's structure.

mod compress;
pub(crate) mod cubes;
pub(crate) mod encode;
mod fixpoint;
mod layered;
mod order;
mod returning;
mod sets;
mod table;
mod table_file;

pub use fixpoint::{Fixpoint, regress_to_fixpoint};
pub use layered::{Layered, regress_in_layers};
pub use order::variable_order;
pub use table::{DiagramMethod, DiagramPolicy};
pub use table_file::{DIAGRAM_HEADER, diagram_from_bytes, diagram_to_bytes};
