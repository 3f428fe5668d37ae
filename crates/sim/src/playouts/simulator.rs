//! The simulator: one thread, one game per lane.
//!
//! A step is: choose a move for each role; compute the transition; legality and termination; lanes whose
//! game is over are held. At fixed intervals there is a *refill*, which counts the goals of held lanes
//! and starts new games in them. Lanes that started together form a *cohort*, so that the length of a
//! game is known without a counter per lane.
//!
//! Games are counted by starts: a request for `n` playouts starts exactly `n` games and lets all of
//! them end. Stopping after the first `n` ends would favour short games.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_net::RoleId;

use crate::engine::Engine;
use crate::engine::Width;
use crate::engine::batch::{Batch, Interval};
use crate::engine::word::{PARTS, Task, Word};
use crate::playouts::blocks::{Block, Blocks};
use crate::playouts::clock::thread_seconds;
use crate::playouts::interval::interval_of;
use crate::playouts::steps::{Steps, lowest, lowest_bits};
use crate::playouts::tally::GoalCount;
use crate::{Amount, Circuit, PlayoutOptions, Tally};

/// What one thread is to do.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    /// Where games come from.
    blocks: &'a Blocks,
    deadline: Option<Instant>,
    /// When games that are still running are cut off.
    last_moment: Option<Instant>,
    seed: u64,
    max_steps: u64,
    stop: Option<Arc<AtomicBool>>,
}

/// Games still running this much after the time given are cut off.
const GRACE: Duration = Duration::from_secs(2);

impl<'a> Request<'a> {
    /// A thread takes the blocks that the others leave.
    pub(crate) fn of(options: &PlayoutOptions, blocks: &'a Blocks, begin: Instant) -> Self {
        let deadline = match options.amount {
            Amount::Playouts(_) => None,
            Amount::Seconds(seconds) => {
                begin.checked_add(Duration::try_from_secs_f64(seconds).unwrap_or_default())
            }
        };
        let last_moment = deadline.and_then(|deadline| {
            deadline.checked_add(GRACE.max(deadline.saturating_duration_since(begin)))
        });
        let max_steps = u64::from(options.max_steps.max(1));
        let (seed, stop) = (options.seed, options.stop.clone());
        Self { blocks, deadline, last_moment, seed, max_steps, stop }
    }

    /// As long as it takes.
    pub(crate) fn without_clock(blocks: &'a Blocks, max_steps: u64) -> Self {
        Self { blocks, deadline: None, last_moment: None, seed: 0, max_steps, stop: None }
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// A request together with the game: the task of one thread.
pub(crate) struct Simulation<'a> {
    circuit: &'a Circuit,
    engine: Engine<'a>,
    request: Request<'a>,
    interval: Interval,
}

impl<'a> Simulation<'a> {
    /// To be run at the width of the engine.
    pub(crate) fn new(circuit: &'a Circuit, engine: Engine<'a>, request: Request<'a>) -> Self {
        Self { circuit, engine, request, interval: interval_of(circuit) }
    }

    /// To be run at any width.
    pub(crate) fn of_table(circuit: &'a Circuit, request: Request<'a>, interval: Interval) -> Self {
        Self { circuit, engine: Engine::table(Width::Auto), request, interval }
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

/// Lanes whose games started at the same time; some of them may be over.
struct Cohort<W> {
    start: u64,
    lanes: W,
}

struct Simulator<'a, W> {
    circuit: &'a Circuit,
    batch: &'a Batch,
    request: Request<'a>,
    steps: Steps<'a, W>,
    /// Lanes with a game in progress.
    running: W,
    /// Lanes whose game is over and whose state is held until its goals are counted.
    over: W,
    /// In the order of their start.
    cohorts: Vec<Cohort<W>>,
    /// When the game of each lane started, if there are many cohorts.
    starts: Vec<u64>,
    /// What each part of the word plays.
    blocks: [Block; PARTS],
    time: u64,
    /// From one refill to the next.
    interval: Interval,
    next_refill: u64,
    /// Whether no more games may start.
    is_closed: bool,
    /// Steps until the clock is looked at again.
    patience: u32,
    tally: Tally,
}

/// Instructions between two looks at the clock.
const CLOCK_INTERVAL: f64 = 100_000.0;

impl<'a, W: Word> Simulator<'a, W> {
    fn new(simulation: Simulation<'a>) -> Self {
        let Simulation { circuit, engine, request, interval } = simulation;
        let batch = circuit.batch();
        let goals = circuit.goals.iter();
        let goals = goals.map(|g| GoalCount { role: g.role, value: g.value, count: 0 }).collect();
        Self {
            circuit,
            batch,
            steps: Steps::new(batch, engine.machine, request.seed),
            running: W::zero(),
            over: W::zero(),
            cohorts: Vec::new(),
            starts: vec![0; W::LANES],
            blocks: [Block::default(); PARTS],
            time: 0,
            interval,
            next_refill: 0,
            is_closed: false,
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
                engine: engine.name(),
            },
            request,
        }
    }

    #[inline(always)]
    fn play(&mut self) {
        if self.batch.initial_terminal {
            return self.count_games_over_at_once();
        }
        self.refill();
        while self.running.any() && !self.is_time_up() {
            self.choose_moves();
            self.steps.make_step(self.over);
            self.time += 1;
            self.look_for_ends();
            if self.time == self.next_refill || !self.running.any() {
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
            self.running = self.running.and_not(stuck);
        }
    }

    #[inline(always)]
    fn look_for_ends(&mut self) {
        let ended = self.steps.look().and(self.running);
        if ended.any() {
            self.count_lengths(ended);
            self.running = self.running.and_not(ended);
            self.over = self.over.or(ended);
        }
        if self.cohorts.first().is_some_and(|c| self.time - c.start >= self.request.max_steps) {
            self.cut_off_oldest();
        }
    }

    /// With few cohorts their lanes are counted together. Nothing there depends on which of them have
    /// ended games: such a branch would be guessed wrong half of the time.
    #[inline(always)]
    fn count_lengths(&mut self, ended: W) {
        let Some(oldest) = self.cohorts.first() else { return };
        let longest = (self.time - oldest.start) as usize;
        if self.tally.lengths.len() <= longest {
            self.tally.lengths.resize(longest + 1, 0);
        }
        if !self.interval.has_many_cohorts {
            for cohort in &self.cohorts {
                let length = (self.time - cohort.start) as usize;
                self.tally.lengths[length] += u64::from(cohort.lanes.and(ended).count());
            }
        } else {
            self.count_lane_by_lane(ended);
        }
    }

    #[inline(always)]
    fn count_lane_by_lane(&mut self, ended: W) {
        for (part, starts) in ended.parts().into_iter().zip(self.starts.chunks(64)) {
            let mut rest = part;
            while rest != 0 {
                let start = starts[rest.trailing_zeros() as usize];
                self.tally.lengths[(self.time - start) as usize] += 1;
                rest &= rest - 1;
            }
        }
    }

    #[inline(always)]
    fn cut_off_oldest(&mut self) {
        let oldest = self.cohorts.remove(0).lanes.and(self.running);
        self.tally.capped += u64::from(oldest.count());
        self.tally.steps += u64::from(oldest.count()) * self.request.max_steps;
        self.running = self.running.and_not(oldest);
    }

    /// Counts what is over and starts new games. If no game is running, that is done before its time,
    /// which nobody notices.
    #[inline(always)]
    fn refill(&mut self) {
        if self.over.any() {
            self.count_goals();
            self.over = W::zero();
        }
        if !self.running.any() {
            self.steps.phase = 0;
        }
        self.next_refill = self.time.saturating_add(self.interval.steps);
        self.drop_old_cohorts();
        let started = self.lanes_to_start();
        if started.any() {
            self.steps.start(started);
            self.running = self.running.or(started);
            self.cohorts.push(Cohort { start: self.time, lanes: started });
            if self.interval.has_many_cohorts {
                self.note_start(started);
            }
        }
    }

    #[inline(always)]
    fn note_start(&mut self, started: W) {
        for (part, starts) in started.parts().into_iter().zip(self.starts.chunks_mut(64)) {
            let mut rest = part;
            while rest != 0 {
                starts[rest.trailing_zeros() as usize] = self.time;
                rest &= rest - 1;
            }
        }
    }

    #[inline(always)]
    fn drop_old_cohorts(&mut self) {
        let mut kept = 0;
        for place in 0..self.cohorts.len() {
            let lanes = self.cohorts[place].lanes.and(self.running);
            self.cohorts[place].lanes = lanes;
            if lanes.any() {
                self.cohorts.swap(kept, place);
                kept += 1;
            }
        }
        self.cohorts.truncate(kept);
    }

    /// Each part begins as many games of its block as it has lanes for. Once all games of a block are
    /// over it takes another.
    #[inline(always)]
    fn lanes_to_start(&mut self) -> W {
        let running = self.running.parts();
        let mut started = [0; PARTS];
        for part in 0..W::LANES / 64 {
            let block = &mut self.blocks[part];
            if block.games == 0
                && running[part] == 0
                && !self.is_closed
                && let Some(next) = self.request.blocks.take()
            {
                self.steps.begin_stream(part, self.request.seed, next.number);
                *block = next;
            }
            started[part] = lowest_bits(!running[part], block.games);
            block.games -= u64::from(started[part].count_ones());
        }
        W::from_parts(&started)
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

    /// A game that is over at the start takes no step; counting it once is enough.
    #[inline(always)]
    fn count_games_over_at_once(&mut self) {
        let mut games = 0;
        while let Some(block) = self.request.blocks.take() {
            if self.request.blocks.are_endless() {
                games = u64::from(block.number == 0);
                break;
            }
            games += block.games;
        }
        if games == 0 {
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
            self.blocks = [Block::default(); PARTS];
            self.is_closed = true;
        }
        if self.request.last_moment.is_some_and(|last| now >= last) {
            self.tally.capped += u64::from(self.running.count());
            for cohort in &self.cohorts {
                let games = u64::from(cohort.lanes.and(self.running).count());
                self.tally.steps += games * (self.time - cohort.start);
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
        // The oldest games have a place at their length before they end.
        while tally.lengths.last() == Some(&0) {
            tally.lengths.pop();
        }
        let ended: u64 = tally.lengths.iter().sum();
        tally.playouts = ended + tally.stuck + tally.capped;
        let moves =
            tally.lengths.iter().zip(0..).map(|(&count, length): (&u64, u64)| count * length);
        tally.steps += moves.sum::<u64>();
        tally
    }
}
