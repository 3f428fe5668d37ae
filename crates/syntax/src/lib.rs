//! GDL text to [`Rules`].
//!
//! ```
//! use gambol_syntax::{Colour, ReadOptions, Source, check, print, read, report};
//!
//! let text = b"(role r) (legal r go) (goal r 100) (<= terminal (true (at ?x)) (not (wall ?y)))";
//! let reading = read(text, &ReadOptions::default());
//! let rules = reading.rules.expect("the text parses");
//! assert!(print::to_infix(&rules).ends_with("terminal :-\n    true(at(X)) &\n    ~wall(Y)\n"));
//!
//! let findings = check(&rules);
//! let unsafe_variable = findings.iter().find(|finding| finding.is_error()).expect("one error");
//! assert_eq!(unsafe_variable.category.as_str(), "static.unsafe");
//! let shown = report(unsafe_variable, &Source::new(text), "game.kif", Colour::Never);
//! assert!(shown.contains("game.kif:1:75"));
//! ```
//!
//! - [`read`] turns text in either [`Notation`] into rules and reports everything that does not
//!   parse; [`read_terms`] reads single terms.
//! - [`check`] is what an author is told: strict. [`repair`] is what a player reads: lenient, with
//!   a warning for each error that has a second reading.
//! - [`stratification::negative_cycles`] finds where negation may not be stratified.
//! - [`mod@print`] writes rules in either notation, comments kept.
//! - [`occurrences`] says where names stand, and what they name.
//! - [`report()`] shows a finding with its line.

mod check;
mod comments;
mod diagnosis;
mod infix;
mod lexer;
mod limits;
mod names;
mod naming;
mod notation;
mod options;
mod prefix;
pub mod print;
mod reading;
mod repair;
mod report;
mod rules;
mod similar;
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
pub use names::{NameKind, Occurrence, occurrences};
pub use naming::Case;
pub use notation::Notation;
pub use options::ReadOptions;
pub use reading::{Reading, read, read_terms};
pub use repair::{Repaired, repair};
pub use report::{Colour, Parts, render, report};
pub use rules::{Atom, Clause, Literal, LiteralId, Rules, Term, TermId};
pub use similar::{
    abbreviation, are_of_a_series, closest, counterpart, edit_distance, is_similar,
    is_similar_variable, is_slip,
};
pub use source::{Source, shown};
pub use span::Span;
pub use symbol::{Symbol, Symbols, keyword};
pub use unify::may_unify;
pub use walk::Condition;
