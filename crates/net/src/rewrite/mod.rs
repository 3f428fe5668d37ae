//! Nets to smaller nets that give the same answers.
//!
//! Each file holds one simplification: it takes a net and returns a new one with the same fluents,
//! moves and names. Views survive; several may come to name one gate.

mod constants;
mod copy;
mod duplicates;
mod fixed;
mod flatten;
mod from_state;
mod unobserved;

pub use constants::fold_constants;
pub use duplicates::merge_duplicates;
pub use fixed::{Fixed, find_fixed, replace_fixed};
pub use flatten::flatten;
pub use from_state::from_state;
pub use unobserved::{Views, drop_unobserved};

use crate::Net;

/// All simplifications that hold in every state and keep every view.
pub fn simplify(net: &Net) -> Net {
    // No builder leaves duplicates behind, and copying merges those that a rewrite lays bare.
    flatten(&fold_constants(net))
}
