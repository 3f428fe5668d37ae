//! What may depend on the state and the moves: `init`, `base`, `input` and `role` on neither,
//! `legal`, `goal` and `terminal` on the state alone.

use rustc_hash::FxHashSet;

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::Survey;
use crate::{Category, Diagnosis, Symbol, Term, TermId, keyword};

pub(super) const STATE: (Symbol, usize) = (keyword::TRUE, 1);
pub(super) const MOVES: (Symbol, usize) = (keyword::DOES, 2);

pub(super) fn check(survey: &Survey<'_>, findings: &mut Findings) {
    let on_match = survey.reaching(&[STATE, MOVES]);
    let on_moves = survey.reaching(&[MOVES]);
    let wrapped = wrapped_relation(survey);
    let mut told = false;
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
            let finding = Diagnosis::error(category, atom.span, message);
            // One slip makes all that depends on it seem to depend on the state.
            match wrapped.filter(|_| !direct && category == Category::InitDepends) {
                Some(place) if !told => {
                    told = true;
                    findings.add(unwrap(survey, place).with_also(atom.span));
                }
                Some(_) => {}
                None => findings.add(finding),
            }
        }
    }
}

/// A relation that is asked for as if it were a fluent: `(true (index ?x))`.
fn wrapped_relation(survey: &Survey<'_>) -> Option<TermId> {
    let rules = survey.rules;
    let function = |term: TermId| match rules.term(term) {
        Term::Function(name, parts) => Some((name, parts.len())),
        Term::Variable(_) => None,
    };
    let (mut relations, mut fluents) = (FxHashSet::default(), FxHashSet::default());
    for head in rules.clauses.iter().map(|clause| &clause.head) {
        relations.insert((head.relation, head.arguments.len()));
        if let (keyword::INIT | keyword::NEXT, &[fluent]) =
            (head.relation, head.arguments.as_slice())
        {
            fluents.extend(function(fluent));
        }
    }
    super::atoms(rules).filter(|(atom, _)| atom.relation == keyword::TRUE).find_map(|(atom, _)| {
        let term = *atom.arguments.first()?;
        let shape = function(term)?;
        (relations.contains(&shape) && !fluents.contains(&shape)).then_some(term)
    })
}

fn unwrap(survey: &Survey<'_>, place: TermId) -> Diagnosis {
    let name = match survey.rules.term(place) {
        Term::Function(name, _) | Term::Variable(name) => shown(survey.rules.symbols.text(name)),
    };
    let message = format!("{name} is a relation and no fluent, so it does not depend on the state");
    Diagnosis::error(Category::InitDepends, survey.rules.term_span(place), message)
        .with_hint("ask for it without true")
}
