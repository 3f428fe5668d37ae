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

use crate::diagnosis::Findings;
use crate::survey::Survey;
use crate::{Diagnosis, Rules, SyntaxLimits, stratification};

/// All static findings, in the order of the text.
pub fn check(rules: &Rules) -> Vec<Diagnosis> {
    let survey = Survey::of(rules);
    let mut findings = Findings::new(SyntaxLimits::default().findings);
    connectives::check(rules, &mut findings);
    keywords::check(rules, &mut findings);
    roles::check(&survey, &mut findings);
    dependence::check(&survey, &mut findings);
    arities::check(rules, &mut findings);
    safety::check(rules, &mut findings);
    recursion::check(&survey, &mut findings);
    relations::check(&survey, &mut findings);
    spelling::check(rules, &mut findings);
    stratification::warn(&survey, &mut findings);
    findings.into_sorted()
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
