//! Walks over rules without recursion: the conditions of a body, the parts of a term.

use crate::{Literal, LiteralId, Rules, Symbol, Term, TermId};

/// An atom or `distinct` somewhere in a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The literal: [`Literal::Atom`] or [`Literal::Distinct`].
    pub literal: LiteralId,
    /// Whether it stands under a `not`, however deep.
    pub negated: bool,
}

impl Rules {
    /// The atoms and `distinct`s of a body, through all connectives, in the order of the text.
    pub fn conditions<'a>(
        &'a self,
        body: &[LiteralId],
    ) -> impl Iterator<Item = Condition> + use<'a> {
        let mut open: Vec<Condition> =
            body.iter().rev().map(|&literal| Condition { literal, negated: false }).collect();
        std::iter::from_fn(move || {
            loop {
                let Condition { literal, negated } = open.pop()?;
                match self.literal(literal) {
                    Literal::Atom(_) | Literal::Distinct(..) => {
                        return Some(Condition { literal, negated });
                    }
                    Literal::Not(inner) => open.push(Condition { literal: *inner, negated: true }),
                    Literal::Or(parts) | Literal::And(parts) => {
                        let parts = parts.iter().rev();
                        open.extend(parts.map(|&literal| Condition { literal, negated }));
                    }
                }
            }
        })
    }

    /// A term and all terms inside it, in the order of the text.
    pub fn subterms<'a>(&'a self, root: TermId) -> impl Iterator<Item = TermId> + use<'a> {
        self.subterms_of(&[root])
    }

    /// The terms and all terms inside them, in the order of the text.
    pub fn subterms_of<'a>(&'a self, roots: &[TermId]) -> impl Iterator<Item = TermId> + use<'a> {
        let mut open: Vec<TermId> = roots.iter().rev().copied().collect();
        std::iter::from_fn(move || {
            let term = open.pop()?;
            if let Term::Function(_, arguments) = self.term(term) {
                open.extend(arguments.iter().rev());
            }
            Some(term)
        })
    }

    /// The variables inside terms, each occurrence, in the order of the text.
    pub fn variables_of<'a>(
        &'a self,
        roots: &[TermId],
    ) -> impl Iterator<Item = (Symbol, TermId)> + use<'a> {
        self.subterms_of(roots).filter_map(|term| match self.term(term) {
            Term::Variable(name) => Some((name, term)),
            Term::Function(..) => None,
        })
    }

    /// The constant that a term is, if it is one.
    pub fn constant(&self, term: TermId) -> Option<Symbol> {
        match self.term(term) {
            Term::Function(name, []) => Some(name),
            _ => None,
        }
    }
}
