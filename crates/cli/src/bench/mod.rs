//! What the benchmark measures against, and how it knows that the answers are right.

pub(crate) mod calibration;
pub(crate) mod sample;
pub(crate) mod ways;
