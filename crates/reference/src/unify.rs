//! Whether a condition of one rule can meet the head of another: unification with the variables
//! of the two rules kept apart, and no term inside itself.

use crate::program::{Pattern, RuleTerm, Slot};
use crate::terms::{GroundTerm, Terms};

/// Whether some instance of `left` is an instance of `right`. They share no variable.
pub(crate) fn unifiable(terms: &Terms, left: &Pattern, right: &Pattern) -> bool {
    if left.relation != right.relation {
        return false;
    }
    let mut unifier = Unifier { terms, values: Vec::new() };
    let pairs = left.arguments.iter().zip(&right.arguments);
    let mut work: Vec<(Side<'_>, Side<'_>)> =
        pairs.map(|(l, r)| (Side::of(false, l), Side::of(true, r))).collect();
    while let Some((left, right)) = work.pop() {
        if !unifier.step(left, right, &mut work) {
            return false;
        }
    }
    true
}

/// A variable: which rule it belongs to, and its slot there.
type Variable = (bool, Slot);

/// A term of one of the two rules.
#[derive(Clone, Copy)]
enum Side<'a> {
    Variable(Variable),
    Ground(GroundTerm),
    Function(bool, &'a RuleTerm),
}

impl<'a> Side<'a> {
    fn of(right: bool, term: &'a RuleTerm) -> Self {
        match term {
            RuleTerm::Variable(slot) => Self::Variable((right, *slot)),
            RuleTerm::Ground(term) => Self::Ground(*term),
            RuleTerm::Function(..) => Self::Function(right, term),
        }
    }

    fn arguments(self, terms: &'a Terms) -> Vec<Side<'a>> {
        match self {
            Self::Variable(_) => Vec::new(),
            Self::Ground(term) => terms.parts(term).1.iter().map(|&t| Self::Ground(t)).collect(),
            Self::Function(right, RuleTerm::Function(_, arguments)) => {
                arguments.iter().map(|term| Self::of(right, term)).collect()
            }
            Self::Function(..) => Vec::new(),
        }
    }

    fn same_function(self, other: Self, terms: &Terms) -> bool {
        let head = |side: Self| match side {
            Self::Ground(term) => {
                let (name, arguments) = terms.parts(term);
                Some((name, arguments.len()))
            }
            Self::Function(_, RuleTerm::Function(name, arguments)) => {
                Some((*name, arguments.len()))
            }
            _ => None,
        };
        head(self) == head(other)
    }
}

struct Unifier<'a> {
    terms: &'a Terms,
    /// What each bound variable stands for. Rules have few variables, so a list will do.
    values: Vec<(Variable, Side<'a>)>,
}

impl<'a> Unifier<'a> {
    fn value(&self, side: Side<'a>) -> Side<'a> {
        let mut side = side;
        while let Side::Variable(variable) = side {
            match self.values.iter().find(|(bound, _)| *bound == variable) {
                Some((_, value)) => side = *value,
                None => break,
            }
        }
        side
    }

    /// Makes two terms equal as far as their outermost function; their arguments are left to do.
    fn step(
        &mut self,
        left: Side<'a>,
        right: Side<'a>,
        work: &mut Vec<(Side<'a>, Side<'a>)>,
    ) -> bool {
        let (left, right) = (self.value(left), self.value(right));
        match (left, right) {
            (Side::Variable(one), Side::Variable(other)) if one == other => true,
            (Side::Variable(variable), other) | (other, Side::Variable(variable)) => {
                let finite = !self.occurs(variable, other);
                self.values.push((variable, other));
                finite
            }
            (Side::Ground(one), Side::Ground(other)) => one == other,
            _ if left.same_function(right, self.terms) => {
                work.extend(
                    left.arguments(self.terms).into_iter().zip(right.arguments(self.terms)),
                );
                true
            }
            _ => false,
        }
    }

    fn occurs(&self, variable: Variable, side: Side<'a>) -> bool {
        let mut work = vec![side];
        while let Some(side) = work.pop() {
            match self.value(side) {
                Side::Variable(found) if found == variable => return true,
                Side::Variable(_) | Side::Ground(_) => {}
                function => work.extend(function.arguments(self.terms)),
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::RelationId;
    use gambol_syntax::Symbols;

    fn variable(slot: Slot) -> RuleTerm {
        RuleTerm::Variable(slot)
    }

    fn check(left: Vec<RuleTerm>, right: Vec<RuleTerm>, terms: &Terms, answer: bool) {
        let pattern = |arguments| Pattern { relation: RelationId::new(0), arguments };
        assert_eq!(unifiable(terms, &pattern(left), &pattern(right)), answer);
    }

    #[test]
    fn different_constants_do_not_meet() {
        let mut symbols = Symbols::new();
        let (zero, hundred) = (symbols.intern("0"), symbols.intern("100"));
        let mut terms = Terms::default();
        let zero = RuleTerm::Ground(terms.make(&symbols, zero, &[]));
        let hundred = RuleTerm::Ground(terms.make(&symbols, hundred, &[]));
        check(vec![variable(0), zero.clone()], vec![variable(0), hundred], &terms, false);
        check(vec![variable(0), zero.clone()], vec![variable(0), zero], &terms, true);
    }

    #[test]
    fn no_term_is_inside_itself() {
        let mut symbols = Symbols::new();
        let f = symbols.intern("f");
        let wrapped = RuleTerm::Function(f, vec![variable(0)]);
        let terms = Terms::default();
        check(vec![variable(0), wrapped.clone()], vec![variable(0), variable(0)], &terms, false);
        check(vec![variable(0), wrapped], vec![variable(0), variable(1)], &terms, true);
    }
}
