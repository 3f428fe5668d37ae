//! One arity for each relation and for each function.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::keyword_arity;
use crate::{Atom, Category, Diagnosis, Rules, Span, Symbol, Term};

pub(super) fn check(rules: &Rules, findings: &mut Findings) {
    check_relations(rules, findings);
    check_functions(rules, findings);
}

/// Heads decide the arity: a definition is a better witness than a use.
fn check_relations(rules: &Rules, findings: &mut Findings) {
    let mut arities = Arities::new(rules, "relation");
    for heads in [true, false] {
        for (atom, _) in super::proper_atoms(rules).filter(|&(_, is_head)| is_head == heads) {
            if !atom.relation.is_game_relation() {
                findings.extend(arities.see(atom.relation, atom.arguments.len(), atom.span));
            }
        }
    }
}

/// Constants are a kind of their own: `a` and `(a b)` may stand side by side.
fn check_functions(rules: &Rules, findings: &mut Findings) {
    let mut arities = Arities::new(rules, "function");
    // In a game relation of another dialect the arguments have another meaning, too.
    let of_this_dialect = |atom: &Atom| {
        keyword_arity(atom.relation).is_none_or(|arity| arity == atom.arguments.len())
    };
    for (atom, _) in super::proper_atoms(rules).filter(|(atom, _)| of_this_dialect(atom)) {
        for term in rules.subterms_of(&atom.arguments) {
            if let Term::Function(name, arguments @ [_, ..]) = rules.term(term) {
                findings.extend(arities.see(name, arguments.len(), rules.term_span(term)));
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
        let here = super::keywords::arguments(arity);
        let message = format!("the {kind} {name} has {here} here and {expected} elsewhere");
        Some(
            Diagnosis::error(Category::ArityMismatch, span, message)
                .with_hint("give one of the two another name"),
        )
    }
}
