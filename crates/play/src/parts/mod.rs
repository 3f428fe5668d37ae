//! Games that fall into parts, while they are played.

pub(crate) mod composed;
pub(crate) mod factors;
pub(crate) mod online;
pub(crate) mod part_game;
pub(crate) mod reconsider;
pub(crate) mod temperature;
