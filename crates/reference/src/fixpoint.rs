//! The least model of one stratum, given those below it.
//!
//! Recursive rules are repeated with the rows that are new since the last round until there are
//! none. A stratum that negates itself is evaluated by the alternating fixpoint (Van Gelder): with
//! negations answered by too large a set of atoms its rules give too small a set, with that too
//! large a one, and so on. Where the two meet they are the stratum's only meaning; where they stay
//! apart an atom depends on its own negation.

use std::sync::Arc;

use gambol_index::IndexVec;

use crate::budget::Meter;
use crate::join::{Assumed, Bench, Machine};
use crate::plan::{RulePlan, plan};
use crate::program::{Program, RelationId, RuleId};
use crate::strata::{Strata, Stratum, StratumId};
use crate::table::Table;
use crate::terms::GroundTerm;
use crate::{Budget, ReferenceError};

/// What evaluating a stratum needs of the model.
pub(crate) struct Evaluation<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) strata: &'a Strata,
    pub(crate) tables: &'a mut IndexVec<RelationId, Table>,
    pub(crate) plans: &'a mut IndexVec<RuleId, Option<Arc<RulePlan>>>,
    pub(crate) machine: &'a mut Machine,
    pub(crate) budget: &'a Budget,
    pub(crate) meter: &'a mut Meter,
    pub(crate) atoms: &'a mut usize,
}

type Rows = Vec<(RelationId, Vec<GroundTerm>)>;

impl Evaluation<'_> {
    /// Adds what follows from the stratum's rules to their tables.
    pub(crate) fn evaluate(&mut self, stratum: StratumId) -> Result<(), ReferenceError> {
        let stratum = &self.strata.all[stratum];
        if stratum.negates_itself {
            self.alternate(stratum)
        } else {
            self.least_fixpoint(stratum, None)
        }
    }

    fn least_fixpoint(
        &mut self,
        stratum: &Stratum,
        assumed: Option<&Assumed>,
    ) -> Result<(), ReferenceError> {
        let heads = if stratum.recursive { self.heads(stratum) } else { Vec::new() };
        for &head in &heads {
            let len = self.tables[head].len();
            self.tables[head].recent = (len, len);
        }
        for &rule in &stratum.rules {
            let plan = self.plan(rule)?;
            self.run(rule, &plan.full, assumed)?;
        }
        while self.next_round(&heads) {
            for &rule in &stratum.rules {
                self.run_recent(rule, assumed)?;
            }
        }
        Ok(())
    }

    /// Makes the rows added in the last round the recent ones; says whether there are any.
    fn next_round(&mut self, heads: &[RelationId]) -> bool {
        let mut any = false;
        for &head in heads {
            let table = &mut self.tables[head];
            table.recent = (table.recent.1, table.len());
            any |= table.recent.0 < table.recent.1;
        }
        any
    }

    fn run_recent(
        &mut self,
        rule: RuleId,
        assumed: Option<&Assumed>,
    ) -> Result<(), ReferenceError> {
        let plan = self.plan(rule)?;
        for (relation, steps) in &plan.recent {
            let (from, to) = self.tables[*relation].recent;
            if from < to {
                self.run(rule, steps, assumed)?;
            }
        }
        Ok(())
    }

    fn run(
        &mut self,
        rule: RuleId,
        steps: &[crate::plan::Step],
        assumed: Option<&Assumed>,
    ) -> Result<(), ReferenceError> {
        let mut bench = Bench {
            symbols: &self.program.symbols,
            terms: &mut self.program.terms,
            tables: self.tables,
            assumed,
            budget: self.budget,
            meter: self.meter,
            atoms: self.atoms,
        };
        self.machine.run(&mut bench, &self.program.rules[rule], steps)
    }

    /// The plan of a rule, made when the tables it reads have their first rows.
    fn plan(&mut self, rule: RuleId) -> Result<Arc<RulePlan>, ReferenceError> {
        if let Some(plan) = &self.plans[rule] {
            return Ok(Arc::clone(plan));
        }
        let definition = &self.program.rules[rule];
        let made = plan(self.program, self.tables, definition, &self.strata.inside[rule])?;
        let made = Arc::new(made);
        self.plans[rule] = Some(Arc::clone(&made));
        Ok(made)
    }

    fn heads(&self, stratum: &Stratum) -> Vec<RelationId> {
        let rules = stratum.rules.iter();
        let mut heads: Vec<RelationId> =
            rules.map(|&rule| self.program.rules[rule].head.relation).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    fn alternate(&mut self, stratum: &Stratum) -> Result<(), ReferenceError> {
        let heads = self.heads(stratum);
        let sizes = heads.iter().map(|&head| (head, self.tables[head].len())).collect();
        let mut assumed = Assumed { certain: sizes, ..Assumed::default() };
        let mut lower = Vec::new();
        loop {
            let upper = self.consequences(stratum, &heads, &mut assumed, &lower)?;
            let next_lower = self.consequences(stratum, &heads, &mut assumed, &upper)?;
            if next_lower.len() == upper.len() {
                return Ok(());
            }
            // Both are monotone: the lower set grows with each round or stays for good.
            if next_lower.len() == lower.len() {
                return Err(self.undecided(stratum, &lower, upper));
            }
            lower = next_lower;
        }
    }

    /// What follows when negations take these rows to be true. They stay in the tables until asked
    /// again.
    fn consequences(
        &mut self,
        stratum: &Stratum,
        heads: &[RelationId],
        assumed: &mut Assumed,
        rows: &Rows,
    ) -> Result<Rows, ReferenceError> {
        assumed.rows = rows.iter().cloned().collect();
        for &head in heads {
            let table = &mut self.tables[head];
            let before = table.len();
            table.truncate(assumed.certain[&head]);
            *self.atoms -= (before - table.len()) as usize;
        }
        self.least_fixpoint(stratum, Some(assumed))?;
        let mut found = Vec::new();
        for &head in heads {
            let table = &self.tables[head];
            let new = assumed.certain[&head]..table.len();
            found.extend(new.map(|row| (head, table.row(row).to_vec())));
        }
        Ok(found)
    }

    /// The first atom whose truth stays open.
    fn undecided(&self, stratum: &Stratum, lower: &Rows, upper: Rows) -> ReferenceError {
        let open = upper.into_iter().find(|row| !lower.contains(row));
        let relation = open.as_ref().map(|(relation, _)| *relation);
        let rule = stratum
            .rules
            .iter()
            .find(|&&rule| Some(self.program.rules[rule].head.relation) == relation)
            .unwrap_or(&stratum.rules[0]);
        let atom = open.map(|(relation, row)| self.program.atom_text(relation, &row));
        ReferenceError::Unstratified {
            atom: atom.unwrap_or_default(),
            at: self.program.rules[*rule].span,
        }
    }
}
