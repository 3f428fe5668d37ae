//! What is written down of matches, and read back.

pub(crate) mod match_record;
pub(crate) mod tournament_plan;
pub(crate) mod trace;
