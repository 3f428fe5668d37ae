//! A game taken apart: [`Net`](gambol_net::Net) to [`Decomposition`].
//!
//! A *subgame* is a part of the state that can be looked at alone: what its fluents become depends
//! on these fluents, on which class of moves is played, and on what runs by itself (clocks, turn
//! markers); its classes of moves can be chosen freely whatever is chosen elsewhere; and no winning
//! condition reads several of them at once.
//!
//! The work goes from what is cheap to what is certain:
//!
//! 1. *Playouts* with interventions: in each state met another move is tried as well, so that what a
//!    move causes is seen and need not be guessed from what happens together.
//! 2. *Units*: groups of fluents of which exactly one is true, or single fluents.
//! 3. *Ties* between units: one state is given one unit of another. If that changes what can happen
//!    elsewhere, the two belong together.
//! 4. *Series*: parts of which one is over before the other begins are cut at the crossing point.
//! 5. *Goals* join what a winning condition reads together, or separate what wins alone.
//! 6. *Proof*: the conditions above as questions to a solver, over all states.
//! 7. *Repair*: where lines of play show that a condition fails, the parts concerned are joined and
//!    the proof is tried again.

mod canonical;
mod decompose;
mod decomposition;
mod dependencies;
mod evaluate;
mod explanation;
mod goals;
mod options;
mod partition;
mod parts;
mod phases;
mod prove;
mod relations;
mod sample;
mod subgame;
mod variables;
mod wording;

pub use decompose::{decompose, decompose_in_steps, decompose_with_shape, phases};
pub use decomposition::{
    Basis, Combination, Composition, Counts, CrossingPoint, Decomposition, FoundBy, Line,
    MetaAction, Pays, Phase, Repair, Requirement, RoleInGoal, ScoreForm, Subgame, SubgameId,
    Termination, Tie, TieKind, Times,
};
pub use explanation::{Explanation, Link, explain_fluents};
pub use options::{DecomposeOptions, Method};
pub use prove::certificate::certify_cut;
pub use relations::{Relation, RelationPart, RelationParts, relation_parts};
pub use sample::matrix::{Dependency, DependencyMatrix};
pub use subgame::gdl::write_gdl;
pub use subgame::net::{confined_subgame_net, finite_subgame_net, meta_action_names, subgame_net};
pub use subgame::phase::{phase_entry, phase_net};
pub use subgame::picture::{MATRIX_STYLE, matrix_svg, part_colours};

/// The code of the guide compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/decomposition.md")]
struct Guide;
