//! A rulesheet as plain values: clauses over flat tables of terms and literals.
//!
//! Terms and literals live in tables and refer to one another by id, so that walking, comparing
//! and dropping a deeply nested rule needs no recursion. A constant is a function without
//! arguments: `f` and `(f)` are the same term, `p` and `(p)` the same atom.

use gambol_index::{IndexVec, define_id};

use crate::comments::Layout;
use crate::{Span, Symbol, Symbols};

define_id! {
    /// A term of a rulesheet: one occurrence in the text.
    pub struct TermId;
    /// A literal of a rulesheet: one occurrence in the text.
    pub struct LiteralId;
}

/// A variable, or a function applied to terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term<'a> {
    /// `?x`; the symbol's text has no question mark.
    Variable(Symbol),
    /// `(f t …)`, or the constant `f`.
    Function(Symbol, &'a [TermId]),
}

/// A relation applied to terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The relation's name. Relations of different arity are different.
    pub relation: Symbol,
    /// Its arguments.
    pub arguments: Vec<TermId>,
    /// Where it stands.
    pub span: Span,
}

/// A condition of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Literal {
    /// The atom holds.
    Atom(Atom),
    /// The terms differ.
    Distinct(TermId, TermId),
    /// The condition does not hold.
    Not(LiteralId),
    /// One of the conditions holds; of none: false.
    Or(Vec<LiteralId>),
    /// All of the conditions hold; of none: true. An extension of the language.
    And(Vec<LiteralId>),
}

/// A fact (no conditions) or a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// What holds.
    pub head: Atom,
    /// If all of these hold.
    pub body: Vec<LiteralId>,
    /// Where it stands.
    pub span: Span,
}

#[derive(Clone, Debug)]
struct TermRow {
    name: Symbol,
    variable: bool,
    first_argument: u32,
    argument_count: u32,
    span: Span,
}

/// A rulesheet.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The names.
    pub symbols: Symbols,
    /// The clauses, in the order of the text.
    pub clauses: Vec<Clause>,
    terms: IndexVec<TermId, TermRow>,
    arguments: Vec<TermId>,
    literals: IndexVec<LiteralId, (Literal, Span)>,
    /// For each parenthesised list of the text, by its first byte: where its name stands.
    list_names: Vec<(u32, Span)>,
    layout: Layout,
}

impl Rules {
    /// No clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the variable `name` (without question mark).
    pub fn add_variable(&mut self, name: Symbol, span: Span) -> TermId {
        self.add_term(name, true, &[], span)
    }

    /// Adds a function term, or a constant if there are no arguments.
    pub fn add_function(&mut self, name: Symbol, arguments: &[TermId], span: Span) -> TermId {
        self.add_term(name, false, arguments, span)
    }

    fn add_term(
        &mut self,
        name: Symbol,
        variable: bool,
        arguments: &[TermId],
        span: Span,
    ) -> TermId {
        let first_argument = table_size(self.arguments.len());
        self.arguments.extend_from_slice(arguments);
        let argument_count = table_size(arguments.len());
        self.terms.push(TermRow { name, variable, first_argument, argument_count, span })
    }

    /// Adds a literal.
    pub fn add_literal(&mut self, literal: Literal, span: Span) -> LiteralId {
        self.literals.push((literal, span))
    }

    /// What a term is.
    pub fn term(&self, id: TermId) -> Term<'_> {
        let row = &self.terms[id];
        if row.variable {
            return Term::Variable(row.name);
        }
        let first = row.first_argument as usize;
        Term::Function(row.name, &self.arguments[first..first + row.argument_count as usize])
    }

    /// Where a term stands.
    pub fn term_span(&self, id: TermId) -> Span {
        self.terms[id].span
    }

    /// What a literal is.
    pub fn literal(&self, id: LiteralId) -> &Literal {
        &self.literals[id].0
    }

    /// Where the name of an atom or a term stands, given where the whole stands.
    pub fn name_span(&self, whole: Span) -> Span {
        let found = self.list_names.binary_search_by_key(&whole.start, |&(start, _)| start);
        found.map_or(whole, |index| self.list_names[index].1)
    }

    /// Comments and paragraphs of the text.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Notes where the name of a list stands. Lists come in the order in which they begin.
    pub(crate) fn note_list_name(&mut self, list_start: u32, name: Span) {
        self.list_names.push((list_start, name));
    }

    /// The same rules in other words, without comments. `word` says what stands for a name; reserved words stay.
    pub fn renamed(&self, word: impl Fn(&str) -> String) -> Rules {
        let mut symbols = Symbols::new();
        let mut image = |name: Symbol| match name.is_game_relation() || name.is_connective() {
            true => name,
            false => symbols.intern(&word(self.symbols.text(name))),
        };
        let mut rules = Rules { layout: Layout::default(), ..self.clone() };
        for term in rules.terms.iter_mut() {
            term.name = image(term.name);
        }
        for (literal, _) in rules.literals.iter_mut() {
            if let Literal::Atom(atom) = literal {
                atom.relation = image(atom.relation);
            }
        }
        for clause in &mut rules.clauses {
            clause.head.relation = image(clause.head.relation);
        }
        rules.symbols = symbols;
        rules
    }

    /// The names that are not reserved words: of relations, functions, objects and variables; sorted.
    pub fn names(&self) -> Vec<&str> {
        let literals = self.literals.iter().filter_map(|(literal, _)| match literal {
            Literal::Atom(atom) => Some(atom.relation),
            _ => None,
        });
        let heads = self.clauses.iter().map(|clause| clause.head.relation);
        let all = self.terms.iter().map(|term| term.name).chain(literals).chain(heads);
        let own = all.filter(|name| !name.is_game_relation() && !name.is_connective());
        let mut names: Vec<&str> = own.map(|name| self.symbols.text(name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Gives an atom another relation.
    pub(crate) fn rename_relation(&mut self, literal: LiteralId, name: Symbol) {
        if let Literal::Atom(atom) = &mut self.literals[literal].0 {
            atom.relation = name;
        }
    }

    /// Gives an atom one more argument, before the others.
    pub(crate) fn prepend_argument(&mut self, literal: LiteralId, argument: TermId) {
        if let Literal::Atom(atom) = &mut self.literals[literal].0 {
            atom.arguments.insert(0, argument);
        }
    }

    pub(crate) fn set_layout(&mut self, layout: Layout) {
        self.layout = layout;
    }

    /// Where a literal stands.
    pub fn literal_span(&self, id: LiteralId) -> Span {
        self.literals[id].1
    }
}

fn table_size(len: usize) -> u32 {
    u32::try_from(len).expect("a rulesheet of at most 4 MiB has fewer than 2^32 terms")
}
