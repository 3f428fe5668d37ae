//! One arity for each relation and for each function.

use rustc_hash::FxHashMap;

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::keyword_arity;
use crate::{Atom, Category, Diagnosis, Rules, Span, Symbol, Term};

pub(super) fn check(rules: &Rules, findings: &mut Findings) {
    check_relations(rules, findings);
    check_functions(rules, findings);
}

/// What is written most often is meant; where two arities are written as often, a head is the better witness.
fn check_relations(rules: &Rules, findings: &mut Findings) {
    let mut arities = Arities::new(rules, "relation");
    for heads in [true, false] {
        for (atom, _) in super::proper_atoms(rules).filter(|&(_, is_head)| is_head == heads) {
            if !atom.relation.is_game_relation() {
                arities.see(atom.relation, atom.arguments.len(), atom.span);
            }
        }
    }
    arities.report(findings);
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
                arities.see(name, arguments.len(), rules.term_span(term));
            }
        }
    }
    arities.report(findings);
}

/// How often a name is written with so many arguments, and where first.
struct Uses {
    arity: usize,
    count: usize,
    first: Span,
}

struct Arities<'a> {
    rules: &'a Rules,
    kind: &'static str,
    /// The names, and for each its arities, in the order in which they are seen.
    names: Vec<(Symbol, Vec<Uses>)>,
    places: FxHashMap<Symbol, usize>,
}

impl<'a> Arities<'a> {
    fn new(rules: &'a Rules, kind: &'static str) -> Self {
        Self { rules, kind, names: Vec::new(), places: FxHashMap::default() }
    }

    fn see(&mut self, name: Symbol, arity: usize, span: Span) {
        let place = *self.places.entry(name).or_insert_with(|| {
            self.names.push((name, Vec::new()));
            self.names.len() - 1
        });
        let of_name = &mut self.names[place].1;
        match of_name.iter_mut().find(|uses| uses.arity == arity) {
            Some(uses) => uses.count += 1,
            None => of_name.push(Uses { arity, count: 1, first: span }),
        }
    }

    fn report(&self, findings: &mut Findings) {
        for (name, of_name) in &self.names {
            let most = of_name.iter().map(|uses| uses.count).max();
            let meant = of_name.iter().find(|uses| Some(uses.count) == most);
            let Some(&Uses { arity: expected, first, .. }) = meant else { continue };
            let (kind, name) = (self.kind, shown(self.rules.symbols.text(*name)));
            for uses in of_name.iter().filter(|uses| uses.arity != expected) {
                let here = super::keywords::arguments(uses.arity);
                let message = format!("the {kind} {name} has {here} here and {expected} elsewhere");
                let finding = Diagnosis::error(Category::ArityMismatch, uses.first, message);
                let finding = finding.with_hint("give one of the two another name");
                findings.add(finding.with_also(first));
            }
        }
    }
}
