//! Bags as rules of auxiliary relations. Equal bags, up to the names of variables, are one relation.

use rustc_hash::FxHashMap;

use crate::program::{Literal, Pattern, Program, RelationId, Rule, Sign, Test};
use crate::split::Bag;

/// The body of an auxiliary relation with variables numbered in order of occurrence, and the
/// variables its head shows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Definition {
    pub(crate) body: Vec<Literal>,
    pub(crate) tests: Vec<Test>,
    pub(crate) shown: Vec<u32>,
    pub(crate) variables: u32,
}

/// A definition, and the arguments with which the bag it came from uses it.
pub(crate) struct Usage {
    pub(crate) definition: Definition,
    pub(crate) arguments: Vec<Pattern>,
}

/// Brings a conjunction into the form that equal ones share.
pub(crate) fn canonical(mut body: Vec<Literal>, tests: Vec<Test>, interface: &[u32]) -> Usage {
    body.sort_by_key(|literal| (literal.relation, literal.sign as u8));
    let mut order: Vec<u32> = Vec::new();
    let mut renaming: FxHashMap<u32, u32> = FxHashMap::default();
    let mut rename = |variable: u32| {
        *renaming.entry(variable).or_insert_with(|| {
            order.push(variable);
            number(order.len() - 1)
        })
    };
    for literal in &mut body {
        for pattern in &mut literal.arguments {
            *pattern = pattern.renamed(&mut rename);
        }
    }
    let tests = tests
        .iter()
        .map(|test| Test {
            left: test.left.renamed(&mut rename),
            right: test.right.renamed(&mut rename),
            equal: test.equal,
        })
        .collect();
    let mut shown: Vec<u32> = interface.iter().map(|&variable| rename(variable)).collect();
    shown.sort_unstable();
    let arguments =
        shown.iter().map(|&variable| Pattern::Variable(order[variable as usize])).collect();
    let variables = number(order.len());
    Usage { definition: Definition { body, tests, shown, variables }, arguments }
}

/// The auxiliary relations made so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Auxiliaries {
    known: FxHashMap<Definition, RelationId>,
}

impl Auxiliaries {
    /// Turns a rule's bag tree into rules: one for the rule itself, one for each new auxiliary.
    pub(crate) fn rules_of(
        &mut self,
        rule: &Rule,
        root: Bag,
        program: &mut Program,
        rules: &mut Vec<Rule>,
    ) {
        let (body, tests) =
            self.flatten(root.literals, root.tests, root.children, rule, program, rules);
        rules.push(Rule { body, tests, ..rule.clone() });
    }

    /// Recursion follows the bag tree, whose depth is bounded by the number of variables of a rule.
    fn flatten(
        &mut self,
        mut body: Vec<Literal>,
        tests: Vec<Test>,
        children: Vec<Bag>,
        rule: &Rule,
        program: &mut Program,
        rules: &mut Vec<Rule>,
    ) -> (Vec<Literal>, Vec<Test>) {
        for child in children {
            let filter = child.literals.iter().all(|literal| literal.sign == Sign::Filter)
                && child.children.is_empty();
            let (inner, inner_tests) =
                self.flatten(child.literals, child.tests, child.children, rule, program, rules);
            let usage = canonical(inner, inner_tests, &child.interface);
            let relation = self.relation(usage.definition, rule, program, rules);
            let sign = if filter { Sign::Filter } else { Sign::Positive };
            body.push(Literal { relation, arguments: usage.arguments, sign });
        }
        (body, tests)
    }

    fn relation(
        &mut self,
        definition: Definition,
        rule: &Rule,
        program: &mut Program,
        rules: &mut Vec<Rule>,
    ) -> RelationId {
        if let Some(&known) = self.known.get(&definition) {
            return known;
        }
        let relation = program.auxiliary(definition.shown.len());
        rules.push(Rule {
            head: relation,
            arguments: definition
                .shown
                .iter()
                .map(|&variable| Pattern::Variable(variable))
                .collect(),
            body: definition.body.clone(),
            tests: definition.tests.clone(),
            variables: definition.variables,
            span: rule.span,
        });
        self.known.insert(definition, relation);
        relation
    }

    /// The relation of a definition that was made before.
    pub(crate) fn find(&self, definition: &Definition) -> Option<RelationId> {
        self.known.get(definition).copied()
    }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).expect("bounded by the size of the text")
}
