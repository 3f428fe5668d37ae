//! Group latches: literals whose disjunction, or conjunction, latches though perhaps no member does.

use rustsat::types::Lit;

use crate::Literal;
use crate::claim::{Claim, Condition};
use crate::columns::{Columns, first_bit};
use crate::encode::{NOW, THEN};
use crate::induction::Induction;
use crate::sample::Sample;
use crate::solver::Answer;
use gambol_net::State;

/// How the members of a group hold together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Together {
    /// Once one of them holds, in every later state one of them holds.
    Any,
    /// Once all of them hold, in every later state all of them hold.
    All,
}

/// A disjunction or a conjunction that latches. Proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupLatch {
    /// The members, sorted.
    pub members: Vec<Literal>,
    /// Which of the two.
    pub together: Together,
}

/// Decisions per question.
const EFFORT: u64 = 10_000;
/// Groups larger than this are not taken apart.
const MOST_MEMBERS: usize = 64;
/// States that are looked at to find one conjunction.
const MOST_MODELS: usize = 64;

/// The largest subset whose disjunction latches.
///
/// It is unique: a step from a state with some members to one without any shows that none of those
/// it started from belongs to a latching subset.
pub(crate) fn largest_latching(
    sample: &Sample,
    induction: &mut Induction<'_>,
    literals: Vec<Literal>,
) -> Vec<Literal> {
    let mut group = latching_in_sample(sample, literals);
    while !group.is_empty() && !induction.is_over() {
        let encoding = induction.steps(1);
        let now = group.iter().map(|&literal| encoding.literal(NOW, literal)).collect();
        let mut assumptions = vec![encoding.or(now)];
        assumptions.extend(group.iter().map(|&literal| !encoding.literal(THEN, literal)));
        match encoding.solve(&assumptions, EFFORT) {
            Answer::NoModel => return group,
            Answer::Model => {
                let state = encoding.state_in_model(NOW);
                group.retain(|&literal| !literal.holds_in(&state));
                group = latching_in_sample(sample, group);
            }
            Answer::Unknown => break,
        }
    }
    Vec::new()
}

/// The largest subset whose disjunction no step of the sample opens.
fn latching_in_sample(sample: &Sample, mut group: Vec<Literal>) -> Vec<Literal> {
    while let Some(state) = opened(sample, &group) {
        group.retain(|&literal| !literal.holds_in(state));
    }
    group
}

/// A state with a member that a step leads to a state without any.
fn opened<'s>(sample: &'s Sample, group: &[Literal]) -> Option<&'s State> {
    let step = (0..sample.before.words()).find_map(|word| {
        let any = |columns: &Columns| {
            group.iter().fold(0, |any, &literal| any | columns.word(literal, word))
        };
        first_bit(word, any(&sample.before) & !any(&sample.after))
    })?;
    Some(&sample.states[sample.steps[step].from as usize])
}

/// Small latching groups that together hold the members that do not latch alone.
pub(crate) fn minimal_groups(
    sample: &Sample,
    induction: &mut Induction<'_>,
    group: &[Literal],
    alone: &[Literal],
) -> Vec<GroupLatch> {
    let mut open: Vec<Literal> = group.to_vec();
    open.retain(|literal| !alone.contains(literal));
    let mut groups: Vec<GroupLatch> = Vec::new();
    while let Some(&member) = open.first() {
        let small = shrunk(sample, group, alone, member);
        let members = match induction.holds(&Claim::latches(Condition::any(small.iter().copied())))
        {
            true => small,
            false => group.to_vec(),
        };
        open.retain(|literal| *literal != member && !members.contains(literal));
        groups.push(GroupLatch { members, together: Together::Any });
    }
    groups
}

/// Leaves out members as long as one that matters stays in the latching rest: first those that
/// latch alone.
fn shrunk(sample: &Sample, group: &[Literal], alone: &[Literal], member: Literal) -> Vec<Literal> {
    let mut small = group.to_vec();
    if group.len() > MOST_MEMBERS {
        return small;
    }
    let others = group.iter().filter(|literal| !alone.contains(literal));
    for &candidate in alone.iter().chain(others).filter(|&&candidate| candidate != member) {
        let mut rest = small.clone();
        rest.retain(|&literal| literal != candidate);
        let rest = latching_in_sample(sample, rest);
        if rest.contains(&member) {
            small = rest;
        }
    }
    small
}

/// The largest subset whose conjunction latches; none if that could not be proved.
///
/// It is unique: a step from a state with all of them to one without some shows that no latching
/// subset holds those, and the union of two latching subsets latches.
pub(crate) fn largest_lasting(
    sample: &Sample,
    induction: &mut Induction<'_>,
    literals: Vec<Literal>,
) -> Option<Vec<Literal>> {
    let mut group = lasting_in_sample(sample, literals);
    for _ in 0..MOST_MODELS {
        if group.is_empty() || induction.is_over() {
            return None;
        }
        let encoding = induction.steps(1);
        let lost: Vec<Lit> =
            group.iter().map(|&literal| !encoding.literal(THEN, literal)).collect();
        let mut assumptions: Vec<Lit> =
            group.iter().map(|&literal| encoding.literal(NOW, literal)).collect();
        assumptions.push(encoding.or(lost));
        match encoding.solve(&assumptions, EFFORT) {
            Answer::NoModel => return Some(group),
            Answer::Unknown => return None,
            Answer::Model => {
                let kept: Vec<bool> = group
                    .iter()
                    .map(|&literal| {
                        let after = encoding.literal(THEN, literal);
                        encoding.value(after)
                    })
                    .collect();
                let mut kept = kept.into_iter();
                group.retain(|_| kept.next().expect("one value per literal"));
                group = lasting_in_sample(sample, group);
            }
        }
    }
    None
}

/// The largest subset whose conjunction no step of the sample breaks.
fn lasting_in_sample(sample: &Sample, mut group: Vec<Literal>) -> Vec<Literal> {
    while let Some(state) = broken(sample, &group) {
        group.retain(|&literal| literal.holds_in(state));
    }
    group
}

/// A state without some member that a step leads to from a state with all.
fn broken<'s>(sample: &'s Sample, group: &[Literal]) -> Option<&'s State> {
    let step = (0..sample.before.words()).find_map(|word| {
        let all = |columns: &Columns| {
            group.iter().fold(!0, |all, &literal| all & columns.word(literal, word))
        };
        first_bit(word, all(&sample.before) & !all(&sample.after))
    })?;
    Some(&sample.states[sample.steps[step].to as usize])
}
