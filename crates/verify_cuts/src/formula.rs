//! States of a net as clauses, as plainly as can be: a variable for each gate in each frame.
//!
//! Recursive gates mean their least fixpoint. Small cycles are unrolled; of large ones it is only said that
//! they are some fixpoint, which leaves more models, so that "no model" remains a proof.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batsat::{Callbacks, ClauseKind};
use gambol_index::Id;
use gambol_net::{Gate, GateId, MoveId, Net};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Cl, Lit, Var};
use rustsat_batsat::Solver;

use crate::options::CheckOptions;
use crate::refusal::CutRefusal;
use crate::refutation::{Refutation, number};

/// Gates of a cycle that is unrolled.
const MOST_UNROLLED: usize = 40;

/// A state, as the literal of each gate.
pub(crate) type Frame = Vec<Lit>;

/// Ends the solver early, and keeps what it learns.
#[derive(Default)]
struct Watch {
    stop: Option<Arc<AtomicBool>>,
    learnt: Option<Vec<Vec<i64>>>,
}

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn on_new_clause(&mut self, clause: &[batsat::Lit], kind: ClauseKind) {
        let Some(learnt) = self.learnt.as_mut().filter(|_| kind != ClauseKind::Axiom) else {
            return;
        };
        let number = |literal: &batsat::Lit| {
            let variable = i64::from(literal.var().idx()) + 1;
            if literal.sign() { variable } else { -variable }
        };
        learnt.push(clause.iter().map(number).collect());
    }
}

/// Clauses about states of a net.
pub(crate) struct Formula<'a> {
    net: &'a Net,
    solver: Solver<Watch>,
    /// The clauses so far, if refutations are asked for.
    clauses: Option<Vec<Vec<i64>>>,
    variables: u32,
    truth: Lit,
}

impl<'a> Formula<'a> {
    /// No clause yet. What is said and learnt is kept if refutations are asked for.
    pub(crate) fn new(net: &'a Net, options: &CheckOptions, refutations: bool) -> Self {
        let mut solver = Solver::<Watch>::default();
        let (kept, stop) = (refutations.then(Vec::new), options.stop.clone());
        *solver.batsat_mut().cb_mut() = Watch { stop, learnt: kept.clone() };
        let truth = Var::new(0).pos_lit();
        let mut formula = Self { net, solver, clauses: kept, variables: 1, truth };
        formula.add(&[truth]);
        formula
    }

    pub(crate) fn add(&mut self, clause: &[Lit]) {
        if let Some(clauses) = &mut self.clauses {
            clauses.push(clause.iter().map(|&literal| number(literal)).collect());
        }
        self.solver.add_clause_ref(Cl::new(clause)).expect("adding a clause cannot fail");
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Var::new(self.variables - 1).pos_lit()
    }

    pub(crate) fn and(&mut self, inputs: &[Lit]) -> Lit {
        let all = self.fresh();
        inputs.iter().for_each(|&input| self.add(&[!all, input]));
        let mut clause: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
        clause.push(all);
        self.add(&clause);
        all
    }

    pub(crate) fn or(&mut self, inputs: &[Lit]) -> Lit {
        let negated: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
        !self.and(&negated)
    }

    pub(crate) fn differ(&mut self, one: Lit, other: Lit) -> Lit {
        let (left, right) = (self.and(&[one, !other]), self.and(&[!one, other]));
        self.or(&[left, right])
    }

    /// So many of these hold, or more.
    pub(crate) fn at_least(&mut self, least: usize, inputs: &[Lit]) -> Lit {
        // For each number so far, whether so many of the inputs that were looked at hold.
        let mut counted = vec![!self.truth; least + 1];
        counted[0] = self.truth;
        for &input in inputs {
            for number in (1..=least).rev() {
                let one_more = self.and(&[counted[number - 1], input]);
                counted[number] = self.or(&[counted[number], one_more]);
            }
        }
        counted[least]
    }

    pub(crate) fn equal(&mut self, one: Lit, other: Lit) {
        self.add(&[!one, other]);
        self.add(&[one, !other]);
    }

    /// A new state. Fluents for which there is a literal have that.
    pub(crate) fn frame(&mut self, given: &dyn Fn(usize) -> Option<Lit>) -> Frame {
        let net = self.net;
        let mut frame: Frame = vec![!self.truth; net.gate_count()];
        let mut next = 0;
        while next < net.gate_count() {
            let gate = GateId::from_index(next);
            if let Some(cycle) = net.cycle_of(gate) {
                let range = net.cycles[cycle].clone();
                self.cycle(&mut frame, range.start as usize..range.end as usize);
                next = range.end as usize;
                continue;
            }
            frame[next] = match net.gate(gate) {
                Gate::Constant(true) => self.truth,
                Gate::Constant(false) => !self.truth,
                Gate::Fluent(fluent) => given(fluent.index()).unwrap_or_else(|| self.fresh()),
                Gate::Does(_) => self.fresh(),
                _ => self.combine(gate, &|input| frame[input.index()]),
            };
            next += 1;
        }
        frame
    }

    fn combine(&mut self, gate: GateId, literal: &dyn Fn(GateId) -> Lit) -> Lit {
        match self.net.gate(gate) {
            Gate::And(inputs) => {
                let inputs: Vec<Lit> = inputs.iter().map(|&input| literal(input)).collect();
                self.and(&inputs)
            }
            Gate::Or(inputs) => {
                let inputs: Vec<Lit> = inputs.iter().map(|&input| literal(input)).collect();
                self.or(&inputs)
            }
            Gate::Not(input) => !literal(input),
            _ => literal(gate),
        }
    }

    fn cycle(&mut self, frame: &mut Frame, range: std::ops::Range<usize>) {
        if range.len() > MOST_UNROLLED {
            for gate in range.clone() {
                frame[gate] = self.fresh();
            }
            for gate in range {
                let value = self.combine(GateId::from_index(gate), &|input| frame[input.index()]);
                self.equal(frame[gate], value);
            }
            return;
        }
        for _ in 0..range.len() {
            let layer: Vec<Lit> = range
                .clone()
                .map(|gate| self.combine(GateId::from_index(gate), &|input| frame[input.index()]))
                .collect();
            frame[range.clone()].copy_from_slice(&layer);
        }
    }

    /// In a state every role makes exactly one move, and it is legal.
    pub(crate) fn moves(&mut self, frame: &Frame) {
        for role in self.net.roles.ids() {
            let moves: Vec<MoveId> = self.net.moves_of(role).map(MoveId::new).collect();
            let done: Vec<Lit> =
                moves.iter().map(|&action| frame[self.net.move_gate(action).index()]).collect();
            self.add(&done);
            for (place, &action) in moves.iter().enumerate() {
                self.add(&[!done[place], frame[self.net.legal[action].index()]]);
            }
            // At most one: what was seen so far is carried along.
            let mut before = !self.truth;
            for &one in &done {
                self.add(&[!one, !before]);
                before = self.or(&[before, one]);
            }
        }
    }

    /// Whether there is no model in which these are true.
    pub(crate) fn refutes(&mut self, literals: &[Lit]) -> Result<bool, CutRefusal> {
        match self.solver.solve_assumps(literals) {
            Ok(SolverResult::Unsat) => Ok(true),
            Ok(SolverResult::Sat) => Ok(false),
            Ok(SolverResult::Interrupted) | Err(_) => Err(CutRefusal::Stopped),
        }
    }

    /// Why there is none, if that was found and refutations are asked for.
    pub(crate) fn refutation(&self, what: &str, literals: &[Lit]) -> Option<Refutation> {
        let learnt = self.solver.batsat_ref().cb().learnt.as_ref()?;
        Some(Refutation::of(what, self.variables, self.clauses.as_ref()?, literals, learnt))
    }
}
