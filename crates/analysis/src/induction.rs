//! Proofs about all steps, by induction over the net.
//!
//! A claim "after a step from a state with A, not B" is proved if no state that satisfies the
//! invariants breaks it. If one step is not enough, the state is asked to be the end of one or two
//! earlier steps; plays too short for that are checked from the start.

use gambol_net::{GateId, Net};
use rustsat::types::Lit;

use crate::Literal;
use crate::budget::Deadline;
use crate::encode::Unrolling;
use crate::literal::Clause;
use crate::sample::Sample;
use crate::solver::Answer;
use crate::state::State;
use crate::verdict::{Proof, Verdict};

/// Decisions for one question.
const EFFORT: u64 = 20_000;

/// A condition on one state.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// All of these hold.
    All(Vec<Literal>),
    /// One of these holds.
    Any(Vec<Literal>),
    /// A gate has a value.
    Gate(GateId, bool),
    /// A literal holds and a gate has a value.
    Both(Literal, GateId, bool),
}

/// No step leads from a state with `before` to one with `after`.
#[derive(Clone, Debug)]
pub(crate) struct StepClaim {
    pub(crate) before: Condition,
    pub(crate) after: Condition,
}

impl StepClaim {
    /// The value is kept.
    pub(crate) fn keeps(literal: Literal) -> Self {
        Self {
            before: Condition::All(vec![literal]),
            after: Condition::All(vec![literal.negated()]),
        }
    }

    /// The gate's value is kept.
    pub(crate) fn gate_keeps(gate: GateId, holds: bool) -> Self {
        Self { before: Condition::Gate(gate, holds), after: Condition::Gate(gate, !holds) }
    }

    /// "One of these holds" is kept.
    pub(crate) fn keeps_one_of(group: &[Literal]) -> Self {
        let none = group.iter().map(|literal| literal.negated()).collect();
        Self { before: Condition::Any(group.to_vec()), after: Condition::All(none) }
    }

    /// The one is never followed by the other.
    pub(crate) fn excludes(before: Literal, after: Literal) -> Self {
        Self { before: Condition::All(vec![before]), after: Condition::All(vec![after]) }
    }
}

/// What is proved about a net so far, and the solvers that prove more.
pub(crate) struct Inductive<'a> {
    net: &'a Net,
    invariants: &'a [Clause],
    deadline: Deadline,
    /// `depths[d]` looks at `d + 1` consecutive steps. Made when first needed.
    depths: Vec<Unrolling<'a>>,
    most_depth: usize,
}

impl<'a> Inductive<'a> {
    pub(crate) fn new(
        net: &'a Net,
        invariants: &'a [Clause],
        most_depth: usize,
        deadline: &Deadline,
    ) -> Self {
        Self { net, invariants, deadline: deadline.clone(), depths: Vec::new(), most_depth }
    }

    /// The solver that looks at `depth + 1` steps.
    pub(crate) fn steps(&mut self, depth: usize) -> &mut Unrolling<'a> {
        while self.depths.len() <= depth {
            let steps = self.depths.len() + 1;
            let unrolling = Unrolling::of_steps(self.net, steps, self.invariants, &self.deadline);
            self.depths.push(unrolling);
        }
        &mut self.depths[depth]
    }

    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_over()
    }

    /// The verdict on a claim that no step of the sample breaks.
    pub(crate) fn verdict(&mut self, sample: &Sample, claim: &StepClaim) -> Verdict {
        match self.cannot_break(claim, 0, &[]) {
            true => Verdict::Proved(Proof::Induction { depth: 1 }),
            false => self.deeper_verdict(sample, claim),
        }
    }

    /// The same, of a claim that one step alone does not prove.
    pub(crate) fn deeper_verdict(&mut self, sample: &Sample, claim: &StepClaim) -> Verdict {
        for depth in 1..self.most_depth {
            if self.is_over() {
                break;
            }
            if !self.holds_early(claim, depth - 1) {
                break;
            }
            if self.cannot_break(claim, depth, &[]) {
                return Verdict::Proved(Proof::Induction { depth: depth as u32 + 1 });
            }
        }
        match sample.complete {
            true => Verdict::Proved(Proof::Listing),
            false => Verdict::Unknown,
        }
    }

    /// Whether one step alone proves the claim.
    pub(crate) fn holds(&mut self, claim: &StepClaim) -> bool {
        self.cannot_break(claim, 0, &[])
    }

    /// Whether the claim holds of the step that follows `depth` steps from the start.
    fn holds_early(&mut self, claim: &StepClaim, depth: usize) -> bool {
        let start = State::initial(self.net);
        let start = self.steps(depth).is_state(&start);
        self.cannot_break(claim, depth, &start)
    }

    fn cannot_break(&mut self, claim: &StepClaim, depth: usize, given: &[Lit]) -> bool {
        let unrolling = self.steps(depth);
        let mut assumptions = given.to_vec();
        add_condition(unrolling, depth, &claim.before, &mut assumptions);
        add_condition(unrolling, depth + 1, &claim.after, &mut assumptions);
        unrolling.solve(&assumptions, EFFORT) == Answer::NoModel
    }
}

/// Adds literals that say that a condition holds in a frame.
pub(crate) fn add_condition(
    unrolling: &mut Unrolling<'_>,
    frame: usize,
    condition: &Condition,
    assumptions: &mut Vec<Lit>,
) {
    match condition {
        Condition::All(literals) => {
            assumptions.extend(literals.iter().map(|&literal| unrolling.literal(frame, literal)));
        }
        Condition::Any(literals) => {
            let any = literals.iter().map(|&literal| unrolling.literal(frame, literal)).collect();
            assumptions.push(unrolling.or(any));
        }
        &Condition::Gate(gate, holds) => {
            let gate = unrolling.gate(frame, gate);
            assumptions.push(if holds { gate } else { !gate });
        }
        &Condition::Both(literal, gate, holds) => {
            let gate = unrolling.gate(frame, gate);
            assumptions.push(unrolling.literal(frame, literal));
            assumptions.push(if holds { gate } else { !gate });
        }
    }
}
