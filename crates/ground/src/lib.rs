//! [`Rules`](gambol_syntax::Rules) to a [`GroundGame`]: nothing after this crate sees a variable.
//!
//! Two passes (module names in brackets). *Reach* finds every atom that can hold in a reachable
//! state, and perhaps more \[reach\]; *Emit* joins every rule once over the finished tables and turns
//! each match into a gate of one hash-consed graph \[emit\]. In both, long bodies are first split
//! into trees of small ones \[split\]. Whatever is not needed for right answers is one of the
//! [`Shortcuts`].

mod assemble;
mod auxiliary;
mod cost;
mod demand;
mod dependence;
mod emit;
mod error;
mod evaluate;
mod extent;
mod family;
mod formulas;
mod ground_game;
mod ids;
mod instantiate;
mod join;
mod limits;
mod names;
mod normal;
mod program;
mod reach;
mod relation;
mod shortcuts;
mod split;
mod tables;
mod unfold;

pub use error::GroundError;
pub use extent::{Extent, Row, Table};
pub use formulas::{Formula, FormulaId, Formulas, Signal};
pub use ground_game::{Goal, GroundGame, Move, Percept, View};
pub use ids::{FluentId, MoveId, RoleId};
pub use instantiate::{instantiate, instantiate_with, instantiate_with_extent};
pub use limits::Limits;
pub use names::{AtomName, GroundTerm, Names};
pub use shortcuts::{Shortcuts, When};
pub(crate) use tables::RelationTables;
