//! Relations that are used and never defined, or defined and never used.

use rustc_hash::FxHashSet;

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::{RelationId, Survey};
use crate::{Category, Diagnosis, Symbol, Term, keyword};

pub(super) fn check(survey: &Survey<'_>, findings: &mut Findings) {
    let defined: FxHashSet<Symbol> = survey
        .relations
        .iter_ids()
        .filter(|&(id, _)| !survey.clauses_of[id].is_empty())
        .map(|(_, &(name, _))| name)
        .collect();
    check_undefined(survey, &defined, findings);
    check_unused(survey, findings);
}

/// Reported once, where the relation is first used. A relation that is defined with another arity
/// has been reported as such.
fn check_undefined(survey: &Survey<'_>, defined: &FxHashSet<Symbol>, findings: &mut Findings) {
    let fluents = fluents(survey);
    let mut reported: FxHashSet<RelationId> = FxHashSet::default();
    for condition in &survey.uses {
        let (name, arity) = survey.relations[condition.relation];
        if name.is_game_relation()
            || defined.contains(&name)
            || !reported.insert(condition.relation)
        {
            continue;
        }
        let text = shown(survey.rules.symbols.text(name));
        let message = format!("nothing defines {text}, so this is never true");
        let span = survey.atom(condition).span;
        let diagnosis = Diagnosis::warning(Category::UndefinedRelation, span, message);
        findings.add(if fluents.contains(&(name, arity)) {
            diagnosis.with_hint(format!("{text} is a fluent: did you mean (true …)?"))
        } else {
            diagnosis
        });
    }
}

/// Name and arity of the terms that `init`, `next`, `base` and `true` speak of.
fn fluents(survey: &Survey<'_>) -> FxHashSet<(Symbol, usize)> {
    let rules = survey.rules;
    let speaks_of_fluent = |relation: Symbol| {
        matches!(relation, keyword::INIT | keyword::NEXT | keyword::BASE | keyword::TRUE)
    };
    let atoms = super::atoms(rules).filter(|(atom, _)| speaks_of_fluent(atom.relation));
    let names = atoms.filter_map(|(atom, _)| match rules.term(*atom.arguments.first()?) {
        Term::Function(name, arguments) => Some((name, arguments.len())),
        Term::Variable(_) => None,
    });
    names.collect()
}

/// Going by names: a relation used with another arity has been reported as such.
fn check_unused(survey: &Survey<'_>, findings: &mut Findings) {
    let used: FxHashSet<Symbol> =
        survey.uses.iter().map(|condition| survey.relations[condition.relation].0).collect();
    for (id, &(name, arity)) in survey.relations.iter_ids() {
        let Some(&clause) = survey.clauses_of[id].first() else { continue };
        let declares_percepts = survey.rules.symbols.text(name) == PERCEPT && arity == 2;
        if name.is_game_relation() || used.contains(&name) || declares_percepts {
            continue;
        }
        let message = format!("nothing uses {}", shown(survey.rules.symbols.text(name)));
        let span = survey.rules.clauses[clause].head.span;
        findings.add(Diagnosis::warning(Category::UnusedRelation, span, message));
    }
}

/// The domain of `sees`, which some authors declare. It has no meaning for play.
const PERCEPT: &str = "percept";
