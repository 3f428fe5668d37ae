//! Looking one move ahead from new nodes: all their moves are made at once, in a lane each.
//!
//! Moves that end the game are certain from the start, so that a win at once is seen without a single
//! game (decisive moves; Teytaud and Teytaud 2010), and a move that allows one is refuted as soon as it was
//! tried once. With an evaluation, every move begins with what the state after it is worth.

use std::ops::Range;
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::RoleId;
use gambol_sim::{Successors, Wanted};
use smallvec::SmallVec;

use crate::evaluation::share_of;
use crate::mcts::selection::Leaf;
use crate::mcts::tree::{Chooser, NodeId};
use crate::mcts::tree_search::{End, TreeSearch};
use crate::mcts::turns::Turns;

/// Nodes with more moves than this are not looked ahead from.
const MOST_MOVES: usize = 256;

/// What looking ahead costs, as far as time matters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looking {
    ahead: Duration,
    /// Time of all rounds.
    pub(crate) rounds: Duration,
}

/// Look-ahead may take this fraction (one part in N) of the time. In hex, whose circuit is large and whose states
/// have many moves, only a third of the descents were left, and 20 games at 30 ms were 6 : 14 against the search
/// without.
const DEAREST: u32 = 4;
/// So long it is tried.
const TRIAL: Duration = Duration::from_millis(20);

/// A new node whose moves are tried: the role that chooses, and the first of the answers about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    node: NodeId,
    role: RoleId,
    first: usize,
    moves: usize,
}

/// The states after the new nodes of a round that are to be played from, row after row.
#[derive(Debug, Default)]
pub(crate) struct Offspring {
    nodes: Vec<(NodeId, Range<usize>)>,
    /// The move that leads to each of the states.
    arms: Vec<usize>,
    states: Vec<u64>,
}

impl Offspring {
    fn clear(&mut self) {
        self.nodes.clear();
        self.arms.clear();
        self.states.clear();
    }

    /// The places of the states after a node, which are not given away twice.
    pub(crate) fn take(&mut self, node: NodeId) -> Option<Range<usize>> {
        let place = self.nodes.iter().position(|(one, _)| *one == node)?;
        Some(self.nodes.swap_remove(place).1)
    }

    /// A state, and the move that leads to it.
    pub(crate) fn state(&self, place: usize) -> (usize, &[u64]) {
        let width = self.states.len() / self.arms.len();
        (self.arms[place], &self.states[place * width..][..width])
    }
}

/// Playouts start from the children of a leaf only if each child gets this many. With 4 of them the best of many moves
/// was the luckiest: reversi fell to 21 % and amazons to 8 % of 12 games.
const FEWEST_EACH: usize = 16;

impl Looking {
    fn is_too_dear(&self) -> bool {
        self.rounds > TRIAL && self.ahead * DEAREST > self.rounds
    }
}

impl TreeSearch<'_> {
    /// Makes all moves of new nodes in which one role chooses.
    pub(crate) fn look_ahead(&mut self, fresh: &[NodeId], turns: &mut Turns<'_>) {
        if let Some(evaluation) = self.evaluation.clone() {
            for &node in fresh {
                evaluation.shares(self.tree.state(node), &mut self.shares);
                self.tree.evaluation_mut(node).copy_from_slice(&self.shares);
            }
        }
        self.offspring.clear();
        if !self.options.look_ahead || self.looking.is_too_dear() && self.evaluation.is_none() {
            return;
        }
        let (begun, waited) = (Instant::now(), turns.waited);
        let mut successors = std::mem::take(&mut self.successors);
        let Some(looked) = &mut successors else { return };
        looked.clear();
        let mut trials = std::mem::take(&mut self.trials);
        trials.clear();
        for &node in fresh {
            if let Some(role) = self.looks_ahead_from(node) {
                let arms = self.tree.span(node, role);
                trials.push(Trial { node, role, first: looked.len(), moves: arms.len() });
                for arm in arms {
                    looked.ask(self.tree.state(node), self.tree.joint_move(node, arm));
                }
            }
        }
        if !trials.is_empty() {
            let states = self.evaluation.is_some() || self.plays_children();
            self.aside(turns, |search| {
                looked.answer(Wanted { states, legal: false });
                search.evaluate_answers(&trials, looked);
            });
            for trial in &trials {
                self.take_up_ends(trial.node, trial.role, looked, trial.first);
                self.take_up_evaluations(trial);
                if !self.conclude(trial.node) {
                    self.bear(trial.node, trial.role, looked, trial.first);
                }
            }
        }
        (self.successors, self.trials) = (successors, trials);
        self.looking.ahead += begun.elapsed().saturating_sub(turns.waited - waited);
    }

    /// The role whose moves are tried in a new node.
    fn looks_ahead_from(&self, node: NodeId) -> Option<RoleId> {
        let at = self.tree.node(node);
        let Chooser::One(role) = at.chooser else { return None };
        let open = !at.terminal && !at.settled && self.tree.span(node, role).len() <= MOST_MOVES;
        open.then_some(role)
    }

    /// Moves that end the game lead to nodes of their own, which are certain. Of moves that win one is enough.
    fn take_up_ends(&mut self, node: NodeId, role: RoleId, looked: &Successors<'_>, first: usize) {
        let span = self.tree.span(node, role);
        let ends = |arm: &usize| looked.terminal(first + arm - span.start);
        let goal = |arm: usize| self.worth_of(looked.goals(first + arm - span.start))[role.index()];
        let wins = span.clone().filter(ends).find(|&arm| goal(arm) == self.best_goals[role]);
        let ends: SmallVec<[usize; 16]> = match wins {
            Some(win) => SmallVec::from_slice(&[win]),
            None => span.clone().filter(ends).collect(),
        };
        for arm in ends {
            let answer = first + arm - span.start;
            let known = self.tree.find(looked.row(answer));
            if known.is_none() && self.is_full() {
                return;
            }
            let end = Some(End::after(looked, answer));
            let child = known.unwrap_or_else(|| self.add(looked.row(answer), &[], end));
            self.tree.set_child(arm, child);
            if let Some(values) = self.tree.settled(child) {
                let goal = values[role.index()];
                let share = self.share(role, goal) as f32;
                self.tree.arm_mut(arm).set_certain(goal);
                self.tree.arm_mut(arm).minimax = share;
            }
        }
    }

    /// Whether games may be played from the states after a leaf. What is learnt or told is better than that, and parts
    /// are weighed by the difference of two goals.
    fn plays_children(&self) -> bool {
        let alone = self.evaluation.is_none() && self.consulted.is_none();
        self.options.children && alone && !self.options.opposed
    }

    /// Keeps the states after a new node, to be played from instead of the node itself, if there are games enough
    /// for all of them.
    fn bear(&mut self, node: NodeId, role: RoleId, looked: &Successors<'_>, first: usize) {
        let span = self.tree.span(node, role);
        let enough = self.games_per_leaf as usize >= FEWEST_EACH * span.len();
        if !self.plays_children() || !enough {
            return;
        }
        let before = self.offspring.arms.len();
        for arm in span.clone().filter(|arm| !looked.terminal(first + arm - span.start)) {
            self.offspring.arms.push(arm);
            self.offspring.states.extend_from_slice(looked.row(first + arm - span.start));
        }
        let born = before..self.offspring.arms.len();
        if !born.is_empty() {
            self.offspring.nodes.push((node, born));
        }
    }

    /// What the states after the moves are worth to who makes them, if something evaluates.
    fn evaluate_answers(&mut self, trials: &[Trial], looked: &Successors<'_>) {
        self.moves_worth.clear();
        let Some(evaluation) = &self.evaluation else { return };
        for &Trial { role, first, moves, .. } in trials {
            let before = looked.asked(first);
            let here = evaluation.logit(role, before);
            for answer in (first..).take(moves) {
                self.moves_worth.push(match looked.terminal(answer) {
                    true => {
                        let goal = self.worth_of(looked.goals(answer))[role.index()];
                        self.share(role, goal) as f32
                    }
                    false => share_of(here + evaluation.change(role, before, looked.row(answer))),
                });
            }
        }
    }

    /// Every move begins with what the state after it is worth.
    fn take_up_evaluations(&mut self, trial: &Trial) {
        if self.evaluation.is_none() {
            return;
        }
        for (arm, answer) in self.tree.span(trial.node, trial.role).zip(trial.first..) {
            // Another thread may know better by now.
            let known = &mut self.tree.arm_mut(arm).minimax;
            if known.is_nan() {
                *known = self.moves_worth[answer];
            }
        }
        self.take_best_move(trial.node, trial.role);
    }

    /// A node is worth what its best move is worth, once something is known of all of them: the best of a few would
    /// be too little. Says whether that has changed.
    fn take_best_move(&mut self, node: NodeId, role: RoleId) -> bool {
        let mut best = (0, f32::NEG_INFINITY);
        for arm in self.tree.span(node, role) {
            let worth = self.tree.arm(arm).minimax;
            if worth.is_nan() {
                return false;
            }
            if worth > best.1 {
                best = (arm, worth);
            }
        }
        let (arm, worth) = best;
        if worth == f32::NEG_INFINITY || self.tree.evaluation(node)[role.index()] == worth {
            return false;
        }
        if let Some(child) = self.tree.child(arm) {
            self.evaluation_of(child);
            self.tree.evaluation_mut(node).copy_from_slice(&self.shares);
        } else if self.is_constant_sum() {
            self.tree.evaluation_mut(node).fill(1.0 - worth);
        }
        self.tree.evaluation_mut(node)[role.index()] = worth;
        true
    }

    /// Whether what one of two roles gains the other loses, as far as is known.
    fn is_constant_sum(&self) -> bool {
        match &self.evaluation {
            Some(evaluation) => evaluation.constant_sum,
            None => self.constant_sum,
        }
    }

    /// A node whose moves have been played from is worth what the best of them is.
    pub(crate) fn best_prior(&mut self, node: NodeId) {
        if let Chooser::One(role) = self.tree.node(node).chooser
            && self.constant_sum
            && self.tree.evaluation(node)[role.index()].is_nan()
        {
            self.take_best_move(node, role);
        }
    }

    /// What a node is worth to each role as far as the evaluation says, or certainly, into `shares`.
    fn evaluation_of(&mut self, node: NodeId) {
        self.shares.copy_from_slice(self.tree.evaluation(node));
        if let Some(values) = self.tree.settled(node) {
            for (place, &value) in values.iter().enumerate() {
                self.shares[place] = self.share(RoleId::from_index(place), value) as f32;
            }
        }
    }

    /// Backs up the value of a leaf to the root by minimax.
    pub(crate) fn back_up_evaluations(&mut self, leaf: &Leaf) {
        let mut child = leaf.node;
        for step in leaf.path.iter().rev() {
            self.evaluation_of(child);
            if self.shares.iter().any(|share| share.is_nan()) {
                return;
            }
            let changed = match self.tree.node(step.node).chooser {
                Chooser::One(role) => {
                    self.tree.arm_mut(step.arm).minimax = self.shares[role.index()];
                    self.take_best_move(step.node, role)
                }
                Chooser::Nobody => {
                    self.tree.evaluation_mut(step.node).copy_from_slice(&self.shares);
                    true
                }
                _ => false,
            };
            if !changed {
                return;
            }
            child = step.node;
        }
    }

    /// The value of a leaf for each role: the result of its games, what the evaluation says, or
    /// both.
    pub(crate) fn mixed_worth(&mut self, leaf: &Leaf, games: Option<&[f64]>) -> SmallVec<[f64; 4]> {
        let Some(evaluation) = self.evaluation.clone() else {
            return games.map_or_else(SmallVec::new, SmallVec::from_slice);
        };
        match &leaf.beyond {
            Some(state) => evaluation.shares(state.words(), &mut self.shares),
            None => self.evaluation_of(leaf.node),
        }
        let weight = games.map_or(0.0, |_| f64::from(evaluation.playout_weight));
        let shares = self.shares.iter().zip(self.best_goals.iter()).enumerate();
        let mix = |(place, (&share, &best)): (usize, (&f32, &u32))| {
            let evaluated = f64::from(share) * f64::from(best);
            match games {
                Some(games) if share.is_nan() => games[place],
                Some(games) => weight * games[place] + (1.0 - weight) * evaluated,
                None => evaluated,
            }
        };
        shares.map(mix).collect()
    }
}
