//! Choosing moves against a clock: [`Circuit`](gambol_sim::Circuit) to moves.
//!
//! [`TreeSearch`] is Monte-Carlo tree search with the means of this program: the leaves of a tree are
//! played out hundreds at a time, equal states share a node, every role has its own statistics (so
//! that simultaneous moves need no order), and values that are certain are backed up as such.
//!
//! [`Player`] speaks the match protocol of the field, [`serve`] answers on a port, and [`referee`] is
//! the other side of it.

mod contest;
mod expression;
mod message;
mod mind;
mod node;
mod player;
mod preparation;
mod referee;
mod server;
mod tree_search;

pub use message::Message;
pub use player::{Player, PlayerOptions, Reply};
pub use referee::{Fault, FaultKind, MatchRecord, MatchTerms, RefereeError, Step, referee};
pub use server::{ServeOptions, serve};
pub use tree_search::{MoveReport, SearchOptions, SearchReport, TreeSearch};
