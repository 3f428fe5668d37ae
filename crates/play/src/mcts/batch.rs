//! Batched iterations: many descents, their leaves played out together, then backpropagation.
//!
//! With several threads one of them selects and backs up, and hands the leaves out in batches; the
//! others play. As many batches are under way as keep the others busy. When they all have enough, the
//! first thread plays as well.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use gambol_net::RoleId;
use gambol_sim::{Returns, Rollouts, Start, State};
use smallvec::SmallVec;

use crate::mcts::selection::Leaf;
use crate::mcts::tree::NodeId;
use crate::mcts::tree_search::{TreeSearch, USUAL_GAMES};

/// Leaves that wait for their games.
#[derive(Default)]
pub(crate) struct Batch {
    leaves: Vec<Leaf>,
    starts: Vec<Waiting>,
}

/// Games that are to be played for a leaf.
struct Waiting {
    /// The place of the leaf.
    leaf: usize,
    /// The move that leads to the state, if it is not that of the leaf itself.
    arm: Option<usize>,
    state: State,
    games: u32,
}

/// A batch whose games are over.
struct Played {
    worker: usize,
    batch: Batch,
    returns: Vec<Returns>,
    time: Duration,
}

/// A leaf and what its games have brought so far.
pub(crate) struct Flight {
    pub(crate) leaf: Leaf,
    /// States whose games are not over.
    left: u32,
    games: f64,
    goals: SmallVec<[f64; 4]>,
}

/// What games that are under way are played for.
#[derive(Clone, Copy)]
pub(crate) struct Ticket {
    flight: usize,
    arm: Option<usize>,
}

/// Leaves whose games are under way, in a process of one thread.
#[derive(Default)]
pub(crate) struct UnderWay {
    flights: Vec<Option<Flight>>,
    free_flights: Vec<usize>,
    tickets: Vec<Ticket>,
    free_tickets: Vec<usize>,
}

/// The most games that a leaf gets if that is found by measuring.
const MOST_GAMES: u32 = 1024;
/// Batches that a thread has before it.
const AHEAD: usize = 2;

impl Batch {
    fn play(&self, rollouts: &mut Rollouts<'_>, deadline: Option<Instant>) -> Vec<Returns> {
        let starts = self.starts.iter();
        let starts: Vec<Start<'_>> =
            starts.map(|one| Start { state: &one.state, playouts: one.games }).collect();
        match deadline {
            Some(deadline) => rollouts.run_until(&starts, deadline),
            None => rollouts.run(&starts),
        }
    }
}

impl TreeSearch<'_> {
    /// Descends to some leaves, plays from them, and takes what that brought back up. Without a
    /// deadline time does not matter.
    pub(crate) fn round(&mut self, deadline: Option<Instant>) {
        let begun = Instant::now();
        self.tell_playouts();
        let batch = self.collect(deadline);
        let found = begun.elapsed();
        // Long games of earlier rounds go on beside these, unless they are all there is.
        let answers = match batch.leaves.is_empty() {
            true => self.rollouts[0].finish(deadline),
            false => {
                self.hand_over(batch);
                self.rollouts[0].play(deadline)
            }
        };
        if deadline.is_some() {
            self.balance(found, begun.elapsed().saturating_sub(found));
            self.looking.rounds += begun.elapsed();
        } else {
            self.games_per_leaf = self.options.playouts.unwrap_or(USUAL_GAMES);
        }
        self.take_up_answers(answers);
    }

    /// Waits for the games of all rounds.
    pub(crate) fn finish(&mut self, deadline: Option<Instant>) {
        let answers = self.rollouts[0].finish(deadline);
        self.take_up_answers(answers);
    }

    fn hand_over(&mut self, Batch { leaves, starts }: Batch) {
        let roles = self.best_goals.len();
        let mut places: SmallVec<[usize; 64]> = SmallVec::new();
        for leaf in leaves {
            let flight =
                Flight { leaf, left: 0, games: 0.0, goals: SmallVec::from_elem(0.0, roles) };
            places.push(self.under_way.take_off(flight));
        }
        for waiting in starts {
            let ticket = Ticket { flight: places[waiting.leaf], arm: waiting.arm };
            let number = self.under_way.check_in(ticket);
            let start = Start { state: &waiting.state, playouts: waiting.games };
            self.rollouts[0].begin(number, start);
        }
    }

    fn take_up_answers(&mut self, answers: Vec<(usize, Returns)>) {
        for (number, returns) in answers {
            let ticket = self.under_way.check_out(number);
            self.take_up_prior(ticket.arm, &returns);
            let landed = self.under_way.land(ticket.flight, &returns);
            if let Some(flight) = landed {
                self.take_up_flight(flight);
            }
        }
    }

    /// Goes down to leaves. Where the goals are certain, an oracle is asked, or the evaluation is all that counts,
    /// no games are needed.
    fn collect(&mut self, deadline: Option<Instant>) -> Batch {
        let mut ways = self.descents(deadline);
        self.look_beyond(&mut ways);
        let mut batch = Batch::default();
        if self.consulted.is_some() {
            self.consult(ways);
            return batch;
        }
        for leaf in ways {
            if leaf.beyond.is_none() && self.tree.node(leaf.node).proved {
                self.take_up_certain(&leaf);
                self.spare.push(leaf);
            } else if self.plays_out() {
                self.ask_for_games(leaf, &mut batch);
            } else {
                self.playouts += 1;
                let worth = self.mixed_worth(&leaf, None);
                self.take_up(&leaf, Some(&worth));
                self.spare.push(leaf);
            }
        }
        batch
    }

    /// Games from a leaf, or from each of the states after it where there are enough of them.
    fn ask_for_games(&mut self, leaf: Leaf, batch: &mut Batch) {
        let (place, games) = (batch.leaves.len(), self.games_per_leaf);
        let born = self.offspring.iter().position(|born| born.node == leaf.node);
        let born = born.filter(|_| leaf.beyond.is_none());
        if let Some(born) = born.map(|place| self.offspring.swap_remove(place)) {
            let each = games.div_ceil(born.states.len() as u32);
            let waiting =
                |(arm, state)| Waiting { leaf: place, arm: Some(arm), state, games: each };
            batch.starts.extend(born.states.into_iter().map(waiting));
        } else {
            let state = match &leaf.beyond {
                Some(state) => state.clone(),
                None => self.state_at(leaf.node),
            };
            batch.starts.push(Waiting { leaf: place, arm: None, state, games });
        }
        batch.leaves.push(leaf);
    }

    fn descents(&mut self, deadline: Option<Instant>) -> Vec<Leaf> {
        let mut ways: Vec<Leaf> = Vec::with_capacity(self.options.leaves);
        let end = |leaf: &Leaf| -> (NodeId, Option<u64>) { (leaf.node, leaf.unseen) };
        for _ in 0..self.options.leaves {
            // In large games even one way down takes its time.
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || self.tree.node(self.root).proved {
                break;
            }
            let mut leaf = self.spare.pop().unwrap_or_else(Leaf::new);
            self.descend(&mut leaf);
            if leaf.unseen.is_none() && self.tree.node(leaf.node).proved {
                self.take_up_certain(&leaf);
                self.spare.push(leaf);
                continue;
            }
            // There is no more to find before what was found is looked at.
            let met = ways.iter().any(|other| end(other) == end(&leaf));
            ways.push(leaf);
            if met {
                break;
            }
        }
        ways
    }

    fn take_up_all(&mut self, batch: Batch, returns: &[Returns]) {
        let roles = self.best_goals.len();
        let flight =
            |leaf| Flight { leaf, left: 0, games: 0.0, goals: SmallVec::from_elem(0.0, roles) };
        let mut flights: Vec<Flight> = batch.leaves.into_iter().map(flight).collect();
        for (waiting, returns) in batch.starts.iter().zip(returns) {
            self.take_up_prior(waiting.arm, returns);
            flights[waiting.leaf].note(returns);
        }
        flights.into_iter().for_each(|flight| self.take_up_flight(flight));
    }

    /// Games from the state after a move are the first that is known of it.
    fn take_up_prior(&mut self, arm: Option<usize>, returns: &Returns) {
        if let [one, other] = *returns.goals.as_slice() {
            let (games, best) = (u64::from(returns.playouts), &self.best_goals);
            let share = |goals: u64, role: u32| goals * u64::from(best[RoleId::new(1 - role)]);
            let all = games * u64::from(best[RoleId::new(0)]) * u64::from(best[RoleId::new(1)]);
            self.constant_sum &= share(one, 0) + share(other, 1) == all;
        }
        if let Some(arm) = arm
            && returns.playouts > 0
        {
            let role = self.role_of(self.tree.arm(arm).action);
            let mean = returns.goals[role] as f64 / f64::from(returns.playouts);
            let share = mean / f64::from(self.best_goals[role].max(1));
            self.tree.arm_mut(arm).minimax = share as f32;
        }
    }

    fn take_up_flight(&mut self, flight: Flight) {
        let Flight { leaf, games, goals, .. } = flight;
        self.playouts += games as u64;
        let goals: SmallVec<[f64; 4]> = goals.iter().map(|&sum| sum / games).collect();
        let worth = self.worth(&goals);
        let worth = (games > 0.0).then(|| self.mixed_worth(&leaf, Some(&worth)));
        if self.evaluation.is_none() && leaf.beyond.is_none() {
            self.best_prior(leaf.node);
        }
        self.take_up(&leaf, worth.as_deref());
        self.spare.push(leaf);
    }

    /// Playing should take as long as finding out what to play, or a little longer: then no more
    /// than half the time is lost on either.
    fn balance(&mut self, found: Duration, played: Duration) {
        if self.options.playouts.is_some() {
            return;
        }
        let games = self.games_per_leaf;
        if played < found + found / 4 && games < MOST_GAMES {
            self.games_per_leaf = games * 2;
        } else if played > found * 4 && games > self.options.fewest {
            self.games_per_leaf = games / 2;
        }
    }

    /// Searches with the help of other threads.
    pub(crate) fn search_together(&mut self, deadline: Instant, stop: &AtomicBool) {
        self.tell_playouts();
        let mut helpers = self.rollouts.split_off(1);
        thread::scope(|scope| {
            let (done, results) = channel();
            let tasks: Vec<Sender<Batch>> = (helpers.iter_mut().enumerate())
                .map(|(worker, rollouts)| {
                    let (task, tasks) = channel();
                    let done = done.clone();
                    scope.spawn(move || help(worker, rollouts, deadline, &tasks, &done));
                    task
                })
                .collect();
            drop(done);
            self.share_out(deadline, stop, &tasks, &results);
            drop(tasks);
            for played in results {
                self.take_up_all(played.batch, &played.returns);
            }
        });
        self.rollouts.extend(helpers);
    }

    fn share_out(
        &mut self,
        deadline: Instant,
        stop: &AtomicBool,
        tasks: &[Sender<Batch>],
        results: &Receiver<Played>,
    ) {
        let mut under_way = vec![0; tasks.len()];
        while self.is_worth_searching()
            && Instant::now() < deadline
            && !stop.load(Ordering::Relaxed)
        {
            let begun = Instant::now();
            let batch = self.collect(Some(deadline));
            let found = begun.elapsed();
            let free = (0..tasks.len()).min_by_key(|&worker| under_way[worker]);
            match free.filter(|&worker| under_way[worker] < AHEAD) {
                Some(worker) => {
                    if tasks[worker].send(batch).is_ok() {
                        under_way[worker] += 1;
                    }
                }
                None => {
                    let returns = batch.play(&mut self.rollouts[0], Some(deadline));
                    self.take_up_all(batch, &returns);
                }
            }
            self.looking.rounds += begun.elapsed();
            while let Ok(played) = results.try_recv() {
                under_way[played.worker] -= 1;
                self.take_up_all(played.batch, &played.returns);
                self.balance(found, played.time);
            }
        }
    }
}

impl Flight {
    fn note(&mut self, returns: &Returns) {
        self.games += f64::from(returns.playouts);
        for (sum, &goals) in self.goals.iter_mut().zip(returns.goals.iter()) {
            *sum += goals as f64;
        }
    }
}

impl UnderWay {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    fn take_off(&mut self, flight: Flight) -> usize {
        let place = self.free_flights.pop().unwrap_or(self.flights.len());
        match self.flights.get_mut(place) {
            Some(free) => *free = Some(flight),
            None => self.flights.push(Some(flight)),
        }
        place
    }

    /// A number for the games from one state.
    fn check_in(&mut self, ticket: Ticket) -> usize {
        if let Some(flight) = &mut self.flights[ticket.flight] {
            flight.left += 1;
        }
        let number = self.free_tickets.pop().unwrap_or(self.tickets.len());
        match self.tickets.get_mut(number) {
            Some(free) => *free = ticket,
            None => self.tickets.push(ticket),
        }
        number
    }

    fn check_out(&mut self, number: usize) -> Ticket {
        self.free_tickets.push(number);
        self.tickets[number]
    }

    /// Games from one state of a flight are over; the flight, if they were the last.
    fn land(&mut self, place: usize, returns: &Returns) -> Option<Flight> {
        let flight = self.flights[place].as_mut()?;
        flight.note(returns);
        flight.left -= 1;
        if flight.left > 0 {
            return None;
        }
        self.free_flights.push(place);
        self.flights[place].take()
    }
}

/// Plays the batches that come in.
fn help(
    worker: usize,
    rollouts: &mut Rollouts<'_>,
    deadline: Instant,
    tasks: &Receiver<Batch>,
    done: &Sender<Played>,
) {
    for batch in tasks {
        let begun = Instant::now();
        let returns = batch.play(rollouts, Some(deadline));
        let played = Played { worker, batch, returns, time: begun.elapsed() };
        if done.send(played).is_err() {
            return;
        }
    }
}
