//! The prefix notation, without recursion.

use super::{Junction, Signs, Step, Style};
use crate::{Literal, LiteralId, Rules, Symbol, TermId};

pub(super) struct Prefix<'a> {
    pub(super) rules: &'a Rules,
}

impl Style for Prefix<'_> {
    fn rules(&self) -> &Rules {
        self.rules
    }

    fn signs(&self) -> Signs {
        Signs { comment: ';', open: "(<= ", arrow: "", joint: "", close: ")" }
    }

    fn variable(&self, name: Symbol, text: &mut String) {
        text.push('?');
        text.push_str(self.rules.symbols.text(name));
    }

    fn junction(&self, literal: LiteralId) -> Option<Junction<'_>> {
        match self.rules.literal(literal) {
            Literal::Or(parts) => Some(("(or ", "", parts)),
            Literal::And(parts) => Some(("(and ", "", parts)),
            _ => None,
        }
    }

    fn open_literal(&self, literal: LiteralId, text: &mut String, steps: &mut Vec<Step>) {
        match self.rules.literal(literal) {
            Literal::Atom(atom) => self.application(atom.relation, &atom.arguments, text, steps),
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
