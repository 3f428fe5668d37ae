//! Conjunctions that latch and put a goal value out of reach, though no member does alone.
//!
//! From an end that lacks the goal value, what a step can take away is left out until the rest
//! lasts; if no end with the goal value has all of the rest, a small part of it is a group latch
//! that forbids the goal.

use gambol_net::Net;
use rustsat::types::Lit;

use crate::Literal;
use crate::budget::Deadline;
use crate::claim::{Claim, Condition};
use crate::dead_states::DeadStates;
use crate::encode::{Encoding, NOW};
use crate::endings::Endings;
use crate::goal::GoalFacts;
use crate::group::{GroupLatch, Together, largest_lasting};
use crate::induction::Induction;
use crate::sample::Sample;
use crate::solver::Answer;

/// Decisions per question.
const EFFORT: u64 = 2_000;
/// Conjunctions that are read off ends of play, per goal.
const MOST_FOUND: usize = 4;
/// Ends in a row that give nothing before the others are left alone.
const PATIENCE: usize = 4;

/// Adds to what is known of the goals, within the time.
pub(crate) fn add_conjunctions(
    net: &Net,
    sample: &Sample,
    states: &mut Encoding<'_>,
    induction: &mut Induction<'_>,
    goals: &mut [GoalFacts],
    deadline: &Deadline,
) {
    if deadline.is_over() {
        return;
    }
    let endings = Endings::of(net, sample);
    let count = goals.len();
    for (place, facts) in goals.iter_mut().enumerate().filter(|(_, facts)| !facts.unreachable) {
        let goal = net.goals.iter().position(|goal| *goal == facts.goal);
        let Some(goal) = goal.filter(|_| !deadline.is_over()) else { break };
        induction.set_deadline(&deadline.share(1.0 / (count - place) as f64));
        let known = DeadStates::of(facts).any_of;
        facts.groups.extend(conjunctions(sample, &endings, goal, states, induction, &known));
    }
}

/// Conjunctions that latch and forbid a goal value, read off ends of the sample that lack it and
/// have none of the literals that forbid it alone.
fn conjunctions(
    sample: &Sample,
    endings: &Endings,
    goal: usize,
    states: &mut Encoding<'_>,
    induction: &mut Induction<'_>,
    known: &[Literal],
) -> Vec<GroupLatch> {
    let (mut found, mut missed): (Vec<GroupLatch>, _) = (Vec::new(), 0);
    let ending = [states.gate(NOW, endings.gates[0]), states.gate(NOW, endings.gates[goal + 1])];
    for end in endings.without(sample, goal, known) {
        let state = &sample.states[end];
        let is_dead = |group: &GroupLatch| group.members.iter().all(|&one| state.satisfies(one));
        if found.len() == MOST_FOUND || missed == PATIENCE || induction.is_over() {
            break;
        }
        if found.iter().any(is_dead) {
            continue;
        }
        let literals = (0..sample.fluent_count()).map(|fluent| state.literal(fluent));
        let varying = literals.filter(|one| sample.varies(one.fluent)).collect();
        let lasting = largest_lasting(sample, induction, varying);
        let part = lasting
            .and_then(|lasting| forbidding_part(sample, states, &ending, induction, lasting));
        missed = if part.is_some() { 0 } else { missed + 1 };
        found.extend(part);
    }
    found
}

/// Few of these literals whose conjunction latches and forbids the goal value.
fn forbidding_part(
    sample: &Sample,
    states: &mut Encoding<'_>,
    ending: &[Lit; 2],
    induction: &mut Induction<'_>,
    lasting: Vec<Literal>,
) -> Option<GroupLatch> {
    let mut members = needed_to_forbid(states, ending, &lasting)?;
    for one in members.clone() {
        if !members.contains(&one) {
            continue;
        }
        let rest: Vec<Literal> = members.iter().copied().filter(|&other| other != one).collect();
        if let Some(fewer) = needed_to_forbid(states, ending, &rest) {
            members = fewer;
        }
    }
    // What is needed to forbid may need others to last.
    let claim = |members: &[Literal]| Claim::latches(Condition::all(members.iter().copied()));
    if !induction.holds(&claim(&members)) {
        members = lasting_around(sample, induction, &members, &lasting)?;
    }
    (members.len() > 1).then_some(GroupLatch { members, together: Together::All })
}

/// The part of these literals that the proof uses, if no end with the goal value has them all.
fn needed_to_forbid(
    states: &mut Encoding<'_>,
    ending: &[Lit; 2],
    literals: &[Literal],
) -> Option<Vec<Literal>> {
    let mut assumptions: Vec<Lit> =
        literals.iter().map(|&literal| states.literal(NOW, literal)).collect();
    assumptions.extend(ending);
    if states.solve(&assumptions, EFFORT) != Answer::NoModel {
        return None;
    }
    let needed = states.solver.in_core(&assumptions);
    let kept = literals.iter().zip(needed).filter(|(_, needed)| *needed);
    Some(kept.map(|(&literal, _)| literal).collect())
}

/// A latching conjunction that holds the core: others are left out as long as it stays in.
fn lasting_around(
    sample: &Sample,
    induction: &mut Induction<'_>,
    core: &[Literal],
    lasting: &[Literal],
) -> Option<Vec<Literal>> {
    const MOST_MEMBERS: usize = 24;
    let mut members = lasting.to_vec();
    if members.len() > MOST_MEMBERS {
        return None;
    }
    for &one in lasting.iter().filter(|one| !core.contains(one)) {
        let rest = members.iter().copied().filter(|&other| other != one).collect();
        if let Some(rest) = largest_lasting(sample, induction, rest)
            && core.iter().all(|literal| rest.contains(literal))
        {
            members = rest;
        }
    }
    Some(members)
}
