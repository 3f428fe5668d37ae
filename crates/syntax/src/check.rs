//! The strict check: what an author is told about rules that parse.
//!
//! Everything here looks at the rules alone, before grounding. Negation that may not be stratified
//! is left to [`stratification::negative_cycles`](crate::stratification::negative_cycles), because
//! only the ground rules decide it.

mod arities;
mod connectives;
mod dependence;
mod keywords;
mod recursion;
mod relations;
mod roles;
pub(crate) mod safety;
mod spelling;

use crate::diagnosis::sort;
use crate::survey::Survey;
use crate::{Diagnosis, Rules, stratification};

/// All static findings, in the order of the text.
pub fn check(rules: &Rules) -> Vec<Diagnosis> {
    let survey = Survey::of(rules);
    let mut diagnoses = Vec::new();
    connectives::check(rules, &mut diagnoses);
    keywords::check(rules, &mut diagnoses);
    roles::check(&survey, &mut diagnoses);
    dependence::check(&survey, &mut diagnoses);
    arities::check(rules, &mut diagnoses);
    safety::check(rules, &mut diagnoses);
    recursion::check(&survey, &mut diagnoses);
    relations::check(&survey, &mut diagnoses);
    spelling::check(rules, &mut diagnoses);
    stratification::warn(&survey, &mut diagnoses);
    sort(&mut diagnoses);
    diagnoses
}

/// All atoms: each clause's head and its conditions, in the order of the text. `true` marks heads.
fn atoms(rules: &Rules) -> impl Iterator<Item = (&crate::Atom, bool)> {
    rules.clauses.iter().flat_map(move |clause| {
        let conditions = rules.conditions(&clause.body).filter_map(move |condition| {
            match rules.literal(condition.literal) {
                crate::Literal::Atom(atom) => Some((atom, false)),
                _ => None,
            }
        });
        std::iter::once((&clause.head, true)).chain(conditions)
    })
}

/// The atoms that are no mistake in themselves.
fn proper_atoms(rules: &Rules) -> impl Iterator<Item = (&crate::Atom, bool)> {
    atoms(rules).filter(|(atom, _)| !crate::survey::is_mistaken(rules, atom.relation))
}
