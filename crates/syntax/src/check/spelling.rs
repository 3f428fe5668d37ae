//! Names that differ only in case: most likely one name, misspelt.

use rustc_hash::FxHashMap;

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::{Category, Diagnosis, Rules, Span, Symbol, Term};

pub(super) fn check(rules: &Rules, findings: &mut Findings) {
    let mut uses: FxHashMap<Symbol, (usize, Span)> = FxHashMap::default();
    let mut order: Vec<Symbol> = Vec::new();
    for (name, span) in names(rules) {
        let (count, _) = uses.entry(name).or_insert_with(|| {
            order.push(name);
            (0, span)
        });
        *count += 1;
    }
    let mut spelling: FxHashMap<String, Symbol> = FxHashMap::default();
    for name in order {
        let text = rules.symbols.text(name);
        let first = *spelling.entry(text.to_lowercase()).or_insert(name);
        if first != name {
            // What is written less often is the slip.
            let (odd, usual) =
                if uses[&name].0 > uses[&first].0 { (first, name) } else { (name, first) };
            let [odd_text, usual_text] = [odd, usual].map(|it| shown(rules.symbols.text(it)));
            let message = format!("{odd_text} and {usual_text} differ only in case");
            findings.add(
                Diagnosis::warning(Category::CaseDiffers, uses[&odd].1, message)
                    .with_hint(format!("did you mean {usual_text}?")),
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
