//! How large a text may be. Hostile input is refused early and with its own category.

/// Limits of a reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxLimits {
    /// Bytes of the text.
    pub size: usize,
    /// Parentheses (or negation signs) inside one another.
    pub depth: usize,
    /// Arguments of one term, conditions of one rule.
    pub arity: usize,
    /// Characters of one name.
    pub token: usize,
    /// Roles.
    pub roles: usize,
    /// Findings of one category that are reported.
    pub findings: usize,
}

impl Default for SyntaxLimits {
    fn default() -> Self {
        Self { size: 4 << 20, depth: 1000, arity: 1000, token: 1024, roles: 64, findings: 1000 }
    }
}
