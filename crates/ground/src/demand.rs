//! Demand (magic sets): computing only the atoms that are asked for.
//!
//! Rules like "?x is threatened from ?y by way of ?u ?v" bind some arguments by a mere domain, and
//! their full tables are products of domains. The rules that use such a relation ask for few of its
//! atoms. For each derived relation a *demand* relation holds the values asked for, and filters the
//! rules of the relation. Demand makes no gates: it narrows the tables, and what is left out is
//! never looked at by `next`, `legal`, `goal` or `terminal`. In the literature: magic sets.
//!
//! Sound: take a match of a rule whose head is asked for (game relations always are). Going through
//! its body in the order of [`Demand::requests`], the literals before each are in their tables by
//! induction, so the demand rule made for it fires and the atom is asked for; hence it is in its table
//! if it can hold. Filters count as uses here: they look at a table, so what they look at has to be
//! asked for. A negated use comes after all that binds it, and what is not asked for is never negated.
//! Negation is only exact if the table is complete when it is read; where demand would tie a relation
//! that must come out exactly to its own negation, [`demand_conflicts`](crate::reach::demand_conflicts)
//! says so, and only relations of the circuit are filtered.
//!
//! Finite: demand holds terms of the tables and their parts, and what rules build from these when they
//! ask. A recursive rule could go on building for ever where the relation itself stays finite, as in
//! `p(?y) ← p(f(?y))`, so within a recursion an argument that has to be built is not demanded.

use gambol_index::{Components, IndexVec};

use crate::dependence;
use crate::program::{Key, Literal, Pattern, Program, RelationId, Rule, Sign};

/// Filters the rules of the chosen relations and returns the rules that derive the demand.
pub(crate) fn add_demand(
    program: &mut Program,
    may_filter: impl Fn(RelationId) -> bool,
) -> Vec<Rule> {
    let mut demand = Demand::of(program, may_filter);
    demand.settle(program);
    demand.make_relations(program);
    let rules = demand.rules(program);
    demand.filter(program);
    rules
}

/// For each filtered relation: which arguments every user binds, and the relation of bound values.
struct Demand {
    bound: IndexVec<RelationId, Option<Vec<bool>>>,
    relation: IndexVec<RelationId, Option<RelationId>>,
}

impl Demand {
    /// All relations that rules derive and the choice allows, taken to be asked with all arguments.
    fn of(program: &Program, may_filter: impl Fn(RelationId) -> bool) -> Self {
        let mut derived = IndexVec::filled(false, program.relations.len());
        for rule in &program.rules {
            derived[rule.head] = true;
        }
        let bound = program
            .relations
            .iter_ids()
            .map(|(id, info)| {
                let own = match info.key {
                    Key::Named(name, _) => !name.is_game_relation(),
                    Key::Auxiliary(_) => true,
                    Key::Shape(..) => false,
                };
                (own && derived[id] && may_filter(id)).then(|| vec![true; info.arity])
            })
            .collect();
        Self { bound, relation: IndexVec::filled(None, program.relations.len()) }
    }

    /// Keeps the arguments that every user binds.
    fn settle(&mut self, program: &Program) {
        let components = Components::of(&dependence::dependencies(program));
        let component = |relation: RelationId| components.component_of(relation.number());
        loop {
            let mut changed = false;
            for rule in &program.rules {
                for request in self.requests(rule) {
                    let literal = &rule.body[request.literal];
                    let recursive = component(literal.relation) == component(rule.head);
                    let Some(bound) = &mut self.bound[literal.relation] else { continue };
                    for (flag, pattern) in bound.iter_mut().zip(&literal.arguments) {
                        let grows = recursive && matches!(pattern, Pattern::Function(..));
                        if *flag && (grows || !is_bound(pattern, &request.variables)) {
                            *flag = false;
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The uses of filtered relations in a rule, in an order in which each can bind the next.
    fn requests(&self, rule: &Rule) -> Vec<Request> {
        let mut variables = vec![false; rule.variables as usize];
        if let Some(bound) = &self.bound[rule.head] {
            for (_, pattern) in bound.iter().zip(&rule.arguments).filter(|(flag, _)| **flag) {
                bind(pattern, &mut variables);
            }
        }
        let (mut open, plain): (Vec<usize>, Vec<usize>) = (0..rule.body.len())
            .filter(|&place| rule.body[place].binds())
            .partition(|&place| self.bound[rule.body[place].relation].is_some());
        for &place in &plain {
            rule.body[place].arguments.iter().for_each(|pattern| bind(pattern, &mut variables));
        }
        let mut binders = plain;
        let mut requests = Vec::new();
        while let Some(best) = (0..open.len()).max_by_key(|&at| {
            let arguments = &rule.body[open[at]].arguments;
            let count = arguments.iter().filter(|pattern| is_bound(pattern, &variables)).count();
            // The share of bound arguments, and the first in the text among equals.
            (count * 1000 / arguments.len().max(1), open.len() - at)
        }) {
            let literal = open.remove(best);
            let (before, known) = (binders.clone(), variables.clone());
            requests.push(Request { literal, binders: before, variables: known });
            rule.body[literal].arguments.iter().for_each(|pattern| bind(pattern, &mut variables));
            binders.push(literal);
        }
        for (place, literal) in rule.body.iter().enumerate() {
            if literal.sign == Sign::Negative && self.bound[literal.relation].is_some() {
                let (binders, variables) = (binders.clone(), variables.clone());
                requests.push(Request { literal: place, binders, variables });
            }
        }
        requests
    }

    fn make_relations(&mut self, program: &mut Program) {
        for (id, bound) in self.bound.iter_ids() {
            let count = bound.iter().flatten().filter(|flag| **flag).count();
            if count > 0 {
                self.relation[id] = Some(program.auxiliary(count));
            }
        }
    }

    fn rules(&self, program: &Program) -> Vec<Rule> {
        let mut rules = Vec::new();
        for rule in &program.rules {
            for request in self.requests(rule) {
                let literal = &rule.body[request.literal];
                let Some(asked) = self.literal(literal.relation, &literal.arguments) else {
                    continue;
                };
                let mut body: Vec<Literal> =
                    request.binders.iter().map(|&place| rule.body[place].clone()).collect();
                body.extend(self.literal(rule.head, &rule.arguments));
                let mut variables = request.variables;
                let tests = rule
                    .tests
                    .iter()
                    .filter(|test| {
                        is_bound(&test.left, &variables) && is_bound(&test.right, &variables)
                    })
                    .cloned()
                    .collect();
                variables.clear();
                rules.push(Rule {
                    head: asked.relation,
                    arguments: asked.arguments,
                    body,
                    tests,
                    variables: rule.variables,
                    span: rule.span,
                });
            }
        }
        rules
    }

    /// The demand for an atom of this relation.
    fn literal(&self, relation: RelationId, arguments: &[Pattern]) -> Option<Literal> {
        let (bound, demand) = (self.bound.get(relation)?.as_ref()?, self.relation[relation]?);
        let arguments = bound
            .iter()
            .zip(arguments)
            .filter(|(flag, _)| **flag)
            .map(|(_, pattern)| pattern.clone())
            .collect();
        Some(Literal { relation: demand, arguments, sign: Sign::Filter })
    }

    fn filter(&self, program: &mut Program) {
        for rule in &mut program.rules {
            rule.body.extend(self.literal(rule.head, &rule.arguments));
        }
    }
}

/// A use of a filtered relation: the literals that bind its arguments, and what they bind.
struct Request {
    literal: usize,
    binders: Vec<usize>,
    variables: Vec<bool>,
}

fn bind(pattern: &Pattern, variables: &mut [bool]) {
    pattern.visit_variables(&mut |variable| variables[variable as usize] = true);
}

fn is_bound(pattern: &Pattern, variables: &[bool]) -> bool {
    let mut all = true;
    pattern.visit_variables(&mut |variable| all &= variables[variable as usize]);
    all
}
