//! Refutations: why a question has the answer "no", for checkers that others wrote.
//!
//! The question is a formula in the DIMACS format, the refutation a list of clauses in the DRAT format. Each of them
//! follows from the formula and those before it by unit propagation (RUP), and the last one is empty. No clause is
//! ever deleted, so nothing but the size of the files depends on how the solver forgets.

use std::fmt::Write;

use rustsat::types::Lit;

/// A question that has no model, and the clauses that a solver learnt on the way to that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// What is shown by it.
    pub what: String,
    variables: u32,
    /// What is said, as positive and negative numbers of variables from 1 on.
    clauses: Vec<Vec<i64>>,
    /// What follows.
    steps: Vec<Vec<i64>>,
}

/// A literal as formats of the field write it.
pub(crate) fn number(literal: Lit) -> i64 {
    let variable = i64::from(literal.vidx32()) + 1;
    if literal.is_pos() { variable } else { -variable }
}

impl Refutation {
    /// Of clauses with some literals true.
    pub(crate) fn of(
        what: &str,
        variables: u32,
        clauses: &[Vec<i64>],
        assumed: &[Lit],
        steps: &[Vec<i64>],
    ) -> Self {
        let assumed = assumed.iter().map(|&literal| vec![number(literal)]);
        let clauses = clauses.iter().cloned().chain(assumed).collect();
        // Of two literals that contradict each other the solver learns that one of them is false, which says nothing.
        let says_something =
            |step: &&Vec<i64>| !step.iter().any(|literal| step.contains(&-literal));
        let steps = steps.iter().filter(says_something).cloned();
        let steps = steps.chain([Vec::new()]).collect();
        Self { what: what.to_string(), variables, clauses, steps }
    }

    /// The clauses that have no model together.
    pub fn clauses(&self) -> &[Vec<i64>] {
        &self.clauses
    }

    /// The clauses that follow, the empty one last.
    pub fn steps(&self) -> &[Vec<i64>] {
        &self.steps
    }

    /// The question, in the DIMACS format.
    pub fn dimacs(&self) -> String {
        let (what, count) = (&self.what, self.clauses.len());
        let mut text = format!("c {what}\np cnf {} {count}\n", self.variables);
        write_clauses(&mut text, &self.clauses);
        text
    }

    /// The refutation, in the DRAT format.
    pub fn drat(&self) -> String {
        let mut text = String::new();
        write_clauses(&mut text, &self.steps);
        text
    }
}

fn write_clauses(text: &mut String, clauses: &[Vec<i64>]) {
    for clause in clauses {
        for literal in clause {
            let _ = write!(text, "{literal} ");
        }
        text.push_str("0\n");
    }
}
