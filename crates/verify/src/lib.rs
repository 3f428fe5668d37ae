//! Certificates of the values of games, and their checker.

mod averages;
mod certificate;
mod check;
mod fraction;
mod walk;

pub use certificate::{
    AverageClaim, AverageEntry, Certificate, Claim, ClaimEntry, Condition, EquilibriumEntry, FORMAT,
};
pub use check::{HIGHEST_GOAL, Refusal, verify};
pub use fraction::{Fraction, NoFraction};
pub use walk::VerifyOptions;
