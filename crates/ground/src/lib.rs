//! [`Rules`](gambol_syntax::Rules) to a [`GroundGame`]: nothing after this crate sees a variable.

mod formulas;
mod ground_game;
mod names;

pub use formulas::{Formula, FormulaId, Formulas, Signal};
pub use ground_game::{FluentId, Goal, GroundGame, Move, MoveId, Percept, RoleId, View};
pub use names::{AtomName, GroundTerm, Names};
