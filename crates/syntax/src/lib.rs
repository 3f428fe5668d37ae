//! GDL text to [`Rules`].

mod rules;
mod span;
mod symbol;

pub use rules::{Atom, Clause, Literal, LiteralId, Rules, Term, TermId};
pub use span::Span;
pub use symbol::{Symbol, Symbols, keyword};
