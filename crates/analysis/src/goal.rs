//! Goals out of reach: conditions under which a goal value can no longer be had at the end.
//!
//! Literals *forbid* a goal value if no terminal state has both. The largest set of them whose
//! disjunction latches is found by elimination: a step from a state with some of them to one with
//! none of them rules out all that were true before it, in every latching subset. Members of the
//! result that latch alone are goal inhibitors; the others are group latches.
//!
//! Conjunctions are found the other way round: from an end that lacks the goal value, what a step
//! can take away is left out until the rest lasts; if no end with the goal value has all of the
//! rest, a small part of it is a group latch that forbids the goal.
//!
//! A latch may also *bar* a goal value: whoever does not have it when the latch closes will not get
//! it, but whoever has it may keep it.

use gambol_net::{GateId, GoalGate, Net};
use rustsat::types::Lit;

use crate::Literal;
use crate::claim::{Claim, Condition};
use crate::columns::Columns;
use crate::encode::{Encoding, NOW};
use crate::group::{GroupLatch, Together, largest_lasting, largest_latching, minimal_groups};
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

/// The states of the sample that are terminal, and those with a goal value.
pub(crate) struct Endings {
    /// Termination, then the goals.
    gates: Vec<GateId>,
    /// Row 0 is termination, row `n + 1` goal `n`.
    columns: Columns,
}

impl Endings {
    pub(crate) fn of(net: &Net, sample: &Sample) -> Self {
        let mut gates = vec![net.terminal];
        gates.extend(net.goals.iter().map(|goal| goal.gate));
        Self { columns: sample.gate_columns(net, &gates), gates }
    }

    /// The first ends of the sample that lack a goal value and have none of these literals.
    fn without(&self, sample: &Sample, goal: usize, literals: &[Literal]) -> Vec<usize> {
        let (terminal, goal) = (self.columns.row(0), self.columns.row(goal + 1));
        let is_open = |&state: &usize| {
            let bit = |row: &[u64]| row[state / 64] >> (state % 64) & 1 == 1;
            bit(terminal)
                && !bit(goal)
                && !literals.iter().any(|&one| sample.states[state].satisfies(one))
        };
        (0..sample.states.len()).filter(is_open).take(8 * MOST_ENDS).collect()
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
        let conjunctions = conjunctions(sample, endings, goal, states, induction, &group);
        facts.groups.extend(conjunctions);
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

/// Ends of play from which conjunctions are read off, per goal.
const MOST_ENDS: usize = 4;

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
    let mut found: Vec<GroupLatch> = Vec::new();
    let ending = [states.gate(NOW, endings.gates[0]), states.gate(NOW, endings.gates[goal + 1])];
    for end in endings.without(sample, goal, known) {
        let state = &sample.states[end];
        let is_dead = |group: &GroupLatch| group.members.iter().all(|&one| state.satisfies(one));
        if found.len() == MOST_ENDS || induction.is_over() {
            break;
        }
        if found.iter().any(is_dead) {
            continue;
        }
        let literals = (0..sample.fluent_count()).map(|fluent| state.literal(fluent));
        let varying =
            literals.filter(|&one| sample.meets(one) && sample.meets(one.negated())).collect();
        let Some(lasting) = largest_lasting(sample, induction, varying) else { continue };
        found.extend(forbidding_part(sample, states, &ending, induction, lasting));
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

/// Whether a goal value cannot come about in a step from a state with the latch.
fn bars(induction: &mut Induction<'_>, latch: Literal, goal: GateId) -> bool {
    let before = Condition::All(vec![Condition::Literal(latch), Condition::Gate(goal, false)]);
    induction.holds(&Claim::NoStep(before, Condition::Gate(goal, true)))
}
