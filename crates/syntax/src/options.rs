//! How a text is read.

use crate::{Case, Notation, SyntaxLimits};

/// How to read a text.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The notation; by the content of the text if `None`.
    pub syntax: Option<Notation>,
    /// Whether names that differ only in case are different.
    pub case: Case,
    /// How large the text may be.
    pub limits: SyntaxLimits,
}
