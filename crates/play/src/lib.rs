//! Choosing moves against a clock: [`Circuit`](gambol_sim::Circuit) to moves.
//!
//! [`TreeSearch`] is Monte-Carlo tree search with the means of this program: the leaves of a tree are
//! played out hundreds at a time, equal states share a node, every role has its own statistics (so
//! that simultaneous moves need no order), and values that are certain are backed up as such.
//!
//! [`Player`] speaks the match protocol of the field, [`serve`] answers on a port, and [`referee`] is
//! the other side of it.

mod agent;
mod local_match;
mod mcts;
mod parts;
mod protocol;
mod worlds;

pub use agent::prepared::Prepared;
pub use agent::settings::{BadSettings, Settings, Way};
pub use agent::{Agent, Decision, Effort, Reason};
pub use local_match::{Clock, LocalMatch, local_match, needs_study};
pub use mcts::tree_search::{MoveReport, SearchOptions, SearchReport, TreeSearch};
pub use parts::factors::Factors;
pub use protocol::incident::{Incident, Log};
pub use protocol::message::Message;
pub use protocol::player::{Player, PlayerOptions, Reply};
pub use protocol::referee::{
    Event, Fault, FaultKind, MatchRecord, MatchTerms, RefereeError, Step, referee,
};
pub use protocol::server::{ServeOptions, serve};
pub use worlds::{Guess, Worlds, has_hidden_information, is_chance};

/// The code of the guide compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/playing.md")]
struct Guide;
