//! A game of one role need not name it: `legal(a(X))` is read as `legal(white,a(X))`.
//!
//! The textbook prints such rules. Only relations that never stand with both arguments are read so.

use rustc_hash::FxHashSet;

use crate::{Atom, Category, Diagnosis, Literal, LiteralId, Rules, Span, Symbol, Term, keyword};

const NAMES_ROLE: [Symbol; 3] = [keyword::LEGAL, keyword::DOES, keyword::GOAL];

/// Where the role was put in, and which it is.
#[derive(Default)]
pub(super) struct Completed {
    places: FxHashSet<Span>,
    role: String,
}

/// Puts the only role in where it was left out.
pub(super) fn complete(rules: &mut Rules) -> Completed {
    let Some(role) = only_role(rules) else { return Completed::default() };
    let short: Vec<Symbol> =
        NAMES_ROLE.into_iter().filter(|&it| is_always_short(rules, it)).collect();
    let mut completed =
        Completed { places: FxHashSet::default(), role: rules.symbols.text(role).to_owned() };
    for index in 0..rules.clauses.len() {
        let head = &rules.clauses[index].head;
        if short.contains(&head.relation) {
            let span = head.span;
            let term = rules.add_function(role, &[], span);
            rules.clauses[index].head.arguments.insert(0, term);
            completed.places.insert(span);
        }
    }
    for literal in conditions(rules) {
        let Literal::Atom(atom) = rules.literal(literal) else { continue };
        if short.contains(&atom.relation) {
            let span = atom.span;
            let term = rules.add_function(role, &[], span);
            rules.prepend_argument(literal, term);
            completed.places.insert(span);
        }
    }
    completed
}

/// The finding with what was done about it.
pub(super) fn explain(finding: Diagnosis, completed: &Completed) -> Diagnosis {
    let here = finding.span.is_some_and(|span| completed.places.contains(&span));
    if finding.category != Category::KeywordArity || !here {
        return finding;
    }
    let role = crate::source::shown(&completed.role);
    finding.with_hint(format!("in play {role} is put in, since there is no other role"))
}

fn only_role(rules: &Rules) -> Option<Symbol> {
    let mut roles = rules.clauses.iter().filter_map(|clause| {
        match (clause.head.relation, clause.head.arguments.as_slice()) {
            (keyword::ROLE, &[role]) => match rules.term(role) {
                Term::Function(name, []) => Some(name),
                _ => None,
            },
            _ => None,
        }
    });
    let role = roles.next()?;
    roles.all(|other| other == role).then_some(role)
}

/// Whether the relation occurs, and always with one argument.
fn is_always_short(rules: &Rules, relation: Symbol) -> bool {
    let mut arities =
        atoms(rules).filter(|atom| atom.relation == relation).map(|it| it.arguments.len());
    arities.next() == Some(1) && arities.all(|arity| arity == 1)
}

fn atoms(rules: &Rules) -> impl Iterator<Item = &Atom> {
    let heads = rules.clauses.iter().map(|clause| &clause.head);
    heads.chain(conditions(rules).into_iter().filter_map(|literal| match rules.literal(literal) {
        Literal::Atom(atom) => Some(atom),
        _ => None,
    }))
}

fn conditions(rules: &Rules) -> Vec<LiteralId> {
    let clauses = rules.clauses.iter();
    clauses.flat_map(|clause| rules.conditions(&clause.body)).map(|found| found.literal).collect()
}
