//! The extent of the rules: what each relation can hold in some state, and which rules apply at all.
//!
//! It is what Reach found, so it may hold too much, never too little: an atom that is missing here
//! is never true.

use std::sync::Arc;

use gambol_syntax::{Clause, Span, Symbol, Term, keyword};
use rustc_hash::FxHashSet;

use crate::names::{GroundTerm, Names};
use crate::program::{Key, Program, RelationId, shaped_argument};
use crate::relation::Relation;
use crate::tables::RelationTables;

/// What the rules can ever derive.
#[derive(Debug)]
pub struct Extent {
    program: Program,
    tables: RelationTables,
    names: Arc<Names>,
    applied: FxHashSet<Span>,
    plainly: bool,
}

/// The atoms of a relation, or of one shape of it.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    relation: &'a Relation,
}

impl<'a> Table<'a> {
    /// How many atoms.
    pub fn len(self) -> usize {
        self.relation.len() as usize
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The arguments of each atom.
    pub fn rows(self) -> impl Iterator<Item = Row<'a>> {
        self.relation.rows().map(Row)
    }
}

/// The arguments of one atom.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a>(&'a [u32]);

impl Row<'_> {
    /// The argument at this place.
    pub fn term(self, place: usize) -> GroundTerm {
        GroundTerm::new(self.0[place])
    }
}

impl Extent {
    pub(crate) fn new(
        program: Program,
        tables: RelationTables,
        names: Arc<Names>,
        applied: FxHashSet<Span>,
        plainly: bool,
    ) -> Self {
        Self { program, tables, names, applied, plainly }
    }

    /// Whether the tables hold all that was asked for. Rules that were hard to ground were changed on
    /// the way, and then their tables say too little.
    pub fn is_complete(&self) -> bool {
        self.plainly
    }

    /// The spelling of the terms.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The atoms of a relation of the rulesheet's own; `None` if nothing depends on the relation.
    pub fn table(&self, relation: Symbol, arity: usize) -> Option<Table<'_>> {
        if shaped_argument(relation, arity).is_some() {
            return None;
        }
        self.find(Key::Named(relation, u32::try_from(arity).ok()?))
    }

    /// The atoms of `true`, `does`, `next`, `init` or `legal` whose fluent or move is this function
    /// of so many arguments. The row of a move begins with its role.
    pub fn shape(&self, relation: Symbol, functor: Symbol, arity: usize) -> Option<Table<'_>> {
        self.find(Key::Shape(relation, functor, u32::try_from(arity).ok()?))
    }

    /// The functions that fluents (`true`) or moves (`does`) are made with, those that occur.
    pub fn shapes(&self, relation: Symbol) -> Vec<(Symbol, usize)> {
        let shapes = self.program.shapes_of(relation).into_iter();
        let occurring = shapes.filter(|&(id, ..)| self.tables.get(id).len() > 0);
        occurring.map(|(_, functor, arity)| (functor, arity as usize)).collect()
    }

    /// Whether a rule has an instance whose positive conditions can hold; `None` if that is not known.
    pub fn applies(&self, rules: &gambol_syntax::Rules, clause: &Clause) -> Option<bool> {
        if clause.body.is_empty() || self.applied.contains(&clause.span) {
            return Some(true);
        }
        let head = &clause.head;
        let arity = head.arguments.len();
        let named = Key::Named(head.relation, u32::try_from(arity).ok()?);
        let key = match shaped_argument(head.relation, arity) {
            Some(place) => match rules.term(head.arguments[place]) {
                Term::Function(functor, parts) => {
                    Key::Shape(head.relation, functor, u32::try_from(parts.len()).ok()?)
                }
                Term::Variable(_) => named,
            },
            None => named,
        };
        let asked = head.relation != keyword::ROLE && self.program.find_relation(key).is_some();
        (asked && self.plainly).then_some(false)
    }

    fn find(&self, key: Key) -> Option<Table<'_>> {
        let relation: RelationId = self.program.find_relation(key)?;
        Some(Table { relation: self.tables.get(relation) })
    }
}
