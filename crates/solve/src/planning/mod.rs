//! Planning, for one player: a way to a goal, by search or by satisfiability.

pub(crate) mod breadth_first;
pub(crate) mod checkpoint;
pub(crate) mod counting;
pub(crate) mod depth_first;
pub(crate) mod goal_directed;
pub(crate) mod keeper;
mod relaxed_reachability;
pub(crate) mod satisfiability;
