//! GDL text to [`Rules`].
//!
//! ```
//! use gambol_syntax::{ReadOptions, read};
//! let reading = read(b"(role r) (<= terminal (true over))", &ReadOptions::default());
//! assert_eq!(reading.rules.map(|rules| rules.clauses.len()), Some(2));
//! ```

mod comments;
mod diagnosis;
mod lexer;
mod limits;
mod naming;
mod notation;
mod prefix;
mod reading;
mod rules;
mod source;
mod span;
mod symbol;

pub use comments::{Comment, Layout};
pub use diagnosis::{Category, Diagnosis, Severity, has_errors};
pub use limits::SyntaxLimits;
pub use naming::Case;
pub use notation::Notation;
pub use reading::{ReadOptions, Reading, read, read_terms};
pub use rules::{Atom, Clause, Literal, LiteralId, Rules, Term, TermId};
pub use source::Source;
pub use span::Span;
pub use symbol::{Symbol, Symbols, keyword};
