//! Choosing moves against a clock: [`Circuit`](gambol_sim::Circuit) to moves.
//!
//! [`TreeSearch`] is Monte-Carlo tree search with the means of this program: the leaves of a tree are
//! played out hundreds at a time, equal states share a node, every role has its own statistics (so
//! that simultaneous moves need no order), and values that are certain are backed up as such.
//!
//! ```
//! use gambol_net::NetBuilder;
//! use gambol_play::{SearchOptions, TreeSearch};
//! use gambol_sim::{Circuit, CompileOptions};
//!
//! // A lamp, and one step to light it in.
//! let mut net = NetBuilder::new();
//! let player = net.role("player");
//! let (lit, late) = (net.fluent("lit"), net.fluent("late"));
//! let (press, rest) = (net.action(player, "press"), net.action(player, "rest"));
//! let (is_lit, is_late) = (net.truth(lit), net.truth(late));
//! let (pressed, always, dark) = (net.does(press), net.constant(true), net.not(is_lit));
//! net.next(lit, pressed);
//! net.next(late, always);
//! net.legal(press, always);
//! net.legal(rest, always);
//! net.terminal(is_late);
//! net.goal(player, 100, is_lit);
//! net.goal(player, 0, dark);
//! let net = net.finish()?;
//! let circuit = Circuit::compile(&net, &CompileOptions::default())?;
//!
//! let mut search = TreeSearch::new(&net, &circuit, SearchOptions::default());
//! search.search_playouts(200);
//! assert_eq!(search.report(player).moves[0].action, press);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Player`] speaks the match protocol of the field, [`serve`] answers on a port, and [`referee`] is
//! the other side of it.

mod agent;
mod evaluation;
mod learning;
mod local_match;
mod mcts;
mod parts;
mod protocol;
mod puzzle;
mod rating;
#[cfg(test)]
mod testing;
mod worlds;

pub use agent::prepared::Prepared;
pub use agent::settings::{BadSettings, Settings, Way};
pub use agent::{Agent, Decision, Effort, Reason};
pub use evaluation::Evaluation;
pub use local_match::{Clock, LocalMatch, Opinion, local_match, study_for};
pub use mcts::oracle::{Answered, Asked, Oracle};
pub use mcts::report::{MoveReport, SearchReport};
pub use mcts::tree_search::{SearchOptions, TreeSearch};
pub use parts::factors::Factors;
pub use protocol::incident::{Incident, Log};
pub use protocol::message::Message;
pub use protocol::player::{Player, PlayerOptions, Reply};
pub use protocol::referee::{
    Event, Fault, FaultKind, MatchRecord, MatchTerms, RefereeError, Step, referee,
};
pub use protocol::server::{Answering, ServeOptions, serve};
pub use rating::{Encounter, Rating, elo};
pub use worlds::{Guess, Worlds, has_hidden_information, is_chance};

/// The code of the guide compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/playing.md")]
struct Guide;
