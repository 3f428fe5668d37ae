//! Random play with interventions, and what moves do in the states that it meets.

pub(crate) mod interventions;
pub(crate) mod matrix;
pub(crate) mod outcome;
pub(crate) mod trail;
