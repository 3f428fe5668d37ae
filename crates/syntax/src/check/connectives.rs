//! Connectives: `not` and `distinct` with the right number of arguments, no foreign operators, and
//! a warning where the language is extended.

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::{is_glued_arrow, looks_like_connective};
use crate::{Atom, Category, Diagnosis, Literal, LiteralId, Rules, keyword};

pub(super) fn check(rules: &Rules, findings: &mut Findings) {
    for (atom, is_head) in super::atoms(rules) {
        findings.extend(check_atom(rules, atom, is_head));
    }
    for clause in &rules.clauses {
        check_extensions(rules, &clause.body, findings);
    }
}

fn check_atom(rules: &Rules, atom: &Atom, is_head: bool) -> Option<Diagnosis> {
    let name = rules.symbols.text(atom.relation);
    if looks_like_connective(name) {
        return Some(unknown_connective(rules, atom));
    }
    if !atom.relation.is_connective() {
        return None;
    }
    let name_span = rules.name_span(atom.span);
    let expected = if atom.relation == keyword::DISTINCT { 2 } else { 1 };
    if !is_head && atom.relation != keyword::IF && atom.arguments.len() != expected {
        let found = super::keywords::arguments(atom.arguments.len());
        let message = format!("{name} with {found}; it takes {expected}");
        return Some(Diagnosis::error(Category::ConnectiveArity, atom.span, message));
    }
    let place = if is_head { "stated or defined" } else { "used as a relation" };
    let message = format!("{name} is a connective and cannot be {place}");
    Some(Diagnosis::error(Category::ReservedWord, name_span, message).with_hint(advice(atom)))
}

fn advice(atom: &Atom) -> &'static str {
    match atom.relation {
        keyword::IF => "a rule is one list: (<= head condition …)",
        keyword::NOT => "negate conditions only: (not condition) or ~condition",
        keyword::OR => "write one rule for each alternative",
        _ => "choose another name",
    }
}

fn unknown_connective(rules: &Rules, atom: &Atom) -> Diagnosis {
    let name = rules.symbols.text(atom.relation);
    let message = format!("{} is no connective of the language", shown(name));
    let hint = if is_glued_arrow(name) {
        format!("put a blank after the arrow: <= {}", shown(&name[2..]))
    } else {
        "rules are written (<= head condition …), conditions with not, or and distinct".to_owned()
    };
    Diagnosis::error(Category::UnknownConnective, rules.name_span(atom.span), message)
        .with_hint(hint)
}

fn check_extensions(rules: &Rules, body: &[LiteralId], findings: &mut Findings) {
    let mut open: Vec<(LiteralId, Option<LiteralId>)> =
        body.iter().map(|&literal| (literal, None)).collect();
    while let Some((literal, parent)) = open.pop() {
        findings.extend(check_compound(rules, literal, parent));
        match rules.literal(literal) {
            Literal::Not(inner) => open.push((*inner, Some(literal))),
            Literal::Or(parts) | Literal::And(parts) => {
                open.extend(parts.iter().map(|&part| (part, Some(literal))));
            }
            Literal::Atom(_) | Literal::Distinct(..) => {}
        }
    }
}

fn check_compound(rules: &Rules, id: LiteralId, parent: Option<LiteralId>) -> Option<Diagnosis> {
    let (literal, parent) = (rules.literal(id), parent.map(|parent| rules.literal(parent)));
    let span = rules.literal_span(id);
    if let Literal::Or(parts) | Literal::And(parts) = literal
        && parts.is_empty()
    {
        let value =
            if matches!(literal, Literal::Or(_)) { "(or) is false" } else { "(and) is true" };
        return Some(Diagnosis::warning(Category::EmptyConnective, span, value));
    }
    let extension = match (literal, parent) {
        (Literal::Or(_) | Literal::And(_) | Literal::Not(_), Some(Literal::Not(_))) => {
            "not before anything but a sentence or distinct"
        }
        (Literal::Or(_), Some(Literal::Or(_))) => "or inside or",
        (Literal::And(_), _) => "and",
        _ => return None,
    };
    let message = format!("{extension} is an extension that other engines may misread");
    Some(
        Diagnosis::warning(Category::Extension, span, message)
            .with_hint("define a relation of its own for this condition"),
    )
}
