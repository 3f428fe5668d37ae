//! Literals: a node of a graph, or its negation.

use std::ops::Not;

/// A node or its negation, in one number. Node 0 is the constant false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Literal(u32);

impl Literal {
    pub(crate) const FALSE: Literal = Literal(0);
    pub(crate) const TRUE: Literal = Literal(1);

    /// The node as it is.
    #[inline]
    pub(crate) const fn of(node: u32) -> Self {
        Literal(node << 1)
    }

    pub(crate) const fn constant(value: bool) -> Self {
        Literal(value as u32)
    }

    #[inline]
    pub(crate) const fn node(self) -> u32 {
        self.0 >> 1
    }

    #[inline]
    pub(crate) const fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Negated if the flag is set.
    #[inline]
    pub(crate) const fn negate_if(self, flag: bool) -> Self {
        Literal(self.0 ^ flag as u32)
    }

    /// A number to index tables by: twice the node, plus one if negated.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Not for Literal {
    type Output = Literal;
    #[inline]
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}
