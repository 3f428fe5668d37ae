//! Goal regression over automata: exact policies without listing states.
//!
//! ```
//! use gambol_regress::{Family, Limits, Preferences, read_automaton, regress_classes};
//!
//! let text = Family::named("nim", &[2, 2])?.text();
//! let automaton = read_automaton(&text)?;
//! let preferences = Preferences::of(&automaton, false);
//! let found = regress_classes(&automaton, &preferences, false, &Limits::default(), &mut |_| ());
//! let value = found.value.expect("there was no limit");
//! assert_eq!(&*automaton.outcomes[value.outcome].name, "B-wins");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod automaton;
mod build;
mod class;
mod cover;
mod cube;
mod diagram;
mod exhaustive;
mod explain;
mod file;
mod generate;
mod limits;
mod potential;
mod published;
mod solve;
mod value;

pub use automaton::{
    AgentId, Automaton, Node, NodeId, NodeKind, Outcome, OutcomeId, Transition, TransitionId,
    Variable,
};
pub use class::{Class, ClassRef, ClassStore, ExclusionId, ListId};
pub use cube::{Cube, Layout, ValueIndex, VariableId};
pub use diagram::{
    DiagramError, Fixpoint, Layered, regress_in_layers, regress_to_fixpoint, variable_order,
};
pub use exhaustive::{Exhaustive, ExhaustiveError, Listed, Unsettled};
pub use file::{FileError, Problem, read_automaton, to_text};
pub use generate::{Family, FamilyError};
pub use limits::{Halt, Limits, Progress};
pub use potential::Potential;
pub use published::{Published, Tuple, regress_as_published};
pub use solve::{Classes, regress_classes};
pub use value::{Preferences, Value};
