//! The plans of a rule, one for each way it is run.

use crate::ReferenceError;
use crate::access::matcher;
use crate::bindings::Slots;
use crate::calls::Call;
use crate::order::{Plannable, Planner};
use crate::program::{RelationId, Rule};
use crate::step::{CallPlan, RulePlan};

/// Plans a rule.
pub(crate) fn plan_rule(given: Plannable<'_>) -> Result<RulePlan, ReferenceError> {
    let (rule, inside) = (given.rule, given.inside);
    let mut planner = Planner::new(given);
    let full = planner.full()?;
    let mut recent = Vec::new();
    for (number, relation) in recursive_atoms(rule, inside) {
        recent.push((relation, planner.focused(number)?));
    }
    Ok(RulePlan { full, recent })
}

/// Plans a rule for a call.
pub(crate) fn plan_call(given: Plannable<'_>, call: &Call) -> Result<CallPlan, ReferenceError> {
    let rule = given.rule;
    let mut bound = Slots::new();
    let columns = rule.head.arguments.iter().zip(&call.bound).filter(|(_, bound)| **bound);
    let key = columns.map(|(term, _)| matcher(term, &mut bound)).collect();
    let mut planner = Planner::new(given);
    let steps = planner.rule_body(rule.body.iter().collect(), bound)?;
    Ok(CallPlan { key, steps })
}

fn recursive_atoms(rule: &Rule, inside: &[bool]) -> Vec<(usize, RelationId)> {
    let mut atoms = Vec::new();
    for condition in &rule.body {
        condition.visit_atoms(&mut |number, holds, pattern| {
            if holds && inside[number] {
                atoms.push((number, pattern.relation));
            }
        });
    }
    atoms
}
