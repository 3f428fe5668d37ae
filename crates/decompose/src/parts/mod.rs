//! Variables put together to parts: the cut, its classes of moves, clocks and derived variables.

pub(crate) mod assemble;
pub(crate) mod by_reading;
pub(crate) mod clock_assignment;
pub(crate) mod cut;
pub(crate) mod derived;
pub(crate) mod grouping;
pub(crate) mod meta_action;
