//! The value of a game: what the players get when all play best, with proof.

mod alpha_beta;
mod certify;
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

pub use certify::{NoCertificate, certify};
pub use checkpoint::is_checkpoint;
pub use circuit_dynamics::CircuitDynamics;
pub use dynamics::{Dynamics, Looks, Payoff, Reading};
pub use error::{BadCheckpoint, SolveError};
pub use gambol_verify::{Certificate, Fraction};
pub use layers::strong;
pub use limits::{Limits, Unfinished};
pub use listing::retrograde::{
    Equilibrium, Forced, constant_sum, forced_values, max_n, secured_values,
};
pub use listing::store::{StateId, Store};
pub use listing::strong::{StrongClass, strong_by_listing};
pub use listing::{Listing, list};
pub use matrix_game::{MatrixSolution, NoMatrixValue, matrix_value};
pub use observer::{Observer, Unobserved};
pub use portfolio::{solve, solve_observed};
pub use problem::{Choice, SolveOptions};
pub use reduction::symmetry::{Automorphism, automorphisms, symmetries};
pub use shortcuts::{Shortcuts, Use};
pub use solution::{Bounds, Meaning, Method, Solution};
