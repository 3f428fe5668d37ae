//! Plans: small programs for the [join machine](crate::join), one for each way a rule is run.

use gambol_index::IndexVec;
use gambol_syntax::Symbols;

use crate::ReferenceError;
use crate::access::{Access, Match, matcher};
use crate::bindings::Slots;
use crate::calls::{Call, CallId, Calls};
use crate::order::Planner;
use crate::program::{Pattern, RelationId, Rule, RuleTerm};
use crate::table::Table;
use crate::terms::Terms;

/// An instruction of the join machine.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Have the answers to this call for this key in its table, and go on.
    Call { call: CallId, key: Vec<RuleTerm> },
    /// Go on with each matching row; with `recent` with those new in this round only, with `once`
    /// with one of them only.
    Scan { access: Access, recent: bool, once: bool },
    /// Go on if the atom, all of whose variables are bound, holds (or does not). `inside` marks an
    /// atom whose truth the stratum at work decides.
    Lookup { pattern: Pattern, holds: bool, inside: bool },
    /// Go on if the terms are equal (or differ).
    Compare { left: RuleTerm, right: RuleTerm, equal: bool },
    /// Go on at each of these steps.
    Either(Vec<usize>),
    /// Go on at this step.
    Jump(usize),
    /// A question begins whose answer is yes or no.
    Enter,
    /// The answer is yes: forget the other ways to find it.
    Leave,
    /// The head holds.
    Derive,
}

/// The ways to evaluate one rule.
#[derive(Clone, Debug)]
pub(crate) struct RulePlan {
    /// From all rows.
    pub(crate) full: Vec<Step>,
    /// From the recent rows of one relation of the same stratum, for each such condition.
    pub(crate) recent: Vec<(RelationId, Vec<Step>)>,
}

/// How to evaluate one rule for some columns of its head.
#[derive(Clone, Debug)]
pub(crate) struct CallPlan {
    /// What the key's terms must be.
    pub(crate) key: Vec<Match>,
    pub(crate) steps: Vec<Step>,
}

/// What a plan is made for: tables of the present sizes.
pub(crate) struct Plannable<'a> {
    pub(crate) symbols: &'a Symbols,
    pub(crate) terms: &'a Terms,
    pub(crate) tables: &'a mut IndexVec<RelationId, Table>,
    pub(crate) calls: &'a mut Calls,
    pub(crate) rule: &'a Rule,
    /// Which of the rule's atoms depend on its own stratum.
    pub(crate) inside: &'a [bool],
}

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
