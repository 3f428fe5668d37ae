//! Which variables depend on one another: by the rules, by play, by the lossless join of their moves.

pub(crate) mod lossless_join;
pub(crate) mod sampled;
pub(crate) mod series;
pub(crate) mod structural;
pub(crate) mod unreached;
