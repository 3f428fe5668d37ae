//! One player: the best goal that can be reached, and the way to it.
//!
//! Goal values are tried from the highest down. For each: breadth first with what is dead for it left
//! out, as far as a few million states; then by satisfiability; then breadth first to the limits.

use std::time::{Duration, Instant};

use gambol_analysis::{Budget, DeadStates, GoalFacts, ShapeOptions, shape};
use gambol_index::Id;

use crate::circuit_dynamics::CircuitDynamics;
use crate::depth_first::{Order, deep_plan};
use crate::factored::{factored, hint};
use crate::plan::{DeadMask, best_plan};
use crate::satisfiability::{Found, plan_for};
use crate::solve::{Choice, Task, joint_moves};
use crate::{Bounds, Dynamics, Limits, Meaning, Method, Solution, SolveError, Unfinished};

/// States of the first attempt.
const FIRST_STATES: usize = 2_000_000;
/// States and time of each attempt to go straight down.
const DIVE_STATES: usize = 1_500_000;
const DIVE: Duration = Duration::from_secs(10);
/// How much of the time left satisfiability may take.
const SHARE: f64 = 0.6;
/// The time it may take if there is no limit.
const LONGEST: Duration = Duration::from_secs(120);
/// The most time for what is proved in advance.
const ANALYSIS: Duration = Duration::from_secs(4);

pub(crate) fn one_role(task: &Task<'_>) -> Result<Solution, SolveError> {
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let mut search = Search {
        task,
        started: Instant::now(),
        facts: goal_facts(task),
        best: None,
        tried_parts: false,
        whole: None,
    };
    let mut totals = Totals::default();
    for value in values(task) {
        match search.decide(&mut game, value, &mut totals) {
            Decision::Reached => break,
            Decision::OutOfReach => {}
            Decision::BestKnown => match search.whole.take() {
                Some(solution) => return Ok(solution),
                None => break,
            },
            Decision::Open(unfinished) => {
                return Ok(search.solution(totals, value, Some(unfinished)));
            }
        }
        if search.best.as_ref().is_some_and(|best| Some(best.value) == next_lower(task, value)) {
            break;
        }
    }
    match &search.best {
        Some(best) => {
            let value = best.value;
            Ok(search.solution(totals, value, None))
        }
        None => {
            let role = task.net.roles.iter().next().map_or(String::new(), ToString::to_string);
            Err(SolveError::NoGoal(role))
        }
    }
}

/// The goal values, highest first.
fn values(task: &Task<'_>) -> Vec<u32> {
    let mut values: Vec<u32> = task.net.goals.iter().map(|goal| goal.value).collect();
    values.sort_unstable();
    values.dedup();
    values.reverse();
    values
}

fn next_lower(task: &Task<'_>, value: u32) -> Option<u32> {
    values(task).into_iter().find(|&other| other < value)
}

/// What is proved about the goals; nothing if nothing is to be left out.
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

/// What is known of one goal value.
enum Decision {
    /// There is a plan.
    Reached,
    /// There is none.
    OutOfReach,
    /// There is none, and the best there is was met.
    BestKnown,
    /// A limit was met.
    Open(Unfinished),
}

#[derive(Default)]
struct Totals {
    nodes: u64,
    states: u64,
}

struct Best {
    value: u32,
    plan: Vec<u32>,
    shortest: bool,
    method: Method,
}

struct Search<'a> {
    task: &'a Task<'a>,
    started: Instant,
    facts: Vec<GoalFacts>,
    best: Option<Best>,
    /// Whether the game was looked at part by part, and what was found.
    tried_parts: bool,
    whole: Option<Solution>,
}

impl Search<'_> {
    fn decide(&mut self, game: &mut impl Dynamics, value: u32, totals: &mut Totals) -> Decision {
        let facts = self.facts.iter().find(|facts| facts.goal.value == value);
        if facts.is_some_and(|facts| facts.unreachable) {
            return Decision::OutOfReach;
        }
        let dead = facts.map(|facts| dead_mask(self.task, facts)).unwrap_or_default();
        let choice = self.task.options.choice;
        let symbolic = matches!(choice, Choice::Auto | Choice::Satisfiability);
        if choice != Choice::Satisfiability {
            let most = if symbolic { FIRST_STATES } else { usize::MAX };
            match self.search(game, value, &dead, most, totals) {
                Decision::Open(Unfinished::Memory) if symbolic => {}
                decision => return decision,
            }
        }
        if choice == Choice::Auto {
            for order in [Order::Plain, Order::FewestMoves] {
                match self.dive(game, value, &dead, order, totals) {
                    Decision::Open(_) => {}
                    decision => return decision,
                }
            }
        }
        if choice == Choice::Auto && self.task.options.factoring && !self.tried_parts {
            self.tried_parts = true;
            let limits = self.task.options.limits.left(self.started);
            let limits = limits.within(limits.time.map_or(LONGEST, |time| time.mul_f64(0.25)));
            if let Ok(solution) = factored(self.task, &hint(self.task), &limits) {
                self.whole = Some(solution);
                return Decision::BestKnown;
            }
        }
        if symbolic {
            match self.satisfy(game, value) {
                Decision::Open(_) if choice == Choice::Auto => {}
                decision => return decision,
            }
        }
        self.search(game, value, &dead, usize::MAX, totals)
    }

    fn search(
        &mut self,
        game: &mut impl Dynamics,
        value: u32,
        dead: &DeadMask,
        most_states: usize,
        totals: &mut Totals,
    ) -> Decision {
        let limits = self.task.options.limits.left(self.started);
        let plans = best_plan(game, self.task.start, value, dead, most_states, &limits);
        totals.nodes += plans.nodes;
        totals.states = totals.states.max(plans.states);
        let complete = plans.complete.is_ok();
        if let Some(best) = plans.best {
            let shortest = complete && (best == value || dead.is_empty());
            self.keep(Best {
                value: best,
                plan: plans.plan,
                shortest,
                method: Method::BreadthFirst,
            });
        }
        match plans.complete {
            Ok(()) if plans.best == Some(value) => Decision::Reached,
            Ok(()) if dead.is_empty() => Decision::BestKnown,
            Ok(()) => Decision::OutOfReach,
            Err(unfinished) => Decision::Open(unfinished),
        }
    }

    fn dive(
        &mut self,
        game: &mut impl Dynamics,
        value: u32,
        dead: &DeadMask,
        order: Order,
        totals: &mut Totals,
    ) -> Decision {
        let limits = self.task.options.limits.left(self.started);
        let limits = limits.within(limits.time.map_or(DIVE, |time| time.mul_f64(0.15).min(DIVE)));
        let start = self.task.start;
        let plans = deep_plan(game, start, value, dead, order, DIVE_STATES, &limits);
        totals.nodes += plans.nodes;
        if let Some(best) = plans.best {
            let (plan, method) = (plans.plan, Method::DepthFirst);
            self.keep(Best { value: best, plan, shortest: false, method });
        }
        match plans.complete {
            Ok(()) if plans.best == Some(value) => Decision::Reached,
            Ok(()) if dead.is_empty() => Decision::BestKnown,
            Ok(()) => Decision::OutOfReach,
            Err(unfinished) => Decision::Open(unfinished),
        }
    }

    fn satisfy(&mut self, game: &mut impl Dynamics, value: u32) -> Decision {
        let left = self.task.options.limits.left(self.started);
        let share = match self.task.options.choice {
            Choice::Auto => left.within(left.time.map_or(LONGEST, |time| time.mul_f64(SHARE))),
            _ => left,
        };
        match plan_for(self.task.net, game, self.task.start, value, &share) {
            Found::Plan(plan, shortest) => {
                self.keep(Best { value, plan, shortest, method: Method::Satisfiability });
                Decision::Reached
            }
            Found::None => Decision::OutOfReach,
            Found::Open(unfinished) => Decision::Open(unfinished),
        }
    }

    /// Keeps the better plan; among equals the one that is known to be shortest.
    fn keep(&mut self, found: Best) {
        let better = |best: &Best| (found.value, found.shortest) > (best.value, best.shortest);
        if self.best.as_ref().is_none_or(better) {
            self.best = Some(found);
        }
    }

    fn solution(self, totals: Totals, most: u32, unfinished: Option<Unfinished>) -> Solution {
        let least = self.best.as_ref().map_or(0, |best| best.value);
        let solved = unfinished.is_none() || least >= most;
        let best = self.best.as_ref();
        Solution {
            values: vec![Bounds::between(least, most.max(least))],
            meaning: Meaning::Best,
            line: best.map_or_else(Vec::new, |best| joint_moves(&best.plan, 1)),
            shortest: solved && best.is_some_and(|best| best.shortest),
            method: best.map_or(Method::BreadthFirst, |best| best.method),
            nodes: totals.nodes,
            states: totals.states,
            unfinished: if solved { None } else { unfinished },
            notes: Vec::new(),
        }
    }
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
