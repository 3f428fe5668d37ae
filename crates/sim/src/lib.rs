//! [`Net`](gambol_net::Net) to [`Circuit`]: games as logic gates, run many at a time.
//!
//! Bit `i` of every word belongs to game `i`, so one AND instruction evaluates a gate in up to 512
//! games. [`playouts`] plays random games that way; an [`Evaluator`] answers questions about single
//! states.
//!
//! ```
//! use gambol_net::NetBuilder;
//! use gambol_sim::{Amount, Circuit, CompileOptions, Evaluator, PlayoutOptions, playouts};
//!
//! // A lamp that one player may light; the game is over when it is lit.
//! let mut net = NetBuilder::new();
//! let player = net.role("player");
//! let lit = net.fluent("lit");
//! let (press, rest) = (net.action(player, "press"), net.action(player, "rest"));
//! let (lit_now, pressed, always) = (net.truth(lit), net.does(press), net.constant(true));
//! let stays_lit = net.or([lit_now, pressed]);
//! net.next(lit, stays_lit);
//! net.legal(press, always);
//! net.legal(rest, always);
//! net.terminal(lit_now);
//! let circuit = Circuit::compile(&net.finish()?, &CompileOptions::default())?;
//!
//! let mut evaluator = Evaluator::new(&circuit);
//! let start = circuit.initial();
//! assert_eq!(evaluator.legal(&start), [press, rest]);
//! let after = evaluator.next(&start, &[press]);
//! assert!(evaluator.terminal(&after));
//!
//! let options = PlayoutOptions { amount: Amount::Playouts(1_000), ..PlayoutOptions::default() };
//! let tally = playouts(&circuit, &options);
//! assert_eq!(tally.playouts, 1_000);
//! assert!((tally.mean_length() - 2.0).abs() < 0.3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod circuit;
mod compile;
#[cfg(test)]
mod differential;
mod engine;
mod error;
pub mod hints;
mod playouts;
mod query;

pub use circuit::{Circuit, CompileOptions, Goal};
pub use engine::batch::GateCounts;
pub use engine::{Code, Width};
pub use error::SimError;
pub use gambol_net::State;
pub use playouts::bias::Bias;
pub use playouts::tally::{GoalCount, Tally};
pub use playouts::{Amount, PlayoutOptions, playouts};
pub use query::evaluator::Evaluator;
pub use query::expand::{Expansion, Successor};
pub use query::rollouts::{Answers, Returns, Rollouts, Start};
pub use query::successors::{Successors, Wanted};
pub use query::sweep::{Slots, Sweep};
pub use query::transpose::transpose;
