//! What holds in one state, and after one joint move: the least model of the rules, stratum by
//! stratum, as far as a question needs it.
//!
//! The tables are three layers deep: what always holds, what follows from the state, what follows
//! from the moves. A question about another state drops the upper two layers and keeps the first.

use gambol_index::IndexVec;
use gambol_syntax::{Rules, keyword};

use crate::budget::Meter;
use crate::calls::{Calls, ClusterId};
use crate::evaluation::join::Machine;
use crate::evaluation::{Evaluation, InUse};
use crate::program::{Program, RelationId, RuleId};
use crate::strata::{Layer, Strata, StratumId};
use crate::table::{Marks, Table};
use crate::terms::GroundTerm;
use crate::{Budget, ReferenceError, State};

/// The tables of one program.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) program: Program,
    pub(crate) budget: Budget,
    strata: Strata,
    tables: IndexVec<RelationId, Table>,
    plans: IndexVec<RuleId, Option<InUse>>,
    calls: Calls,
    machines: Vec<Machine>,
    atoms: usize,
    evaluated: IndexVec<StratumId, bool>,
    state: Option<State>,
    moves_entered: bool,
    /// The relations on which the last evaluation spent too much.
    too_large: Option<ClusterId>,
    true_: RelationId,
    does: RelationId,
}

/// A question: relations, and what must be evaluated to know them.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    statics: Vec<StratumId>,
    state: Vec<StratumId>,
    moves: Vec<StratumId>,
}

impl Model {
    /// The facts of a rulesheet.
    pub(crate) fn of(rules: &Rules, budget: Budget) -> Result<Self, ReferenceError> {
        let mut program = Program::of(rules)?;
        let (true_, does) =
            (program.relation(keyword::TRUE, 1), program.relation(keyword::DOES, 2));
        let strata = Strata::of(&program);
        let mut model = Self {
            budget,
            tables: program.relations.iter().map(|&(_, arity)| Table::new(arity)).collect(),
            plans: IndexVec::filled(None, program.rules.len()),
            calls: Calls::of(&program),
            machines: Vec::new(),
            atoms: 0,
            evaluated: IndexVec::filled(false, strata.all.len()),
            state: None,
            moves_entered: false,
            too_large: None,
            true_,
            does,
            strata,
            program,
        };
        for (relation, row) in std::mem::take(&mut model.program.facts) {
            model.insert(relation, &row);
        }
        model.mark(Layer::Static);
        Ok(model)
    }

    /// What must be evaluated to know these relations.
    pub(crate) fn question(&self, relations: &[RelationId]) -> Question {
        let needed = self.strata.needed_for(&self.program, relations);
        let of = |layer| {
            let strata = needed.iter().copied();
            strata.filter(|&stratum| self.strata.all[stratum].layer == layer).collect()
        };
        Question { statics: of(Layer::Static), state: of(Layer::State), moves: of(Layer::Moves) }
    }

    /// Evaluates what a question needs, in a state and with moves (role and move).
    pub(crate) fn ask(
        &mut self,
        question: &Question,
        state: &State,
        moves: &[(GroundTerm, GroundTerm)],
    ) -> Result<(), ReferenceError> {
        let mut meter = Meter::start(&self.budget, self.program.terms.len());
        meter.look()?;
        loop {
            let answer = self.evaluate(question, state, moves, &mut meter);
            if answer.is_ok() {
                return Ok(());
            }
            self.forget_state();
            match self.too_large.take() {
                Some(cluster) => self.start_calling(cluster, &mut meter),
                None => return answer,
            }
        }
    }

    fn start_calling(&mut self, cluster: ClusterId, meter: &mut Meter) {
        self.calls.start_calling(cluster);
        for plan in self.plans.iter_mut() {
            *plan = None;
        }
        meter.lost_patience = false;
    }

    fn evaluate(
        &mut self,
        question: &Question,
        state: &State,
        moves: &[(GroundTerm, GroundTerm)],
        meter: &mut Meter,
    ) -> Result<(), ReferenceError> {
        self.forget_moves();
        self.evaluate_statics(question, meter)?;
        self.enter_state(state);
        for &stratum in &question.state {
            self.evaluate_once(stratum, meter)?;
        }
        if question.moves.is_empty() {
            return Ok(());
        }
        self.mark(Layer::State);
        self.moves_entered = true;
        for &(role, action) in moves {
            self.insert(self.does, &[role, action]);
        }
        for &stratum in &question.moves {
            self.evaluate_stratum(stratum, meter)?;
        }
        Ok(())
    }

    /// Static relations are evaluated when first asked for: a game may define large ones that it
    /// never uses.
    fn evaluate_statics(
        &mut self,
        question: &Question,
        meter: &mut Meter,
    ) -> Result<(), ReferenceError> {
        if question.statics.iter().all(|&stratum| self.evaluated[stratum]) {
            return Ok(());
        }
        self.forget_state();
        for &stratum in &question.statics {
            self.evaluate_once(stratum, meter)?;
            self.mark(Layer::Static);
        }
        Ok(())
    }

    fn evaluate_once(
        &mut self,
        stratum: StratumId,
        meter: &mut Meter,
    ) -> Result<(), ReferenceError> {
        if !self.evaluated[stratum] {
            self.evaluate_stratum(stratum, meter)?;
            self.evaluated[stratum] = true;
        }
        Ok(())
    }

    fn evaluate_stratum(
        &mut self,
        stratum: StratumId,
        meter: &mut Meter,
    ) -> Result<(), ReferenceError> {
        let relation = self.program.rules[self.strata.all[stratum].rules[0]].head.relation;
        if self.calls.is_called(relation) {
            return Ok(());
        }
        let cluster = self.calls.cluster_of(relation);
        let patience = self.patience(cluster, stratum);
        if patience == Some(0) {
            self.too_large = Some(cluster);
            return Err(ReferenceError::Time { at: None });
        }
        meter.be_patient(patience);
        let before = meter.ticks;
        let evaluated = self.evaluation(meter).evaluate(stratum);
        self.calls.spend(cluster, meter.ticks - before);
        meter.be_patient(None);
        if meter.lost_patience {
            self.too_large = Some(cluster);
        }
        evaluated
    }

    /// The work after which relations are thought too large to be listed. Static ones are listed
    /// once, and recursive ones are slower to answer call by call.
    fn patience(&self, cluster: ClusterId, stratum: StratumId) -> Option<u64> {
        let layer = self.strata.all[stratum].layer;
        let known = self.calls.cluster(cluster);
        let factor = match (layer, known.recursive) {
            (Layer::Static, _) => 50,
            (_, true) => 12,
            (_, false) => 1,
        };
        let total = self.budget.listing.saturating_mul(factor);
        self.calls.may_call(cluster).then(|| total.saturating_sub(known.spent))
    }

    fn evaluation<'a>(&'a mut self, meter: &'a mut Meter) -> Evaluation<'a> {
        let Program { symbols, terms, relations, rules, .. } = &mut self.program;
        Evaluation {
            symbols,
            terms,
            relations,
            rules,
            strata: &self.strata,
            tables: &mut self.tables,
            plans: &mut self.plans,
            calls: &mut self.calls,
            machines: &mut self.machines,
            pending: Vec::new(),
            assumed: None,
            budget: &self.budget,
            meter,
            atoms: &mut self.atoms,
        }
    }

    fn enter_state(&mut self, state: &State) {
        if self.state.as_ref() == Some(state) {
            return;
        }
        self.forget_state();
        for &fluent in state.fluents() {
            self.insert(self.true_, &[fluent]);
        }
        self.state = Some(state.clone());
    }

    fn forget_state(&mut self) {
        self.drop_rows(|marks| marks.state);
        self.moves_entered = false;
        for (stratum, evaluated) in self.strata.all.iter().zip(self.evaluated.iter_mut()) {
            *evaluated &= stratum.layer == Layer::Static;
        }
        self.calls.forget_spending();
        self.state = None;
    }

    fn forget_moves(&mut self) {
        if self.moves_entered {
            self.drop_rows(|marks| marks.moves);
            self.calls.forget_spending();
            self.moves_entered = false;
        }
    }

    fn drop_rows(&mut self, keep: impl Fn(&Marks) -> u32) {
        for table in self.tables.iter_mut() {
            let before = table.len();
            table.truncate(keep(&table.marks));
            self.atoms -= (before - table.len()) as usize;
        }
    }

    fn mark(&mut self, layer: Layer) {
        for table in self.tables.iter_mut() {
            table.marks.moves = table.len();
            if layer == Layer::Static {
                table.marks.state = table.len();
            }
        }
    }

    fn insert(&mut self, relation: RelationId, row: &[GroundTerm]) {
        self.atoms += usize::from(self.tables[relation].insert(&self.program.terms, row));
    }

    /// Whether the relation's rows are listed rather than asked for one by one.
    pub(crate) fn is_listed(&self, relation: RelationId) -> bool {
        !self.calls.is_called(relation)
    }

    /// The rows of a relation, as far as the last question needed them.
    pub(crate) fn rows(&self, relation: RelationId) -> impl Iterator<Item = &[GroundTerm]> {
        self.tables[relation].rows()
    }
}
