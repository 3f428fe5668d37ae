//! Many workers solve one game: threads of one process, and processes that speak over a network.
//!
//! The work is that of [`LayeredGame::work`]; here are the roads between the workers. Blocks are exchanged and
//! rounds are ended by timely dataflow (`fabric`, the only file that names it). Processes find one another by a
//! list of addresses, and check that they are of one mind before anything is done (`greeting`). When a process is
//! lost all others end; what they had finished is in their stores.
//!
//! Nothing is encrypted, and whoever knows the secret is believed: this is for closed networks.
//!
//! [`LayeredGame::work`]: gambol_solve::layers::LayeredGame::work

mod fabric;
mod greeting;
mod team;
mod watcher;

pub use greeting::{Connected, GreetingError, Hosts, connect};
pub use team::{Job, Team, work_together};
pub use watcher::Watcher;
