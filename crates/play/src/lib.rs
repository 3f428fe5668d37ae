//! Choosing moves against a clock: [`Circuit`](gambol_sim::Circuit) to moves.
//!
//! [`TreeSearch`] is Monte-Carlo tree search with the means of this program: the leaves of a tree are
//! played out hundreds at a time, equal states share a node, every role has its own statistics (so
//! that simultaneous moves need no order), and values that are certain are backed up as such.
//!
//! [`Player`] speaks the match protocol of the field, [`serve`] answers on a port, and [`referee`] is
//! the other side of it.

mod certainty;
mod conditional;
mod contest;
mod descent;
mod expression;
mod factors;
mod heat;
mod incident;
mod local_match;
mod message;
mod mind;
mod node;
mod oracle;
mod part_choice;
mod plain;
mod player;
mod preparation;
mod prepared;
mod reconsider;
mod referee;
mod rounds;
mod server;
mod settings;
mod subgames;
mod tree_search;

pub use factors::Factors;
pub use incident::{Incident, Log};
pub use local_match::{Clock, LocalMatch, local_match, needs_study};
pub use message::Message;
pub use mind::{Decision, Effort, Mind, Reason};
pub use player::{Player, PlayerOptions, Reply};
pub use prepared::Prepared;
pub use referee::{Event, Fault, FaultKind, MatchRecord, MatchTerms, RefereeError, Step, referee};
pub use server::{ServeOptions, serve};
pub use settings::{BadSettings, Settings, Way};
pub use tree_search::{MoveReport, SearchOptions, SearchReport, TreeSearch};

/// The code of the guide compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/playing.md")]
struct Guide;
