//! Learning an evaluation from own play.
//!
//! Many games are played side by side. Who chooses makes the move after which the evaluation, as it is by
//! then, promises most, and now and then any move. When a game is over its states are told, last one first,
//! what came of it (temporal differences; Sutton 1988), by logistic regression with a step of its own for
//! each weight (AdaGrad; Duchi, Hazan and Singer 2011). What is learnt of a fluent is also learnt of those
//! that share words with it: see [`Patterns`].

pub(crate) mod judgement;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, Net, RoleId};
use gambol_sim::{Circuit, Evaluator, Successors, Wanted};

use crate::evaluation::patterns::Patterns;
use crate::evaluation::{Evaluation, ones, share_of};
use crate::mcts::tree_search::chance_of;
use gambol_run::mixed;

/// How long to learn, or to judge what was learnt.
#[derive(Clone, Debug)]
pub(crate) struct Lesson<'a> {
    pub(crate) time: Duration,
    /// No more games than this are learnt from.
    pub(crate) games: usize,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) seed: u64,
}

/// Games side by side.
const GAMES: usize = 64;
/// Longer games are not learnt from.
const LONGEST_GAME: usize = 300;
/// Games begin with at most this many random steps.
const OPENING: u64 = 8;
/// One move in this many is uniform among all.
const ANY_MOVE: u64 = 10;
/// How much of what came of a game reaches each state before; the rest is what was predicted there.
const TRACE: f32 = 0.8;
const RATE: f32 = 0.05;
/// States with more moves are not looked ahead from.
const MOST_MOVES: usize = 512;
/// Fewer games say nothing.
const FEWEST_GAMES: usize = 100;

/// Learns what states of a game are worth; `None` if there was no time for that.
pub(crate) fn learn(net: &Net, circuit: &Circuit, lesson: &Lesson<'_>) -> Option<Evaluation> {
    let mut school = School::new(net, circuit, lesson.seed);
    school.play(Instant::now() + lesson.time, lesson);
    school.settle();
    (school.games >= FEWEST_GAMES).then_some(school.evaluation)
}

/// A running game.
#[derive(Clone)]
struct Game {
    /// Its states so far, row after row; the last one is where it stands.
    states: Vec<u64>,
    legal: Vec<MoveId>,
    opening: u64,
}

struct School<'a> {
    circuit: &'a Circuit,
    roles_of_moves: IndexVec<MoveId, RoleId>,
    chance: Option<RoleId>,
    best_goals: Vec<f32>,
    successors: Successors<'a>,
    start: Game,
    evaluation: Evaluation,
    patterns: Patterns,
    /// For each role: the weight of each pattern, and the sum of its squared gradients.
    of_patterns: Vec<Vec<(f32, f32)>>,
    /// The gradient of each fluent of one role in a game, then the bias.
    gradient: Vec<f32>,
    /// The sum of the weights after each game, and how many games that were.
    mean: Vec<f64>,
    meant: usize,
    games: usize,
    draws: u64,
    seed: u64,
}

impl<'a> School<'a> {
    fn new(net: &Net, circuit: &'a Circuit, seed: u64) -> Self {
        let roles = circuit.role_count();
        let mut best_goals = vec![1.0f32; roles];
        for goal in circuit.goals() {
            let best = &mut best_goals[goal.role.index()];
            *best = best.max(goal.value as f32);
        }
        let successors = Successors::new(circuit);
        let mut states = circuit.initial().words().to_vec();
        states.resize(successors.width(), 0);
        let legal = Evaluator::new(circuit).legal(&circuit.initial());
        let weights = circuit.fluent_count() * roles;
        let patterns = Patterns::of(net);
        let roles_of_moves: Vec<RoleId> = net.moves.iter().map(|action| action.role).collect();
        let mut evaluation = Evaluation::nothing(circuit.fluent_count(), roles);
        evaluation.constant_sum = roles == 2;
        Self {
            circuit,
            roles_of_moves: roles_of_moves.into(),
            chance: chance_of(net),
            best_goals,
            successors,
            start: Game { states, legal, opening: 0 },
            evaluation,
            of_patterns: vec![vec![(0.0, 0.0); patterns.count()]; roles],
            gradient: vec![0.0; circuit.fluent_count() + 1],
            patterns,
            mean: vec![0.0; weights + roles],
            meant: 0,
            games: 0,
            draws: 0,
            seed,
        }
    }

    fn draw(&mut self, bound: u64) -> u64 {
        self.draws += 1;
        mixed(self.seed, self.draws) % bound.max(1)
    }

    fn new_game(&mut self) -> Game {
        let opening = self.draw(OPENING + 1);
        Game { opening, ..self.start.clone() }
    }

    /// Plays until the deadline.
    fn play(&mut self, deadline: Instant, lesson: &Lesson<'_>) {
        let mut games: Vec<Game> = (0..GAMES).map(|_| self.new_game()).collect();
        while Instant::now() < deadline
            && !lesson.stop.load(Ordering::Relaxed)
            && self.games < lesson.games
        {
            let chosen = self.choose_moves(&games);
            self.step(&mut games, &chosen);
        }
    }

    /// A joint move for each game.
    fn choose_moves(&mut self, games: &[Game]) -> Vec<Vec<MoveId>> {
        let width = self.successors.width();
        self.successors.clear();
        let mut chosen: Vec<Vec<MoveId>> = Vec::with_capacity(games.len());
        let mut asked: Vec<Option<(RoleId, usize, usize)>> = Vec::with_capacity(games.len());
        for game in games {
            let (mut joint, mut chooser, mut choosing) = (Vec::new(), None, 0);
            for role in 0..self.circuit.role_count() {
                let own = self.moves_of(game, RoleId::from_index(role));
                choosing += usize::from(own.len() > 1);
                if own.len() > 1 {
                    chooser = Some((RoleId::from_index(role), own.len()));
                }
                let draw = self.draw(own.len() as u64) as usize;
                joint.extend(own.get(draw));
            }
            let steps = game.states.len() / width - 1;
            let any = steps < game.opening as usize || self.draw(ANY_MOVE) == 0;
            let thoughtful = chooser.filter(|&(role, moves)| {
                choosing == 1 && !any && moves <= MOST_MOVES && self.chance != Some(role)
            });
            asked.push(thoughtful.map(|(role, moves)| (role, self.successors.len(), moves)));
            if let Some((role, _)) = thoughtful {
                let state = &game.states[game.states.len() - width..];
                for action in self.moves_of(game, role) {
                    let others = joint.iter().copied();
                    let joint = others.map(|one| match self.roles_of_moves[one] == role {
                        true => action,
                        false => one,
                    });
                    self.successors.ask(state, joint);
                }
            }
            chosen.push(joint);
        }
        self.successors.answer(Wanted { states: true, legal: false });
        for ((joint, asked), game) in chosen.iter_mut().zip(asked).zip(games) {
            let Some((role, first, moves)) = asked else { continue };
            let best = self.most_promising(role, first..first + moves);
            joint[role.index()] = self.moves_of(game, role)[best - first];
        }
        chosen
    }

    fn moves_of(&self, game: &Game, role: RoleId) -> Vec<MoveId> {
        game.legal.iter().copied().filter(|&one| self.roles_of_moves[one] == role).collect()
    }

    /// The answer that promises a role most; of equals any.
    fn most_promising(&mut self, role: RoleId, answers: std::ops::Range<usize>) -> usize {
        let (mut best, mut promised) = (answers.start, f32::NEG_INFINITY);
        for answer in answers {
            let promise = match self.successors.terminal(answer) {
                // What is certain outdoes whatever is guessed.
                true => {
                    let goal = self.successors.goals(answer)[role.index()] as f32;
                    40.0 * (goal / self.best_goals[role.index()] - 0.5)
                }
                false => self.evaluation.logit(role, self.successors.row(answer)),
            };
            let noise = self.draw(1 << 20) as f32 / (1u64 << 20) as f32;
            if promise + noise * 1e-3 > promised {
                (best, promised) = (answer, promise + noise * 1e-3);
            }
        }
        best
    }

    fn step(&mut self, games: &mut [Game], chosen: &[Vec<MoveId>]) {
        let width = self.successors.width();
        self.successors.clear();
        for (game, joint) in games.iter().zip(chosen) {
            let state = &game.states[game.states.len() - width..];
            // A game in which a role is stuck is given up below.
            let whole = joint.len() == self.circuit.role_count();
            let joint = if whole { joint } else { &chosen[0] };
            self.successors.ask(state, joint.iter().copied());
        }
        self.successors.answer(Wanted { states: true, legal: true });
        for (number, game) in games.iter_mut().enumerate() {
            if chosen[number].len() < self.circuit.role_count() {
                *game = self.new_game();
                continue;
            }
            game.states.extend_from_slice(self.successors.row(number));
            if self.successors.terminal(number) {
                let goals = self.successors.goals(number).iter().zip(&self.best_goals);
                let shares: Vec<f32> = goals.map(|(&goal, best)| goal as f32 / best).collect();
                self.take_in(game, &shares);
                *game = self.new_game();
            } else if game.states.len() / width > LONGEST_GAME {
                *game = self.new_game();
            } else {
                game.legal.clear();
                game.legal.extend_from_slice(self.successors.legal(number));
            }
        }
    }

    fn take_in(&mut self, game: &Game, shares: &[f32]) {
        self.games += 1;
        if shares.len() == 2 && (shares[0] + shares[1] - 1.0).abs() > 1e-3 {
            self.evaluation.constant_sum = false;
        }
        for (role, &share) in shares.iter().enumerate() {
            self.learn_from(&game.states, RoleId::from_index(role), share);
        }
        self.add_to_mean();
    }

    /// Moves the weights of a role towards what came after each state of a game. What came after it is,
    /// for the states before, partly what was predicted in it.
    fn learn_from(&mut self, states: &[u64], role: RoleId, outcome: f32) {
        let (width, bias) = (self.successors.width(), self.gradient.len() - 1);
        self.gradient.fill(0.0);
        let mut target = outcome;
        // The last state needs no prediction: the game is over there.
        for state in states.chunks(width).rev().skip(1) {
            let predicted = share_of(self.evaluation.logit(role, state));
            let error = target - predicted;
            ones(state).for_each(|fluent| self.gradient[fluent] += error);
            self.gradient[bias] += error;
            target = TRACE * target + (1.0 - TRACE) * predicted;
        }
        let roles = self.circuit.role_count();
        let weights = &mut self.of_patterns[role.index()];
        self.patterns.descend(&self.gradient, weights, RATE);
        for (fluent, place) in (role.index()..).step_by(roles).take(bias).enumerate() {
            self.evaluation.weights[place] = self.patterns.weight_of(fluent, weights);
        }
        self.evaluation.bias[role.index()] = self.patterns.weight_of(bias, weights);
    }

    /// The mean forgets the first half, since games were poor then.
    fn add_to_mean(&mut self) {
        if self.games.is_power_of_two() {
            self.mean.fill(0.0);
            self.meant = 0;
        }
        let weights = self.evaluation.weights.iter().chain(&self.evaluation.bias);
        for (sum, &weight) in self.mean.iter_mut().zip(weights) {
            *sum += f64::from(weight);
        }
        self.meant += 1;
    }

    /// Takes the mean of the weights, which wavers less than the last ones. Where one of two roles gains what
    /// the other loses, both have said the same thing and are made to agree.
    fn settle(&mut self) {
        let (weights, count) = (self.evaluation.weights.len(), self.meant.max(1) as f64);
        for (place, &sum) in self.mean.iter().enumerate() {
            let mean = (sum / count) as f32;
            match place < weights {
                true => self.evaluation.weights[place] = mean,
                false => self.evaluation.bias[place - weights] = mean,
            }
        }
        if self.evaluation.constant_sum {
            let pairs = self.evaluation.weights.chunks_exact_mut(2);
            for pair in pairs.chain(self.evaluation.bias.chunks_exact_mut(2)) {
                let weight = (pair[0] - pair[1]) / 2.0;
                pair.copy_from_slice(&[weight, -weight]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::net_of;

    const RULES: &str = include_str!("../../../../games/breakthrough-5x5/rules.kif");

    fn learnt(net: &Net) -> Evaluation {
        let circuit = Circuit::compile(net, &Default::default()).expect("a circuit");
        let (time, stop) = (Duration::from_secs(600), AtomicBool::new(false));
        let lesson = Lesson { time, games: 600, stop: &stop, seed: 3 };
        learn(net, &circuit, &lesson).expect("games enough")
    }

    /// The mean weight of the men of a side on a rank.
    fn mean(net: &Net, evaluation: &Evaluation, end: &str) -> f32 {
        let weights = evaluation.weights(RoleId::new(0)).zip(net.fluents.iter());
        let of_rank = weights.filter(|(_, name)| name.to_string().ends_with(end));
        let weights: Vec<f32> = of_rank.map(|(weight, _)| weight).collect();
        weights.iter().sum::<f32>() / weights.len() as f32
    }

    #[test]
    fn men_close_to_the_far_rank_are_worth_most() {
        let net = net_of(RULES);
        let evaluation = learnt(&net);
        assert!(evaluation.constant_sum);
        let rank = |rank: u32, side: &str| mean(&net, &evaluation, &format!(" {rank} {side})"));
        assert!(rank(4, "white") > rank(2, "white") && rank(4, "white") > 0.0);
        assert!(rank(2, "black") < rank(4, "black") && rank(2, "black") < 0.0);
        assert_eq!(evaluation, learnt(&net), "the same lesson teaches the same");
    }

    #[test]
    fn what_a_step_changes_is_the_difference_of_the_states() {
        let net = net_of(RULES);
        let (evaluation, role) = (learnt(&net), RoleId::new(1));
        let (before, after) = ([0b1011_0110u64], [0b0111_0010u64]);
        let difference = evaluation.logit(role, &after) - evaluation.logit(role, &before);
        assert!((evaluation.change(role, &before, &after) - difference).abs() < 1e-4);
    }
}
