//! The value of a game: what the players get when all play best, with proof.

mod circuit_dynamics;
mod dynamics;
mod error;
mod fraction;
mod limits;
mod listing;
mod matrix_game;
mod one_role;
mod plan;
mod retrograde;
mod several_roles;
mod solution;
mod solve;
mod store;

pub use circuit_dynamics::CircuitDynamics;
pub use dynamics::{Dynamics, Looks};
pub use error::SolveError;
pub use fraction::Fraction;
pub use limits::{Limits, Unfinished};
pub use listing::{Listing, list};
pub use matrix_game::{MatrixSolution, matrix_value};
pub use retrograde::{
    Equilibrium, Forced, NoMatrixValue, constant_sum, forced_values, max_n, secured_values,
};
pub use solution::{Bounds, Meaning, Method, Solution};
pub use solve::{Choice, SolveOptions, solve};
pub use store::{StateId, Store};
