//! Running a whole collection of rulesheets, one process each.

pub(crate) mod child;
pub(crate) mod listing;
pub(crate) mod record;
pub(crate) mod store;
