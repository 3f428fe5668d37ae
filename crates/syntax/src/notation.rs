//! The two ways to write a rulesheet, told apart by how the text begins.

/// A way to write rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// `(<= (next p) (true q))`
    Prefix,
    /// `next(p) :- true(q)`
    Infix,
}
