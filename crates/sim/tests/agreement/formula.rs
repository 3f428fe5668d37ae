//! Conditions of rules: terms, atoms and connectives, and which variables they bind.

use std::fmt::{Display, Formatter};

/// What a term is about. Pairs are made of items, so terms do not grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Item,
    Pair,
    Role,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Term {
    Variable(&'static str, Sort),
    Constant(String),
    Function(&'static str, Vec<Term>),
}

impl Term {
    pub(crate) fn variables(&self, found: &mut Vec<(&'static str, Sort)>) {
        match self {
            Term::Variable(name, sort) => found.push((name, *sort)),
            Term::Constant(_) => {}
            Term::Function(_, arguments) => arguments.iter().for_each(|it| it.variables(found)),
        }
    }
}

impl Display for Term {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Term::Variable(name, _) => write!(out, "{name}"),
            Term::Constant(name) => write!(out, "{name}"),
            Term::Function(name, arguments) => {
                write!(out, "({name}")?;
                arguments.iter().try_for_each(|argument| write!(out, " {argument}"))?;
                write!(out, ")")
            }
        }
    }
}

/// An atom: the text before its arguments, the arguments, the text after them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Atom {
    pub(crate) open: String,
    pub(crate) arguments: Vec<Term>,
    pub(crate) close: String,
}

impl Display for Atom {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.open)?;
        self.arguments.iter().try_for_each(|argument| write!(out, " {argument}"))?;
        write!(out, "{}", self.close)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Atom(Atom),
    Distinct(Term, Term),
    Not(Box<Formula>),
    Or(Vec<Formula>),
    And(Vec<Formula>),
}

impl Display for Formula {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let list = |out: &mut Formatter<'_>, word: &str, parts: &[Formula]| {
            write!(out, "({word}")?;
            parts.iter().try_for_each(|part| write!(out, " {part}"))?;
            write!(out, ")")
        };
        match self {
            Formula::Atom(atom) => write!(out, "{atom}"),
            Formula::Distinct(left, right) => write!(out, "(distinct {left} {right})"),
            Formula::Not(inner) => write!(out, "(not {inner})"),
            Formula::Or(parts) => list(out, "or", parts),
            Formula::And(parts) => list(out, "and", parts),
        }
    }
}

/// The variables of one alternative: all, and those that a positive atom binds.
#[derive(Clone, Default)]
struct Alternative {
    all: Vec<(&'static str, Sort)>,
    bound: Vec<(&'static str, Sort)>,
}

/// The ways in which a formula, or its negation, can hold. Under a negation nothing is bound, not even
/// by an atom that is negated twice.
fn alternatives(formula: &Formula, positive: bool) -> Vec<Alternative> {
    match formula {
        Formula::Atom(atom) => {
            let mut all = Vec::new();
            atom.arguments.iter().for_each(|argument| argument.variables(&mut all));
            let bound = if positive { all.clone() } else { Vec::new() };
            vec![Alternative { all, bound }]
        }
        Formula::Distinct(left, right) => {
            let mut all = Vec::new();
            left.variables(&mut all);
            right.variables(&mut all);
            vec![Alternative { all, bound: Vec::new() }]
        }
        Formula::Not(inner) => {
            let mut inner = alternatives(inner, !positive);
            inner.iter_mut().for_each(|alternative| alternative.bound.clear());
            inner
        }
        Formula::And(parts) if positive => conjunction(parts, positive),
        Formula::Or(parts) if !positive => conjunction(parts, positive),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().flat_map(|part| alternatives(part, positive)).collect()
        }
    }
}

fn conjunction(parts: &[Formula], positive: bool) -> Vec<Alternative> {
    let mut product = vec![Alternative::default()];
    for part in parts {
        let right = alternatives(part, positive);
        product = product
            .iter()
            .flat_map(|left| {
                right.iter().map(move |right| Alternative {
                    all: [&left.all[..], &right.all[..]].concat(),
                    bound: [&left.bound[..], &right.bound[..]].concat(),
                })
            })
            .collect();
    }
    product
}

/// The variables that some alternative of the body, or the head, has and does not bind.
pub(crate) fn unbound(head: &Atom, body: &[Formula]) -> Vec<(&'static str, Sort)> {
    let mut of_head = Vec::new();
    head.arguments.iter().for_each(|argument| argument.variables(&mut of_head));
    let mut unbound: Vec<(&'static str, Sort)> = Vec::new();
    for alternative in conjunction(body, true) {
        for variable in of_head.iter().chain(&alternative.all) {
            if !alternative.bound.contains(variable) && !unbound.contains(variable) {
                unbound.push(*variable);
            }
        }
    }
    unbound
}
