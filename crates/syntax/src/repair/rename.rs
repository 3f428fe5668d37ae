//! Game relations in odd places become ordinary relations with names of their own, so that what
//! comes later can trust the name: `next` always has one argument and always stands in a head.

use rustc_hash::FxHashMap;

use crate::survey::keyword_arity;
use crate::{Atom, Clause, Literal, LiteralId, Rules, Symbol, Symbols, keyword};

type Key = (Symbol, usize);

/// Renames game relations of another arity, and connectives that stand for relations.
pub(super) fn rename_odd_relations(rules: &mut Rules) {
    let mut names = NewNames::default();
    let is_odd = |(relation, arity): Key| {
        relation.is_connective()
            || keyword_arity(relation).is_some_and(|expected| expected != arity)
    };
    for index in 0..rules.clauses.len() {
        let head = key(&rules.clauses[index].head);
        if is_odd(head) {
            rules.clauses[index].head.relation = names.of(&mut rules.symbols, head);
        }
    }
    for literal in all_conditions(rules) {
        rename_condition(rules, literal, &mut names, is_odd);
    }
}

/// Gives `init`, `next` and `sees` as conditions names of their own, and defines those by copies of
/// the clauses.
pub(super) fn separate_conditions_from_heads(rules: &mut Rules) {
    let mut names = NewNames::default();
    for literal in all_conditions(rules) {
        rename_condition(rules, literal, &mut names, |(relation, _)| {
            matches!(relation, keyword::INIT | keyword::NEXT | keyword::SEES)
        });
    }
    let copy = |clause: &Clause| {
        let relation = *names.names.get(&key(&clause.head))?;
        let head = Atom { relation, ..clause.head.clone() };
        Some(Clause { head, ..clause.clone() })
    };
    let copies: Vec<Clause> = rules.clauses.iter().filter_map(copy).collect();
    rules.clauses.extend(copies);
}

fn key(atom: &Atom) -> Key {
    (atom.relation, atom.arguments.len())
}

fn all_conditions(rules: &Rules) -> Vec<LiteralId> {
    let clauses = rules.clauses.iter();
    clauses.flat_map(|clause| rules.conditions(&clause.body)).map(|found| found.literal).collect()
}

fn rename_condition(
    rules: &mut Rules,
    literal: LiteralId,
    names: &mut NewNames,
    is_odd: impl Fn(Key) -> bool,
) {
    let Literal::Atom(atom) = rules.literal(literal) else { return };
    let key = key(atom);
    if is_odd(key) {
        let name = names.of(&mut rules.symbols, key);
        rules.rename_relation(literal, name);
    }
}

/// New names for relations, each made once.
#[derive(Default)]
struct NewNames {
    names: FxHashMap<Key, Symbol>,
}

impl NewNames {
    fn of(&mut self, symbols: &mut Symbols, key: Key) -> Symbol {
        *self.names.entry(key).or_insert_with(|| {
            let text = format!("{}@{}", symbols.text(key.0), key.1);
            fresh_name(symbols, text)
        })
    }
}

/// A name that does not occur yet.
pub(super) fn fresh_name(symbols: &mut Symbols, mut text: String) -> Symbol {
    while symbols.find(&text).is_some() {
        text.push('\'');
    }
    symbols.intern(&text)
}
