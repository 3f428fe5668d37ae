//! Each match of a conjunction as a gate of its own.

use gambol_index::IndexVec;

use super::Emitter;
use crate::formulas::{Formulas, Signal};
use crate::join::{Conjunction, Match, Plan, Source, Treatment};
use crate::limits::Halt;
use crate::names::Names;
use crate::program::{Literal, Pattern, RelationId, Sign, Test};
use crate::tables::RelationTables;

/// What a match takes until its head's disjunction is built.
const BYTES_PER_MATCH: usize = 16;

impl Emitter<'_> {
    /// Reports the head row of each match, with the row that each literal matched. No gates are made.
    pub(super) fn join_rows(
        &mut self,
        head: &Head,
        mut report: impl FnMut(&RelationTables, &mut Formulas, &[u32], &[u32]),
    ) -> Result<(), Halt> {
        let wanted = head.wanted();
        let plan = Plan::new(&head.conjunction(&wanted), self.tables, None, |_: &Literal| {
            Treatment::Existence
        });
        let shown: Vec<Source> = head.shown.iter().map(Source::of).collect();
        let (tables, formulas) = (&*self.tables, &mut self.formulas);
        let range_of = |literal: usize| 0..tables.get(head.body[literal].relation).len();
        let (mut row, mut matched) = (Vec::new(), vec![0; head.body.len()]);
        plan.run(tables, &mut self.program.names, self.meter, range_of, |names, _, found| {
            row.clear();
            row.extend(shown.iter().map(|source| source.make(names, found.slots)));
            for (step, &number) in plan.steps.iter().zip(found.rows) {
                matched[step.literal] = number;
            }
            report(tables, formulas, &row, &matched);
            Ok(())
        })
    }

    /// Reports the head row and the signal of each match.
    pub(super) fn join_each(
        &mut self,
        head: &Head,
        mut report: impl FnMut(&RelationTables, &[u32], Signal),
    ) -> Result<(), Halt> {
        let wanted = head.wanted();
        let conjunction = head.conjunction(&wanted);
        let dynamic = &self.dynamic;
        let plan = Plan::new(&conjunction, self.tables, None, |literal: &Literal| {
            let gates = literal.sign != Sign::Filter && dynamic[literal.relation];
            if gates { Treatment::Rows } else { Treatment::Existence }
        });
        let shown: Vec<Source> = head.shown.iter().map(Source::of).collect();
        let mut gates = Prefixes::new(&plan, head.body, dynamic);
        let (tables, signals, formulas) = (&*self.tables, &self.signals, &mut self.formulas);
        let range_of = |literal: usize| 0..tables.get(head.body[literal].relation).len();
        let mut row: Vec<u32> = Vec::with_capacity(shown.len());
        plan.run(tables, &mut self.program.names, self.meter, range_of, |names, meter, found| {
            let signal = gates.signal(formulas, tables, signals, names, found);
            if signal != Signal::FALSE {
                row.clear();
                row.extend(shown.iter().map(|source| source.make(names, found.slots)));
                report(tables, &row, signal);
                meter.charge(BYTES_PER_MATCH);
            }
            Ok(())
        })?;
        self.charge();
        self.meter.tick()
    }
}

/// A conjunction, and what it shows of its matches.
pub(super) struct Head<'a> {
    pub(super) body: &'a [Literal],
    pub(super) tests: &'a [Test],
    pub(super) variables: u32,
    pub(super) shown: &'a [Pattern],
}

impl Head<'_> {
    fn wanted(&self) -> Vec<bool> {
        let mut wanted = vec![false; self.variables as usize];
        for pattern in self.shown {
            pattern.visit_variables(&mut |variable| wanted[variable as usize] = true);
        }
        wanted
    }

    fn conjunction<'a>(&'a self, wanted: &'a [bool]) -> Conjunction<'a> {
        Conjunction { body: self.body, tests: self.tests, variables: self.variables, wanted }
    }
}

/// A negative literal: the relation, and how to make the row to be looked up.
type Lookup = (RelationId, Vec<Source>);

/// The AND of what the first steps of a plan met: matches that agree on them share it.
struct Prefixes {
    /// Per step: the relation whose row's signal counts, and the negative literals decided there.
    steps: Vec<(Option<RelationId>, Vec<Lookup>)>,
    before: Vec<Lookup>,
    prefix: Vec<Signal>,
}

impl Prefixes {
    fn new(plan: &Plan, body: &[Literal], dynamic: &IndexVec<RelationId, bool>) -> Self {
        let lookup = |&place: &usize| {
            let literal = &body[place];
            (literal.relation, literal.arguments.iter().map(Source::of).collect())
        };
        let steps = plan
            .steps
            .iter()
            .map(|step| {
                let literal = &body[step.literal];
                let gates = literal.sign != Sign::Filter && dynamic[literal.relation];
                (gates.then_some(literal.relation), step.negatives.iter().map(lookup).collect())
            })
            .collect();
        Self {
            steps,
            before: plan.negatives_before.iter().map(lookup).collect(),
            prefix: Vec::new(),
        }
    }

    fn signal(
        &mut self,
        formulas: &mut Formulas,
        tables: &RelationTables,
        signals: &IndexVec<RelationId, Vec<Signal>>,
        names: &mut Names,
        found: Match,
    ) -> Signal {
        let absent = |names: &mut Names, (relation, key): &Lookup| {
            let row: Vec<u32> = key.iter().map(|source| source.make(names, found.slots)).collect();
            let row = tables.get(*relation).find(&row);
            row.map_or(Signal::TRUE, |row| !signals[*relation][row as usize])
        };
        if self.prefix.is_empty() {
            let mut all = Signal::TRUE;
            for negative in &self.before {
                let signal = absent(names, negative);
                all = formulas.and([all, signal]);
            }
            self.prefix.push(all);
        }
        self.prefix.truncate(found.changed + 1);
        for level in self.prefix.len() - 1..self.steps.len() {
            let (positive, negatives) = &self.steps[level];
            let mut all = self.prefix[level];
            if let Some(relation) = positive {
                all = formulas.and([all, signals[*relation][found.rows[level] as usize]]);
            }
            for negative in negatives {
                let signal = absent(names, negative);
                all = formulas.and([all, signal]);
            }
            self.prefix.push(all);
        }
        self.prefix[self.steps.len()]
    }
}
