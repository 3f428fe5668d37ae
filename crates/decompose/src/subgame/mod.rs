//! A part as a game of its own, and pictures of the parts.

pub(crate) mod gdl;
pub(crate) mod net;
pub(crate) mod phase;
pub(crate) mod picture;
mod time_line;
