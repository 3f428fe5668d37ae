//! Goals out of reach: conditions under which a goal value can no longer be had at the end.
//!
//! Literals *forbid* a goal value if no terminal state has both. The largest set of them whose
//! disjunction latches is found by elimination: a step from a state with some of them to one with
//! none of them rules out all that were true before it, in every latching subset. Members of the
//! result that latch alone are goal inhibitors; the others are group latches.
//!
//! A latch may also *bar* a goal value: whoever does not have it when the latch closes will not get
//! it, but whoever has it may keep it.

use gambol_net::{GoalGate, Net};
use rustsat::types::Lit;

use crate::Literal;
use crate::claim::{Claim, Condition};
use crate::columns::Columns;
use crate::encode::{Encoding, NOW};
use crate::group::{GroupLatch, largest_latching, minimal_groups};
use crate::induction::Induction;
use crate::sample::Sample;
use crate::solver::Answer;

/// What is proved about one goal value of one role. Everything in it is proved.
#[derive(Clone, Debug)]
pub struct GoalFacts {
    /// The goal.
    pub goal: GoalGate,
    /// No terminal state has this value.
    pub unreachable: bool,
    /// Latches that forbid it.
    pub inhibitors: Vec<Literal>,
    /// Group latches that forbid it: once one of the group holds, one always will.
    pub groups: Vec<GroupLatch>,
    /// Latches that bar it: after them it is not achieved any more.
    pub bars: Vec<Literal>,
}

/// Decisions per question.
const EFFORT: u64 = 10_000;

/// The states of the sample that are terminal, and those with a goal value.
pub(crate) struct Endings {
    /// Row 0 is termination, row `n + 1` goal `n`.
    columns: Columns,
}

impl Endings {
    pub(crate) fn of(net: &Net, sample: &Sample) -> Self {
        let mut gates = vec![net.terminal];
        gates.extend(net.goals.iter().map(|goal| goal.gate));
        Self { columns: sample.gate_columns(net, &gates) }
    }

    /// Whether a step of the sample leaves a state with a literal but without a goal value.
    fn leaves(&self, sample: &Sample, goal: usize, literal: Literal) -> bool {
        let goal = self.columns.row(goal + 1);
        let without = |state: u32| {
            goal[state as usize / 64] >> (state % 64) & 1 == 0
                && sample.states[state as usize].satisfies(literal)
        };
        sample.steps.iter().any(|step| without(step.from))
    }

    /// Whether a goal value is had together with a literal at an end of the sample.
    fn meets(&self, sample: &Sample, goal: usize, literal: Literal) -> bool {
        let (terminal, goal) = (self.columns.row(0), self.columns.row(goal + 1));
        (0..sample.now.words())
            .any(|word| terminal[word] & goal[word] & sample.now.word(literal, word) != 0)
    }
}

/// What can be proved about goal number `goal`.
pub(crate) fn goal_facts(
    net: &Net,
    sample: &Sample,
    endings: &Endings,
    states: &mut Encoding<'_>,
    induction: &mut Induction<'_>,
    latches: &[Literal],
    goal: usize,
) -> GoalFacts {
    let gate = net.goals[goal].gate;
    let mut facts = GoalFacts {
        goal: net.goals[goal].clone(),
        unreachable: false,
        inhibitors: Vec::new(),
        groups: Vec::new(),
        bars: Vec::new(),
    };
    let ending = [states.gate(NOW, net.terminal), states.gate(NOW, gate)];
    if states.solve(&ending, EFFORT) == Answer::NoModel {
        facts.unreachable = true;
        return facts;
    }
    let fluents = net.fluents.ids();
    let literals = fluents.flat_map(|fluent| [Literal::is(fluent), Literal::is_not(fluent)]);
    let open = literals
        .filter(|&literal| sample.meets(literal) && sample.meets(literal.negated()))
        .filter(|&literal| !endings.meets(sample, goal, literal));
    let forbidding = forbidding(states, &ending, open.collect());
    let group = largest_latching(sample, induction, forbidding);
    facts.unreachable = group.iter().any(|&literal| sample.states[0].satisfies(literal));
    let latching = |literal: &&Literal| latches.contains(literal);
    facts.inhibitors = group.iter().filter(latching).copied().collect();
    if !facts.unreachable {
        facts.groups = minimal_groups(sample, induction, &group, &facts.inhibitors);
        let others = latches.iter().filter(|latch| !facts.inhibitors.contains(latch));
        let matters = |latch: &Literal| endings.leaves(sample, goal, *latch);
        let others = others.copied().filter(matters);
        facts.bars = others.filter(|&latch| bars(induction, latch, gate)).collect();
    }
    facts
}

/// The literals that no terminal state with the goal value has. A model rules out all of its own.
fn forbidding(
    states: &mut Encoding<'_>,
    ending: &[Lit; 2],
    mut open: Vec<Literal>,
) -> Vec<Literal> {
    let mut proved = Vec::new();
    while let Some(&literal) = open.last() {
        let assumptions = [ending[0], ending[1], states.literal(NOW, literal)];
        match states.solve(&assumptions, EFFORT) {
            Answer::NoModel => {
                proved.push(literal);
                open.pop();
            }
            Answer::Model => {
                let state = states.state_in_model(NOW);
                open.retain(|&literal| !state.satisfies(literal));
            }
            Answer::Unknown => {
                open.pop();
            }
        }
    }
    proved.sort_unstable();
    proved
}

/// Whether a goal value cannot come about in a step from a state with the latch.
fn bars(induction: &mut Induction<'_>, latch: Literal, goal: gambol_net::GateId) -> bool {
    let before = Condition::All(vec![Condition::Literal(latch), Condition::Gate(goal, false)]);
    induction.holds(&Claim::NoStep(before, Condition::Gate(goal, true)))
}
