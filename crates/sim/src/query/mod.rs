//! Questions about given states: one at a time, all their successors, or many side by side.

pub(crate) mod evaluator;
pub(crate) mod expand;
pub(crate) mod lanes;
pub(crate) mod rollouts;
pub(crate) mod rows;
pub(crate) mod successors;
pub(crate) mod sweep;
pub(crate) mod transpose;
