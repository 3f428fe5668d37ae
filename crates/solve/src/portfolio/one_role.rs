//! One player: the best goal that can be reached, and the way to it.
//!
//! Goal values are tried from the highest down. For each: breadth first with what is dead for it left
//! out, as far as a few million states; then straight down; then by satisfiability; then breadth first
//! to the limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gambol_analysis::{DeadStates, GoalFacts, Latches};
use gambol_index::{Id, bits};
use gambol_verify::HIGHEST_GOAL;

use crate::checkpoint::fingerprint;
use crate::circuit_dynamics::CircuitDynamics;
use crate::factored::{factored, hint};
use crate::facts::{EndsHaveGoals, ends_have_goals};
use crate::planning::breadth_first::{DeadMask, Wanted, best_plan_from};
use crate::planning::checkpoint::{SavedSearch, read};
use crate::planning::depth_first::{Order, deep_plan};
use crate::planning::goal_directed::guided_plan;
use crate::planning::keeper::{Decided, Keeper};
use crate::planning::satisfiability::{Found, leads_to, plan_for};
use crate::problem::{Choice, Task, joint_moves, proof_budget};
use crate::rounds::nobody;
use crate::{
    Bounds, Dynamics, Limits, Meaning, Method, Observer, Solution, SolveError, Unfinished,
    Unobserved,
};

/// States of the first attempt.
const FIRST_STATES: usize = 2_000_000;
/// States of each attempt to go straight down.
const DIVE_STATES: usize = 1_500_000;
/// Effort of satisfiability for each number of steps if it is not alone.
const CLAUSES_EFFORT: u64 = 300_000;
/// The part of the memory for the states of a product.
const PARTS_MEMORY: u64 = 4;
/// If there is a limit, how much of the time that is left the first attempt may take, going down guided
/// by the goal, straight down, part by part, and satisfiability.
const FIRST_SHARE: f64 = 0.25;
const GUIDED_SHARE: f64 = 0.35;
const DIVE_SHARE: f64 = 0.15;
const PARTS_SHARE: f64 = 0.25;
const CLAUSES_SHARE: f64 = 0.6;
/// All states, and all of the time.
const WITHOUT_END: (usize, f64) = (usize::MAX, 1.0);

pub(crate) fn one_role(
    task: &Task<'_>,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let print = fingerprint(task);
    let size = (task.start.len(), task.net.moves.len());
    let saved = resume.map(|bytes| read(bytes, print, size)).transpose()?;
    let saved = saved.unwrap_or_default();
    let started = Instant::now();
    let Proved { goals: facts, latches, scored } = proved(task);
    let mut search = Search {
        task,
        limits: task.options.limits.clone(),
        started,
        facts,
        latches,
        scored,
        best: restored(task, &mut game, saved.best),
        hope: 0,
        out_of_reach: saved.out_of_reach,
        saved: saved.search,
        keeper: Keeper::new(observer, print),
        tried_parts: false,
        whole: None,
        totals: Totals::default(),
    };
    for value in values(task) {
        match search.decide(&mut game, value) {
            Decision::Reached => break,
            Decision::OutOfReach => search.rule_out(value),
            Decision::BestKnown => match search.whole.take() {
                Some(solution) => return Ok(solution),
                None => break,
            },
            Decision::Open(unfinished) => {
                return Ok(search.solution(value, Some(unfinished)));
            }
        }
        if search.best.as_ref().is_some_and(|best| Some(best.value) == next_lower(task, value)) {
            break;
        }
    }
    let value = search.best.as_ref().map_or(0, |best| best.value);
    Ok(search.solution(value, None))
}

/// A plan that was kept, if it is one.
fn restored(
    task: &Task<'_>,
    game: &mut impl Dynamics,
    kept: Option<(u32, Vec<u32>)>,
) -> Option<Best> {
    let (value, plan) = kept?;
    let best = Best { value, plan, shortest: false, method: Method::BreadthFirst };
    leads_to(game, task.start, &best.plan, value).then_some(best)
}

/// The goal values, highest first, with what an end without a goal may be read as.
fn values(task: &Task<'_>) -> Vec<u32> {
    let goals = task.net.goals.iter().map(|goal| goal.value);
    let mut values: Vec<u32> = goals.chain([HIGHEST_GOAL]).collect();
    values.sort_unstable();
    values.dedup();
    values.reverse();
    values
}

fn next_lower(task: &Task<'_>, value: u32) -> Option<u32> {
    values(task).into_iter().find(|&other| other < value)
}

/// What is proved before the search begins.
struct Proved {
    /// About the goals; empty if no state is to be left out.
    goals: Vec<GoalFacts>,
    /// About fluents that keep their value.
    latches: Latches,
    /// That every end has a goal.
    scored: Option<EndsHaveGoals>,
}

fn proved(task: &Task<'_>) -> Proved {
    let limits = &task.options.limits;
    let shape = task.shape(limits);
    let invariants = shape.as_ref().map_or(&[][..], |shape| &shape.invariants);
    let scored = ends_have_goals(task.net, invariants, &proof_budget(limits));
    let mut proved = Proved { goals: Vec::new(), latches: Latches::none(task.net), scored };
    // A state that is dead for a goal may lead to an end without any, which could be read as that goal.
    if let (Some(shape), Some(_)) = (shape, scored) {
        proved.latches.add_proved(&shape);
        proved.goals.clone_from(&shape.goals);
    }
    proved
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

/// A goal value that is tried, and the states that are dead for it.
struct Aim {
    value: u32,
    dead: DeadMask,
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
    limits: Limits,
    started: Instant,
    facts: Vec<GoalFacts>,
    latches: Latches,
    scored: Option<EndsHaveGoals>,
    best: Option<Best>,
    /// The best that was met if ends with several goals, or none, are read in the best way.
    hope: u32,
    /// Goal values that are known to be out of reach.
    out_of_reach: Vec<u32>,
    /// A search to go on from.
    saved: Option<SavedSearch<'a>>,
    keeper: Keeper<'a>,
    /// Whether the game was looked at part by part, and what was found.
    tried_parts: bool,
    whole: Option<Solution>,
    totals: Totals,
}

impl Search<'_> {
    fn rule_out(&mut self, value: u32) {
        // What is out of reach only in the worst reading of ends is examined again.
        if !self.out_of_reach.contains(&value) && self.hope < value {
            self.out_of_reach.push(value);
        }
    }

    fn decide(&mut self, game: &mut impl Dynamics, value: u32) -> Decision {
        if self.out_of_reach.contains(&value) {
            return Decision::OutOfReach;
        }
        // Several goals may stand for the same value; each is a way to it.
        let facts: Vec<&GoalFacts> =
            self.facts.iter().filter(|facts| facts.goal.value == value).collect();
        let goals = self.task.net.goals.iter().filter(|goal| goal.value == value).count();
        // Without a proof an end may have no goal, and be read as this one.
        let counts = goals > 0 || self.scored.is_some();
        if counts && facts.len() == goals && facts.iter().all(|facts| facts.unreachable) {
            return Decision::OutOfReach;
        }
        let dead = match facts.as_slice() {
            [facts] if goals == 1 => dead_mask(self.task, facts),
            _ => DeadMask::default(),
        };
        let aim = Aim { value, dead };
        let choice = self.task.options.choice;
        let symbolic = matches!(choice, Choice::Auto | Choice::Satisfiability);
        if choice != Choice::Satisfiability {
            let (most, share) = if symbolic { (FIRST_STATES, FIRST_SHARE) } else { WITHOUT_END };
            match self.search(game, &aim, (most, share)) {
                Decision::Open(_) if symbolic => {}
                decision => return decision,
            }
        }
        match choice {
            Choice::Auto if self.task.options.threads > 1 => self.two_ways(game, &aim),
            Choice::Auto => self.one_by_one(game, &aim),
            Choice::Satisfiability => {
                let found = self.satisfy(game, value, (u64::MAX, 1.0));
                self.satisfied(value, found)
            }
            _ => self.search(game, &aim, WITHOUT_END),
        }
    }

    /// By one method after the other.
    fn one_by_one(&mut self, game: &mut impl Dynamics, aim: &Aim) -> Decision {
        match self.straight_down(game, aim) {
            Decision::Open(_) => {}
            decision => return decision,
        }
        let found = self.satisfy(game, aim.value, (CLAUSES_EFFORT, CLAUSES_SHARE));
        match self.satisfied(aim.value, found) {
            Decision::Open(_) => self.search(game, aim, WITHOUT_END),
            decision => decision,
        }
    }

    /// By satisfiability in one thread and by search in another; the first that knows ends both.
    fn two_ways(&mut self, game: &mut impl Dynamics, aim: &Aim) -> Decision {
        let outer = self.limits.stop.clone();
        let (search_stop, clauses_stop) = (Arc::default(), Arc::default());
        self.limits.stop = Some(Arc::clone(&search_stop));
        let clauses_limits =
            Limits { stop: Some(Arc::clone(&clauses_stop)), ..self.limits.left(self.started) };
        let (task, working) = (self.task, AtomicUsize::new(2));
        let (found, decision) = std::thread::scope(|scope| {
            let clauses = scope.spawn(|| {
                let mut game = CircuitDynamics::new(task.net, task.circuit);
                let (net, start) = (task.net, task.start);
                let found = plan_for(net, &mut game, start, aim.value, u64::MAX, &clauses_limits);
                if !matches!(found, Found::Open(_)) {
                    search_stop.store(true, Ordering::Relaxed);
                }
                working.fetch_sub(1, Ordering::Relaxed);
                found
            });
            // A third thread forwards the outer stop flag, since each worker has its own.
            let listener = scope.spawn(|| {
                while working.load(Ordering::Relaxed) > 0 {
                    if outer.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                        search_stop.store(true, Ordering::Relaxed);
                        clauses_stop.store(true, Ordering::Relaxed);
                    }
                    std::thread::park_timeout(Duration::from_millis(5));
                }
            });
            let decision = match self.straight_down(game, aim) {
                Decision::Open(_) => self.search(game, aim, WITHOUT_END),
                decision => decision,
            };
            if !matches!(decision, Decision::Open(_)) {
                clauses_stop.store(true, Ordering::Relaxed);
            }
            working.fetch_sub(1, Ordering::Relaxed);
            let found = clauses.join();
            listener.thread().unpark();
            (found, decision)
        });
        self.limits.stop = outer;
        match (decision, found) {
            (Decision::Open(_), Ok(found)) => self.satisfied(aim.value, found),
            (decision, _) => decision,
        }
    }

    /// Down by the goal, down by the moves, and part by part.
    fn straight_down(&mut self, game: &mut impl Dynamics, aim: &Aim) -> Decision {
        match self.descend(game, aim) {
            Decision::Open(_) => {}
            decision => return decision,
        }
        for order in [Order::Plain, Order::FewestMoves] {
            match self.dive(game, aim, order) {
                Decision::Open(_) => {}
                decision => return decision,
            }
        }
        if self.task.options.factoring && !self.tried_parts {
            self.tried_parts = true;
            let limits = self.share(PARTS_SHARE);
            let limits = Limits { memory_mib: limits.memory_mib / PARTS_MEMORY, ..limits };
            let hint = hint(self.task);
            let found = factored(self.task, &hint, &limits, &mut Unobserved, &mut nobody);
            if let Ok(Ok(solution)) = found {
                self.whole = Some(solution);
                return Decision::BestKnown;
            }
        }
        Decision::Open(Unfinished::Time)
    }

    fn search(
        &mut self,
        game: &mut impl Dynamics,
        aim: &Aim,
        (most_states, share): (usize, f64),
    ) -> Decision {
        let Aim { value, ref dead } = *aim;
        let limits = self.share(share);
        let wanted = Wanted { start: self.task.start, ceiling: value, dead, most_states };
        let saved = self.saved.as_ref().filter(|saved| saved.value == value);
        let best = self.best.as_ref().map(|best| (best.value, &best.plan[..]));
        let decided = Decided { out_of_reach: &self.out_of_reach, best };
        let keeper = &mut self.keeper;
        let plans = best_plan_from(game, &wanted, &limits, saved, &mut |search| {
            keeper.look(&decided, value, search);
        });
        self.totals.nodes += plans.nodes;
        self.totals.states = self.totals.states.max(plans.states);
        self.hope = self.hope.max(plans.hope);
        let complete = plans.complete.is_ok();
        if let Some(best) = plans.best {
            let shortest = complete && (best == value || !plans.pruned);
            self.keep(Best {
                value: best,
                plan: plans.plan,
                shortest,
                method: Method::BreadthFirst,
            });
        }
        match plans.complete {
            Ok(()) if plans.best == Some(value) => Decision::Reached,
            Ok(()) if !plans.pruned => Decision::BestKnown,
            Ok(()) => Decision::OutOfReach,
            Err(unfinished) => Decision::Open(unfinished),
        }
    }

    fn descend(&mut self, game: &mut impl Dynamics, aim: &Aim) -> Decision {
        let Task { net, start, options, .. } = self.task;
        let Aim { value, ref dead } = *aim;
        let limits = self.share(GUIDED_SHARE);
        let known = (dead, &self.latches);
        let found = guided_plan(net, game, start, value, known, options.seed, &limits);
        self.totals.nodes += found.nodes;
        match found.plan {
            Some(plan) => {
                self.keep(Best { value, plan, shortest: false, method: Method::DepthFirst });
                Decision::Reached
            }
            None => Decision::Open(Unfinished::Time),
        }
    }

    fn dive(&mut self, game: &mut impl Dynamics, aim: &Aim, order: Order) -> Decision {
        let Aim { value, ref dead } = *aim;
        let (limits, start) = (self.share(DIVE_SHARE), self.task.start);
        let wanted = Wanted { start, ceiling: value, dead, most_states: DIVE_STATES };
        let plans = deep_plan(game, &wanted, order, &limits);
        self.totals.nodes += plans.nodes;
        self.hope = self.hope.max(plans.hope);
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

    /// The limits, with a share of the time that is left if there is a limit on it.
    fn share(&self, share: f64) -> Limits {
        let limits = self.limits.left(self.started);
        Limits { time: limits.time.map(|time| time.mul_f64(share)), ..limits }
    }

    fn satisfy(&self, game: &mut impl Dynamics, value: u32, (effort, share): (u64, f64)) -> Found {
        plan_for(self.task.net, game, self.task.start, value, effort, &self.share(share))
    }

    /// What a search by satisfiability says about a goal value.
    fn satisfied(&mut self, value: u32, found: Found) -> Decision {
        match found {
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

    fn solution(self, most: u32, unfinished: Option<Unfinished>) -> Solution {
        let least = self.best.as_ref().map_or(0, |best| best.value);
        let most = most.max(self.hope);
        let unfinished = unfinished.or((most > least).then_some(Unfinished::Readings));
        let solved = unfinished.is_none() || least >= most;
        let best = self.best.as_ref();
        let notes = match best {
            None if solved => vec!["no end can be reached: play is worth nothing".to_string()],
            _ => Vec::new(),
        };
        Solution {
            values: vec![Bounds::between(least, most.max(least))],
            meaning: Meaning::Best,
            line: best.map_or_else(Vec::new, |best| joint_moves(&best.plan, 1)),
            shortest: solved && best.is_some_and(|best| best.shortest),
            method: best.map_or(Method::BreadthFirst, |best| best.method),
            nodes: self.totals.nodes,
            states: self.totals.states,
            unfinished: if solved { None } else { unfinished },
            notes,
        }
    }
}

fn dead_mask(task: &Task<'_>, facts: &GoalFacts) -> DeadMask {
    let words = task.start.len();
    let mut mask = DeadMask { when_true: vec![0; words], when_false: vec![0; words] };
    for literal in DeadStates::of(facts).any_of {
        let side = if literal.holds { &mut mask.when_true } else { &mut mask.when_false };
        bits::set(side, literal.fluent.index());
    }
    mask
}
