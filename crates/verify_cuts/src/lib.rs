//! Certificates of cuts: the parts of a game, their classes of moves, and what is claimed of them, in a form
//! that can be checked without the program that found them.
//!
//! A game with few states is listed with the plain interpreter, and every condition of
//! `docs/decomposition.md` is looked up in all states. Of a larger game the net is taken, which
//! `gambol-net` builds from the rules; each condition is then a question to a satisfiability solver, in
//! clauses that are made here and share nothing with `gambol-analysis` or `gambol-decompose`.

mod by_listing;
mod by_phase;
mod by_questions;
mod certificate;
mod check;
mod condition;
mod cut;
mod formula;
mod listing;
mod options;
mod refusal;
mod refutation;

pub use certificate::{
    CUT_FORMAT, CUT_KIND, Class, Crossing, CutCertificate, Part, Phase, Scores, Threshold,
};
pub use check::{Checked, Means, check_cut, check_cut_by_questions};
pub use condition::{Condition, Gate};
pub use options::CheckOptions;
pub use refusal::CutRefusal;
pub use refutation::Refutation;
