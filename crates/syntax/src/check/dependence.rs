//! What may depend on the state and the moves: `init`, `base`, `input` and `role` on neither,
//! `legal`, `goal` and `terminal` on the state alone.

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::Survey;
use crate::{Category, Diagnosis, Symbol, keyword};

pub(super) const STATE: (Symbol, usize) = (keyword::TRUE, 1);
pub(super) const MOVES: (Symbol, usize) = (keyword::DOES, 2);

pub(super) fn check(survey: &Survey<'_>, findings: &mut Findings) {
    let on_match = survey.reaching(&[STATE, MOVES]);
    let on_moves = survey.reaching(&[MOVES]);
    for condition in &survey.uses {
        let Some(head) = survey.heads[condition.clause] else { continue };
        let (relation, arity) = survey.relations[head];
        if crate::survey::keyword_arity(relation) != Some(arity) {
            continue;
        }
        let (forbidden, category, what) = match relation {
            keyword::INIT | keyword::BASE | keyword::INPUT | keyword::ROLE => {
                (&on_match, Category::InitDepends, "the state or the moves")
            }
            keyword::LEGAL | keyword::GOAL | keyword::TERMINAL => {
                (&on_moves, Category::DoesDependence, "the moves")
            }
            _ => continue,
        };
        if forbidden[condition.relation] {
            let atom = survey.atom(condition);
            let head = survey.rules.symbols.text(relation);
            let cause = shown(survey.rules.symbols.text(atom.relation));
            let direct = matches!(atom.relation, keyword::TRUE | keyword::DOES);
            let message = if direct {
                format!("{head} may not depend on {what}, so it cannot ask for {cause}")
            } else {
                format!("{head} may not depend on {what}, and {cause} depends on them")
            };
            findings.add(Diagnosis::error(category, atom.span, message));
        }
    }
}
