//! What the goals and the end of the game ask of the parts.

pub(crate) mod composition;
pub(crate) mod joins;
pub(crate) mod score_form;
pub(crate) mod step_limit;
pub(crate) mod subgoal;
pub(crate) mod termination;
pub(crate) mod thresholds;
