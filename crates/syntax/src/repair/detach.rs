//! Rules for the state alone: what `legal`, `goal` and `terminal` ask, they ask with nobody moving;
//! what `init` and its kind ask, they ask with nothing true and nobody moving.
//!
//! Where such a rule depends on something absent, it is given a copy of the relations in between,
//! in which the absent atoms are false. Rules that can then never apply are left out, so that what
//! remains is as safe as it was.

use rustc_hash::{FxHashMap, FxHashSet};

use super::rename::fresh_name;
use crate::survey::{RelationId, Survey, keyword_arity};
use crate::{Atom, Clause, Literal, LiteralId, Rules, Symbol, keyword};

type Key = (Symbol, usize);

const STATE: Key = (keyword::TRUE, 1);
const MOVES: Key = (keyword::DOES, 2);

/// Makes what holds before the game independent of the match.
pub(super) fn detach_start(rules: &mut Rules) {
    let roots = [keyword::INIT, keyword::BASE, keyword::INPUT, keyword::ROLE];
    detach(rules, &roots, &[STATE, MOVES], "@blank");
}

/// Makes what holds between the moves independent of the moves.
pub(super) fn detach_state(rules: &mut Rules) {
    let roots = [keyword::LEGAL, keyword::GOAL, keyword::TERMINAL];
    detach(rules, &roots, &[MOVES], "@idle");
}

/// Makes the relations `roots` independent of the relations `absent`.
fn detach(rules: &mut Rules, roots: &[Symbol], absent: &[Key], suffix: &str) {
    let plan = Plan::of(rules, roots, absent);
    if plan.roots.is_empty() {
        return;
    }
    let mut copies = Copies { plan, absent, suffix, names: FxHashMap::default(), open: Vec::new() };
    let mut dropped = FxHashSet::default();
    for clause in copies.plan.roots.clone() {
        let body = rules.clauses[clause].body.clone();
        match copies.body(rules, &body) {
            Some(body) => rules.clauses[clause].body = body,
            None => _ = dropped.insert(clause),
        }
    }
    while let Some(key) = copies.open.pop() {
        for clause in copies.plan.clauses_of.get(&key).cloned().unwrap_or_default() {
            let copy = copies.clause(rules, clause, key);
            rules.clauses.extend(copy);
        }
    }
    let clauses = std::mem::take(&mut rules.clauses).into_iter().enumerate();
    rules.clauses = clauses.filter(|(index, _)| !dropped.contains(index)).map(|(_, c)| c).collect();
}

/// What has to change.
struct Plan {
    /// The clauses of the roots that depend on something absent.
    roots: Vec<usize>,
    /// The clauses of each relation that depends on something absent and is no root.
    clauses_of: FxHashMap<Key, Vec<usize>>,
}

impl Plan {
    fn of(rules: &Rules, roots: &[Symbol], absent: &[Key]) -> Self {
        let survey = Survey::of(rules);
        let reaches = survey.reaching(absent);
        let is_root = |relation: RelationId| {
            let (name, arity) = survey.relations[relation];
            roots.contains(&name) && keyword_arity(name) == Some(arity)
        };
        let is_affected = |&clause: &usize| {
            survey.heads[clause].is_some_and(is_root)
                && survey.uses_of(clause).iter().any(|condition| reaches[condition.relation])
        };
        let dependent = survey.relations.iter_ids().filter(|&(id, _)| reaches[id] && !is_root(id));
        Plan {
            roots: (0..rules.clauses.len()).filter(is_affected).collect(),
            clauses_of: dependent.map(|(id, &key)| (key, survey.clauses_of[id].clone())).collect(),
        }
    }
}

struct Copies<'a> {
    plan: Plan,
    absent: &'a [Key],
    suffix: &'a str,
    names: FxHashMap<Key, Symbol>,
    /// Relations whose copy is named but not yet written.
    open: Vec<Key>,
}

/// A condition after the absent atoms are taken as false.
enum Folded {
    Known(bool),
    Open(LiteralId),
}

impl Copies<'_> {
    fn clause(&mut self, rules: &mut Rules, original: usize, key: Key) -> Option<Clause> {
        let Clause { mut head, body, span } = rules.clauses[original].clone();
        head.relation = self.name(rules, key);
        Some(Clause { head, body: self.body(rules, &body)?, span })
    }

    /// The conditions of a body, or `None` if they can never hold.
    fn body(&mut self, rules: &mut Rules, body: &[LiteralId]) -> Option<Vec<LiteralId>> {
        let mut conditions = Vec::new();
        for &literal in body {
            match self.literal(rules, literal) {
                Folded::Open(literal) => conditions.push(literal),
                Folded::Known(true) => {}
                Folded::Known(false) => return None,
            }
        }
        Some(conditions)
    }

    /// A copy of a literal, its atoms replaced, from its parts up.
    fn literal(&mut self, rules: &mut Rules, root: LiteralId) -> Folded {
        let mut open = vec![(root, 0)];
        let mut ready: Vec<Folded> = Vec::new();
        while let Some((id, done)) = open.pop() {
            let parts: &[LiteralId] = match rules.literal(id) {
                Literal::Not(part) => std::slice::from_ref(part),
                Literal::Or(parts) | Literal::And(parts) => parts,
                Literal::Atom(_) | Literal::Distinct(..) => &[],
            };
            if let Some(&part) = parts.get(done) {
                open.push((id, done + 1));
                open.push((part, 0));
                continue;
            }
            let parts = ready.split_off(ready.len() - parts.len());
            ready.push(self.rebuild(rules, id, parts));
        }
        ready.pop().unwrap_or(Folded::Open(root))
    }

    fn rebuild(&mut self, rules: &mut Rules, id: LiteralId, mut parts: Vec<Folded>) -> Folded {
        let span = rules.literal_span(id);
        let literal = match rules.literal(id).clone() {
            Literal::Distinct(..) => return Folded::Open(id),
            Literal::Atom(atom) => match self.atom(rules, id, &atom) {
                Ok(folded) => return folded,
                Err(copy) => Literal::Atom(copy),
            },
            Literal::Not(_) => match parts.pop() {
                Some(Folded::Open(part)) => Literal::Not(part),
                Some(Folded::Known(value)) => return Folded::Known(!value),
                None => return Folded::Open(id),
            },
            Literal::Or(_) => match join(parts, true) {
                Ok(parts) => Literal::Or(parts),
                Err(value) => return Folded::Known(value),
            },
            Literal::And(_) => match join(parts, false) {
                Ok(parts) => Literal::And(parts),
                Err(value) => return Folded::Known(value),
            },
        };
        Folded::Open(rules.add_literal(literal, span))
    }

    /// What an atom becomes: something known already, or a copy that asks another relation.
    fn atom(&mut self, rules: &mut Rules, id: LiteralId, atom: &Atom) -> Result<Folded, Atom> {
        let key = (atom.relation, atom.arguments.len());
        if self.absent.contains(&key) {
            return Ok(Folded::Known(false));
        }
        if !self.plan.clauses_of.contains_key(&key) {
            return Ok(Folded::Open(id));
        }
        Err(Atom { relation: self.name(rules, key), ..atom.clone() })
    }

    /// The name of a relation's copy.
    fn name(&mut self, rules: &mut Rules, key: Key) -> Symbol {
        if let Some(&name) = self.names.get(&key) {
            return name;
        }
        let text = format!("{}{}", rules.symbols.text(key.0), self.suffix);
        let name = fresh_name(&mut rules.symbols, text);
        self.names.insert(key, name);
        self.open.push(key);
        name
    }
}

/// The parts of a disjunction or conjunction that are still open, or its value. One part of the
/// `deciding` value decides it; parts of the other value change nothing.
fn join(parts: Vec<Folded>, deciding: bool) -> Result<Vec<LiteralId>, bool> {
    let mut open = Vec::new();
    for part in parts {
        match part {
            Folded::Open(literal) => open.push(literal),
            Folded::Known(value) if value == deciding => return Err(deciding),
            Folded::Known(_) => {}
        }
    }
    if open.is_empty() { Err(!deciding) } else { Ok(open) }
}
