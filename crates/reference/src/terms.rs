//! Ground terms, each stored once: equal terms have equal ids.
//!
//! Sharing keeps terms that double with every step small, and makes comparing them comparing
//! numbers. Depth and written length are kept with each term, so that nobody has to walk a term to
//! know that it is too large.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher};

use gambol_index::{Id, IndexVec, define_id};
use gambol_syntax::{Symbol, Symbols};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

define_id! {
    /// A term without variables: a role, fluent, move, percept or argument.
    pub struct GroundTerm;
}

#[derive(Clone, Debug)]
struct Row {
    name: Symbol,
    first_argument: u32,
    arity: u32,
    depth: u32,
    /// Characters of the written form, saturating.
    length: u32,
}

/// All terms met so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    rows: IndexVec<GroundTerm, Row>,
    arguments: Vec<GroundTerm>,
    known: HashTable<GroundTerm>,
}

impl Terms {
    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The function and its arguments.
    #[inline]
    pub(crate) fn parts(&self, term: GroundTerm) -> (Symbol, &[GroundTerm]) {
        let row = &self.rows[term];
        let first = row.first_argument as usize;
        (row.name, &self.arguments[first..first + row.arity as usize])
    }

    /// Levels of nesting; a constant has one.
    pub(crate) fn depth(&self, term: GroundTerm) -> u32 {
        self.rows[term].depth
    }

    /// Characters of the written form, at most `u32::MAX`.
    pub(crate) fn length(&self, term: GroundTerm) -> u32 {
        self.rows[term].length
    }

    /// The term, if it was ever made.
    pub(crate) fn find(&self, name: Symbol, arguments: &[GroundTerm]) -> Option<GroundTerm> {
        let hash = hash_of(name, arguments);
        self.known.find(hash, |&term| self.parts(term) == (name, arguments)).copied()
    }

    /// The term, made if it is new.
    pub(crate) fn make(
        &mut self,
        symbols: &Symbols,
        name: Symbol,
        arguments: &[GroundTerm],
    ) -> GroundTerm {
        if let Some(term) = self.find(name, arguments) {
            return term;
        }
        let depth = arguments.iter().map(|&term| self.depth(term)).max().unwrap_or(0);
        let row = Row {
            name,
            first_argument: table_size(self.arguments.len()),
            arity: table_size(arguments.len()),
            depth: depth.saturating_add(1),
            length: self.written_length(symbols.text(name).len(), arguments),
        };
        self.arguments.extend_from_slice(arguments);
        let term = self.rows.push(row);
        let (rows, table) = (&self.rows, &self.arguments);
        let rehash = |&term: &GroundTerm| {
            let row = &rows[term];
            let first = row.first_argument as usize;
            hash_of(row.name, &table[first..first + row.arity as usize])
        };
        self.known.insert_unique(hash_of(name, arguments), term, rehash);
        term
    }

    fn written_length(&self, name_length: usize, arguments: &[GroundTerm]) -> u32 {
        let brackets = if arguments.is_empty() { 0 } else { 2 };
        let own = u32::try_from(name_length).unwrap_or(u32::MAX).saturating_add(brackets);
        arguments
            .iter()
            .fold(own, |sum, &term| sum.saturating_add(self.length(term)).saturating_add(1))
    }

    /// An order that depends on the rules alone, not on which terms were met first: by name in the
    /// order of the file, then by arguments. Only the first difference is followed down, so shared
    /// subterms cost nothing.
    pub(crate) fn compare(&self, left: GroundTerm, right: GroundTerm) -> Ordering {
        let (mut left, mut right) = (left, right);
        while left != right {
            let ((left_name, left_arguments), (right_name, right_arguments)) =
                (self.parts(left), self.parts(right));
            let heads = (left_name, left_arguments.len()).cmp(&(right_name, right_arguments.len()));
            if heads.is_ne() {
                return heads;
            }
            let mut pairs = left_arguments.iter().zip(right_arguments);
            let Some((&next_left, &next_right)) = pairs.find(|(l, r)| l != r) else {
                return Ordering::Equal;
            };
            (left, right) = (next_left, next_right);
        }
        Ordering::Equal
    }

    /// The prefix form, with single blanks.
    pub(crate) fn write(&self, symbols: &Symbols, term: GroundTerm, out: &mut String) {
        let mut work = vec![Piece::Term(term)];
        while let Some(piece) = work.pop() {
            match piece {
                Piece::Close => out.push(')'),
                Piece::Blank(term) => {
                    out.push(' ');
                    work.push(Piece::Term(term));
                }
                Piece::Term(term) => self.open(symbols, term, out, &mut work),
            }
        }
    }

    /// An atom in prefix form.
    pub(crate) fn atom_text(&self, symbols: &Symbols, name: Symbol, row: &[GroundTerm]) -> String {
        if row.is_empty() {
            return symbols.text(name).to_owned();
        }
        let mut text = format!("({}", symbols.text(name));
        for &term in row {
            text.push(' ');
            self.write(symbols, term, &mut text);
        }
        text.push(')');
        text
    }

    fn open(&self, symbols: &Symbols, term: GroundTerm, out: &mut String, work: &mut Vec<Piece>) {
        let (name, arguments) = self.parts(term);
        if arguments.is_empty() {
            out.push_str(symbols.text(name));
            return;
        }
        out.push('(');
        out.push_str(symbols.text(name));
        work.push(Piece::Close);
        work.extend(arguments.iter().rev().map(|&argument| Piece::Blank(argument)));
    }
}

enum Piece {
    Term(GroundTerm),
    Blank(GroundTerm),
    Close,
}

fn hash_of(name: Symbol, arguments: &[GroundTerm]) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    name.hash(&mut hasher);
    for argument in arguments {
        hasher.write_u32(argument.number());
    }
    hasher.finish()
}

fn table_size(len: usize) -> u32 {
    GroundTerm::from_index(len).number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one_term() {
        let mut symbols = Symbols::new();
        let (f, a) = (symbols.intern("f"), symbols.intern("a"));
        let mut terms = Terms::default();
        let constant = terms.make(&symbols, a, &[]);
        let first = terms.make(&symbols, f, &[constant, constant]);
        assert_eq!(terms.make(&symbols, f, &[constant, constant]), first);
        let mut text = String::new();
        terms.write(&symbols, first, &mut text);
        assert_eq!(text, "(f a a)");
        assert_eq!((terms.depth(first), terms.length(first)), (2, 7));
    }

    #[test]
    fn a_term_that_doubles_a_hundred_times_is_a_hundred_terms() {
        let mut symbols = Symbols::new();
        let node = symbols.intern("node");
        let mut terms = Terms::default();
        let mut tree = terms.make(&symbols, node, &[]);
        for _ in 0..100 {
            tree = terms.make(&symbols, node, &[tree, tree]);
        }
        assert_eq!((terms.len(), terms.depth(tree), terms.length(tree)), (101, 101, u32::MAX));
    }

    #[test]
    fn terms_are_ordered_by_name_then_by_arguments() {
        let mut symbols = Symbols::new();
        let (a, b, f) = (symbols.intern("a"), symbols.intern("b"), symbols.intern("f"));
        let mut terms = Terms::default();
        // Made in reverse, so that ids and order disagree.
        let (b, a) = (terms.make(&symbols, b, &[]), terms.make(&symbols, a, &[]));
        let fb = terms.make(&symbols, f, &[a, b]);
        let fa = terms.make(&symbols, f, &[a, a]);
        let mut all = vec![fb, fa, b, a];
        all.sort_by(|&left, &right| terms.compare(left, right));
        assert_eq!(all, [a, b, fa, fb]);
    }
}
