//! Games that fall into parts, while they are played.

pub(crate) mod factors;
pub(crate) mod part_game;
