//! A SAT solver with limits: effort, a deadline, and a stop flag.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Cl, Lit, TernaryVal, Var};
use rustsat_batsat::BasicSolver;

use gambol_run::Deadline;

/// What the solver says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Model,
    /// There is none.
    NoModel,
    /// It gave up.
    Unknown,
}

/// Decisions between two looks at the clock.
const LOOK: u64 = 16;

/// An incremental solver with an effort limit per question.
pub(crate) struct Solver {
    inner: BasicSolver,
    variables: u32,
    /// Decisions left for the present question.
    effort: Rc<Cell<u64>>,
    /// Decisions made so far, for all questions.
    spent: u64,
    truth: Lit,
    deadline: Rc<RefCell<Deadline>>,
}

impl Solver {
    pub(crate) fn new(deadline: &Deadline) -> Self {
        let effort = Rc::new(Cell::new(0u64));
        let mut inner = BasicSolver::default();
        let deadline = Rc::new(RefCell::new(deadline.clone()));
        let (left, end) = (Rc::clone(&effort), Rc::clone(&deadline));
        inner.batsat_mut().cb_mut().set_stop(move || {
            let decisions = left.get();
            // Asked twice, the solver must hear the same answer, or it begins again.
            let over = decisions == 0 || decisions % LOOK == 0 && end.borrow().is_over();
            left.set(if over { 0 } else { decisions - 1 });
            over
        });
        let mut solver =
            Self { inner, variables: 0, effort, spent: 0, truth: Lit::positive(0), deadline };
        solver.truth = solver.fresh();
        solver.add(&[solver.truth]);
        solver
    }

    /// From now on questions are given up at this deadline.
    pub(crate) fn set_deadline(&mut self, deadline: &Deadline) {
        self.deadline.replace(deadline.clone());
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.borrow().is_over()
    }

    /// A new variable.
    pub(crate) fn fresh(&mut self) -> Lit {
        let variable = Var::new(self.variables);
        self.variables += 1;
        variable.pos_lit()
    }

    /// The literal that is true.
    pub(crate) fn truth(&self) -> Lit {
        self.truth
    }

    pub(crate) fn constant(&self, value: bool) -> Lit {
        if value { self.truth } else { !self.truth }
    }

    pub(crate) fn variables(&self) -> u64 {
        u64::from(self.variables)
    }

    pub(crate) fn add(&mut self, clause: &[Lit]) {
        self.inner.add_clause_ref(Cl::new(clause)).expect("adding a clause cannot fail");
    }

    /// At most one of these is true.
    pub(crate) fn at_most_one(&mut self, literals: &[Lit]) {
        if literals.len() <= 5 {
            for (place, &one) in literals.iter().enumerate() {
                literals[..place].iter().for_each(|&other| self.add(&[!one, !other]));
            }
            return;
        }
        let mut earlier = !self.truth;
        for &literal in literals {
            let seen = self.fresh();
            self.add(&[!literal, !earlier]);
            self.add(&[!literal, seen]);
            self.add(&[!earlier, seen]);
            earlier = seen;
        }
    }

    /// Whether the clauses have a model with these literals true. `effort` counts decisions beyond
    /// those that one model needs.
    pub(crate) fn solve(&mut self, assumptions: &[Lit], effort: u64) -> Answer {
        if self.is_over() {
            return Answer::Unknown;
        }
        let most = 2 * self.variables() + effort;
        self.effort.set(most);
        let answer = self.inner.solve_assumps(assumptions);
        self.spent += most - self.effort.get();
        match answer {
            Ok(SolverResult::Sat) => Answer::Model,
            Ok(SolverResult::Unsat) => Answer::NoModel,
            Ok(SolverResult::Interrupted) | Err(_) => Answer::Unknown,
        }
    }

    /// The decisions made for all questions so far. Unlike time, they are the same on every machine.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    /// Which of the assumptions the last "no model" rests on.
    pub(crate) fn in_core(&mut self, assumptions: &[Lit]) -> Vec<bool> {
        // A core may be given as assumptions or as the clause of their negations.
        let mut core = self.inner.core().unwrap_or_default();
        core.sort_unstable();
        let contains = |literal: Lit| core.binary_search(&literal).is_ok();
        let named = |literal: &Lit| contains(*literal) || contains(!*literal);
        assumptions.iter().map(named).collect()
    }

    /// The value of a literal in the model just found. What the model leaves open is false.
    pub(crate) fn value(&self, literal: Lit) -> bool {
        let holds = matches!(self.inner.lit_val(literal.var().pos_lit()), Ok(TernaryVal::True));
        holds == literal.is_pos()
    }
}
