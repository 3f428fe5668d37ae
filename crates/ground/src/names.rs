//! Ground terms, hash-consed, and how they are spelt.

use gambol_index::define_id;
use gambol_syntax::{Symbol, Symbols};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

define_id! {
    /// A ground term. Equal terms have equal ids.
    pub struct GroundTerm;
}

/// A ground atom of a derived relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtomName {
    /// The relation.
    pub relation: Symbol,
    /// Its arguments.
    pub arguments: Box<[GroundTerm]>,
}

#[derive(Clone, Copy, Debug)]
struct TermRow {
    functor: Symbol,
    first: u32,
    count: u32,
    depth: u32,
}

/// All ground terms of a game. A term's arguments have smaller ids than the term.
#[derive(Clone, Debug, Default)]
pub struct Names {
    symbols: Symbols,
    rows: Vec<TermRow>,
    arguments: Vec<GroundTerm>,
    known: HashTable<u32>,
}

impl Names {
    /// No terms yet, over these symbols.
    pub fn new(symbols: Symbols) -> Self {
        Self { symbols, ..Self::default() }
    }

    /// The spellings.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The term `(functor arguments…)`, made if it is new.
    pub fn term(&mut self, functor: Symbol, arguments: &[GroundTerm]) -> GroundTerm {
        let hash = hash_of(functor, arguments);
        if let Some(&row) = self.known.find(hash, |&row| self.is(row, functor, arguments)) {
            return GroundTerm::new(row);
        }
        let depth = arguments.iter().map(|&term| self.depth(term) + 1).max().unwrap_or(0);
        let row = number(self.rows.len());
        let first = number(self.arguments.len());
        self.arguments.extend_from_slice(arguments);
        self.rows.push(TermRow { functor, first, count: number(arguments.len()), depth });
        let Self { rows, arguments, known, .. } = self;
        known.insert_unique(hash, row, |&row| {
            let row = rows[row as usize];
            hash_of(row.functor, &arguments[row.first as usize..(row.first + row.count) as usize])
        });
        GroundTerm::new(row)
    }

    /// The term `(functor arguments…)`, if it is known.
    pub fn find(&self, functor: Symbol, arguments: &[GroundTerm]) -> Option<GroundTerm> {
        let hash = hash_of(functor, arguments);
        self.known
            .find(hash, |&row| self.is(row, functor, arguments))
            .map(|&row| GroundTerm::new(row))
    }

    fn is(&self, row: u32, functor: Symbol, arguments: &[GroundTerm]) -> bool {
        let term = GroundTerm::new(row);
        self.functor(term) == functor && self.arguments(term) == arguments
    }

    /// The function or constant at the top of a term.
    pub fn functor(&self, term: GroundTerm) -> Symbol {
        self.rows[term.number() as usize].functor
    }

    /// The arguments of a term; none for a constant.
    pub fn arguments(&self, term: GroundTerm) -> &[GroundTerm] {
        let row = self.rows[term.number() as usize];
        &self.arguments[row.first as usize..(row.first + row.count) as usize]
    }

    /// How deep a term is nested; 0 for a constant.
    pub fn depth(&self, term: GroundTerm) -> u32 {
        self.rows[term.number() as usize].depth
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The term as GDL prefix text with single blanks.
    pub fn text(&self, term: GroundTerm) -> String {
        let mut text = String::new();
        self.write_application(self.functor(term), self.arguments(term), &mut text);
        text
    }

    /// The atom as GDL prefix text with single blanks.
    pub fn atom_text(&self, atom: &AtomName) -> String {
        let mut text = String::new();
        self.write_application(atom.relation, &atom.arguments, &mut text);
        text
    }

    /// Recursion is bounded by the depth limit of ground terms.
    fn write_application(&self, name: Symbol, arguments: &[GroundTerm], text: &mut String) {
        if arguments.is_empty() {
            text.push_str(self.symbols.text(name));
            return;
        }
        text.push('(');
        text.push_str(self.symbols.text(name));
        for &argument in arguments {
            text.push(' ');
            self.write_application(self.functor(argument), self.arguments(argument), text);
        }
        text.push(')');
    }
}

fn hash_of(functor: Symbol, arguments: &[GroundTerm]) -> u64 {
    let mut hasher = FxHasher::default();
    functor.hash(&mut hasher);
    arguments.hash(&mut hasher);
    hasher.finish()
}

fn number(len: usize) -> u32 {
    // The grounder's memory limit stops long before this.
    u32::try_from(len).expect("fewer than 2^32 terms")
}
