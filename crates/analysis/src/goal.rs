//! Goals out of reach: conditions under which a goal value can no longer be had at the end.
//!
//! Literals *forbid* a goal value if no terminal state has both. The largest set of them whose
//! disjunction latches is found by elimination: a step from a state with some of them to one with
//! none of them rules out all that were true before it, in every latching subset. Members of the
//! result that latch alone are goal inhibitors; the others are group latches.
//!
//! A latch may also *bar* a goal value: whoever does not have it when the latch closes will not get
//! it, but whoever has it may keep it.

use gambol_net::{GateId, GoalGate, Net};
use rustsat::types::Lit;

use crate::Literal;
use crate::encode::{Encoding, NOW, THEN};
use crate::endings::Endings;
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
    /// Group latches that forbid it: disjunctions, then conjunctions.
    pub groups: Vec<GroupLatch>,
    /// Latches that bar it: after them it is not achieved any more.
    pub bars: Vec<Literal>,
}

/// Decisions per question.
const EFFORT: u64 = 10_000;

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
        .filter(|&literal| sample.varies(literal.fluent))
        .filter(|&literal| !endings.meets(sample, goal, literal));
    let forbidding = forbidding(states, &ending, open.collect());
    let group = largest_latching(sample, induction, forbidding);
    facts.unreachable = group.iter().any(|&literal| literal.holds_in(&sample.states[0]));
    let latching = |literal: &&Literal| latches.contains(literal);
    facts.inhibitors = group.iter().filter(latching).copied().collect();
    if !facts.unreachable {
        facts.groups = minimal_groups(sample, induction, &group, &facts.inhibitors);
        let others = latches.iter().filter(|latch| !facts.inhibitors.contains(latch));
        let matters = |latch: &Literal| endings.leaves(sample, goal, *latch);
        facts.bars = barring(induction, others.copied().filter(matters).collect(), gate);
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
                open.retain(|&literal| !literal.holds_in(&state));
            }
            Answer::Unknown => {
                open.pop();
            }
        }
    }
    proved.sort_unstable();
    proved
}

/// The latches from whose states no step brings the goal value about. A model rules out all that
/// its state has.
fn barring(induction: &mut Induction<'_>, mut latches: Vec<Literal>, goal: GateId) -> Vec<Literal> {
    while !latches.is_empty() && !induction.is_over() {
        let encoding = induction.steps(1);
        let now = latches.iter().map(|&latch| encoding.literal(NOW, latch)).collect();
        let closed = encoding.or(now);
        let (before, after) = (encoding.gate(NOW, goal), encoding.gate(THEN, goal));
        match encoding.solve(&[closed, !before, after], EFFORT) {
            Answer::NoModel => return latches,
            Answer::Unknown => break,
            Answer::Model => {
                let state = encoding.state_in_model(NOW);
                latches.retain(|&latch| !latch.holds_in(&state));
            }
        }
    }
    Vec::new()
}
