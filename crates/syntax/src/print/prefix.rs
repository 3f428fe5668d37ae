//! The prefix notation, without recursion.

use super::{Signs, Style, push_blanks};
use crate::{Atom, Literal, LiteralId, Rules, Symbol, Term, TermId};

pub(super) struct Prefix<'a> {
    pub(super) rules: &'a Rules,
}

/// What is still to be written, last first.
enum Step {
    Literal(LiteralId),
    Term(TermId),
    Text(&'static str),
}

impl Style for Prefix<'_> {
    fn signs(&self) -> Signs {
        Signs { comment: ';', open: "(<= ", arrow: "", joint: "", close: ")" }
    }

    fn head(&self, clause: usize, text: &mut String) {
        let mut steps = Vec::new();
        self.atom(&self.rules.clauses[clause].head, text, &mut steps);
        self.run(steps, text);
    }

    fn literal(&self, literal: LiteralId, text: &mut String) {
        self.run(vec![Step::Literal(literal)], text);
    }

    fn broken_literal(&self, literal: LiteralId, indent: usize, text: &mut String) -> bool {
        let (open, parts) = match self.rules.literal(literal) {
            Literal::Or(parts) => ("(or ", parts),
            Literal::And(parts) => ("(and ", parts),
            _ => return false,
        };
        text.push_str(open);
        for (index, &part) in parts.iter().enumerate() {
            if index > 0 {
                text.push('\n');
                push_blanks(indent + open.len(), text);
            }
            self.literal(part, text);
        }
        text.push(')');
        true
    }
}

impl Prefix<'_> {
    pub(super) fn term(&self, term: TermId, text: &mut String) {
        self.run(vec![Step::Term(term)], text);
    }

    fn run(&self, mut steps: Vec<Step>, text: &mut String) {
        while let Some(step) = steps.pop() {
            match step {
                Step::Text(sign) => text.push_str(sign),
                Step::Literal(literal) => self.open_literal(literal, text, &mut steps),
                Step::Term(term) => match self.rules.term(term) {
                    Term::Variable(name) => {
                        text.push('?');
                        text.push_str(self.rules.symbols.text(name));
                    }
                    Term::Function(name, arguments) => {
                        self.application(name, arguments, text, &mut steps);
                    }
                },
            }
        }
    }

    fn open_literal(&self, literal: LiteralId, text: &mut String, steps: &mut Vec<Step>) {
        match self.rules.literal(literal) {
            Literal::Atom(atom) => self.atom(atom, text, steps),
            Literal::Distinct(left, right) => {
                text.push_str("(distinct");
                list([*left, *right].map(Step::Term), steps);
            }
            Literal::Not(part) => {
                text.push_str("(not");
                list([Step::Literal(*part)], steps);
            }
            Literal::Or(parts) => {
                text.push_str("(or");
                list(parts.iter().map(|&part| Step::Literal(part)), steps);
            }
            Literal::And(parts) => {
                text.push_str("(and");
                list(parts.iter().map(|&part| Step::Literal(part)), steps);
            }
        }
    }

    fn atom(&self, atom: &Atom, text: &mut String, steps: &mut Vec<Step>) {
        self.application(atom.relation, &atom.arguments, text, steps);
    }

    fn application(
        &self,
        name: Symbol,
        arguments: &[TermId],
        text: &mut String,
        steps: &mut Vec<Step>,
    ) {
        if !arguments.is_empty() {
            text.push('(');
            list(arguments.iter().map(|&argument| Step::Term(argument)), steps);
        }
        text.push_str(self.rules.symbols.text(name));
    }
}

/// Plans the parts of a list behind its name, each behind a blank, and the closing parenthesis.
fn list(
    parts: impl IntoIterator<Item = Step, IntoIter: DoubleEndedIterator>,
    steps: &mut Vec<Step>,
) {
    steps.push(Step::Text(")"));
    for part in parts.into_iter().rev() {
        steps.push(part);
        steps.push(Step::Text(" "));
    }
}
