//! Reductions: what makes states of a game one, or conditions the same, before they are searched.

pub(crate) mod abstraction;
pub(crate) mod images;
pub(crate) mod minimal_dnf;
pub(crate) mod relevance;
pub(crate) mod symmetry;
