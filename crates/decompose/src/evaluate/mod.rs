//! Evaluation of a net in many states at once, with two values and with three.

pub(crate) mod lanes;
pub(crate) mod plan;
pub(crate) mod scope;
pub(crate) mod tally;
pub(crate) mod ternary;
