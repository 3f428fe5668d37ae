//! One way down a search tree, and what it brings back.
//!
//! In the tree of the whole game a way ends with the first state that is new. Where there are trees
//! of parts it goes on from there, guided by them alone, as long as the parts of the state have all
//! been seen before; nothing of that is kept but the statistics of the parts.

use gambol_index::IndexVec;
use gambol_net::{MoveId, RoleId};
use gambol_sim::State;

use crate::node::{Arm, Node, NodeId, Places};
use crate::part_trees::{Links, Touched};
use crate::tree_search::TreeSearch;

/// A way down the tree, waiting for the games at its end.
pub(crate) struct Leaf {
    /// Nodes and the moves made in them.
    pub(crate) path: Vec<(NodeId, Places)>,
    /// The moves in the trees of parts.
    touched: Vec<Touched>,
    /// The last node.
    pub(crate) node: NodeId,
    /// The state it leads to, if that is beyond the last node.
    pub(crate) beyond: Option<State>,
    /// Every role's goal, if the game is over there.
    pub(crate) over: Option<IndexVec<RoleId, u32>>,
}

/// Nobody needs to look further down than this.
const DEEPEST: usize = 512;
/// One in so many ways is followed below the tree as far as the parts know it; the others double
/// their depth at most.
const FAR: u64 = 8;

impl TreeSearch<'_> {
    /// Goes down to a node that is new, certain, or as deep as one may go.
    pub(crate) fn descend(&mut self) -> Leaf {
        let (path, touched) = (Vec::with_capacity(16), Vec::new());
        let mut leaf = Leaf { path, touched, node: self.root, beyond: None, over: None };
        loop {
            let node = &self.nodes[leaf.node];
            if node.proved.is_some() || node.is_stuck() || leaf.path.len() >= DEEPEST {
                return leaf;
            }
            let places = self.choose(node);
            let number = node.number_of(&places);
            let known = node.children.get(&number).copied();
            let new = known.is_none().then(|| node.moves_at(&places));
            if let (Some(parts), Some(links)) = (&mut self.parts, &node.links) {
                parts.begin(node, links, &places, &mut leaf.touched);
            }
            self.nodes[leaf.node].begin(&places);
            leaf.path.push((leaf.node, places));
            match (known, new) {
                (Some(child), _) => leaf.node = child,
                (None, Some(moves)) => {
                    self.grow(&mut leaf, number, &moves);
                    return leaf;
                }
                (None, None) => return leaf,
            }
        }
    }

    fn grow(&mut self, leaf: &mut Leaf, number: u64, moves: &[MoveId]) {
        let parent = leaf.node;
        let state = self.nodes[parent].state.clone();
        let next = self.evaluator.next(&state, moves);
        if self.is_full() {
            leaf.beyond = Some(next);
            return;
        }
        let node = self.node_of(next);
        self.nodes[parent].children.insert(number, node);
        leaf.node = node;
        if self.parts.is_some() && self.nodes[node].proved.is_none() {
            self.wander(leaf);
        }
    }

    /// Follows the trees of the parts to where one of them has something new. That takes longer than
    /// going down the tree, so only some ways are followed as far as they lead.
    fn wander(&mut self, leaf: &mut Leaf) {
        let mut moves = match self.wander_from(&self.nodes[leaf.node], None) {
            Some(places) => {
                let node = &self.nodes[leaf.node];
                if let (Some(parts), Some(links)) = (&mut self.parts, &node.links) {
                    parts.begin(node, links, &places, &mut leaf.touched);
                }
                node.moves_at(&places)
            }
            None => return,
        };
        self.wanderings += 1;
        let far = self.wanderings.is_multiple_of(FAR);
        let furthest = if far { DEEPEST } else { leaf.path.len() };
        let mut state = self.nodes[leaf.node].state.clone();
        for _ in 0..furthest {
            state = self.evaluator.next(&state, &moves);
            let node = self.look_at(state.clone());
            leaf.beyond = Some(state.clone());
            if node.proved.is_some() {
                leaf.over = node.proved;
                return;
            }
            let Some(links) = self.parts.as_mut().map(|parts| parts.links(&node)) else { return };
            let Some(places) = self.wander_from(&node, Some(&links)) else { return };
            if let Some(parts) = &mut self.parts {
                parts.begin(&node, &links, &places, &mut leaf.touched);
            }
            moves = node.moves_at(&places);
        }
    }

    /// The moves that the parts recommend, if they have been there before.
    fn wander_from(&self, node: &Node, links: Option<&Links>) -> Option<Places> {
        let links = links.or(node.links.as_ref())?;
        let parts = self.parts.as_ref()?;
        let goes_on = !node.is_stuck() && parts.are_familiar(node, links, self.options.familiar);
        goes_on.then(|| self.choose_with(node, Some(links)))
    }

    /// Each role takes the move with the highest upper bound.
    fn choose(&self, node: &Node) -> Places {
        self.choose_with(node, node.links.as_ref())
    }

    fn choose_with(&self, node: &Node, links: Option<&Links>) -> Places {
        let role = |role: RoleId| match node.of_role[role].len() {
            1 => 0,
            _ => self.choose_for(node, role, links) as u32,
        };
        node.of_role.ids().map(role).collect()
    }

    fn choose_for(&self, node: &Node, role: RoleId, links: Option<&Links>) -> usize {
        let log = (1.0 + f64::from(node.visits)).ln();
        let parts = links.and_then(|links| {
            let (parts, best_goal) =
                (self.parts.as_ref()?, f64::from(self.best_goals[role].max(1)));
            Some((parts, parts.outlook(links, role, best_goal), links))
        });
        let usual = self.usual(node, role);
        let (trust, exploration) = (self.options.trust, self.options.exploration);
        let first = node.of_role[role].start as usize;
        let mut best = (0, f64::NEG_INFINITY);
        for (place, arm) in node.arms_of(role).iter().enumerate() {
            let bound = match (arm.certain, &parts) {
                // What is certain need not be looked at again.
                (Some(goal), _) => self.share(role, goal) - 20.0,
                (None, None) => self.bound(arm, role, log),
                (None, Some((parts, outlook, links))) => {
                    let advice = parts.advantage(outlook, links, first + place, exploration);
                    let doubt = trust / (trust + f64::from(arm.tried.visits));
                    match arm.tried.visits {
                        0 => usual + advice,
                        _ => doubt * (usual + advice) + (1.0 - doubt) * self.bound(arm, role, log),
                    }
                }
            };
            if bound > best.1 {
                best = (place, bound);
            }
        }
        best.0
    }

    /// What the role got in this state so far, whatever it did.
    fn usual(&self, node: &Node, role: RoleId) -> f64 {
        if node.links.is_none() || node.visits == 0 {
            return 0.0;
        }
        let goals: f64 = node.arms_of(role).iter().map(|arm| arm.tried.goals).sum();
        goals / f64::from(node.visits) / f64::from(self.best_goals[role].max(1))
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
        if let Some(parts) = &mut self.parts {
            parts.end(&leaf.touched, goals);
        }
    }
}
