//! Proof of a cut, counterexamples in play, and witnesses that it is the finest.

pub(crate) mod bounded_runs;
pub(crate) mod certificate;
pub(crate) mod closure;
pub(crate) mod finest;
pub(crate) mod idle;
pub(crate) mod lossless_join;
pub(crate) mod prover;
pub(crate) mod refinement;
pub(crate) mod refutation;
pub(crate) mod score_counterexample;
pub(crate) mod score_square;
pub(crate) mod scores;
pub(crate) mod stages;
