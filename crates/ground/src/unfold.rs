//! Unfolding: writing the body of a relation's rules in the place of its atoms.
//!
//! A relation of ten arguments that only says "the first is one value and the others are another"
//! has more rows than any table holds, though each rule that uses it splits into small joins once
//! the definition stands there instead.

use crate::program::{Literal, Pattern, Program, RelationId, Rule, Sign, Test};

/// A relation with more rules than this is not unfolded: every use would be copied so often.
const RULES: usize = 8;

/// Unfolds a relation into the rules that use it, if it has rules only, none of them recursive, and
/// all uses are positive with arguments that the definition can take.
pub(crate) fn unfold(program: &mut Program, relation: RelationId, has_facts: bool) -> bool {
    let definitions: Vec<Rule> =
        program.rules.iter().filter(|rule| rule.head == relation).cloned().collect();
    let recursive =
        definitions.iter().any(|rule| rule.body.iter().any(|literal| literal.relation == relation));
    let negated = program
        .rules
        .iter()
        .flat_map(|rule| &rule.body)
        .any(|literal| literal.relation == relation && literal.sign == Sign::Negative);
    let plain = definitions.iter().all(has_plain_head);
    if has_facts || recursive || negated || !plain || definitions.len() > RULES {
        return false;
    }
    let rules = std::mem::take(&mut program.rules);
    for rule in rules.into_iter().filter(|rule| rule.head != relation) {
        unfold_in(rule, relation, &definitions, &mut program.rules);
    }
    true
}

/// A head of different variables, so that using it is renaming.
fn has_plain_head(rule: &Rule) -> bool {
    let mut seen = Vec::new();
    rule.arguments.iter().all(|pattern| match pattern {
        Pattern::Variable(variable) if !seen.contains(variable) => {
            seen.push(*variable);
            true
        }
        _ => false,
    })
}

/// Replaces the uses one after the other; each multiplies the rule by the definitions.
fn unfold_in(rule: Rule, relation: RelationId, definitions: &[Rule], rules: &mut Vec<Rule>) {
    let mut open = vec![rule];
    while let Some(mut rule) = open.pop() {
        let place = rule.body.iter().position(|literal| literal.relation == relation);
        let Some(place) = place else {
            rules.push(rule);
            continue;
        };
        let used = rule.body.remove(place);
        open.extend(definitions.iter().rev().map(|definition| replaced(&rule, &used, definition)));
    }
}

fn replaced(rule: &Rule, used: &Literal, definition: &Rule) -> Rule {
    let mut rule = rule.clone();
    let first_new = rule.variables;
    rule.variables += definition.variables;
    let place = |patterns: &[Pattern], variable: u32| {
        patterns.iter().position(|pattern| *pattern == Pattern::Variable(variable))
    };
    let substitute = |pattern: &Pattern| {
        substituted(pattern, &|variable| match place(&definition.arguments, variable) {
            Some(place) => used.arguments[place].clone(),
            None => Pattern::Variable(first_new + variable),
        })
    };
    rule.body.extend(definition.body.iter().map(|literal| Literal {
        arguments: literal.arguments.iter().map(substitute).collect(),
        ..literal.clone()
    }));
    rule.tests.extend(definition.tests.iter().map(|test| Test {
        left: substitute(&test.left),
        right: substitute(&test.right),
        equal: test.equal,
    }));
    rule
}

fn substituted(pattern: &Pattern, value: &impl Fn(u32) -> Pattern) -> Pattern {
    match pattern {
        Pattern::Variable(variable) => value(*variable),
        Pattern::Ground(term) => Pattern::Ground(*term),
        Pattern::Function(functor, arguments) => Pattern::Function(
            *functor,
            arguments.iter().map(|argument| substituted(argument, value)).collect(),
        ),
    }
}
