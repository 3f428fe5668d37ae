//! [`Net`](gambol_net::Net) and [`Circuit`](gambol_sim::Circuit) to [`Solution`]: the game-theoretic value of a
//! game, with proof.
//!
//! ```
//! use gambol_net::NetBuilder;
//! use gambol_sim::{Circuit, CompileOptions};
//! use gambol_solve::{SolveOptions, solve};
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
//! let solution = solve(&net, &circuit, &SolveOptions::default())?;
//! assert_eq!(solution.values[0].value(), Some(100.into()));
//! assert_eq!(solution.line, [[press]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alpha_beta;
mod certify;
mod chance;
mod checkpoint;
mod circuit_dynamics;
mod dynamics;
mod error;
mod factored;
mod facts;
pub mod layers;
mod limits;
mod listing;
mod matrix_game;
mod observer;
mod planning;
mod portfolio;
mod problem;
mod random_walk;
mod reduction;
mod rounds;
mod shortcuts;
mod simultaneous;
mod solution;
mod store_error;
mod value_iteration;

pub use certify::{NoCertificate, certify};
pub use checkpoint::is_checkpoint;
pub use circuit_dynamics::CircuitDynamics;
pub use dynamics::{Dynamics, Looks, Payoff, Reading};
pub use error::{BadCheckpoint, SolveError};
pub use facts::Ends;
pub use gambol_verify::{Certificate, Fraction};
pub use layers::{strong, strong_by_graph};
pub use limits::{Limits, Unfinished};
pub use listing::observation::{Seen, check_seen};
pub use listing::retrograde::{
    Equilibrium, Forced, constant_sum, forced_values, max_n, secured_values,
};
pub use listing::store::{StateId, Store};
pub use listing::strong::{StateValues, StrongClass, state_values, strong_by_listing};
pub use listing::{Listing, list};
pub use matrix_game::{MatrixSolution, NoMatrixValue, matrix_value};
pub use observer::{Observer, Unobserved};
pub use planning::counting::{BestPlans, NoCount, count_plans};
pub use portfolio::{look_at_all, solve, solve_observed};
pub use problem::{Choice, SolveOptions};
pub use reduction::symmetry::{Automorphism, automorphisms, symmetries};
pub use shortcuts::{Shortcuts, Use};
pub use solution::{Bounds, Meaning, Method, Solution};
