//! Selection: one descent of the tree to a leaf, and the backup of what it brings.
//!
//! A descent ends with the first new state. New states are evaluated together, once there are some.

use gambol_net::RoleId;
use gambol_sim::{State, Successor};

use crate::mcts::node::{Arm, Node, NodeId, Places};
use crate::mcts::tree_search::TreeSearch;

/// A way down the tree, waiting for the games at its end.
pub(crate) struct Leaf {
    /// Nodes and the moves made in them.
    pub(crate) path: Vec<(NodeId, Places)>,
    /// The last node.
    pub(crate) node: NodeId,
    /// The number of the joint move that leads on from there to a state nobody has looked at yet.
    pub(crate) unseen: Option<u64>,
    /// That state, if there is no room for it in the tree.
    pub(crate) beyond: Option<State>,
}

/// Nobody needs to look further down than this.
const DEEPEST: usize = 512;

impl TreeSearch<'_> {
    /// Goes down to a node that is new, certain, or as deep as one may go.
    pub(crate) fn descend(&mut self) -> Leaf {
        let path = Vec::with_capacity(16);
        let mut leaf = Leaf { path, node: self.root, unseen: None, beyond: None };
        loop {
            let node = &self.nodes[leaf.node];
            if node.proved.is_some() || node.is_stuck() || leaf.path.len() >= DEEPEST {
                return leaf;
            }
            let places = self.choose(node);
            let number = node.number_of(&places);
            let known = node.children.get(&number).copied();
            self.nodes[leaf.node].begin(&places);
            leaf.path.push((leaf.node, places));
            let Some(child) = known else {
                leaf.unseen = Some(number);
                return leaf;
            };
            leaf.node = child;
        }
    }

    /// Looks at the states that these ways lead to, all at once: one state takes as long as many.
    pub(crate) fn look_beyond(&mut self, ways: &mut [Leaf]) {
        let mut unseen: Vec<&mut Leaf> =
            ways.iter_mut().filter(|leaf| leaf.unseen.is_some()).collect();
        let mut moves = Vec::with_capacity(unseen.len() * self.circuit.role_count());
        for leaf in &unseen {
            let (at, places) = &leaf.path[leaf.path.len() - 1];
            moves.extend(self.nodes[*at].moves_at(places));
        }
        let states: Vec<&State> = unseen.iter().map(|leaf| &self.nodes[leaf.node].state).collect();
        let seen = self.evaluator.follow(&states, moves);
        for (leaf, (_, successor)) in unseen.iter_mut().zip(seen.iter()) {
            self.grow(leaf, successor);
        }
    }

    fn grow(&mut self, leaf: &mut Leaf, successor: Successor<'_>) {
        let Some(number) = leaf.unseen.take() else { return };
        let node = match self.known.get(successor.state) {
            Some(&node) => node,
            None if self.is_full() => {
                leaf.beyond = Some(successor.state.clone());
                return;
            }
            None => self.add(successor),
        };
        self.nodes[leaf.node].children.insert(number, node);
        leaf.node = node;
    }

    /// Each role takes the move with the highest upper bound.
    fn choose(&self, node: &Node) -> Places {
        let role = |role: RoleId| match node.of_role[role].len() {
            1 => 0,
            _ => self.choose_for(node, role) as u32,
        };
        node.of_role.ids().map(role).collect()
    }

    fn choose_for(&self, node: &Node, role: RoleId) -> usize {
        let log = (1.0 + f64::from(node.visits)).ln();
        let mut best = (0, f64::NEG_INFINITY);
        for (place, arm) in node.arms_of(role).iter().enumerate() {
            let bound = match arm.certain {
                // What is certain need not be looked at again.
                Some(goal) => self.share(role, goal) - 20.0,
                None => self.bound(arm, role, log),
            };
            if bound > best.1 {
                best = (place, bound);
            }
        }
        best.0
    }

    fn bound(&self, arm: &Arm, role: RoleId, log: f64) -> f64 {
        let visits = f64::from(arm.tried.visits);
        if arm.tried.visits == 0 {
            return f64::INFINITY;
        }
        let mean = arm.tried.goals / visits / f64::from(self.best_goals[role].max(1));
        mean + self.options.exploration * (log / visits).sqrt()
    }

    /// What a way has brought: the mean goals of its games, or nothing.
    pub(crate) fn take_up(&mut self, leaf: &Leaf, goals: Option<&[f64]>) {
        for (node, places) in &leaf.path {
            self.nodes[*node].end(places, goals);
        }
    }
}
