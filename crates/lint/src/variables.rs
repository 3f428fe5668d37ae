//! Variables that occur once and are spelt almost like another of their rule.
//!
//! Asking whether there is *some* value is common in GDL, so that a variable occurs once means little.
//! A name that occurs nowhere else in the whole text, next to one that it resembles, is a slip.

use gambol_syntax::{
    Category, Clause, Diagnosis, Literal, Rules, Symbol, TermId, are_of_a_series, closest,
    edit_distance, is_similar_variable, is_slip, shown,
};
use rustc_hash::FxHashMap;

use crate::notes::{Notes, did_you_mean};

/// With more pairs of names they are not compared.
const MOST_PAIRS: usize = 500_000;

pub(crate) fn look(rules: &Rules, notes: &mut Notes) {
    let occurrences: Vec<Vec<(Symbol, TermId)>> =
        rules.clauses.iter().map(|clause| variables(rules, clause)).collect();
    look_for_constants(rules, &occurrences, notes);
    let mut total: FxHashMap<Symbol, usize> = FxHashMap::default();
    for &(name, _) in occurrences.iter().flatten() {
        *total.entry(name).or_default() += 1;
    }
    let single = total.values().filter(|&&count| count == 1).count();
    if single.saturating_mul(total.len()) > MOST_PAIRS {
        return;
    }
    for (index, variables) in occurrences.iter().enumerate() {
        for &(name, place) in variables {
            let text = rules.symbols.text(name);
            if total[&name] > 1 || text.starts_with('_') {
                continue;
            }
            let others = variables.iter().map(|&(other, _)| (other, rules.symbols.text(other)));
            // Two of a rule that each stand alone there were most likely one.
            let alone = |other: Symbol| variables.iter().filter(|it| it.0 == other).count() == 1;
            let meant = others.filter(|(_, other)| is_similar_variable(text, other)).find(
                |&(other, spelt)| {
                    total[&other] > 2
                        || (spelt.len() > 3 && is_slip(text, spelt))
                        || (alone(other) && (total[&other] > 1 || spelt.len() < text.len()))
                },
            );
            // Short names are a letter apart as a rule, so both must stand alone and one be common elsewhere.
            let partner = || {
                let near = |other: &Symbol| {
                    let spelt = rules.symbols.text(*other);
                    spelt.len() > 1
                        && edit_distance(text, spelt) == 1
                        && !are_of_a_series(text, spelt)
                };
                let mut partners = variables.iter().map(|&(other, _)| other).filter(|&other| {
                    other != name && alone(other) && total[&other] > 3 && near(&other)
                });
                let partner = partners.next()?;
                partners.next().is_none().then(|| rules.symbols.text(partner))
            };
            let meant = meant.map(|(_, spelt)| spelt).or_else(partner).or_else(|| {
                // A name that is common elsewhere, though not in this rule.
                let mut common: Vec<&str> = total
                    .iter()
                    .filter(|&(_, &count)| count > 3)
                    .map(|(&other, _)| rules.symbols.text(other))
                    .filter(|other| other.len() > 4 && edit_distance(text, other) == 1)
                    .filter(|other| is_slip(text, other))
                    .collect();
                common.sort_unstable();
                closest(text, common)
            });
            let Some(meant) = meant else { continue };
            let message = format!("the variable {} occurs nowhere else", shown(text));
            let span = rules.term_span(place);
            let finding = Diagnosis::warning(Category::SingleVariable, span, message);
            notes.add(index, finding.with_hint(did_you_mean(meant)));
        }
    }
}

/// Constants that occur once, with the name of a variable of their rule.
fn look_for_constants(rules: &Rules, occurrences: &[Vec<(Symbol, TermId)>], notes: &mut Notes) {
    let constants: Vec<Vec<(Symbol, TermId)>> =
        rules.clauses.iter().map(|clause| constants(rules, clause)).collect();
    let mut total: FxHashMap<Symbol, usize> = FxHashMap::default();
    for &(name, _) in constants.iter().flatten() {
        *total.entry(name).or_default() += 1;
    }
    for (index, constants) in constants.iter().enumerate() {
        for &(name, place) in constants.iter().filter(|(name, _)| total[name] == 1) {
            let text = rules.symbols.text(name);
            let alike = |other: Symbol| rules.symbols.text(other).eq_ignore_ascii_case(text);
            if !occurrences[index].iter().any(|&(other, _)| alike(other)) {
                continue;
            }
            let message = format!("the constant {} occurs nowhere else", shown(text));
            let hint = format!("did you mean the variable ?{}?", shown(text));
            let finding =
                Diagnosis::warning(Category::OddConstant, rules.term_span(place), message);
            notes.add(index, finding.with_hint(hint));
        }
    }
}

/// All occurrences of constants in a clause.
fn constants(rules: &Rules, clause: &Clause) -> Vec<(Symbol, TermId)> {
    let terms = terms(rules, clause);
    let parts = terms.iter().flat_map(|&term| rules.subterms(term));
    parts.filter_map(|part| Some((rules.constant(part)?, part))).collect()
}

/// All occurrences of variables in a clause.
fn variables(rules: &Rules, clause: &Clause) -> Vec<(Symbol, TermId)> {
    rules.variables_of(&terms(rules, clause)).collect()
}

/// The arguments of all atoms of a clause.
fn terms(rules: &Rules, clause: &Clause) -> Vec<TermId> {
    let mut roots = clause.head.arguments.clone();
    for condition in rules.conditions(&clause.body) {
        match rules.literal(condition.literal) {
            Literal::Atom(atom) => roots.extend(&atom.arguments),
            Literal::Distinct(left, right) => roots.extend([*left, *right]),
            _ => {}
        }
    }
    roots
}
