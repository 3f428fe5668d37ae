//! The rules in the form that joins work on: flat conjunctions over numbered relations.
//!
//! Fluents and moves are taken apart by their outermost function: `(true (cell ?x ?y b))` is a
//! literal of the relation *true/cell/3* with three columns, `(does ?r (mark ?x ?y))` one of
//! *does/mark/2* with three (the role first). A variable in the place of a whole fluent or move is
//! a literal of the *open* relation, which holds the rows of all those shapes as terms.

use gambol_index::{IndexVec, define_id};
use gambol_syntax::{Span, Symbol, keyword};
use rustc_hash::FxHashMap;

use crate::names::{GroundTerm, Names};

define_id! {
    /// A relation, or one shape of a relation.
    pub(crate) struct RelationId;
}

/// A term with variables, numbered within its rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Pattern {
    Variable(u32),
    Ground(GroundTerm),
    Function(Symbol, Box<[Pattern]>),
}

impl Pattern {
    /// Calls `visit` for each occurrence of a variable, from left to right.
    pub(crate) fn visit_variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Pattern::Variable(variable) => visit(*variable),
            Pattern::Ground(_) => {}
            Pattern::Function(_, arguments) => {
                arguments.iter().for_each(|argument| argument.visit_variables(visit));
            }
        }
    }

    /// The same pattern with its variables renamed.
    pub(crate) fn renamed(&self, rename: &mut impl FnMut(u32) -> u32) -> Pattern {
        match self {
            Pattern::Variable(variable) => Pattern::Variable(rename(*variable)),
            Pattern::Ground(term) => Pattern::Ground(*term),
            Pattern::Function(functor, arguments) => Pattern::Function(
                *functor,
                arguments.iter().map(|argument| argument.renamed(rename)).collect(),
            ),
        }
    }
}

/// How a literal is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sign {
    /// The atom holds.
    Positive,
    /// The atom does not hold.
    Negative,
    /// The atom is in the relation's table: implied by the rest of the body, so it makes no gate.
    Filter,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Literal {
    pub(crate) relation: RelationId,
    pub(crate) arguments: Vec<Pattern>,
    pub(crate) sign: Sign,
}

impl Literal {
    /// Whether the literal can give values to variables.
    pub(crate) fn binds(&self) -> bool {
        self.sign != Sign::Negative
    }
}

/// Two terms must be equal, or must differ.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Test {
    pub(crate) left: Pattern,
    pub(crate) right: Pattern,
    pub(crate) equal: bool,
}

/// `head ← body ∧ tests`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    pub(crate) head: RelationId,
    pub(crate) arguments: Vec<Pattern>,
    pub(crate) body: Vec<Literal>,
    pub(crate) tests: Vec<Test>,
    /// Variables are `0..variables`.
    pub(crate) variables: u32,
    pub(crate) span: Span,
}

/// What a relation is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Key {
    /// A relation of the rules, by name and arity. For `true`, `does` and their kin: the open relation.
    Named(Symbol, u32),
    /// The atoms of a game relation whose fluent or move has this outermost function.
    Shape(Symbol, Symbol, u32),
    /// Made by the grounder.
    Auxiliary(u32),
}

/// In the relaxed game whatever is derived on the left can hold on the right.
pub(crate) const SUCCESSIONS: [(Symbol, Symbol); 3] = [
    (keyword::INIT, keyword::TRUE),
    (keyword::NEXT, keyword::TRUE),
    (keyword::LEGAL, keyword::DOES),
];

/// Which argument of a game relation is a fluent or a move, and so is taken apart.
pub(crate) fn shaped_argument(relation: Symbol, arity: usize) -> Option<usize> {
    match (relation, arity) {
        (keyword::TRUE | keyword::NEXT | keyword::INIT, 1) => Some(0),
        (keyword::DOES | keyword::LEGAL, 2) => Some(1),
        _ => None,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct RelationInfo {
    pub(crate) key: Key,
    pub(crate) arity: usize,
}

/// All relations, and the rules that derive them.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) names: Names,
    pub(crate) relations: IndexVec<RelationId, RelationInfo>,
    by_key: FxHashMap<Key, RelationId>,
    pub(crate) rules: Vec<Rule>,
}

impl Program {
    pub(crate) fn new(names: Names) -> Self {
        Self { names, relations: IndexVec::new(), by_key: FxHashMap::default(), rules: Vec::new() }
    }

    /// The relation with this key, made if it is new.
    pub(crate) fn relation(&mut self, key: Key) -> RelationId {
        if let Some(&id) = self.by_key.get(&key) {
            return id;
        }
        let arity = match key {
            Key::Named(_, arity) => arity as usize,
            Key::Shape(relation, _, arity) => arity as usize + shape_offset(relation),
            Key::Auxiliary(_) => 0,
        };
        let id = self.relations.push(RelationInfo { key, arity });
        self.by_key.insert(key, id);
        id
    }

    pub(crate) fn find_relation(&self, key: Key) -> Option<RelationId> {
        self.by_key.get(&key).copied()
    }

    /// A new relation of the grounder's own.
    pub(crate) fn auxiliary(&mut self, arity: usize) -> RelationId {
        let number = u32::try_from(self.relations.len()).expect("fewer than 2^32 relations");
        self.relations.push(RelationInfo { key: Key::Auxiliary(number), arity })
    }

    /// The keys of all shapes of a game relation known by now.
    pub(crate) fn shapes_of(&self, relation: Symbol) -> Vec<(RelationId, Symbol, u32)> {
        self.relations
            .iter_ids()
            .filter_map(|(id, info)| match info.key {
                Key::Shape(of, functor, arity) if of == relation => Some((id, functor, arity)),
                _ => None,
            })
            .collect()
    }
}

/// The columns before those of the fluent's or move's own arguments.
pub(crate) fn shape_offset(relation: Symbol) -> usize {
    usize::from(matches!(relation, keyword::DOES | keyword::LEGAL))
}
