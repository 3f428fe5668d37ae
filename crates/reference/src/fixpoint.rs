//! The least model of one stratum, given those below it.
//!
//! Recursive rules are repeated with the rows that are new since the last round until there are
//! none. A stratum that negates itself is evaluated by the alternating fixpoint (Van Gelder): with
//! negations answered by too large a set of atoms its rules give too small a set, with that too
//! large a one, and so on. Where the two meet they are the stratum's only meaning; where they stay
//! apart an atom depends on its own negation.

use crate::ReferenceError;
use crate::evaluation::Evaluation;
use crate::evaluation::join::Assumed;
use crate::program::{RelationId, RuleId};
use crate::strata::{Stratum, StratumId};
use crate::terms::GroundTerm;

type Rows = Vec<(RelationId, Vec<GroundTerm>)>;

impl Evaluation<'_> {
    /// Adds what follows from the stratum's rules to their tables.
    pub(crate) fn evaluate(&mut self, stratum: StratumId) -> Result<(), ReferenceError> {
        let stratum = &self.strata.all[stratum];
        if stratum.negates_itself { self.alternate(stratum) } else { self.least_fixpoint(stratum) }
    }

    fn least_fixpoint(&mut self, stratum: &Stratum) -> Result<(), ReferenceError> {
        let heads = if stratum.recursive { self.heads(stratum) } else { Vec::new() };
        for &head in &heads {
            let len = self.tables[head].len();
            self.tables[head].recent = (len, len);
        }
        for &rule in &stratum.rules {
            let plan = self.plan(rule)?;
            self.run(rule, &plan.full)?;
        }
        while self.next_round(&heads) {
            for &rule in &stratum.rules {
                self.run_recent(rule)?;
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

    fn run_recent(&mut self, rule: RuleId) -> Result<(), ReferenceError> {
        let plan = self.plan(rule)?;
        for (relation, steps) in &plan.recent {
            let (from, to) = self.tables[*relation].recent;
            if from < to {
                self.run(rule, steps)?;
            }
        }
        Ok(())
    }

    fn heads(&self, stratum: &Stratum) -> Vec<RelationId> {
        let rules = stratum.rules.iter();
        let mut heads: Vec<RelationId> =
            rules.map(|&rule| self.rules[rule].head.relation).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    fn alternate(&mut self, stratum: &Stratum) -> Result<(), ReferenceError> {
        let heads = self.heads(stratum);
        let sizes: Vec<u32> = heads.iter().map(|&head| self.tables[head].len()).collect();
        let mut lower = Vec::new();
        loop {
            let upper = self.consequences(stratum, &heads, &sizes, &lower)?;
            let next_lower = self.consequences(stratum, &heads, &sizes, &upper)?;
            if next_lower.len() == upper.len() {
                self.assumed = None;
                return Ok(());
            }
            // Both are monotone: the lower set grows with each round or stays for good.
            if next_lower.len() == lower.len() {
                return Err(self.undecided(stratum, &lower, upper));
            }
            lower = next_lower;
        }
    }

    /// What follows when negations take these rows to be true, besides the first `sizes` rows of
    /// the heads. It stays in the tables until asked again.
    fn consequences(
        &mut self,
        stratum: &Stratum,
        heads: &[RelationId],
        sizes: &[u32],
        rows: &Rows,
    ) -> Result<Rows, ReferenceError> {
        let certain = heads.iter().copied().zip(sizes.iter().copied()).collect();
        self.assumed = Some(Assumed { certain, rows: rows.iter().cloned().collect() });
        for (&head, &size) in heads.iter().zip(sizes) {
            let table = &mut self.tables[head];
            *self.atoms -= (table.len() - size) as usize;
            table.truncate(size);
        }
        self.least_fixpoint(stratum)?;
        let mut found = Vec::new();
        for (&head, &size) in heads.iter().zip(sizes) {
            let table = &self.tables[head];
            found.extend((size..table.len()).map(|row| (head, table.row(row).to_vec())));
        }
        Ok(found)
    }

    /// The first atom whose truth stays open.
    fn undecided(&self, stratum: &Stratum, lower: &Rows, upper: Rows) -> ReferenceError {
        let open = upper.into_iter().find(|row| !lower.contains(row));
        let (relation, row) = open.unwrap_or_else(|| {
            // Unreachable: the sets differ in size, and the lower is a part of the upper.
            (self.rules[stratum.rules[0]].head.relation, Vec::new())
        });
        let defines = |rule: &&RuleId| self.rules[**rule].head.relation == relation;
        let rule = stratum.rules.iter().find(defines).unwrap_or(&stratum.rules[0]);
        let atom = self.terms.atom_text(self.symbols, self.relations[relation].0, &row);
        ReferenceError::Unstratified { atom, at: self.rules[*rule].span }
    }
}
