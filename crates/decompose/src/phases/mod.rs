//! Phases: play that is divided by crossing points, so that the same fluents may belong to other parts later.

pub(crate) mod crossing;
pub(crate) mod interface;
pub(crate) mod proof;
