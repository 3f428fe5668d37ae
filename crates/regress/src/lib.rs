//! Goal regression over automata: exact policies without listing states.
//!
//! ```
//! use gambol_regress::{Family, Options, find_policy, read_automaton};
//!
//! let automaton = read_automaton(&Family::named("nim", &[2, 2])?.text())?;
//! let policy = find_policy(&automaton, &Options::default(), &mut |_| ())?.policy;
//! let value = policy.start_value().expect("there was no limit");
//! assert_eq!(&*automaton.outcomes[value.outcome].name, "B-wins");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod automaton;
mod build;
mod checkpoint;
mod class;
mod cover;
mod cube;
mod diagram;
mod error;
mod exhaustive;
mod explain;
mod features;
mod file;
mod from_game;
mod generate;
mod limits;
mod overlay;
mod policy;
mod policy_file;
mod potential;
mod published;
mod quote;
mod rounds;
mod seal;
mod solve;
mod state_text;
mod threshold;
mod value;

pub use automaton::{
    AgentId, Automaton, Fact, FactPlace, Node, NodeId, NodeKind, Outcome, OutcomeId, Transition,
    TransitionId, Variable,
};
pub use checkpoint::{Checkpoint, CheckpointError, read_checkpoint};
pub use class::{Class, ClassRef, ClassStore, ExclusionId, ListId};
pub use cube::{Cube, Layout, ValueIndex, VariableId};
pub use diagram::{
    DIAGRAM_HEADER, DiagramMethod, DiagramPolicy, Fixpoint, Layered, diagram_from_bytes,
    diagram_to_bytes, regress_in_layers, regress_to_fixpoint, variable_order,
};
pub use error::RegressError;
pub use exhaustive::{Exhaustive, ExhaustiveError, Listed, Unsettled};
pub use features::{Feature, features};
pub use file::{FileError, Problem, read_automaton, to_text};
pub use from_game::{
    GameAutomaton, GameError, Mismatch, Payoff, automaton_of_game, compare_with_circuit,
};
pub use generate::{Family, FamilyError};
pub use limits::{Halt, Limits, Progress};
pub use policy::{Answer, Method, Policy};
pub use policy_file::{POLICY_HEADER, PolicyFileError, policy_from_text, policy_to_text};
pub use potential::Potential;
pub use published::{Published, Tuple, regress_as_published};
pub use solve::{Found, Options, compress, find_policy, find_policy_saving};
pub use state_text::{StateError, read_facts, read_query, read_state};
pub use threshold::{at_least, thresholds};
pub use value::{Preferences, Value};
