//! Names that differ only in case: most likely one name, misspelt.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::{Category, Diagnosis, Rules, Span, Symbol, Term};

pub(super) fn check(rules: &Rules, findings: &mut Findings) {
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    let mut spelling: FxHashMap<String, Symbol> = FxHashMap::default();
    for (name, span) in names(rules) {
        if !seen.insert(name) {
            continue;
        }
        let text = rules.symbols.text(name);
        let first = *spelling.entry(text.to_lowercase()).or_insert(name);
        if first != name {
            let other = shown(rules.symbols.text(first));
            let message = format!("{} and {other} differ only in case", shown(text));
            findings.add(
                Diagnosis::warning(Category::CaseDiffers, span, message)
                    .with_hint("spell them alike if they mean the same"),
            );
        }
    }
}

/// All names but variables, with the places where they stand.
fn names(rules: &Rules) -> impl Iterator<Item = (Symbol, Span)> {
    super::atoms(rules).flat_map(|(atom, _)| {
        let relation = (atom.relation, rules.name_span(atom.span));
        let functions = rules.subterms_of(&atom.arguments).filter_map(|term| {
            let Term::Function(name, _) = rules.term(term) else { return None };
            Some((name, rules.name_span(rules.term_span(term))))
        });
        std::iter::once(relation).chain(functions)
    })
}
