//! A slow, obviously right interpreter of GDL rules.
//!
//! It evaluates the rules for one state at a time, bottom-up, and shares nothing with the way to
//! the net: it is the judge of the faster engines, and plays the games that cannot be grounded.

mod budget;
mod calls;
mod error;
mod estimate;
mod evaluation;
mod explore;
mod finding;
mod fixpoint;
mod inspect;
mod interpreter;
mod join;
mod model;
mod plan;
mod playout;
mod program;
mod random;
mod state;
mod strata;
mod table;
mod terms;
mod text;
mod unify;
mod well_formed;

pub use budget::Budget;
pub use error::ReferenceError;
pub use finding::{Fault, Finding};
pub use interpreter::Interpreter;
pub use playout::{Ending, Playout};
pub use state::State;
pub use terms::GroundTerm;
pub use well_formed::{WellFormed, WellFormedOptions, explore, well_formed};
