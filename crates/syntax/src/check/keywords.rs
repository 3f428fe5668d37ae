//! Game relations: their arity, where they may stand, and their names used for something else.

use crate::diagnosis::Findings;
use crate::survey::keyword_arity;
use crate::{Atom, Category, Diagnosis, Rules, Term, TermId, keyword};

pub(super) fn check(rules: &Rules, findings: &mut Findings) {
    for (atom, is_head) in super::proper_atoms(rules) {
        findings.extend(check_place(rules, atom, is_head));
        let percept = atom.relation == keyword::SEES;
        for term in rules.subterms_of(&atom.arguments) {
            findings.extend(check_term(rules, term, percept));
        }
    }
    for clause in &rules.clauses {
        for condition in rules.conditions(&clause.body) {
            if let &crate::Literal::Distinct(left, right) = rules.literal(condition.literal) {
                let terms = rules.subterms_of(&[left, right]);
                findings.extend(terms.filter_map(|term| check_term(rules, term, false)));
            }
        }
    }
}

fn check_place(rules: &Rules, atom: &Atom, is_head: bool) -> Option<Diagnosis> {
    let expected = keyword_arity(atom.relation)?;
    let name = rules.symbols.text(atom.relation);
    let found = atom.arguments.len();
    if found != expected {
        let message = format!("{name} takes {}, not {found}", arguments(expected));
        return Some(
            Diagnosis::error(Category::KeywordArity, atom.span, message)
                .with_hint(format!("write {}", pattern(atom.relation))),
        );
    }
    match atom.relation {
        keyword::TRUE | keyword::DOES if is_head => Some(
            Diagnosis::error(
                Category::ReservedHead,
                atom.span,
                format!("{name} is given by the match and cannot be stated or defined"),
            )
            .with_hint(if atom.relation == keyword::TRUE {
                "use init for the first state and next for the following ones"
            } else {
                "use legal to permit a move"
            }),
        ),
        keyword::INIT | keyword::NEXT | keyword::SEES if !is_head => Some(
            Diagnosis::error(
                Category::BodyKeyword,
                atom.span,
                format!("{name} cannot be a condition"),
            )
            .with_hint("ask for the current state with true"),
        ),
        keyword::BASE | keyword::INPUT if !is_head => Some(Diagnosis::warning(
            Category::BodyBaseInput,
            atom.span,
            format!("{name} as a condition; engines that drop it will read another game"),
        )),
        _ => None,
    }
}

fn check_term(rules: &Rules, term: TermId, percept: bool) -> Option<Diagnosis> {
    let Term::Function(name, parts) = rules.term(term) else { return None };
    let text = rules.symbols.text(name);
    let span = rules.name_span(rules.term_span(term));
    if name.is_connective() {
        let message = format!("{text} is a connective and cannot stand inside a term");
        let hint = "write the connective around the whole condition, or choose another name";
        return Some(Diagnosis::error(Category::ReservedWord, span, message).with_hint(hint));
    }
    if !name.is_game_relation() || percept {
        return None;
    }
    if parts.is_empty() {
        let message = format!("{text} is a constant here, not the game relation");
        return Some(Diagnosis::note(Category::KeywordConstant, span, message));
    }
    let message = format!("{text} is a game relation and cannot be a function");
    Some(Diagnosis::error(Category::ReservedWord, span, message).with_hint("choose another name"))
}

pub(super) fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}

fn pattern(relation: crate::Symbol) -> &'static str {
    match relation {
        keyword::ROLE => "(role name)",
        keyword::INIT => "(init (fluent …))",
        keyword::TRUE => "(true (fluent …))",
        keyword::NEXT => "(next (fluent …))",
        keyword::BASE => "(base (fluent …))",
        keyword::DOES => "(does role move)",
        keyword::LEGAL => "(legal role move)",
        keyword::INPUT => "(input role move)",
        keyword::GOAL => "(goal role value)",
        keyword::SEES => "(sees role percept)",
        _ => "terminal",
    }
}
