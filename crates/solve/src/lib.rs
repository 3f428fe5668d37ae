//! The value of a game: what the players get when all play best, with proof.

mod alpha_beta;
mod bits;
mod certify;
mod certify_listing;
mod checkpoint;
mod circuit_dynamics;
mod depth_first;
mod dynamics;
mod error;
mod factored;
mod facts;
mod guided;
mod images;
mod keeper;
mod limits;
mod listing;
mod matrix_game;
mod mixed;
mod observer;
mod one_role;
mod pace;
mod plan;
mod plan_checkpoint;
mod prospects;
mod random_walk;
mod reduced;
mod residue;
mod satisfiability;
mod several_roles;
mod shortcuts;
mod solution;
mod solve;
mod symmetry;
mod unfolded;

pub use certify::{NoCertificate, certify};
pub use checkpoint::{BadCheckpoint, is_checkpoint};
pub use circuit_dynamics::CircuitDynamics;
pub use dynamics::{Dynamics, Looks, Payoff, Reading};
pub use error::SolveError;
pub use gambol_verify::{Certificate, Fraction};
pub use limits::{Limits, Unfinished};
pub use listing::retrograde::{
    Equilibrium, Forced, NoMatrixValue, constant_sum, forced_values, max_n, secured_values,
};
pub use listing::store::{StateId, Store};
pub use listing::strong::{StrongClass, strong};
pub use listing::{Listing, list};
pub use matrix_game::{MatrixSolution, matrix_value};
pub use observer::{Observer, Unobserved};
pub use shortcuts::{Shortcuts, Use};
pub use solution::{Bounds, Meaning, Method, Solution};
pub use solve::{Choice, SolveOptions, solve, solve_observed};
pub use symmetry::symmetries;
