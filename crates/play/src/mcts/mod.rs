//! Monte-Carlo tree search.

pub(crate) mod batch;
pub(crate) mod node;
pub(crate) mod proven;
pub(crate) mod selection;
pub(crate) mod tree_search;
