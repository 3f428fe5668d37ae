//! The recursion restriction, which keeps the model finite although terms have functions.
//!
//! In a rule whose head `h` is recursive, each argument of a positive condition on a relation that
//! is mutually recursive with `h` must be ground, be an argument of the head, or be an argument of
//! a positive condition on some other relation.

use crate::survey::{Survey, Use};
use crate::{Category, Diagnosis, Literal, LiteralId, Rules, TermId};

pub(super) fn check(survey: &Survey<'_>, diagnoses: &mut Vec<Diagnosis>) {
    for clause in 0..survey.rules.clauses.len() {
        let Some(head) = survey.heads[clause] else { continue };
        let component = survey.component(head);
        let uses = survey.uses_of(clause);
        let recursive = |condition: &&Use| {
            !condition.negated && survey.component(condition.relation) == component
        };
        if uses.iter().any(|condition| recursive(&condition)) && survey.is_recursive(head) {
            check_rule(survey, clause, diagnoses);
        }
    }
}

fn check_rule(survey: &Survey<'_>, clause: usize, diagnoses: &mut Vec<Diagnosis>) {
    let rules = survey.rules;
    let head = &rules.clauses[clause].head;
    let positive = positive_atoms(rules, &rules.clauses[clause].body);
    let component = survey.heads[clause].map(|head| survey.component(head));
    let (same, other): (Vec<_>, Vec<_>) = positive.into_iter().partition(|place| {
        survey.find_use(place.literal).map(|relation| survey.component(relation)) == component
    });
    for recursive in &same {
        let Literal::Atom(atom) = rules.literal(recursive.literal) else { continue };
        for &argument in &atom.arguments {
            let in_head = head.arguments.iter().any(|&term| rules.same_term(term, argument));
            let bounded = in_head
                || is_ground(rules, argument)
                || other.iter().any(|place| bounds(rules, place, recursive, argument));
            if !bounded {
                diagnoses.push(unbounded(rules, argument));
            }
        }
    }
}

fn unbounded(rules: &Rules, argument: TermId) -> Diagnosis {
    let message = "nothing bounds this argument of a recursive condition";
    Diagnosis::error(Category::Recursion, rules.term_span(argument), message)
        .with_hint("add a condition on a relation outside the recursion that names its values")
}

fn is_ground(rules: &Rules, term: TermId) -> bool {
    rules.variables_of(&[term]).next().is_none()
}

/// A positive atom of a body, and which branch of which disjunction it stands in.
struct Place {
    literal: LiteralId,
    branches: Vec<LiteralId>,
}

/// Whether the atom at `place` holds whenever the recursive one does, and has the argument.
fn bounds(rules: &Rules, place: &Place, recursive: &Place, argument: TermId) -> bool {
    let Literal::Atom(atom) = rules.literal(place.literal) else { return false };
    place.branches.iter().all(|branch| recursive.branches.contains(branch))
        && atom.arguments.iter().any(|&term| rules.same_term(term, argument))
}

fn positive_atoms(rules: &Rules, body: &[LiteralId]) -> Vec<Place> {
    let mut open: Vec<Place> =
        body.iter().rev().map(|&literal| Place { literal, branches: Vec::new() }).collect();
    let mut atoms = Vec::new();
    while let Some(place) = open.pop() {
        match rules.literal(place.literal) {
            Literal::Atom(_) => atoms.push(place),
            Literal::And(parts) => {
                let branches = &place.branches;
                let inside = |&literal: &LiteralId| Place { literal, branches: branches.clone() };
                open.extend(parts.iter().rev().map(inside));
            }
            Literal::Or(parts) => open.extend(parts.iter().rev().map(|&literal| {
                let mut branches = place.branches.clone();
                branches.push(literal);
                Place { literal, branches }
            })),
            Literal::Not(_) | Literal::Distinct(..) => {}
        }
    }
    atoms
}
