//! The variables of a game: groups of fluents with one value at a time, and those that run by themselves.

pub(crate) mod clock;
pub(crate) mod independent;
pub(crate) mod term;
pub(crate) mod unit;
