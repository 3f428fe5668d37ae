//! One player: the best goal that can be reached, and the way to it.

use std::time::{Duration, Instant};

use gambol_analysis::{Budget, DeadStates, GoalFacts, ShapeOptions, shape};
use gambol_index::Id;

use crate::circuit_dynamics::CircuitDynamics;
use crate::plan::{DeadMask, Plans, best_plan};
use crate::solve::{Task, joint_moves};
use crate::{Bounds, Limits, Meaning, Method, Solution, SolveError};

pub(crate) fn one_role(task: &Task<'_>) -> Result<Solution, SolveError> {
    let started = Instant::now();
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let facts = goal_facts(task);
    let mut ceiling = task.net.goals.iter().map(|goal| goal.value).max().unwrap_or(0);
    let mut total = Totals::default();
    for facts in &facts {
        let value = facts.goal.value;
        if facts.unreachable {
            ceiling = next_lower(task, value);
            continue;
        }
        let dead = dead_mask(task, facts);
        if dead.is_empty() {
            break;
        }
        let limits = task.options.limits.left(started);
        let plans = total.add(best_plan(&mut game, task.start, value, &dead, &limits));
        if plans.best.is_some_and(|best| best >= value) || plans.complete.is_err() {
            return Ok(total.solution(plans, ceiling));
        }
        ceiling = next_lower(task, value);
    }
    let limits = task.options.limits.left(started);
    let plans = best_plan(&mut game, task.start, ceiling, &DeadMask::default(), &limits);
    let plans = total.add(plans);
    if plans.best.is_none() && plans.complete.is_ok() {
        let role = task.net.roles.iter().next().map_or(String::new(), ToString::to_string);
        return Err(SolveError::NoGoal(role));
    }
    Ok(total.solution(plans, ceiling))
}

/// What is proved about the goals, best first; nothing if nothing is to be left out.
fn goal_facts(task: &Task<'_>) -> Vec<GoalFacts> {
    // What is proved holds for the states that can be reached from the start of the game only.
    if !task.options.pruning || task.options.at.is_some() {
        return Vec::new();
    }
    let mut options = ShapeOptions::default();
    options.inhibitors = false;
    options.seed = task.options.seed;
    let Limits { time, stop, .. } = &task.options.limits;
    let share = time.map_or(ANALYSIS, |time| time.mul_f64(0.1).min(ANALYSIS));
    options.budget = Budget { time: Some(share), stop: stop.clone() };
    shape(task.net, &options).goals
}

/// The most time for what is proved in advance.
const ANALYSIS: Duration = Duration::from_secs(4);

fn next_lower(task: &Task<'_>, value: u32) -> u32 {
    let values = task.net.goals.iter().map(|goal| goal.value);
    values.filter(|&other| other < value).max().unwrap_or(0)
}

fn dead_mask(task: &Task<'_>, facts: &GoalFacts) -> DeadMask {
    let words = task.start.len();
    let mut mask = DeadMask { when_true: vec![0; words], when_false: vec![0; words] };
    for literal in DeadStates::of(facts).any_of {
        let side = if literal.holds { &mut mask.when_true } else { &mut mask.when_false };
        side[literal.fluent.index() / 64] |= 1 << (literal.fluent.index() % 64);
    }
    mask
}

/// Counts over several searches.
#[derive(Default)]
struct Totals {
    nodes: u64,
    states: u64,
    /// The best goal met by any search, with a plan to it.
    best: Option<(u32, Vec<u32>)>,
}

impl Totals {
    fn add(&mut self, plans: Plans) -> Plans {
        self.nodes += plans.nodes;
        self.states = self.states.max(plans.states);
        if let Some(best) = plans.best
            && self.best.as_ref().is_none_or(|(known, _)| best > *known)
        {
            self.best = Some((best, plans.plan.clone()));
        }
        plans
    }

    fn solution(self, plans: Plans, ceiling: u32) -> Solution {
        let (least, plan) = self.best.unwrap_or_default();
        let proved = plans.complete.is_ok() || least >= ceiling;
        let most = if proved { least } else { ceiling };
        Solution {
            values: vec![Bounds::between(least, most)],
            meaning: Meaning::Best,
            line: joint_moves(&plan, 1),
            shortest: proved && plans.best == Some(least),
            method: Method::BreadthFirst,
            nodes: self.nodes,
            states: self.states,
            unfinished: if proved { None } else { plans.complete.err() },
            notes: Vec::new(),
        }
    }
}
