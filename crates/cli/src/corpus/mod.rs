//! Running a whole collection of rulesheets, one process each.

pub(crate) mod chart;
pub(crate) mod child;
pub(crate) mod labels;
pub(crate) mod listing;
pub(crate) mod published;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod store;
