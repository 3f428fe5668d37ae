//! A slow, obviously right interpreter of GDL rules.
//!
//! It evaluates the rules for one state at a time, bottom-up, and shares nothing with the way to
//! the net: it is the judge of the faster engines, and plays the games that cannot be grounded.
//!
//! ```
//! use gambol_reference::Interpreter;
//! use gambol_syntax::{ReadOptions, read};
//!
//! let text = "(role r) (legal r press) (<= (next on) (does r press)) (<= terminal (true on))";
//! let rules = read(text.as_bytes(), &ReadOptions::default()).rules.expect("this parses");
//! let mut game = Interpreter::new(&rules)?;
//! let start = game.initial()?;
//! let legal = game.legal(&start)?;
//! let end = game.next(&start, &[legal[0][0]])?;
//! assert_eq!(game.sorted_texts(end.fluents()), ["on"]);
//! assert!(game.terminal(&end)?);
//! # Ok::<(), gambol_reference::ReferenceError>(())
//! ```
//!
//! Where to read on: [`Interpreter`] has the questions; `model.rs` the layers of tables behind
//! them; `strata.rs` and `fixpoint.rs` the order of evaluation; `order.rs` and `join.rs` how one
//! rule is run; `calls.rs` what happens to relations too large to be listed.

mod access;
mod bindings;
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
mod model;
mod order;
mod plan;
mod playout;
mod program;
mod random;
mod state;
mod step;
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
