//! Selection: one descent of the tree to a leaf, and the backup of what it brings.
//!
//! A descent ends with the first new state. New states are evaluated together, once there are some.
//! The role that chooses takes the move with the highest upper bound; where several choose they draw by their
//! regrets, or each takes its highest bound (decoupled UCT); chance draws. A move that was never tried counts as the
//! evaluation says, or a little worse than the moves of its node did so far (first-play urgency; Gelly and Wang 2006).
//! With an evaluation the mean of a move is mixed with the minimax value of what was evaluated below it (Lanctot,
//! Winands, Pepels and Sturtevant 2014).

use gambol_index::Id;
use gambol_net::{MoveId, RoleId};
use gambol_sim::State;
use smallvec::SmallVec;

use crate::mcts::tree::{Arm, Chooser, NodeId};
use crate::mcts::tree_search::{End, TreeSearch};
use crate::mcts::turns::Turns;
use gambol_run::mixed;

/// A move of one role in a descent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) node: NodeId,
    pub(crate) arm: usize,
    pub(crate) role: RoleId,
    /// Whether this is the first of the moves that are made in the node at the same time.
    pub(crate) first: bool,
}

/// A descent, waiting for the games at its leaf.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) path: Vec<Step>,
    /// The last node.
    pub(crate) node: NodeId,
    /// The number of the joint move that leads from there to a new state.
    pub(crate) unseen: Option<u64>,
    /// That state, if there is no room for it in the tree.
    pub(crate) beyond: Option<State>,
}

impl Leaf {
    pub(crate) fn new() -> Self {
        Self { path: Vec::with_capacity(64), node: NodeId::new(0), unseen: None, beyond: None }
    }

    /// The moves made in the last node.
    pub(crate) fn last_moves(&self) -> &[Step] {
        let first = self.path.iter().rposition(|step| step.first).unwrap_or(0);
        &self.path[first..]
    }
}

/// Nobody needs to look further down than this.
const DEEPEST: usize = 512;
/// The upper bound of moves that were never tried, if all are to be tried: more than any that was.
const UNTRIED: f64 = 1e3;

impl TreeSearch<'_> {
    /// Goes down to a node that is new, certain, or as deep as one may go.
    pub(crate) fn descend(&mut self, leaf: &mut Leaf) {
        (leaf.node, leaf.unseen, leaf.beyond) = (self.root, None, None);
        leaf.path.clear();
        loop {
            let node = self.tree.node_mut(leaf.node);
            if node.settled || node.chooser == Chooser::Stuck || leaf.path.len() >= DEEPEST {
                return;
            }
            node.visits += 1;
            let (child, number) = match node.chooser {
                Chooser::Several => self.go_together(leaf),
                Chooser::One(role) => self.go_alone(leaf, role, Self::choose),
                Chooser::Chance => match self.chance {
                    Some(chance) => self.go_alone(leaf, chance, Self::draw),
                    None => return,
                },
                _ => self.go_alone(leaf, RoleId::new(0), |_, _, _| 0),
            };
            let Some(child) = child else {
                leaf.unseen = Some(number);
                return;
            };
            leaf.node = child;
        }
    }

    fn go_alone(
        &mut self,
        leaf: &mut Leaf,
        role: RoleId,
        choose: impl Fn(&mut Self, NodeId, RoleId) -> usize,
    ) -> (Option<NodeId>, u64) {
        let node = leaf.node;
        let place = choose(self, node, role);
        let arm = self.tree.span(node, role).start + place;
        self.tree.arm_mut(arm).begin();
        leaf.path.push(Step { node, arm, role, first: true });
        (self.tree.child(arm), place as u64)
    }

    fn go_together(&mut self, leaf: &mut Leaf) -> (Option<NodeId>, u64) {
        let (node, mut number, mut first) = (leaf.node, 0u64, true);
        for role in self.tree.roles() {
            let span = self.tree.span(node, role);
            let place = match span.len() {
                1 => 0,
                _ if self.chance == Some(role) => self.draw(node, role),
                _ if self.mixes(node) => self.draw_by_regret(node, role),
                _ => self.choose(node, role),
            };
            number = number.wrapping_mul(span.len() as u64).wrapping_add(place as u64);
            if span.len() > 1 {
                let arm = span.start + place;
                self.tree.arm_mut(arm).begin();
                leaf.path.push(Step { node, arm, role, first });
                first = false;
            }
        }
        (self.tree.joint_child(node, number), number)
    }

    /// What chance does: any of its moves, all equally likely.
    fn draw(&mut self, node: NodeId, role: RoleId) -> usize {
        self.draws += 1;
        let draw = mixed(self.options.seed, self.draws);
        (draw % self.tree.span(node, role).len() as u64) as usize
    }

    /// The place of the move with the highest upper bound.
    fn choose(&mut self, node: NodeId, role: RoleId) -> usize {
        if let Some(place) = self.choose_by_priors(node, role) {
            return place;
        }
        let log = (1.0 + f64::from(self.tree.node(node).visits)).ln();
        let arms = self.tree.arms(node, role);
        let scale = 1.0 / f64::from(self.best_goals[role].max(1));
        let untried = self.urgency(arms, scale);
        let (weight, exploration) = (self.minimax_weight, self.options.exploration);
        let history = match self.tree.node(node).chooser {
            Chooser::One(_) if self.trusts_history() => self.options.history,
            _ => 0.0,
        };
        let mut best = (0, f64::NEG_INFINITY);
        for (place, arm) in arms.iter().enumerate() {
            let bound = match (arm.certain(), arm.visits) {
                // What is certain need not be looked at again.
                (Some(goal), _) => f64::from(goal) * scale - 20.0,
                (None, 0) if arm.minimax.is_nan() && history > 0.0 => {
                    untried.min(UNTRIED) + history * self.history.mean(arm.action)
                }
                (None, 0) if arm.minimax.is_nan() => untried,
                (None, 0) => {
                    let bonus = history * self.history.mean(arm.action);
                    f64::from(arm.minimax) + exploration * log.sqrt() + bonus
                }
                (None, visits) => {
                    let visits = f64::from(visits);
                    let mean = arm.goals / visits * scale;
                    let value = match arm.minimax.is_nan() {
                        true => mean,
                        false => mean + weight * (f64::from(arm.minimax) - mean),
                    };
                    let bonus = match history > 0.0 {
                        true => {
                            let lost = visits * (1.0 - mean);
                            history * self.history.mean(arm.action) / (lost + 1.0)
                        }
                        false => 0.0,
                    };
                    value + exploration * (log / visits).sqrt() + bonus
                }
            };
            if bound > best.1 {
                best = (place, bound);
            }
        }
        best.0
    }

    /// Whether what a move brought elsewhere is likely to say something. It misled where moves are made at the same
    /// time (blocker got 3 points of 10 at 20 ms), it kept a single player from lighting boards of lamps, and in
    /// parts it was never tried.
    fn trusts_history(&self) -> bool {
        self.best_goals.len() > 1 && !self.options.opposed
    }

    /// The upper bound of a move that was never tried.
    fn urgency(&self, arms: &[Arm], scale: f64) -> f64 {
        let Some(reduction) = self.options.urgency else { return f64::INFINITY };
        let (mut visits, mut goals) = (0u32, 0.0);
        for arm in arms {
            visits += arm.visits;
            goals += arm.goals;
        }
        match visits {
            0 => f64::INFINITY,
            _ => goals / f64::from(visits) * scale - reduction,
        }
    }

    /// Looks at the states that these descents lead to, all at once: one state takes as long as many.
    pub(crate) fn look_beyond(&mut self, descents: &mut [Leaf], turns: &mut Turns<'_>) {
        let mut successors = std::mem::take(&mut self.successors);
        let Some(looked) = &mut successors else { return };
        looked.clear();
        for leaf in descents.iter().filter(|leaf| leaf.unseen.is_some()) {
            let joint_move = self.joint_move(leaf);
            looked.ask(self.tree.state(leaf.node), joint_move);
        }
        self.aside(turns, |_| looked.answer(gambol_sim::Wanted { states: true, legal: true }));
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        for (answer, leaf) in descents.iter_mut().filter(|leaf| leaf.unseen.is_some()).enumerate() {
            let Some(number) = leaf.unseen.take() else { continue };
            let node = match self.tree.find(looked.row(answer)) {
                Some(node) => node,
                None if self.is_full() => {
                    leaf.beyond = Some(looked.state(answer));
                    continue;
                }
                None => {
                    let end = looked.terminal(answer).then(|| End::after(looked, answer));
                    let node = self.add(looked.row(answer), looked.legal(answer), end);
                    fresh.push(node);
                    node
                }
            };
            self.link(leaf, number, node);
            leaf.node = node;
        }
        self.successors = successors;
        self.look_ahead(&fresh, turns);
        self.fresh = fresh;
    }

    /// The joint move that a descent makes in its last node.
    fn joint_move(&self, leaf: &Leaf) -> SmallVec<[MoveId; 4]> {
        let mut joint_move: SmallVec<[MoveId; 4]> = self
            .tree
            .roles()
            .map(|role| self.tree.arm(self.tree.span(leaf.node, role).start).action)
            .collect();
        for step in leaf.last_moves() {
            joint_move[step.role.index()] = self.tree.arm(step.arm).action;
        }
        joint_move
    }

    fn link(&mut self, leaf: &Leaf, number: u64, child: NodeId) {
        match (self.tree.node(leaf.node).chooser, leaf.path.last()) {
            (Chooser::Several, _) => self.tree.set_joint_child(leaf.node, number, child),
            (_, Some(step)) => self.tree.set_child(step.arm, child),
            (_, None) => {}
        }
    }

    /// The result of a descent for each role, if it has one.
    pub(crate) fn take_up(&mut self, leaf: &Leaf, goals: Option<&[f64]>) {
        let learns = self.options.history > 0.0 || self.options.bias > 0;
        for step in &leaf.path {
            let goal = goals.map(|goals| goals[step.role.index()]);
            if learns && let Some(goal) = goal {
                let share = goal / f64::from(self.best_goals[step.role].max(1));
                self.history.note(self.tree.arm(step.arm).action, share);
            }
            self.tree.arm_mut(step.arm).end(goal);
            self.tree.node_mut(step.node).visits -= u32::from(step.first && goals.is_none());
        }
        if let Some(goals) = goals {
            for moves in leaf.path.chunk_by(|_, next| !next.first) {
                if self.mixes(moves[0].node) {
                    self.take_up_together(moves, goals);
                }
            }
        }
        if self.minimax_weight > 0.0 && leaf.beyond.is_none() {
            self.back_up_evaluations(leaf);
        }
    }
}
