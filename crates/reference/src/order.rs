//! The order in which the conditions of a rule are tried.
//!
//! Conditions have no order, so each step takes what is cheapest with the variables bound so far.
//! Conditions that share no variable with the head or with one another are only asked whether they
//! can be met at all: sixty conditions with two answers each are sixty questions, not 2^60.

use gambol_index::IndexVec;
use gambol_syntax::Symbols;

use crate::ReferenceError;
use crate::access::{Access, matcher, probes};
use crate::bindings::{
    Group, Slots, alone, binds, bound_columns, flatten, focus, groups, is_safe, outer_variables,
    variables,
};
use crate::calls::Calls;
use crate::estimate::{estimate, estimate_call};
use crate::program::{Condition, Pattern, RelationId, Rule, Slot};
use crate::step::Step;
use crate::table::Table;
use crate::terms::Terms;

/// Splitting a conjunction into independent parts is worth its time up to this many conditions.
const SPLIT: usize = 256;

/// The length at which a plan is given up. Only rules made for it come near.
const LONGEST_PLAN: usize = 100_000;

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

/// Makes the plans of one rule.
pub(crate) struct Planner<'a> {
    given: Plannable<'a>,
    steps: Vec<Step>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(given: Plannable<'a>) -> Self {
        Self { given, steps: Vec::new() }
    }

    /// The rule from all rows.
    pub(crate) fn full(&mut self) -> Result<Vec<Step>, ReferenceError> {
        self.rule_body(self.given.rule.body.iter().collect(), Slots::new())
    }

    /// The rule from the recent rows for the atom with this number.
    pub(crate) fn focused(&mut self, number: usize) -> Result<Vec<Step>, ReferenceError> {
        let mut rest = Vec::new();
        let mut bound = Slots::new();
        for condition in &self.given.rule.body {
            match focus(condition, number, &mut rest) {
                Some(pattern) => self.scan(pattern, &mut bound, true, false),
                None => rest.push(condition),
            }
        }
        self.rule_body(rest, bound)
    }

    /// Conditions, then the head, with some variables bound at the start.
    pub(crate) fn rule_body(
        &mut self,
        conditions: Vec<&'a Condition>,
        mut bound: Slots,
    ) -> Result<Vec<Step>, ReferenceError> {
        let mut live = Slots::new();
        for argument in &self.given.rule.head.arguments {
            argument.visit_variables(&mut |slot| {
                live.insert(slot);
            });
        }
        self.conjunction(conditions, &mut bound, &live, false)?;
        if let Some(&slot) = live.difference(&bound).next() {
            return Err(self.unsafe_variable(slot));
        }
        self.steps.push(Step::Derive);
        Ok(std::mem::take(&mut self.steps))
    }

    /// Emits steps that go on once for each way to bind the variables `live` (and, unless
    /// `testing`, perhaps more often).
    fn conjunction(
        &mut self,
        conditions: Vec<&'a Condition>,
        bound: &mut Slots,
        live: &Slots,
        testing: bool,
    ) -> Result<(), ReferenceError> {
        let mut rest = Vec::new();
        flatten(conditions, &mut rest);
        loop {
            self.tests(&mut rest, bound)?;
            if rest.is_empty() {
                return Ok(());
            }
            if rest.len() <= SPLIT && self.split(&mut rest, bound, live, testing)? {
                continue;
            }
            match self.cheapest(&rest, bound, live) {
                Some(best) => {
                    let condition = rest.remove(best);
                    self.bind(condition, &rest, bound, live)?;
                }
                None => return self.distribute(rest, bound, live, testing),
            }
        }
    }

    /// When a variable is shared by parts of two disjunctions, none of them can be tried without
    /// the other: the rest is repeated for each part of the first.
    fn distribute(
        &mut self,
        mut rest: Vec<&'a Condition>,
        bound: &mut Slots,
        live: &Slots,
        testing: bool,
    ) -> Result<(), ReferenceError> {
        let disjunction = rest.iter().position(|condition| matches!(condition, Condition::Any(_)));
        let Some(Condition::Any(parts)) = disjunction.map(|place| rest.remove(place)) else {
            return Err(self.unbound(&rest, bound));
        };
        if self.steps.len() > LONGEST_PLAN {
            let at = Some(self.given.rule.span);
            return Err(ReferenceError::Atoms { limit: LONGEST_PLAN, at });
        }
        let branches: Vec<Vec<&'a Condition>> =
            parts.iter().map(|part| [&[part], &rest[..]].concat()).collect();
        let everywhere = self.either(branches, bound, live, testing)?;
        bound.extend(everywhere);
        Ok(())
    }

    /// Emits the conditions that bind nothing.
    fn tests(
        &mut self,
        rest: &mut Vec<&'a Condition>,
        bound: &Slots,
    ) -> Result<(), ReferenceError> {
        let (mut ready, waiting): (Vec<_>, Vec<_>) =
            rest.iter().partition(|condition| variables(condition).is_subset(bound));
        *rest = waiting;
        ready.sort_by_key(|condition| self.effort(condition));
        for condition in ready {
            self.test(condition, bound)?;
        }
        Ok(())
    }

    /// The order of tests: what takes little time first.
    fn effort(&self, condition: &Condition) -> usize {
        let (mut atoms, mut calls) = (0, 0);
        condition.visit_atoms(&mut |_, _, pattern| {
            atoms += 1;
            calls += usize::from(self.given.calls.is_called(pattern.relation));
        });
        atoms + calls * 1_000
    }

    fn test(&mut self, condition: &'a Condition, bound: &Slots) -> Result<(), ReferenceError> {
        match condition {
            Condition::Holds(pattern, number) | Condition::Fails(pattern, number) => {
                let holds = matches!(condition, Condition::Holds(..));
                let inside = self.given.inside[*number];
                let relation = self.answers(pattern, bound);
                let pattern = Pattern { relation, arguments: pattern.arguments.clone() };
                self.steps.push(Step::Lookup { pattern, holds, inside });
            }
            Condition::Equal(left, right, equal) => {
                let (left, right) = (left.clone(), right.clone());
                self.steps.push(Step::Compare { left, right, equal: *equal });
            }
            Condition::All(_) | Condition::Any(_) => self.exists(vec![condition], bound)?,
        }
        Ok(())
    }

    /// Emits the parts of a conjunction that have nothing to do with the rest as questions. Says
    /// whether there were any.
    fn split(
        &mut self,
        rest: &mut Vec<&'a Condition>,
        bound: &Slots,
        live: &Slots,
        testing: bool,
    ) -> Result<bool, ReferenceError> {
        let groups = groups(rest, bound);
        if testing && groups.len() == 1 {
            return Ok(false);
        }
        let needed = |group: &Group<'a>| group.open.intersection(live).next().is_some();
        let (open, closed): (Vec<Group<'a>>, Vec<Group<'a>>) = groups.into_iter().partition(needed);
        if closed.is_empty() {
            return Ok(false);
        }
        *rest = open.into_iter().flat_map(|group| group.conditions).collect();
        for group in closed {
            self.exists(group.conditions, bound)?;
        }
        Ok(true)
    }

    /// Emits the question whether the conditions can be met together.
    fn exists(
        &mut self,
        conditions: Vec<&'a Condition>,
        bound: &Slots,
    ) -> Result<(), ReferenceError> {
        let mut bound = bound.clone();
        if let [Condition::Holds(pattern, _)] = conditions[..] {
            self.scan(pattern, &mut bound, false, true);
            return Ok(());
        }
        self.steps.push(Step::Enter);
        match conditions[..] {
            [Condition::Any(parts)] => {
                self.either(alone(parts), &bound, &Slots::new(), true)?;
            }
            _ => self.conjunction(conditions, &mut bound, &Slots::new(), true)?,
        }
        self.steps.push(Step::Leave);
        Ok(())
    }

    fn cheapest(&self, rest: &[&'a Condition], bound: &Slots, live: &Slots) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (place, condition) in rest.iter().enumerate() {
            let Some(cost) = self.cost(place, condition, rest, bound, live) else { continue };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
        }
        best.map(|(_, place)| place)
    }

    fn cost(
        &self,
        place: usize,
        condition: &Condition,
        rest: &[&'a Condition],
        bound: &Slots,
        live: &Slots,
    ) -> Option<f64> {
        match condition {
            Condition::Holds(pattern, _) => Some(self.estimate(pattern, bound)),
            Condition::Any(parts) => {
                let others = rest.iter().enumerate().filter(|&(other, _)| other != place);
                let others: Vec<&Condition> = others.map(|(_, condition)| *condition).collect();
                let outer = outer_variables(condition, &others, bound, live);
                let ready = parts.iter().all(|part| {
                    let mut binds = binds(part);
                    binds.extend(bound);
                    outer.is_subset(&binds) && is_safe(part, bound)
                });
                ready.then(|| parts.iter().map(|part| self.least_cost(part, bound)).sum())
            }
            _ => None,
        }
    }

    /// The cost of the cheapest atom of a condition, as a guess for the whole.
    fn least_cost(&self, condition: &Condition, bound: &Slots) -> f64 {
        let mut least = f64::INFINITY;
        condition.visit_atoms(&mut |_, holds, pattern| {
            if holds {
                least = least.min(self.estimate(pattern, bound));
            }
        });
        if least.is_finite() { least } else { 1.0 }
    }

    fn estimate(&self, pattern: &Pattern, bound: &Slots) -> f64 {
        if self.given.calls.is_called(pattern.relation) {
            let bound = bound_columns(pattern, bound);
            return estimate_call(bound.iter().filter(|&&bound| !bound).count());
        }
        let (probes, key) = probes(pattern, bound);
        estimate(self.given.terms, &self.given.tables[pattern.relation], &probes, &key)
    }

    /// Emits a condition that binds variables.
    fn bind(
        &mut self,
        condition: &'a Condition,
        rest: &[&'a Condition],
        bound: &mut Slots,
        live: &Slots,
    ) -> Result<(), ReferenceError> {
        let outer = outer_variables(condition, rest, bound, live);
        match condition {
            Condition::Holds(pattern, _) => {
                self.scan(pattern, bound, false, outer.is_empty());
                Ok(())
            }
            Condition::Any(parts) => {
                self.either(alone(parts), bound, &outer, false)?;
                bound.extend(outer);
                Ok(())
            }
            // `flatten` opened conjunctions, and the others bind nothing.
            _ => Ok(()),
        }
    }

    fn scan(&mut self, pattern: &Pattern, bound: &mut Slots, recent: bool, once: bool) {
        let relation = self.answers(pattern, bound);
        let (probes, key) = probes(pattern, bound);
        let table = &mut self.given.tables[relation];
        let index = (!probes.is_empty()).then(|| table.index(self.given.terms, &probes));
        let columns = pattern.arguments.iter().map(|term| matcher(term, bound)).collect();
        let access = Access { relation, index, key, columns };
        self.steps.push(Step::Scan { access, recent, once });
    }

    /// The table to look at; emits the call that fills it if the relation is answered so.
    fn answers(&mut self, pattern: &Pattern, bound: &Slots) -> RelationId {
        let relation = pattern.relation;
        let Plannable { terms, tables, calls, .. } = &mut self.given;
        if !calls.is_called(relation) {
            return relation;
        }
        let bound = bound_columns(pattern, bound);
        let columns = pattern.arguments.iter().zip(&bound).filter(|(_, bound)| **bound);
        let key = columns.map(|(term, _)| term.clone()).collect();
        let call = calls.call(terms, tables, relation, bound);
        self.steps.push(Step::Call { call, key });
        calls.get(call).answers
    }

    /// Emits a choice between conjunctions; gives the variables bound by all of them.
    fn either(
        &mut self,
        branches: Vec<Vec<&'a Condition>>,
        bound: &Slots,
        live: &Slots,
        testing: bool,
    ) -> Result<Slots, ReferenceError> {
        let choice = self.steps.len();
        self.steps.push(Step::Either(Vec::new()));
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        let mut everywhere: Option<Slots> = None;
        for branch in branches {
            starts.push(self.steps.len());
            let mut bound = bound.clone();
            self.conjunction(branch, &mut bound, live, testing)?;
            everywhere = Some(everywhere.map_or_else(|| bound.clone(), |slots| &slots & &bound));
            ends.push(self.steps.len());
            self.steps.push(Step::Jump(0));
        }
        let after = self.steps.len();
        for end in ends {
            self.steps[end] = Step::Jump(after);
        }
        self.steps[choice] = Step::Either(starts);
        // What follows a choice of nothing is never reached.
        Ok(everywhere.unwrap_or_else(|| live.clone()))
    }

    fn unbound(&self, rest: &[&Condition], bound: &Slots) -> ReferenceError {
        let open = rest.iter().flat_map(|condition| variables(condition));
        let slot = open.into_iter().find(|slot| !bound.contains(slot));
        self.unsafe_variable(slot.unwrap_or(0))
    }

    fn unsafe_variable(&self, slot: Slot) -> ReferenceError {
        let name = self.given.rule.variables.get(slot).map(|&name| self.given.symbols.text(name));
        let variable = name.unwrap_or_default().to_owned();
        ReferenceError::Unsafe { variable, at: self.given.rule.span }
    }
}
