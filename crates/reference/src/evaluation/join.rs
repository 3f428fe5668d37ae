//! The machine that finds all ways to meet the conditions of a rule: it runs a
//! [plan](crate::plan) forwards, notes each choice on a stack, and returns to the latest one when a
//! condition fails. It has its own stack because rules may have very many conditions.

use gambol_index::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::ReferenceError;
use crate::access::{Access, Match};
use crate::evaluation::Evaluation;
use crate::program::{Pattern, RelationId, Rule, RuleTerm};
use crate::step::{CallPlan, Step};
use crate::table::{KeyHasher, NONE, Table};
use crate::terms::{GroundTerm, Terms};

pub(crate) type Row = SmallVec<[GroundTerm; 8]>;

/// What negated conditions of a stratum that negates itself take to be true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assumed {
    /// How many rows each relation of the stratum had before: these are certain.
    pub(crate) certain: FxHashMap<RelationId, u32>,
    /// Rows beyond those.
    pub(crate) rows: FxHashSet<(RelationId, Vec<GroundTerm>)>,
}

impl Assumed {
    fn holds(
        &self,
        tables: &IndexVec<RelationId, Table>,
        relation: RelationId,
        row: &[GroundTerm],
    ) -> bool {
        let certain = self.certain.get(&relation).copied().unwrap_or(0);
        tables[relation].find(row).is_some_and(|number| number < certain)
            || self.rows.contains(&(relation, row.to_vec()))
    }
}

/// A way not yet tried.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// This row for that step.
    Row { step: usize, row: u32 },
    /// This branch of that step.
    Branch { step: usize, branch: usize },
    /// Nothing; a question began here.
    Barrier,
}

/// Stacks, kept from one run to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    values: Vec<GroundTerm>,
    choices: Vec<Choice>,
    barriers: Vec<usize>,
}

impl Machine {
    /// Adds to the head's table what follows from the rule.
    pub(crate) fn run(
        &mut self,
        bench: &mut Evaluation<'_>,
        rule: &Rule,
        steps: &[Step],
    ) -> Result<(), ReferenceError> {
        self.clear(rule);
        self.run_steps(bench, rule, steps, rule.head.relation)
    }

    /// Adds to a table what follows from the rule for a key.
    pub(crate) fn run_call(
        &mut self,
        bench: &mut Evaluation<'_>,
        rule: &Rule,
        plan: &CallPlan,
        key: &[GroundTerm],
        answers: RelationId,
    ) -> Result<(), ReferenceError> {
        self.clear(rule);
        if !matches_all(&mut self.values, bench.terms, &plan.key, key) {
            return Ok(());
        }
        self.run_steps(bench, rule, &plan.steps, answers)
    }

    fn clear(&mut self, rule: &Rule) {
        self.values.clear();
        self.values.resize(rule.variables.len(), GroundTerm::new(0));
        self.choices.clear();
        self.barriers.clear();
    }

    fn run_steps(
        &mut self,
        bench: &mut Evaluation<'_>,
        rule: &Rule,
        steps: &[Step],
        into: RelationId,
    ) -> Result<(), ReferenceError> {
        bench.meter.rule = Some(rule.span);
        let mut at = Some(0);
        while let Some(step) = at {
            if matches!(steps[step], Step::Derive) {
                self.derive(bench, rule, into)?;
                at = self.turn_back(bench, steps)?;
                continue;
            }
            at = match self.step(bench, steps, step)? {
                Some(next) => Some(next),
                None => self.turn_back(bench, steps)?,
            };
        }
        Ok(())
    }

    /// One step forwards: the step to go on with, or none if the way is barred.
    fn step(
        &mut self,
        bench: &mut Evaluation<'_>,
        steps: &[Step],
        at: usize,
    ) -> Result<Option<usize>, ReferenceError> {
        let passed = match &steps[at] {
            Step::Scan { access, .. } => {
                let first = self.first_row(bench, access);
                return self.next_row(bench, steps, at, first);
            }
            Step::Lookup { pattern, holds, inside } => {
                self.holds(bench, pattern, *inside && !holds) == *holds
            }
            Step::Compare { left, right, equal } => self.equal(bench, left, right) == *equal,
            Step::Either(_) => return Ok(self.next_branch(steps, at, 0)),
            Step::Jump(to) => return Ok(Some(*to)),
            Step::Enter => {
                self.barriers.push(self.choices.len());
                self.choices.push(Choice::Barrier);
                true
            }
            Step::Leave => {
                let height = self.barriers.pop().unwrap_or(0);
                self.choices.truncate(height);
                true
            }
            Step::Call { call, key } => {
                let key: Row = key.iter().map(|term| self.make(bench, term)).collect();
                bench.answer(*call, &key)?;
                true
            }
            Step::Derive => false,
        };
        bench.meter.tick()?;
        Ok(passed.then_some(at + 1))
    }

    fn turn_back(
        &mut self,
        bench: &mut Evaluation<'_>,
        steps: &[Step],
    ) -> Result<Option<usize>, ReferenceError> {
        while let Some(choice) = self.choices.pop() {
            let next = match choice {
                Choice::Row { step, row } => self.next_row(bench, steps, step, row)?,
                Choice::Branch { step, branch } => self.next_branch(steps, step, branch),
                Choice::Barrier => {
                    self.barriers.pop();
                    None
                }
            };
            if next.is_some() {
                return Ok(next);
            }
        }
        Ok(None)
    }

    fn first_row(&self, bench: &Evaluation<'_>, access: &Access) -> u32 {
        let table = &bench.tables[access.relation];
        let Some(index) = access.index else { return table.len().wrapping_sub(1) };
        let mut key = KeyHasher::new();
        for term in &access.key {
            match self.find(bench.terms, term) {
                Some(term) => key.add(term),
                None => return NONE,
            }
        }
        table.newest(index, key.finish())
    }

    /// Goes on with the first row from `row` on that matches.
    fn next_row(
        &mut self,
        bench: &mut Evaluation<'_>,
        steps: &[Step],
        at: usize,
        row: u32,
    ) -> Result<Option<usize>, ReferenceError> {
        let Step::Scan { access, recent, once } = &steps[at] else { return Ok(None) };
        let table = &bench.tables[access.relation];
        let (from, to) = if *recent { table.recent } else { (0, NONE) };
        let mut row = row;
        while row != NONE && row >= from {
            bench.meter.tick()?;
            let older = match access.index {
                Some(index) => table.older(index, row),
                None => row.wrapping_sub(1),
            };
            if row < to
                && matches_all(&mut self.values, bench.terms, &access.columns, table.row(row))
            {
                if !once && older != NONE {
                    self.choices.push(Choice::Row { step: at, row: older });
                }
                return Ok(Some(at + 1));
            }
            row = older;
        }
        Ok(None)
    }

    fn next_branch(&mut self, steps: &[Step], at: usize, branch: usize) -> Option<usize> {
        let Step::Either(branches) = &steps[at] else { return None };
        if branch + 1 < branches.len() {
            self.choices.push(Choice::Branch { step: at, branch: branch + 1 });
        }
        branches.get(branch).copied()
    }

    fn holds(&self, bench: &Evaluation<'_>, pattern: &Pattern, assumed: bool) -> bool {
        let row: Option<Row> =
            pattern.arguments.iter().map(|term| self.find(bench.terms, term)).collect();
        // A term that was never made stands in no table.
        let Some(row) = row else { return false };
        match &bench.assumed {
            Some(assumptions) if assumed => assumptions.holds(bench.tables, pattern.relation, &row),
            _ => bench.tables[pattern.relation].find(&row).is_some(),
        }
    }

    fn equal(&self, bench: &mut Evaluation<'_>, left: &RuleTerm, right: &RuleTerm) -> bool {
        self.make(bench, left) == self.make(bench, right)
    }

    /// The value of a term whose variables are bound, if it was ever made.
    fn find(&self, terms: &Terms, term: &RuleTerm) -> Option<GroundTerm> {
        match term {
            RuleTerm::Variable(slot) => Some(self.values[*slot]),
            RuleTerm::Ground(term) => Some(*term),
            RuleTerm::Function(name, arguments) => {
                let arguments: Option<Row> =
                    arguments.iter().map(|argument| self.find(terms, argument)).collect();
                terms.find(*name, &arguments?)
            }
        }
    }

    /// The value of a term whose variables are bound.
    fn make(&self, bench: &mut Evaluation<'_>, term: &RuleTerm) -> GroundTerm {
        match term {
            RuleTerm::Variable(slot) => self.values[*slot],
            RuleTerm::Ground(term) => *term,
            RuleTerm::Function(name, arguments) => {
                let arguments: Row =
                    arguments.iter().map(|argument| self.make(bench, argument)).collect();
                bench.terms.make(bench.symbols, *name, &arguments)
            }
        }
    }

    fn derive(
        &self,
        bench: &mut Evaluation<'_>,
        rule: &Rule,
        into: RelationId,
    ) -> Result<(), ReferenceError> {
        let row: Row = rule.head.arguments.iter().map(|term| self.make(bench, term)).collect();
        for (&made, term) in row.iter().zip(&rule.head.arguments) {
            if matches!(term, RuleTerm::Function(..)) {
                check_size(bench, rule, made)?;
            }
        }
        let new = bench.tables[into].insert(bench.terms, &row);
        *bench.atoms += usize::from(new);
        if new {
            bench.meter.weigh(bench.budget, *bench.atoms, bench.terms.len())?;
        }
        Ok(())
    }
}

/// Longer terms could not be shown or sent.
const LONGEST_TERM: u32 = 1 << 20;

fn check_size(bench: &Evaluation<'_>, rule: &Rule, term: GroundTerm) -> Result<(), ReferenceError> {
    let depth = bench.budget.term_depth;
    if bench.terms.depth(term) <= depth && bench.terms.length(term) <= LONGEST_TERM {
        return Ok(());
    }
    Err(ReferenceError::Infinite { depth, at: rule.span })
}

fn matches_all(
    values: &mut [GroundTerm],
    terms: &Terms,
    columns: &[Match],
    row: &[GroundTerm],
) -> bool {
    columns.iter().zip(row).all(|(column, &term)| matches(values, terms, column, term))
}

fn matches(values: &mut [GroundTerm], terms: &Terms, pattern: &Match, term: GroundTerm) -> bool {
    match pattern {
        Match::Bind(slot) => {
            values[*slot] = term;
            true
        }
        Match::Check(slot) => values[*slot] == term,
        Match::Is(constant) => *constant == term,
        Match::Function(name, patterns) => {
            let (found, arguments) = terms.parts(term);
            found == *name
                && arguments.len() == patterns.len()
                && matches_all(values, terms, patterns, arguments)
        }
    }
}
