//! A net reduced to gates, phase by phase, and written as straight-line code over slots.

pub(crate) mod code;
pub(crate) mod hold;
pub(crate) mod layout;
pub(crate) mod phase;
pub(crate) mod phases;
pub(crate) mod reduce;
pub(crate) mod source;
