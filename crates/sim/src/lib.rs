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

mod batch;
mod bias;
mod blocks;
mod choice;
mod circuit;
mod clock;
mod code;
#[cfg(test)]
mod differential;
mod draw;
mod engine;
mod error;
mod evaluator;
mod expand;
pub mod hints;
mod hold;
mod interval;
mod lanes;
mod layout;
#[cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux")))]
mod machine;
#[cfg(not(any(
    all(target_arch = "x86_64", unix),
    all(target_arch = "aarch64", target_os = "linux")
)))]
#[path = "no_machine.rs"]
mod machine;
mod phase;
mod phases;
mod playouts;
mod random;
mod reduce;
mod rollouts;
mod simulator;
mod single;
mod source;
mod state;
mod steps;
mod successors;
mod sweep;
mod table;
mod tally;
mod word;

pub use bias::Bias;
pub use circuit::{Circuit, CompileOptions, GateCounts, Goal};
pub use error::SimError;
pub use evaluator::Evaluator;
pub use expand::{Expansion, Successor};
pub use lanes::transpose;
pub use playouts::{Amount, Code, PlayoutOptions, Width, playouts};
pub use rollouts::{Returns, Rollouts, Start};
pub use state::State;
pub use successors::{Successors, Wanted};
pub use sweep::{Slots, Sweep};
pub use tally::{GoalCount, Tally};
