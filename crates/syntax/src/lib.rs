//! GDL text to [`Rules`].
//!
//! ```
//! use gambol_syntax::{ReadOptions, read};
//! let reading = read(b"(role r) (<= terminal (true over))", &ReadOptions::default());
//! assert_eq!(reading.rules.map(|rules| rules.clauses.len()), Some(2));
//! ```

mod check;
mod comments;
mod diagnosis;
mod infix;
mod lexer;
mod limits;
mod naming;
mod notation;
mod prefix;
pub mod print;
mod reading;
mod repair;
mod report;
mod rules;
mod source;
mod span;
pub mod stratification;
mod survey;
mod symbol;
mod term_numbers;
mod unify;
mod walk;

pub use check::check;
pub use comments::{Comment, Layout};
pub use diagnosis::{Category, Diagnosis, Severity, has_errors};
pub use limits::SyntaxLimits;
pub use naming::Case;
pub use notation::Notation;
pub use reading::{ReadOptions, Reading, read, read_terms};
pub use repair::{Repaired, repair};
pub use report::{Colour, Parts, render, report};
pub use rules::{Atom, Clause, Literal, LiteralId, Rules, Term, TermId};
pub use source::Source;
pub use span::Span;
pub use symbol::{Symbol, Symbols, keyword};
pub use walk::Condition;
