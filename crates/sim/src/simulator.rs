//! The simulator: one thread, one game per lane.
//!
//! A step is: legality and termination; lanes whose game is over are held; perhaps *refill*, which
//! counts the goals of held lanes and starts new games in them; choose a move for each role; compute
//! the transition. Lanes that started together form a *cohort*, so that the length of a game is
//! known without a counter per lane.
//!
//! Games are counted by starts: a request for `n` playouts starts exactly `n` games and lets all of
//! them end. Stopping after the first `n` ends would favour short games.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_net::RoleId;

use crate::batch::Batch;
use crate::clock::thread_seconds;
use crate::machine::Machine;
use crate::refill::RefillPolicy;
use crate::steps::{Steps, lowest};
use crate::tally::GoalCount;
use crate::word::{Task, Word};
use crate::{Amount, Circuit, PlayoutOptions, Tally};

/// What one thread is to do.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// How many games may still be started.
    games: u64,
    deadline: Option<Instant>,
    /// When games that are still running are cut off.
    last_moment: Option<Instant>,
    seed: u64,
    max_steps: u64,
    stop: Option<Arc<AtomicBool>>,
}

/// Games still running this much after the time given are cut off.
const GRACE: Duration = Duration::from_secs(2);

impl Request {
    /// A thread's share of what is asked for.
    pub(crate) fn of(
        options: &PlayoutOptions,
        thread: usize,
        threads: usize,
        begin: Instant,
        seed: u64,
    ) -> Self {
        let (threads, thread) = (threads as u64, thread as u64);
        let (games, deadline) = match options.amount {
            Amount::Playouts(all) => (all / threads + u64::from(thread < all % threads), None),
            Amount::Seconds(seconds) => {
                let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
                (u64::MAX, begin.checked_add(time))
            }
        };
        let last_moment = deadline.and_then(|deadline| {
            deadline.checked_add(GRACE.max(deadline.saturating_duration_since(begin)))
        });
        let max_steps = u64::from(options.max_steps.max(1));
        Self { games, deadline, last_moment, seed, max_steps, stop: options.stop.clone() }
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// A request together with the game: the task of one thread.
pub(crate) struct Simulation<'a> {
    circuit: &'a Circuit,
    batch: &'a Batch,
    machine: Option<&'a Machine>,
    request: Request,
}

impl<'a> Simulation<'a> {
    /// With machine code the width must be 512.
    pub(crate) fn new(
        circuit: &'a Circuit,
        machine: Option<&'a Machine>,
        request: Request,
    ) -> Self {
        Self { circuit, batch: circuit.batch(), machine, request }
    }
}

impl Task for Simulation<'_> {
    type Output = Tally;

    #[inline(always)]
    fn run<W: Word>(self) -> Tally {
        let begin = (Instant::now(), thread_seconds());
        let mut simulator = Simulator::<W>::new(self);
        simulator.play();
        let mut tally = simulator.finish();
        let wall = begin.0.elapsed().as_secs_f64();
        tally.thread_seconds = match (begin.1, thread_seconds()) {
            (Some(before), Some(after)) => after - before,
            _ => wall,
        };
        tally.seconds = wall;
        tally
    }
}

/// Lanes whose games started at the same time and are still running.
struct Cohort<W> {
    start: u64,
    lanes: W,
}

struct Simulator<'a, W> {
    circuit: &'a Circuit,
    batch: &'a Batch,
    request: Request,
    steps: Steps<'a, W>,
    /// Lanes with a game in progress.
    running: W,
    /// Lanes whose game is over and whose state is held until its goals are counted.
    over: W,
    /// Other lanes: stuck, cut off, or not used yet.
    vacant: W,
    cohorts: Vec<Cohort<W>>,
    time: u64,
    policy: RefillPolicy,
    /// Steps until the clock is looked at again.
    patience: u32,
    tally: Tally,
}

/// Instructions between two looks at the clock.
const CLOCK_INTERVAL: f64 = 100_000.0;

impl<'a, W: Word> Simulator<'a, W> {
    fn new(simulation: Simulation<'a>) -> Self {
        let Simulation { circuit, batch, machine, request } = simulation;
        let goals = circuit.goals.iter();
        let goals = goals.map(|g| GoalCount { role: g.role, value: g.value, count: 0 }).collect();
        let step_cost = batch.step_cost();
        Self {
            circuit,
            batch,
            steps: Steps::new(batch, machine, request.seed),
            running: W::zero(),
            over: W::zero(),
            vacant: W::ones(),
            cohorts: Vec::new(),
            time: 0,
            policy: RefillPolicy::new(batch.phases.len(), step_cost, batch.refill_cost),
            patience: 0,
            tally: Tally {
                playouts: 0,
                steps: 0,
                lengths: Vec::new(),
                goals,
                stuck: 0,
                capped: 0,
                undefined_goals: 0,
                seconds: 0.0,
                thread_seconds: 0.0,
                lanes: W::LANES,
                threads: 1,
                engine: if machine.is_some() { "machine code" } else { "table" },
            },
            request,
        }
    }

    #[inline(always)]
    fn play(&mut self) {
        self.refill();
        while self.running.any() && !self.is_time_up() {
            self.choose_moves();
            self.steps.make_step(self.over);
            self.time += 1;
            self.look_for_ends();
            if self.wants_refill() {
                self.refill();
            }
        }
    }

    /// A role that has no legal move is stuck, and its game with it.
    #[inline(always)]
    fn choose_moves(&mut self) {
        let stuck = self.steps.choose_moves(self.running);
        if stuck.any() {
            self.tally.stuck += u64::from(stuck.count());
            self.vacate(stuck);
        }
    }

    #[inline(always)]
    fn look_for_ends(&mut self) {
        let ended = self.steps.look().and(self.running);
        if ended.any() {
            self.count_lengths(ended);
            self.running = self.running.and_not(ended);
            self.over = self.over.or(ended);
            self.policy.saw_end(self.time);
        }
        if self.cohorts.first().is_some_and(|c| self.time - c.start >= self.request.max_steps) {
            self.cut_off_oldest();
        }
    }

    /// Cohorts are in order of their start.
    #[inline(always)]
    fn count_lengths(&mut self, ended: W) {
        let mut emptied = false;
        for cohort in &mut self.cohorts {
            let lanes = cohort.lanes.and(ended);
            if lanes.any() {
                let length = (self.time - cohort.start) as usize;
                if self.tally.lengths.len() <= length {
                    self.tally.lengths.resize(length + 1, 0);
                }
                self.tally.lengths[length] += u64::from(lanes.count());
                cohort.lanes = cohort.lanes.and_not(ended);
                emptied |= !cohort.lanes.any();
            }
        }
        if emptied {
            self.drop_empty_cohorts();
        }
    }

    #[inline(always)]
    fn drop_empty_cohorts(&mut self) {
        let mut kept = 0;
        for place in 0..self.cohorts.len() {
            if self.cohorts[place].lanes.any() {
                self.cohorts.swap(kept, place);
                kept += 1;
            }
        }
        self.cohorts.truncate(kept);
    }

    #[inline(always)]
    fn cut_off_oldest(&mut self) {
        let oldest = self.cohorts[0].lanes;
        self.tally.capped += u64::from(oldest.count());
        self.tally.steps += u64::from(oldest.count()) * self.request.max_steps;
        self.policy.saw_end(self.time);
        self.vacate(oldest);
    }

    /// Gives up the games of these lanes.
    #[inline(always)]
    fn vacate(&mut self, lanes: W) {
        self.running = self.running.and_not(lanes);
        self.vacant = self.vacant.or(lanes);
        for cohort in &mut self.cohorts {
            cohort.lanes = cohort.lanes.and_not(lanes);
        }
        self.drop_empty_cohorts();
        self.policy.saw_end(self.time);
    }

    #[inline(always)]
    fn wants_refill(&mut self) -> bool {
        if !self.running.any() {
            // There is no phase to keep in step with.
            return true;
        }
        if self.steps.phase != 0 {
            return false;
        }
        if self.policy.is_decided() {
            self.policy.wants_refill(self.time)
        } else {
            let idle = W::LANES as u32 - self.running.count();
            self.policy.gives_up_on_stragglers(self.time, idle, W::LANES as u32)
        }
    }

    /// Counts what is over and starts new games.
    #[inline(always)]
    fn refill(&mut self) {
        if self.over.any() {
            self.count_goals();
        }
        if !self.running.any() {
            self.steps.phase = 0;
        }
        self.vacant = self.vacant.or(self.over);
        self.over = W::zero();
        self.policy.refilled(self.time, &self.tally.lengths);
        if self.batch.initial_terminal {
            return self.count_games_over_at_once();
        }
        let started = self.lanes_to_start();
        if started.any() {
            self.start(started);
        }
    }

    #[inline(always)]
    fn count_goals(&mut self) {
        self.steps.goals();
        let slots = self.batch.layout.goal_slots();
        let mut undefined = W::zero();
        for role in 0..self.circuit.role_count() as u32 {
            let only = self.steps.with_one_goal(self.circuit, RoleId::new(role)).and(self.over);
            undefined = undefined.or(self.over.and_not(only));
            let goals = self.circuit.goals.iter().zip(slots.clone()).zip(&mut self.tally.goals);
            for ((goal, slot), counted) in goals {
                if goal.role == RoleId::new(role) {
                    counted.count += u64::from(self.steps.slots[slot].and(only).count());
                }
            }
        }
        self.tally.undefined_goals += u64::from(undefined.count());
    }

    /// As many vacant lanes as games may still be started.
    #[inline(always)]
    fn lanes_to_start(&mut self) -> W {
        let vacant = u64::from(self.vacant.count());
        if self.request.games >= vacant {
            return self.vacant;
        }
        lowest(self.vacant, self.request.games)
    }

    #[inline(always)]
    fn start(&mut self, lanes: W) {
        let batch = self.batch;
        let mut write = |first: u32, initial: &[bool]| {
            for (slot, &initial) in self.steps.slots[first as usize..].iter_mut().zip(initial) {
                *slot = if initial { slot.or(lanes) } else { slot.and_not(lanes) };
            }
        };
        write(batch.layout.fluents, &batch.initial);
        write(batch.layout.moves, &batch.initial_legal);
        self.request.games -= u64::from(lanes.count());
        self.running = self.running.or(lanes);
        self.vacant = self.vacant.and_not(lanes);
        self.cohorts.push(Cohort { start: self.time, lanes });
    }

    /// A game that is over at the start takes no step; counting it once is enough.
    #[inline(always)]
    fn count_games_over_at_once(&mut self) {
        let games = match self.request.deadline {
            None => self.request.games,
            Some(_) => 1,
        };
        self.request.games = 0;
        if games == 0 || self.tally.lengths.len() == 1 {
            return;
        }
        self.over = lowest(W::ones(), 1);
        self.count_goals();
        self.over = W::zero();
        self.tally.lengths = vec![games];
        self.tally.undefined_goals *= games;
        self.tally.goals.iter_mut().for_each(|goal| goal.count *= games);
    }

    /// Looks at the clock now and then. At the deadline no more games are started; at the last
    /// moment those still running are cut off.
    #[inline(always)]
    fn is_time_up(&mut self) -> bool {
        if self.patience > 0 {
            self.patience -= 1;
            return false;
        }
        self.patience = (CLOCK_INTERVAL / self.batch.step_cost()) as u32;
        self.look_at_the_clock()
    }

    #[inline(always)]
    fn look_at_the_clock(&mut self) -> bool {
        if self.request.is_stopped() {
            return true;
        }
        let Some(deadline) = self.request.deadline else { return false };
        let now = Instant::now();
        if now >= deadline {
            self.request.games = 0;
        }
        if self.request.last_moment.is_some_and(|last| now >= last) {
            self.tally.capped += u64::from(self.running.count());
            for cohort in &self.cohorts {
                self.tally.steps += u64::from(cohort.lanes.count()) * (self.time - cohort.start);
            }
            return true;
        }
        false
    }

    #[inline(always)]
    fn finish(mut self) -> Tally {
        if self.over.any() {
            self.count_goals();
        }
        let mut tally = self.tally;
        let ended: u64 = tally.lengths.iter().sum();
        tally.playouts = ended + tally.stuck + tally.capped;
        let moves =
            tally.lengths.iter().zip(0..).map(|(&count, length): (&u64, u64)| count * length);
        tally.steps += moves.sum::<u64>();
        tally
    }
}
