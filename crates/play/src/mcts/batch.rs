//! Batched iterations: many descents, their leaves played out together, then backpropagation.
//!
//! With several threads one of them selects and backs up, and hands the leaves out in batches; the
//! others play. As many batches are under way as keep the others busy. When they all have enough, the
//! first thread plays as well.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use gambol_sim::{Returns, Rollouts, Start, State};
use smallvec::SmallVec;

use crate::mcts::selection::Leaf;
use crate::mcts::tree::NodeId;
use crate::mcts::tree_search::{TreeSearch, USUAL_GAMES};

/// Leaves that wait for their games.
struct Batch {
    leaves: Vec<Leaf>,
    starts: Vec<State>,
    games: u32,
}

/// A batch whose games are over.
struct Played {
    worker: usize,
    leaves: Vec<Leaf>,
    returns: Vec<Returns>,
    time: Duration,
}

/// Bounds of the number of games that a leaf gets if it is found by measuring.
const FEWEST_GAMES: u32 = 8;
const MOST_GAMES: u32 = 1024;
/// Batches that a thread has before it.
const AHEAD: usize = 2;

impl Batch {
    fn play(&self, rollouts: &mut Rollouts<'_>, deadline: Option<Instant>) -> Vec<Returns> {
        let playouts = self.games;
        let starts: Vec<Start<'_>> =
            self.starts.iter().map(|state| Start { state, playouts }).collect();
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

    fn hand_over(&mut self, Batch { leaves, starts, games }: Batch) {
        for (leaf, state) in leaves.into_iter().zip(&starts) {
            let number = self.under_way.iter().position(Option::is_none);
            let number = number.unwrap_or(self.under_way.len());
            if number == self.under_way.len() {
                self.under_way.push(None);
            }
            self.rollouts[0].begin(number, Start { state, playouts: games });
            self.under_way[number] = Some(leaf);
        }
    }

    fn take_up_answers(&mut self, answers: Vec<(usize, Returns)>) {
        for (number, returns) in answers {
            if let Some(leaf) = self.under_way.get_mut(number).and_then(Option::take) {
                self.take_up_games(leaf, &returns);
            }
        }
    }

    /// Goes down to leaves. Where the goals are certain, an oracle is asked, or the evaluation is all that counts,
    /// no games are needed.
    fn collect(&mut self, deadline: Option<Instant>) -> Batch {
        let mut ways = self.descents(deadline);
        self.look_beyond(&mut ways);
        let games = self.games_per_leaf;
        let mut batch = Batch { leaves: Vec::with_capacity(ways.len()), starts: Vec::new(), games };
        if self.consulted.is_some() {
            self.consult(ways);
            return batch;
        }
        for leaf in ways {
            if leaf.beyond.is_none() && self.tree.node(leaf.node).proved {
                self.take_up_certain(&leaf);
                self.spare.push(leaf);
            } else if self.plays_out() {
                batch.starts.push(match &leaf.beyond {
                    Some(state) => state.clone(),
                    None => self.state_at(leaf.node),
                });
                batch.leaves.push(leaf);
            } else {
                self.playouts += 1;
                let worth = self.mixed_worth(&leaf, None);
                self.take_up(&leaf, Some(&worth));
                self.spare.push(leaf);
            }
        }
        batch
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

    fn take_up_all(&mut self, leaves: Vec<Leaf>, returns: &[Returns]) {
        let played = leaves.into_iter().zip(returns);
        played.for_each(|(leaf, returns)| self.take_up_games(leaf, returns));
    }

    fn take_up_games(&mut self, leaf: Leaf, returns: &Returns) {
        self.playouts += u64::from(returns.playouts);
        let games = f64::from(returns.playouts);
        let goals: SmallVec<[f64; 4]> =
            returns.goals.iter().map(|&sum| sum as f64 / games).collect();
        let worth = self.worth(&goals);
        let worth = (returns.playouts > 0).then(|| self.mixed_worth(&leaf, Some(&worth)));
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
        } else if played > found * 4 && games > FEWEST_GAMES {
            self.games_per_leaf = games / 2;
        }
    }

    /// Searches with the help of other threads.
    pub(crate) fn search_together(&mut self, deadline: Instant, stop: &AtomicBool) {
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
                self.take_up_all(played.leaves, &played.returns);
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
                    self.take_up_all(batch.leaves, &returns);
                }
            }
            self.looking.rounds += begun.elapsed();
            while let Ok(played) = results.try_recv() {
                under_way[played.worker] -= 1;
                self.take_up_all(played.leaves, &played.returns);
                self.balance(found, played.time);
            }
        }
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
        let played = Played { worker, leaves: batch.leaves, returns, time: begun.elapsed() };
        if done.send(played).is_err() {
            return;
        }
    }
}
