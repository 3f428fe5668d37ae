//! One arity for each relation and for each function.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::shown;
use crate::{Category, Diagnosis, Rules, Span, Symbol, Term};

pub(super) fn check(rules: &Rules, diagnoses: &mut Vec<Diagnosis>) {
    check_relations(rules, diagnoses);
    check_functions(rules, diagnoses);
}

/// Heads decide the arity: a definition is a better witness than a use.
fn check_relations(rules: &Rules, diagnoses: &mut Vec<Diagnosis>) {
    let mut arities = Arities::new(rules, "relation");
    for heads in [true, false] {
        for (atom, _) in super::proper_atoms(rules).filter(|&(_, is_head)| is_head == heads) {
            if !atom.relation.is_game_relation() {
                diagnoses.extend(arities.see(atom.relation, atom.arguments.len(), atom.span));
            }
        }
    }
}

/// Constants are a kind of their own: `a` and `(a b)` may stand side by side.
fn check_functions(rules: &Rules, diagnoses: &mut Vec<Diagnosis>) {
    let mut arities = Arities::new(rules, "function");
    for (atom, _) in super::proper_atoms(rules) {
        for term in rules.subterms_of(&atom.arguments) {
            if let Term::Function(name, arguments @ [_, ..]) = rules.term(term) {
                diagnoses.extend(arities.see(name, arguments.len(), rules.term_span(term)));
            }
        }
    }
}

struct Arities<'a> {
    rules: &'a Rules,
    kind: &'static str,
    first: FxHashMap<Symbol, usize>,
    reported: FxHashSet<(Symbol, usize)>,
}

impl<'a> Arities<'a> {
    fn new(rules: &'a Rules, kind: &'static str) -> Self {
        Self { rules, kind, first: FxHashMap::default(), reported: FxHashSet::default() }
    }

    fn see(&mut self, name: Symbol, arity: usize, span: Span) -> Option<Diagnosis> {
        let expected = *self.first.entry(name).or_insert(arity);
        if expected == arity || !self.reported.insert((name, arity)) {
            return None;
        }
        let (kind, name) = (self.kind, shown(self.rules.symbols.text(name)));
        let message =
            format!("the {kind} {name} has {arity} arguments here and {expected} elsewhere");
        Some(
            Diagnosis::error(Category::ArityMismatch, span, message)
                .with_hint("give one of the two another name"),
        )
    }
}
