//! Strong solutions layer by layer: all states after so many steps, forward, and their values, backward.
//!
//! This needs little memory: states are keys of few bits (`key_code`), what follows them is made in lanes and made
//! anew on the way back (`bulk`), and a layer that is done lies packed on a shelf (`layer_file`), which may be a
//! folder. It is for games in which a state tells the number of steps that led to it (`potential`); where states
//! return, all of them are kept in mind forward, and solved together backward (`retrograde`). One worker or many do the
//! same (`worker`); what they say to one another goes through an `Exchange`. Who wants counts and no files is served
//! faster by the graph of all states in memory (`successor_graph`).

mod answers;
mod backward;
mod best_play;
mod bounds;
mod bulk;
mod combinations;
mod exchange;
mod forward;
mod gaps;
mod graph_play;
mod groups;
mod key_code;
mod lanes;
mod layer_file;
mod layer_keys;
mod mark;
mod next_layer;
mod packed;
mod plan;
mod potential;
mod retrograde;
mod routing;
mod run;
mod sample;
mod shelf;
mod sorted_cells;
mod strong;
mod successor_graph;
mod symmetries;
mod worker;
mod worth;

#[cfg(test)]
mod tests;

pub use crate::store_error::{Stopped, StoreError};
pub use answers::{Answer, Answers, LayerCounts};
pub(crate) use best_play::ON_AVERAGE;
pub use best_play::{MoveAnswer, StateAnswer, ask, is_chance, solution};
pub use exchange::{Alone, Block, Exchange};
pub use plan::Plan;
pub use run::{LayeredGame, forget, remove_leavings, solve_alone, solve_with};
pub use shelf::{MemoryShelf, Shelf};
pub use strong::{Found, strong, strong_by_graph};
pub use worker::{LayerDone, Setting};
pub(crate) use worth::Fractions;
