//! [`GroundGame`](gambol_ground::GroundGame) to [`Net`]: the propositional net of a game, simplified,
//! marked and drawn.
//!
//! ```
//! use gambol_net::{NetEngine, Statistics, build, simplify};
//! let rules = b"(role player) (init dark)
//!     (<= (legal player press) (true dark))
//!     (<= (next lit) (does player press))
//!     (<= terminal (true lit))
//!     (<= (goal player 100) (true lit))";
//! let rules = gambol_syntax::read(rules, &Default::default()).rules.ok_or("does not parse")?;
//! let ground = gambol_ground::instantiate(&rules, &Default::default())?;
//! let net = simplify(&build(&ground)?);
//! assert_eq!(Statistics::of(&net).transitions, 2);
//!
//! let mut engine = NetEngine::new(&net);
//! let start = engine.initial();
//! let press = engine.legal(&start);
//! let end = engine.next(&start, &press);
//! assert!(engine.terminal(&end));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod builder;
mod diagram;
mod dot;
mod draft;
mod engine;
mod error;
mod evaluate;
mod frame;
mod marking;
mod net;
mod order;
mod query;
mod renumber;
pub mod rewrite;
mod state;
mod statistics;
mod svg;

pub use build::build;
pub use builder::NetBuilder;
pub use diagram::{Detail, PartColours, PictureOptions};
pub use dot::{dot, dot_with};
pub use draft::Wire;
pub use engine::NetEngine;
pub use error::NetError;
pub use evaluate::{
    Lanes, Ternary, Value, evaluate, gate_value, possible_after, possible_given, possible_values,
};
pub use gambol_ground::{AtomName, FluentId, Move, MoveId, Names, RoleId, When};
pub use marking::{BaseMarking, Marking};
pub use net::{Gate, GateId, GoalGate, Net, PerceptGate, ViewGate};
pub use query::{Condition, NotIsomorphic, Readers, Supports, isomorphic};
pub use rewrite::{Rewrites, simplify, simplify_with};
pub use state::State;
pub use statistics::Statistics;
pub use svg::{PART_HUES, escaped, picture_style, svg, svg_with};

/// The code of the guide compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/propositional-nets.md")]
struct Guide;
