//! The value of a game: what the players get when all play best, with proof.

mod alpha_beta;
mod bits;
mod certificate;
mod certify;
mod certify_listing;
mod checkpoint;
mod circuit_dynamics;
mod depth_first;
mod dynamics;
mod error;
mod factored;
mod facts;
mod fraction;
mod guided;
mod images;
mod keeper;
mod limits;
mod listing;
mod listing_checkpoint;
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
mod retrograde;
mod satisfiability;
mod several_roles;
mod shortcuts;
mod solution;
mod solve;
mod store;
mod strategy_size;
mod strong;
mod symmetry;
mod unfolded;
mod verify;
mod verify_averages;
mod verify_walk;

pub use certificate::{
    AverageClaim, AverageEntry, Certificate, Claim, ClaimEntry, Condition, EquilibriumEntry, FORMAT,
};
pub use certify::{NoCertificate, certify};
pub use checkpoint::{BadCheckpoint, is_checkpoint};
pub use circuit_dynamics::CircuitDynamics;
pub use dynamics::{Dynamics, Looks, Payoff, Reading};
pub use error::SolveError;
pub use fraction::{Fraction, NoFraction};
pub use limits::{Limits, Unfinished};
pub use listing::{Listing, list};
pub use matrix_game::{MatrixSolution, matrix_value};
pub use observer::{Observer, Unobserved};
pub use retrograde::{
    Equilibrium, Forced, NoMatrixValue, constant_sum, forced_values, max_n, secured_values,
};
pub use shortcuts::{Shortcuts, Use};
pub use solution::{Bounds, Meaning, Method, Solution};
pub use solve::{Choice, SolveOptions, solve, solve_observed};
pub use store::{StateId, Store};
pub use strong::{StrongClass, strong};
pub use symmetry::symmetries;
pub use verify::{Refusal, verify};
pub use verify_walk::VerifyOptions;
