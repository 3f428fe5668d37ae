//! Monte-Carlo tree search.

pub(crate) mod batch;
pub(crate) mod bounds;
pub(crate) mod history;
pub(crate) mod look_ahead;
pub(crate) mod oracle;
pub(crate) mod regret;
pub(crate) mod report;
pub(crate) mod selection;
pub(crate) mod settled;
pub(crate) mod together;
pub(crate) mod tree;
pub(crate) mod tree_search;
pub(crate) mod turns;
