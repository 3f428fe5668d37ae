//! Conjunctions that latch and put a goal value out of reach, though no member does alone.
//!
//! From an end that lacks the goal value, what a step can take away is left out until the rest
//! lasts; if no step leads to an end with the goal value and all of the rest, a small part of it is
//! a group latch that forbids the goal. What one goal shows is then tried on the others.

use gambol_index::Id;
use gambol_net::{FluentId, Net, State};
use rustsat::types::Lit;

use crate::Literal;
use crate::claim::{Claim, Condition};
use crate::dead_states::DeadStates;
use crate::encode::THEN;
use crate::endings::Endings;
use crate::goal::GoalFacts;
use crate::group::{GroupLatch, Together, largest_lasting};
use crate::induction::Induction;
use crate::sample::Sample;
use crate::solver::Answer;
use gambol_run::Deadline;

/// Decisions per question.
const EFFORT: u64 = 2_000;
/// Conjunctions that are read off ends of play, per goal.
const MOST_FOUND: usize = 256;
/// Ends in a row that give nothing before the others are left alone.
const PATIENCE: usize = 4;

/// Adds to what is known of the goals, within the time; says whether the time ended it.
pub(crate) fn add_conjunctions(
    net: &Net,
    sample: &Sample,
    induction: &mut Induction<'_>,
    latches: &[Literal],
    goals: &mut [GoalFacts],
    deadline: &Deadline,
) -> bool {
    let endings = Endings::of(net, sample);
    // Only what a step leads to is asked about, so the start must not be an end.
    if deadline.is_over() || endings.is_end(0) {
        return deadline.is_over();
    }
    let mut ended = false;
    let mut found: Vec<GroupLatch> = Vec::new();
    let count = goals.len();
    for (place, facts) in goals.iter_mut().enumerate().filter(|(_, facts)| !facts.unreachable) {
        let goal = net.goals.iter().position(|goal| *goal == facts.goal);
        let Some(goal) = goal.filter(|_| !deadline.is_over()) else { break };
        induction.set_deadline(&deadline.share(1.0 / (count - place) as f64));
        let ending = ending(induction, &endings, goal);
        let known: Vec<&GroupLatch> = found.iter().collect();
        facts.groups.extend(forbidding(induction, &ending, &known));
        let role = facts.goal.role;
        let rivals: Vec<usize> = (0..net.goals.len())
            .filter(|&other| other != goal && net.goals[other].role == role)
            .collect();
        let new = conjunctions(sample, &endings, &rivals, goal, induction, latches, facts);
        ended |= induction.is_over();
        found.extend(new.iter().cloned());
        facts.groups.extend(new);
    }
    induction.set_deadline(deadline);
    for facts in goals.iter_mut().filter(|facts| !facts.unreachable) {
        let Some(goal) = net.goals.iter().position(|goal| *goal == facts.goal) else { continue };
        let ending = ending(induction, &endings, goal);
        let open: Vec<&GroupLatch> =
            found.iter().filter(|group| !facts.groups.contains(group)).collect();
        let more = forbidding(induction, &ending, &open);
        facts.groups.extend(more);
    }
    ended || deadline.is_over()
}

/// Literals that say that a step leads to an end with a goal value.
fn ending(induction: &mut Induction<'_>, endings: &Endings, goal: usize) -> [Lit; 2] {
    let step = induction.steps(1);
    [step.gate(THEN, endings.gates[0]), step.gate(THEN, endings.gates[goal + 1])]
}

/// Those of the latching conjunctions that also forbid a goal value.
fn forbidding(
    induction: &mut Induction<'_>,
    ending: &[Lit; 2],
    groups: &[&GroupLatch],
) -> Vec<GroupLatch> {
    let mut forbids = |group: &&&GroupLatch| {
        !induction.is_over() && needed_to_forbid(induction, ending, &group.members).is_some()
    };
    groups.iter().filter(|group| forbids(group)).map(|&group| group.clone()).collect()
}

/// Conjunctions that latch and forbid a goal value, read off ends that lack it and have nothing that
/// is known to forbid it: first those of the sample, then such as the solver can think of, until
/// there are none.
fn conjunctions(
    sample: &Sample,
    endings: &Endings,
    rivals: &[usize],
    goal: usize,
    induction: &mut Induction<'_>,
    latches: &[Literal],
    facts: &GoalFacts,
) -> Vec<GroupLatch> {
    let others: Vec<Lit> =
        rivals.iter().map(|&rival| ending(induction, endings, rival)[1]).collect();
    let ending = ending(induction, endings, goal);
    let mut dead = DeadStates::of(facts);
    let (known, mut missed) = (dead.all_of.len(), 0);
    let learn = |state: &State, induction: &mut Induction<'_>, dead: &mut DeadStates| {
        let part = part_of(state, sample, &ending, induction, latches);
        let found = part.is_some();
        dead.all_of.extend(part);
        found
    };
    for end in endings.without(sample, goal, &dead.any_of.clone()) {
        let state = &sample.states[end];
        if dead.all_of.len() - known >= MOST_FOUND || missed == PATIENCE || induction.is_over() {
            break;
        }
        if has_any(state, &dead.all_of) {
            continue;
        }
        missed = if learn(state, induction, &mut dead) { 0 } else { missed + 1 };
    }
    // Larger groups than play has shown are not worth a search: there may be very many. An end that is drawn is
    // often such a one, so ends with each other goal value of the role are looked for by themselves.
    let largest = dead.all_of[known..].iter().map(Vec::len).max().unwrap_or(0);
    for other in others {
        while dead.all_of.len() - known < MOST_FOUND && missed == 0 {
            let Some(state) = another_end(induction, &ending, other, &dead) else { break };
            if !learn(&state, induction, &mut dead) {
                break;
            }
            if dead.all_of.last().is_some_and(|group| group.len() > largest) {
                dead.all_of.pop();
                break;
            }
        }
    }
    let new = dead.all_of.split_off(known).into_iter();
    new.map(|members| GroupLatch { members, together: Together::All }).collect()
}

/// Whether a state has all literals of one of the groups.
fn has_any(state: &State, groups: &[Vec<Literal>]) -> bool {
    groups.iter().any(|members| members.iter().all(|&one| one.holds_in(state)))
}

/// An end with another goal value instead that nothing known explains; it need not be reachable.
fn another_end(
    induction: &mut Induction<'_>,
    &[terminal, goal]: &[Lit; 2],
    other: Lit,
    dead: &DeadStates,
) -> Option<State> {
    if induction.is_over() {
        return None;
    }
    let step = induction.steps(1);
    let mut assumptions = vec![terminal, !goal, other];
    assumptions.extend(dead.any_of.iter().map(|&literal| !step.literal(THEN, literal)));
    for group in &dead.all_of {
        let members = group.iter().map(|&literal| step.literal(THEN, literal)).collect();
        assumptions.push(!step.and(members));
    }
    (step.solve(&assumptions, EFFORT) == Answer::Model).then(|| step.state_in_model(THEN))
}

/// What of an end latches and forbids the goal value.
fn part_of(
    state: &State,
    sample: &Sample,
    ending: &[Lit; 2],
    induction: &mut Induction<'_>,
    latches: &[Literal],
) -> Option<Vec<Literal>> {
    let literals =
        (0..sample.fluent_count()).map(|fluent| Literal::of(state, FluentId::from_index(fluent)));
    let varying = literals.filter(|one| sample.varies(one.fluent)).collect();
    let lasting = largest_lasting(sample, induction, varying)?;
    forbidding_part(sample, ending, induction, latches, lasting)
}

/// Few of these literals whose conjunction latches and forbids the goal value: if possible such as
/// latch by themselves, since at an end everything lasts, even what only happens to be so.
fn forbidding_part(
    sample: &Sample,
    ending: &[Lit; 2],
    induction: &mut Induction<'_>,
    latches: &[Literal],
    lasting: Vec<Literal>,
) -> Option<Vec<Literal>> {
    let firm: Vec<Literal> =
        lasting.iter().copied().filter(|literal| latches.contains(literal)).collect();
    let mut members = match needed_to_forbid(induction, ending, &firm) {
        Some(members) => members,
        None => needed_to_forbid(induction, ending, &lasting)?,
    };
    // What is false is left out first: it says less.
    let mut candidates = members.clone();
    candidates.sort_by_key(|literal| literal.holds);
    for one in candidates {
        if !members.contains(&one) {
            continue;
        }
        let rest: Vec<Literal> = members.iter().copied().filter(|&other| other != one).collect();
        if let Some(fewer) = needed_to_forbid(induction, ending, &rest) {
            members = fewer;
        }
    }
    // What is needed to forbid may need others to last.
    let claim = |members: &[Literal]| Claim::latches(Condition::all(members.iter().copied()));
    if !induction.holds(&claim(&members)) {
        members = lasting_around(sample, induction, &members, &lasting)?;
    }
    (members.len() > 1).then_some(members)
}

/// The part of these literals that the proof uses, if no step leads to an end with the goal value
/// and all of them.
fn needed_to_forbid(
    induction: &mut Induction<'_>,
    ending: &[Lit; 2],
    literals: &[Literal],
) -> Option<Vec<Literal>> {
    let step = induction.steps(1);
    let mut assumptions: Vec<Lit> =
        literals.iter().map(|&literal| step.literal(THEN, literal)).collect();
    assumptions.extend(ending);
    if step.solve(&assumptions, EFFORT) != Answer::NoModel {
        return None;
    }
    let needed = step.solver.in_core(&assumptions);
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
