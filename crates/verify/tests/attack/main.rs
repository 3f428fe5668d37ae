//! Attacks on the checker: nothing that is false may be accepted.

mod games;
mod kinds;
mod mutants;
mod random;
mod truth;
mod write;
