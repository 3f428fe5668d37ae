//! Attacks on the checker: nothing that is false may be accepted.

mod games;
mod kinds;
mod lies;
mod mutants;
mod random;
mod truth;
mod write;
