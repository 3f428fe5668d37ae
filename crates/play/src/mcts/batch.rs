//! Batched iterations: many descents, their leaves played out together, then backpropagation.

use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::RoleId;
use gambol_sim::Answers;
use smallvec::SmallVec;

use crate::mcts::selection::Leaf;
use crate::mcts::tree::NodeId;
use crate::mcts::tree_search::{TreeSearch, USUAL_GAMES};
use crate::mcts::turns::Turns;

/// A leaf and the results of its games so far.
pub(crate) struct Flight {
    pub(crate) leaf: Leaf,
    /// States whose games are not over.
    left: u32,
    games: f64,
    goals: SmallVec<[f64; 4]>,
}

/// What running games are played for.
#[derive(Clone, Copy)]
pub(crate) struct Ticket {
    flight: usize,
    /// The move that leads to the state, if it is not that of the leaf itself.
    arm: Option<usize>,
}

/// Leaves whose games are running.
#[derive(Default)]
pub(crate) struct UnderWay {
    flights: Vec<Option<Flight>>,
    free_flights: Vec<usize>,
    tickets: Vec<Ticket>,
    free_tickets: Vec<usize>,
}

/// The most games that a leaf gets if that is found by measuring.
const MOST_GAMES: u32 = 1024;

impl TreeSearch<'_> {
    /// Descends to some leaves, plays from them, and backs up the results. Without a deadline no clock
    /// is read.
    pub(crate) fn round(&mut self, turns: &mut Turns<'_>, deadline: Option<Instant>) {
        let (begun, waited) = (Instant::now(), turns.waited);
        self.tell_playouts();
        let flies = self.collect(turns, deadline);
        let found = begun.elapsed().saturating_sub(turns.waited - waited);
        let (before, waited) = (Instant::now(), turns.waited);
        let mut answers = std::mem::take(&mut self.answers);
        // Long games of earlier rounds continue beside these, unless only they are left.
        self.aside(turns, |search| match flies {
            true => search.rollouts.play(deadline, &mut answers),
            false => search.rollouts.finish(deadline, &mut answers),
        });
        let played = before.elapsed().saturating_sub(turns.waited - waited);
        if deadline.is_some() {
            self.balance(found, played);
            self.looking.rounds += found + played;
        } else {
            self.games_per_leaf = self.options.playouts.unwrap_or(USUAL_GAMES);
        }
        self.take_up_answers(&answers);
        self.answers = answers;
    }

    /// Waits for the games of all rounds.
    pub(crate) fn finish(&mut self, turns: &mut Turns<'_>, deadline: Option<Instant>) {
        let mut answers = std::mem::take(&mut self.answers);
        self.aside(turns, |search| search.rollouts.finish(deadline, &mut answers));
        self.take_up_answers(&answers);
        self.answers = answers;
    }

    fn take_up_answers(&mut self, answers: &Answers) {
        for (number, playouts, goals) in answers.iter() {
            let ticket = self.under_way.check_out(number);
            self.take_up_prior(ticket.arm, playouts, goals);
            let landed = self.under_way.land(ticket.flight, playouts, goals);
            if let Some(flight) = landed {
                self.take_up_flight(flight);
            }
        }
    }

    /// Goes down to leaves; says whether games are to be played from any. Where the goals are certain, an oracle is
    /// asked, or the evaluation is all that counts, no games are needed.
    fn collect(&mut self, turns: &mut Turns<'_>, deadline: Option<Instant>) -> bool {
        let mut descents = std::mem::take(&mut self.descents);
        self.descend_all(&mut descents, deadline);
        self.look_beyond(&mut descents, turns);
        let mut flies = false;
        if self.consulted.is_some() {
            self.consult(&mut descents);
        }
        for leaf in descents.drain(..) {
            if leaf.beyond.is_none() && self.tree.node(leaf.node).settled {
                self.take_up_certain(&leaf);
                self.spare.push(leaf);
            } else if self.plays_out() {
                self.ask_for_games(leaf);
                flies = true;
            } else {
                self.playouts += 1;
                let worth = self.mixed_worth(&leaf, None);
                self.take_up(&leaf, Some(&worth));
                self.spare.push(leaf);
            }
        }
        self.descents = descents;
        flies
    }

    /// Games from a leaf, or from each of the states after it where there are enough of them.
    fn ask_for_games(&mut self, leaf: Leaf) {
        let games = self.games_per_leaf;
        let (node, beyond) = (leaf.node, leaf.beyond.clone());
        let born = match beyond {
            None => self.offspring.take(node),
            Some(_) => None,
        };
        let goals = SmallVec::from_elem(0.0, self.best_goals.len());
        let flight = self.under_way.take_off(Flight { leaf, left: 0, games: 0.0, goals });
        if let Some(born) = born {
            let each = games.div_ceil(born.len() as u32);
            for place in born {
                let (arm, state) = self.offspring.state(place);
                let number = self.under_way.check_in(Ticket { flight, arm: Some(arm) });
                self.rollouts.begin(number, state, each);
            }
        } else {
            let state = match &beyond {
                Some(state) => state.words(),
                None => self.tree.state(node),
            };
            let number = self.under_way.check_in(Ticket { flight, arm: None });
            self.rollouts.begin(number, state, games);
        }
    }

    fn descend_all(&mut self, descents: &mut Vec<Leaf>, deadline: Option<Instant>) {
        let end = |leaf: &Leaf| -> (NodeId, Option<u64>) { (leaf.node, leaf.unseen) };
        for _ in 0..self.options.leaves {
            // In large games even one descent takes noticeable time.
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || self.tree.node(self.root).settled {
                break;
            }
            let mut leaf = self.spare.pop().unwrap_or_else(Leaf::new);
            self.descend(&mut leaf);
            if leaf.unseen.is_none() && self.tree.node(leaf.node).settled {
                self.take_up_certain(&leaf);
                self.spare.push(leaf);
                continue;
            }
            // There is no more to find before what was found is looked at.
            let met = descents.iter().any(|other| end(other) == end(&leaf));
            descents.push(leaf);
            if met {
                break;
            }
        }
    }

    /// Games from the state after a move are the first that is known of it.
    fn take_up_prior(&mut self, arm: Option<usize>, playouts: u32, goals: &[u64]) {
        if let [one, other] = *goals {
            let (games, best) = (u64::from(playouts), &self.best_goals);
            let share = |goals: u64, role: u32| goals * u64::from(best[RoleId::new(1 - role)]);
            let all = games * u64::from(best[RoleId::new(0)]) * u64::from(best[RoleId::new(1)]);
            self.constant_sum &= share(one, 0) + share(other, 1) == all;
        }
        if let Some(arm) = arm
            && playouts > 0
        {
            let role = self.role_of(self.tree.arm(arm).action);
            let mean = goals[role.index()] as f64 / f64::from(playouts);
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
    fn land(&mut self, place: usize, playouts: u32, goals: &[u64]) -> Option<Flight> {
        let flight = self.flights[place].as_mut()?;
        flight.games += f64::from(playouts);
        for (sum, &goals) in flight.goals.iter_mut().zip(goals) {
            *sum += goals as f64;
        }
        flight.left -= 1;
        if flight.left > 0 {
            return None;
        }
        self.free_flights.push(place);
        self.flights[place].take()
    }
}
