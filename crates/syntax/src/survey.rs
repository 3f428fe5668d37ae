//! Which relations there are, where they are defined and used, and how they depend on each other.
//!
//! A relation is a name with an arity. Relation `h` depends on `q` if some rule for `h` has a
//! condition on `q`, negated or not.

use gambol_index::{Components, Graph, Id as _, IndexVec, define_id};
use rustc_hash::FxHashMap;

use crate::{Atom, Literal, LiteralId, Rules, Symbol, keyword};

define_id! {
    /// A relation: a name and an arity.
    pub(crate) struct RelationId;
}

/// A condition on a relation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) relation: RelationId,
    pub(crate) literal: LiteralId,
    pub(crate) negated: bool,
    pub(crate) clause: usize,
}

pub(crate) struct Survey<'a> {
    pub(crate) rules: &'a Rules,
    /// Name and arity.
    pub(crate) relations: IndexVec<RelationId, (Symbol, usize)>,
    ids: FxHashMap<(Symbol, usize), RelationId>,
    /// The relation of each clause's head; `None` if the head is no proper atom.
    pub(crate) heads: Vec<Option<RelationId>>,
    /// The clauses that define each relation.
    pub(crate) clauses_of: IndexVec<RelationId, Vec<usize>>,
    /// All conditions, clause by clause.
    pub(crate) uses: Vec<Use>,
    first_use: Vec<usize>,
    components: Components,
    graph: Graph,
}

impl<'a> Survey<'a> {
    pub(crate) fn of(rules: &'a Rules) -> Self {
        let mut survey = Self {
            rules,
            relations: IndexVec::new(),
            ids: FxHashMap::default(),
            heads: Vec::with_capacity(rules.clauses.len()),
            clauses_of: IndexVec::new(),
            uses: Vec::new(),
            first_use: vec![0],
            components: Components::of(&Graph::default()),
            graph: Graph::default(),
        };
        for index in 0..rules.clauses.len() {
            survey.add_clause(index);
        }
        survey.graph = Graph::from_edges(survey.relations.len(), &survey.edges());
        survey.components = Components::of(&survey.graph);
        survey
    }

    fn add_clause(&mut self, index: usize) {
        let rules = self.rules;
        let clause = &rules.clauses[index];
        let head = self.relation_of(&clause.head);
        self.heads.push(head);
        if let Some(head) = head {
            self.clauses_of[head].push(index);
        }
        for condition in rules.conditions(&clause.body) {
            let Literal::Atom(atom) = rules.literal(condition.literal) else { continue };
            let Some(relation) = self.relation_of(atom) else { continue };
            let (literal, negated) = (condition.literal, condition.negated);
            self.uses.push(Use { relation, literal, negated, clause: index });
        }
        self.first_use.push(self.uses.len());
    }

    fn relation_of(&mut self, atom: &Atom) -> Option<RelationId> {
        if is_mistaken(self.rules, atom.relation) {
            return None;
        }
        let key = (atom.relation, atom.arguments.len());
        let id = *self.ids.entry(key).or_insert_with(|| self.relations.push(key));
        if id.index() == self.clauses_of.len() {
            self.clauses_of.push(Vec::new());
        }
        Some(id)
    }

    fn edges(&self) -> Vec<(u32, u32)> {
        let edge = |condition: &Use| {
            self.heads[condition.clause].map(|head| (head.number(), condition.relation.number()))
        };
        self.uses.iter().filter_map(edge).collect()
    }

    /// The relation of this name and arity, if it occurs.
    pub(crate) fn find(&self, name: Symbol, arity: usize) -> Option<RelationId> {
        self.ids.get(&(name, arity)).copied()
    }

    /// The conditions of a clause.
    pub(crate) fn uses_of(&self, clause: usize) -> &[Use] {
        &self.uses[self.first_use[clause]..self.first_use[clause + 1]]
    }

    /// The atom of a condition.
    pub(crate) fn atom(&self, condition: &Use) -> &'a Atom {
        match self.rules.literal(condition.literal) {
            Literal::Atom(atom) => atom,
            _ => unreachable!("a use is made from an atom"),
        }
    }

    /// The relation that a literal asks for, if it is an atom.
    pub(crate) fn find_use(&self, literal: LiteralId) -> Option<RelationId> {
        match self.rules.literal(literal) {
            Literal::Atom(atom) => self.find(atom.relation, atom.arguments.len()),
            _ => None,
        }
    }

    /// Whether something states or defines the relation.
    pub(crate) fn is_defined(&self, name: Symbol, arity: usize) -> bool {
        self.find(name, arity).is_some_and(|relation| !self.clauses_of[relation].is_empty())
    }

    /// A number that two relations share if each depends on the other.
    pub(crate) fn component(&self, relation: RelationId) -> u32 {
        self.components.component_of(relation.number())
    }

    /// Whether the relation depends on itself.
    pub(crate) fn is_recursive(&self, relation: RelationId) -> bool {
        self.components.is_cyclic(&self.graph, self.component(relation))
    }

    /// Whether each relation is one of the targets or depends on one.
    pub(crate) fn reaching(&self, targets: &[(Symbol, usize)]) -> IndexVec<RelationId, bool> {
        let backwards: Vec<(u32, u32)> =
            self.edges().into_iter().map(|(from, to)| (to, from)).collect();
        let backwards = Graph::from_edges(self.relations.len(), &backwards);
        let mut reaches = IndexVec::filled(false, self.relations.len());
        let mut open: Vec<RelationId> =
            targets.iter().filter_map(|&(name, arity)| self.find(name, arity)).collect();
        while let Some(relation) = open.pop() {
            if !std::mem::replace(&mut reaches[relation], true) {
                open.extend(
                    backwards.successors(relation.number()).iter().map(|&n| RelationId::new(n)),
                );
            }
        }
        reaches
    }
}

/// Whether a relation's name is a connective or looks like one: such an atom is a mistake that is
/// reported once, and nothing else about it matters.
pub(crate) fn is_mistaken(rules: &Rules, relation: Symbol) -> bool {
    relation.is_connective() || looks_like_connective(rules.symbols.text(relation))
}

/// Arrows and operators of other languages, and an arrow glued to a name.
pub(crate) fn looks_like_connective(name: &str) -> bool {
    const FOREIGN: &[&str] =
        &["=>", "<=>", "==>", "<==", "<-", "->", ":-", ":=", "&", "&&", "||", "~", "!", "\\+", "^"];
    FOREIGN.contains(&name) || is_glued_arrow(name)
}

/// Whether a name is the arrow with something behind it that is not a sign.
pub(crate) fn is_glued_arrow(name: &str) -> bool {
    name.strip_prefix("<=")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '?'))
}

/// How many arguments a game relation takes.
pub(crate) fn keyword_arity(relation: Symbol) -> Option<usize> {
    match relation {
        keyword::TERMINAL => Some(0),
        keyword::ROLE | keyword::INIT | keyword::TRUE | keyword::NEXT | keyword::BASE => Some(1),
        keyword::DOES | keyword::LEGAL | keyword::GOAL | keyword::INPUT | keyword::SEES => Some(2),
        _ => None,
    }
}
