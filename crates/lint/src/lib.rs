//! What is odd about rules that are valid: names that look misspelt, conditions that never hold,
//! rules that never apply, fluents that nothing keeps.
//!
//! ```
//! use gambol_ground::{Limits, instantiate_with_extent};
//! use gambol_lint::lint;
//! use gambol_syntax::{ReadOptions, read};
//!
//! let text = "(role r) (init (lamp off)) (legal r press) (<= (next (lamp on)) (does r press))
//!     (<= terminal (true (lmap on))) (<= (goal r 100) (true (lamp on))) (<= (goal r 0) (true (lamp off)))";
//! let rules = read(text.as_bytes(), &ReadOptions::default()).rules.expect("it parses");
//! let (game, extent) = instantiate_with_extent(&rules, &Limits::default())?;
//! let findings = lint(&rules, &[], Some((&game, &extent)));
//! assert_eq!(findings[0].category.as_str(), "warn.never-true");
//! assert_eq!(findings[0].hint.as_deref(), Some("did you mean lamp?"));
//! # Ok::<(), gambol_ground::GroundError>(())
//! ```
//!
//! [`examine`] is the whole check of a text, from its letters to a few games. What [`lint`] says is
//! always a warning. One cause makes one finding: what follows from a misspelt name is
//! not reported beside it. What grounding has found says too much, never too little, so "never" is
//! meant: no state that can be reached, and perhaps none beyond.

mod blame;
mod chains;
mod constant;
mod constants;
mod dead;
mod duplicates;
mod examination;
mod exchanged;
mod explanation;
mod forgotten;
mod frame;
mod keywords;
mod misspelt;
mod never;
mod notes;
mod omissions;
mod strangers;
mod variables;

pub use examination::{Examination, Finding, examine};
pub use explanation::{example_game, explain, explanations};
pub use keywords::keyword_meaning;

use gambol_ground::{Extent, GroundGame};
use gambol_syntax::{Diagnosis, Rules};

use crate::notes::Notes;

/// All findings, in the order of the text, beside those of the strict check that are `known`. Without
/// the ground game only what the text shows.
pub fn lint(
    rules: &Rules,
    known: &[Diagnosis],
    grounded: Option<(&GroundGame, &Extent)>,
) -> Vec<Diagnosis> {
    let mut notes = Notes::beside(rules, known);
    variables::look(rules, &mut notes);
    misspelt::look(rules, &mut notes);
    chains::look(rules, &mut notes);
    exchanged::look(rules, &mut notes);
    if let Some((_, extent)) = grounded
        && extent.is_complete()
    {
        never::look(rules, extent, &mut notes);
    }
    constants::look(rules, &mut notes);
    omissions::look(rules, &mut notes);
    if let Some((game, extent)) = grounded {
        strangers::look(rules, game, extent, &mut notes);
        dead::look(rules, extent, &mut notes);
        constant::look(rules, game, extent, &mut notes);
        frame::look(rules, game, &mut notes);
    }
    duplicates::look(rules, &mut notes);
    notes.into_diagnoses()
}
