//! The rules as the interpreter keeps them: relations by name and arity, variables by slot, ground
//! terms stored once, and negation only at atoms.
//!
//! Conditions stay trees. Pushing `not` inwards changes no meaning: `(not (or a b))` is
//! `(not a) (not b)`, and every variable of a rule is bound elsewhere in it.

use gambol_index::{IndexVec, define_id};
use gambol_syntax::{Atom, Literal, LiteralId, Rules, Span, Symbol, Symbols, Term, TermId};
use rustc_hash::FxHashMap;

use crate::ReferenceError;
use crate::terms::{GroundTerm, Terms};

define_id! {
    /// A relation: a name with an arity.
    pub(crate) struct RelationId;
    /// A clause with conditions.
    pub(crate) struct RuleId;
}

/// The place of a variable in the bindings of its rule.
pub(crate) type Slot = usize;

/// A term of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RuleTerm {
    Variable(Slot),
    Ground(GroundTerm),
    /// A function with a variable somewhere below.
    Function(Symbol, Vec<RuleTerm>),
}

/// A relation applied to terms of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    pub(crate) relation: RelationId,
    pub(crate) arguments: Vec<RuleTerm>,
}

/// A condition of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// The atom holds. The number tells the atoms of one rule apart.
    Holds(Pattern, usize),
    /// The atom does not hold.
    Fails(Pattern, usize),
    /// The terms are equal, or (`false`) differ.
    Equal(RuleTerm, RuleTerm, bool),
    /// All hold.
    All(Vec<Condition>),
    /// One holds.
    Any(Vec<Condition>),
}

/// A clause with conditions.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) head: Pattern,
    pub(crate) body: Vec<Condition>,
    /// The names of the variables, by slot.
    pub(crate) variables: Vec<Symbol>,
    /// The number of atoms in the body.
    pub(crate) atoms: usize,
    /// Where the head stands.
    pub(crate) span: Span,
}

/// A rulesheet, ready to be interpreted.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) symbols: Symbols,
    pub(crate) terms: Terms,
    pub(crate) relations: IndexVec<RelationId, (Symbol, usize)>,
    relation_of: FxHashMap<(Symbol, usize), RelationId>,
    pub(crate) facts: Vec<(RelationId, Vec<GroundTerm>)>,
    pub(crate) rules: IndexVec<RuleId, Rule>,
}

/// Deeper nesting than any reader lets through by default; it keeps recursion here bounded.
const NESTING: u32 = 1_100;

impl Program {
    /// Takes over the clauses of a rulesheet.
    pub(crate) fn of(rules: &Rules) -> Result<Self, ReferenceError> {
        let mut program = Self {
            symbols: rules.symbols.clone(),
            terms: Terms::default(),
            relations: IndexVec::new(),
            relation_of: FxHashMap::default(),
            facts: Vec::new(),
            rules: IndexVec::new(),
        };
        for clause in &rules.clauses {
            let mut reader = ClauseReader::new(rules, &mut program, clause.span);
            let head = reader.pattern(&clause.head)?;
            let body = reader.body(&clause.body)?;
            let (variables, atoms) = (reader.variables, reader.atoms);
            program.add(head, body, variables, atoms, clause.head.span)?;
        }
        Ok(program)
    }

    fn add(
        &mut self,
        head: Pattern,
        body: Vec<Condition>,
        variables: Vec<Symbol>,
        atoms: usize,
        span: Span,
    ) -> Result<(), ReferenceError> {
        if !body.is_empty() {
            self.rules.push(Rule { head, body, variables, atoms, span });
            return Ok(());
        }
        if let Some(&variable) = variables.first() {
            let variable = self.symbols.text(variable).to_owned();
            return Err(ReferenceError::Unsafe { variable, at: span });
        }
        let row = head.arguments.iter().filter_map(RuleTerm::ground).collect();
        self.facts.push((head.relation, row));
        Ok(())
    }

    /// The relation of this name and arity, if the rulesheet mentions it.
    pub(crate) fn find_relation(&self, name: Symbol, arity: usize) -> Option<RelationId> {
        self.relation_of.get(&(name, arity)).copied()
    }

    /// The relation of this name and arity.
    pub(crate) fn relation(&mut self, name: Symbol, arity: usize) -> RelationId {
        let relations = &mut self.relations;
        *self.relation_of.entry((name, arity)).or_insert_with(|| relations.push((name, arity)))
    }
}

impl RuleTerm {
    /// The term itself, if it has no variable.
    pub(crate) fn ground(&self) -> Option<GroundTerm> {
        match self {
            Self::Ground(term) => Some(*term),
            _ => None,
        }
    }

    /// Calls `visit` with each variable, as often as it occurs.
    pub(crate) fn visit_variables(&self, visit: &mut impl FnMut(Slot)) {
        match self {
            Self::Variable(slot) => visit(*slot),
            Self::Ground(_) => {}
            Self::Function(_, arguments) => {
                for argument in arguments {
                    argument.visit_variables(visit);
                }
            }
        }
    }
}

impl Condition {
    /// Calls `visit` with each atom of the tree: its number, whether it must hold, and itself.
    pub(crate) fn visit_atoms<'a>(&'a self, visit: &mut impl FnMut(usize, bool, &'a Pattern)) {
        match self {
            Self::Holds(pattern, number) => visit(*number, true, pattern),
            Self::Fails(pattern, number) => visit(*number, false, pattern),
            Self::Equal(..) => {}
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.visit_atoms(visit);
                }
            }
        }
    }

    /// Calls `visit` with each variable, as often as it occurs.
    pub(crate) fn visit_variables(&self, visit: &mut impl FnMut(Slot)) {
        match self {
            Self::Holds(pattern, _) | Self::Fails(pattern, _) => {
                for argument in &pattern.arguments {
                    argument.visit_variables(visit);
                }
            }
            Self::Equal(left, right, _) => {
                left.visit_variables(visit);
                right.visit_variables(visit);
            }
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.visit_variables(visit);
                }
            }
        }
    }
}

/// Reads one clause.
struct ClauseReader<'a> {
    rules: &'a Rules,
    program: &'a mut Program,
    span: Span,
    slot_of: FxHashMap<Symbol, Slot>,
    variables: Vec<Symbol>,
    atoms: usize,
}

impl<'a> ClauseReader<'a> {
    fn new(rules: &'a Rules, program: &'a mut Program, span: Span) -> Self {
        let slot_of = FxHashMap::default();
        Self { rules, program, span, slot_of, variables: Vec::new(), atoms: 0 }
    }

    fn body(&mut self, literals: &[LiteralId]) -> Result<Vec<Condition>, ReferenceError> {
        let mut body = Vec::with_capacity(literals.len());
        for &literal in literals {
            splice(self.condition(literal, true, 0)?, &mut body, true);
        }
        // A rule that always holds keeps one condition, so that facts are those written as such.
        if body.is_empty() && !literals.is_empty() {
            body.push(Condition::All(Vec::new()));
        }
        Ok(body)
    }

    fn condition(
        &mut self,
        literal: LiteralId,
        holds: bool,
        depth: u32,
    ) -> Result<Condition, ReferenceError> {
        self.check_depth(depth)?;
        let rules = self.rules;
        let (mut literal, mut holds) = (rules.literal(literal), holds);
        while let Literal::Not(inner) = literal {
            (literal, holds) = (rules.literal(*inner), !holds);
        }
        match literal {
            Literal::Atom(atom) => self.atom(atom, holds),
            Literal::Distinct(left, right) => {
                let (left, right) = (self.term(*left, 0)?, self.term(*right, 0)?);
                Ok(Condition::Equal(left, right, !holds))
            }
            Literal::And(parts) => self.parts(parts, holds, holds, depth),
            Literal::Or(parts) => self.parts(parts, holds, !holds, depth),
            // The loop above stops at the first literal that is no negation.
            Literal::Not(_) => Ok(Condition::All(Vec::new())),
        }
    }

    fn parts(
        &mut self,
        literals: &[LiteralId],
        holds: bool,
        all: bool,
        depth: u32,
    ) -> Result<Condition, ReferenceError> {
        let mut parts = Vec::with_capacity(literals.len());
        for &literal in literals {
            splice(self.condition(literal, holds, depth + 1)?, &mut parts, all);
        }
        Ok(if all { Condition::All(parts) } else { Condition::Any(parts) })
    }

    fn atom(&mut self, atom: &Atom, holds: bool) -> Result<Condition, ReferenceError> {
        let pattern = self.pattern(atom)?;
        let number = self.atoms;
        self.atoms += 1;
        Ok(if holds {
            Condition::Holds(pattern, number)
        } else {
            Condition::Fails(pattern, number)
        })
    }

    fn pattern(&mut self, atom: &Atom) -> Result<Pattern, ReferenceError> {
        let relation = self.program.relation(atom.relation, atom.arguments.len());
        let arguments =
            atom.arguments.iter().map(|&term| self.term(term, 0)).collect::<Result<_, _>>()?;
        Ok(Pattern { relation, arguments })
    }

    fn term(&mut self, term: TermId, depth: u32) -> Result<RuleTerm, ReferenceError> {
        self.check_depth(depth)?;
        let rules = self.rules;
        match rules.term(term) {
            Term::Variable(name) => Ok(RuleTerm::Variable(self.slot(name))),
            Term::Function(name, arguments) => {
                let arguments: Vec<RuleTerm> = arguments
                    .iter()
                    .map(|&argument| self.term(argument, depth + 1))
                    .collect::<Result<_, _>>()?;
                Ok(self.function(name, arguments))
            }
        }
    }

    fn function(&mut self, name: Symbol, arguments: Vec<RuleTerm>) -> RuleTerm {
        let ground: Option<Vec<GroundTerm>> = arguments.iter().map(RuleTerm::ground).collect();
        match ground {
            Some(ground) => {
                let Program { symbols, terms, .. } = &mut *self.program;
                RuleTerm::Ground(terms.make(symbols, name, &ground))
            }
            None => RuleTerm::Function(name, arguments),
        }
    }

    fn slot(&mut self, name: Symbol) -> Slot {
        let variables = &mut self.variables;
        *self.slot_of.entry(name).or_insert_with(|| {
            variables.push(name);
            variables.len() - 1
        })
    }

    fn check_depth(&self, depth: u32) -> Result<(), ReferenceError> {
        if depth <= NESTING {
            return Ok(());
        }
        Err(ReferenceError::Depth { limit: NESTING, at: self.span })
    }
}

/// Adds a part to a conjunction (or disjunction) without nesting one in another of its kind.
fn splice(part: Condition, parts: &mut Vec<Condition>, all: bool) {
    match (part, all) {
        (Condition::All(inner), true) | (Condition::Any(inner), false) => parts.extend(inner),
        (part, _) => parts.push(part),
    }
}
