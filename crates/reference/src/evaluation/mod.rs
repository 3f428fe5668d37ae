//! What evaluating rules needs, lent by the model for one stratum: the rules and their plans, the
//! tables, and the meter.

pub(crate) mod join;

use std::sync::Arc;

use gambol_index::IndexVec;
use gambol_syntax::{Symbol, Symbols};

use crate::budget::Meter;
use crate::calls::{Call, Calls, ClusterId};
use crate::order::Plannable;
use crate::plan::{plan_call, plan_rule};
use crate::program::{RelationId, Rule, RuleId};
use crate::step::{CallId, CallPlan, RulePlan, Step};
use crate::strata::Strata;
use crate::table::Table;
use crate::terms::{GroundTerm, Terms};
use crate::{Budget, ReferenceError};
use join::{Assumed, Machine, Row};

/// A stratum at work.
pub(crate) struct Evaluation<'a> {
    pub(crate) symbols: &'a Symbols,
    pub(crate) terms: &'a mut Terms,
    pub(crate) relations: &'a IndexVec<RelationId, (Symbol, usize)>,
    pub(crate) rules: &'a IndexVec<RuleId, Rule>,
    pub(crate) strata: &'a Strata,
    pub(crate) tables: &'a mut IndexVec<RelationId, Table>,
    pub(crate) plans: &'a mut IndexVec<RuleId, Option<InUse>>,
    pub(crate) calls: &'a mut Calls,
    /// Machines at rest; one more is at work for each call within a call.
    pub(crate) machines: &'a mut Vec<Machine>,
    /// Calls at work, each within the one before.
    pub(crate) pending: Vec<Pending>,
    /// What negated conditions take to be true, where the stratum negates itself.
    pub(crate) assumed: Option<Assumed>,
    pub(crate) budget: &'a Budget,
    pub(crate) meter: &'a mut Meter,
    /// Rows in all tables.
    pub(crate) atoms: &'a mut usize,
}

/// A plan, and the most work a run of its rule took so far.
#[derive(Clone, Debug)]
pub(crate) struct InUse {
    plan: Arc<RulePlan>,
    worst: u64,
}

/// Runs with less work than this are no reason to plan again.
const LITTLE_WORK: u64 = 64;
/// A run with so many times the work of any before is.
const MUCH_MORE: u64 = 4;

/// A call at work: its cluster, and in a recursion the keys asked for so far.
pub(crate) struct Pending {
    cluster: ClusterId,
    keys: Vec<(CallId, Row)>,
}

/// Calls within calls. Each takes a part of the stack of the thread.
const CALL_DEPTH: usize = 256;

impl Evaluation<'_> {
    /// Runs a rule.
    pub(crate) fn run(&mut self, rule: RuleId, steps: &[Step]) -> Result<(), ReferenceError> {
        let mut machine = self.machines.pop().unwrap_or_default();
        let before = self.meter.ticks;
        let done = machine.run(self, &self.rules[rule], steps);
        self.machines.push(machine);
        self.plan_again(rule, self.meter.ticks - before);
        done
    }

    /// A plan is made for tables as they are at the time: at the start of a game a board may be empty.
    /// Where a run is much dearer than all before, the tables have changed, and a plan for them as
    /// they are now may be better. What follows from the rule does not depend on the plan.
    fn plan_again(&mut self, rule: RuleId, work: u64) {
        let Some(InUse { worst, .. }) = &mut self.plans[rule] else { return };
        if work <= *worst * MUCH_MORE {
            return;
        }
        *worst = work;
        if let Ok(plan) = plan_rule(self.plannable(rule)) {
            self.plans[rule] = Some(InUse { plan: Arc::new(plan), worst: work });
        }
    }

    /// Fills the table of a call with the answers for a key. Within a recursion the answers may
    /// come later: whoever asked the recursion's first question repeats it until nothing is new.
    pub(crate) fn answer(
        &mut self,
        call: CallId,
        key: &[GroundTerm],
    ) -> Result<(), ReferenceError> {
        let Call { asked, cluster, .. } = *self.calls.get(call);
        if !self.tables[asked].insert(self.terms, key) {
            return Ok(());
        }
        *self.atoms += 1;
        if !self.calls.cluster(cluster).recursive {
            self.pending.push(Pending { cluster, keys: Vec::new() });
            self.check_depth()?;
            self.run_call(call, key)?;
            self.pending.pop();
            return Ok(());
        }
        match self.pending.last_mut() {
            Some(top) if top.cluster == cluster => {
                top.keys.push((call, key.into()));
                Ok(())
            }
            _ => self.answer_recursion(call, key),
        }
    }

    fn answer_recursion(&mut self, call: CallId, key: &[GroundTerm]) -> Result<(), ReferenceError> {
        let cluster = self.calls.get(call).cluster;
        self.pending.push(Pending { cluster, keys: vec![(call, key.into())] });
        self.check_depth()?;
        let level = self.pending.len() - 1;
        loop {
            let before = *self.atoms;
            let mut place = 0;
            while let Some((call, key)) = self.pending[level].keys.get(place).cloned() {
                self.run_call(call, &key)?;
                place += 1;
            }
            if *self.atoms == before {
                self.pending.pop();
                return Ok(());
            }
        }
    }

    fn check_depth(&self) -> Result<(), ReferenceError> {
        if self.pending.len() <= CALL_DEPTH {
            return Ok(());
        }
        let limit = self.budget.atoms;
        Err(ReferenceError::Atoms { limit, at: self.meter.rule })
    }

    fn run_call(&mut self, call: CallId, key: &[GroundTerm]) -> Result<(), ReferenceError> {
        let answers = self.calls.get(call).answers;
        for place in 0..self.calls.get(call).rules.len() {
            let (rule, plan) = self.call_plan(call, place)?;
            let mut machine = self.machines.pop().unwrap_or_default();
            let done = machine.run_call(self, &self.rules[rule], &plan, key, answers);
            self.machines.push(machine);
            done?;
        }
        Ok(())
    }

    /// The plan of a rule, made when the tables it reads have their first rows.
    pub(crate) fn plan(&mut self, rule: RuleId) -> Result<Arc<RulePlan>, ReferenceError> {
        if let Some(InUse { plan, .. }) = &self.plans[rule] {
            return Ok(Arc::clone(plan));
        }
        let made = Arc::new(plan_rule(self.plannable(rule))?);
        self.plans[rule] = Some(InUse { plan: Arc::clone(&made), worst: LITTLE_WORK });
        Ok(made)
    }

    fn call_plan(
        &mut self,
        call: CallId,
        place: usize,
    ) -> Result<(RuleId, Arc<CallPlan>), ReferenceError> {
        let (rule, plan) = &self.calls.get(call).rules[place];
        let rule = *rule;
        if let Some(plan) = plan {
            return Ok((rule, Arc::clone(plan)));
        }
        let definition = self.calls.get(call).clone();
        let made = Arc::new(plan_call(self.plannable(rule), &definition)?);
        self.calls.keep_plan(call, place, Arc::clone(&made));
        Ok((rule, made))
    }

    fn plannable(&mut self, rule: RuleId) -> Plannable<'_> {
        Plannable {
            symbols: self.symbols,
            terms: self.terms,
            tables: self.tables,
            calls: self.calls,
            rule: &self.rules[rule],
            inside: &self.strata.inside[rule],
        }
    }
}
