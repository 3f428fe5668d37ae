//! Unfolding: writing the body of a relation's rules in the place of its atoms.
//!
//! A relation of ten arguments that only says "the first is one value and the others are another"
//! has more rows than any table holds, though each rule that uses it splits into small joins once
//! the definition stands there instead.
//!
//! Sound: an atom of the relation holds if and only if the body of one of its rules does (it has no
//! facts, and rules are all there is), so an atom in a body may be replaced by each of these bodies
//! in turn, with fresh names for the variables that only the body has. That a use is a filter changes
//! nothing: what is filtered is implied by the rest of the rule. A negated use is no place for that,
//! since the fresh variables would be quantified the wrong way round.

use crate::program::{Literal, Pattern, Program, RelationId, Rule, Sign, Test};

/// Unfolding one relation may make no more rules than this.
const MOST_RULES: usize = 2_000;

/// Unfolds a relation into the rules that use it, if it has rules only, none of them recursive, and
/// all uses are positive with arguments that the definition can take. With more than `most` rules of
/// its own it is left alone: every use would be copied so often.
pub(crate) fn unfold(
    program: &mut Program,
    relation: RelationId,
    has_facts: bool,
    most: usize,
) -> bool {
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
    if has_facts || recursive || negated || !plain || definitions.len() > most {
        return false;
    }
    if unfolded_count(program, relation, definitions.len()).is_none_or(|count| count > MOST_RULES) {
        return false;
    }
    let rules = std::mem::take(&mut program.rules);
    for rule in rules.into_iter().filter(|rule| rule.head != relation) {
        unfold_in(rule, relation, &definitions, &mut program.rules);
    }
    true
}

/// How many rules there will be: each use multiplies a rule by the definitions. None if too many.
fn unfolded_count(program: &Program, relation: RelationId, definitions: usize) -> Option<usize> {
    let rules = program.rules.iter().filter(|rule| rule.head != relation);
    rules
        .map(|rule| rule.body.iter().filter(|literal| literal.relation == relation).count())
        .try_fold(0usize, |sum, uses| {
            sum.checked_add(definitions.checked_pow(u32::try_from(uses).ok()?)?)
        })
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
