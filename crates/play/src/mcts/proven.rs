//! Proven values and their backup (MCTS-Solver; Winands, Björnsson and Saito 2008).

use gambol_index::{Id, IndexVec};
use gambol_net::RoleId;
use rustc_hash::FxHashMap;

use crate::mcts::node::{Node, NodeId, Places};
use crate::mcts::selection::Leaf;
use crate::mcts::tree_search::TreeSearch;

/// States with more joint moves are not examined for certainty.
const MOST_JOINT_MOVES: u64 = 512;

impl TreeSearch<'_> {
    /// What a role's move certainly leads to; only where no other role has a choice.
    pub(crate) fn certain(
        &self,
        node: &Node,
        role: RoleId,
        place: usize,
    ) -> Option<&IndexVec<RoleId, u32>> {
        if node.chooser() != Some(role) {
            return None;
        }
        let mut places: Places = node.of_role.iter().map(|_| 0).collect();
        places[role.index()] = place as u32;
        let child = node.children.get(&node.number_of(&places))?;
        self.nodes[*child].proved.as_ref()
    }

    /// A way ended in certainty: its goals count like games, and may make its nodes certain.
    pub(crate) fn take_up_certain(&mut self, leaf: &Leaf, goals: &IndexVec<RoleId, u32>) {
        let worth: Vec<f64> = goals.iter().map(|&goal| f64::from(goal)).collect();
        self.take_up(leaf, Some(&worth));
        for (node, places) in leaf.path.iter().rev() {
            self.mark_certain(*node, places);
            match self.conclusion(*node) {
                Some(conclusion) => self.nodes[*node].proved = Some(conclusion),
                None => break,
            }
        }
    }

    /// Notes at the move what its child is worth.
    fn mark_certain(&mut self, at: NodeId, places: &Places) {
        let node = &self.nodes[at];
        let Some(role) = node.chooser() else { return };
        let place = places[role.index()];
        let goal = self.certain(node, role, place as usize).map(|goals| goals[role]);
        let arm = (node.of_role[role].start + place) as usize;
        self.nodes[at].arms[arm].certain = goal;
    }

    /// What follows for a node from what is certain of its children.
    fn conclusion(&self, at: NodeId) -> Option<IndexVec<RoleId, u32>> {
        let node = &self.nodes[at];
        if node.proved.is_some() {
            return node.proved.clone();
        }
        match node.chooser() {
            Some(role) => self.best_choice(node, role),
            None => self.same_for_all(node),
        }
    }

    /// One role chooses: it takes the best it can get, as soon as it has that or knows all.
    fn best_choice(&self, node: &Node, role: RoleId) -> Option<IndexVec<RoleId, u32>> {
        let count = node.arms_of(role).len();
        let known: Vec<&IndexVec<RoleId, u32>> =
            (0..count).filter_map(|place| self.certain(node, role, place)).collect();
        let best = known.iter().map(|goals| goals[role]).max()?;
        if best < self.best_goals[role] && known.len() < count {
            return None;
        }
        let mut equal = known.iter().filter(|goals| goals[role] == best);
        let first = *equal.next()?;
        // Between equals a role may choose either; unless they are equal to all, nothing is certain.
        equal.all(|goals| **goals == *first).then(|| first.clone())
    }

    /// Several roles choose, or none: certain only if it makes no difference.
    fn same_for_all(&self, node: &Node) -> Option<IndexVec<RoleId, u32>> {
        let count = node.joint_moves();
        if node.is_stuck() || count > MOST_JOINT_MOVES || (node.children.len() as u64) < count {
            return None;
        }
        let child = |number: u64| self.nodes[*node.children.get(&number)?].proved.as_ref();
        let first = child(0)?;
        (1..count).all(|number| child(number) == Some(first)).then(|| first.clone())
    }

    /// Keeps only the nodes that can still be reached.
    pub(crate) fn forget_the_past(&mut self) {
        let mut moved: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut order = vec![self.root];
        moved.insert(self.root, NodeId::new(0));
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            let mut children: Vec<(u64, NodeId)> =
                self.nodes[node].children.iter().map(|(&number, &child)| (number, child)).collect();
            children.sort_unstable();
            for (_, child) in children {
                let fresh = NodeId::from_index(order.len());
                if let std::collections::hash_map::Entry::Vacant(entry) = moved.entry(child) {
                    entry.insert(fresh);
                    order.push(child);
                }
            }
        }
        let mut old: Vec<Option<Node>> =
            std::mem::take(&mut self.nodes).into_vec().into_iter().map(Some).collect();
        self.known.clear();
        for &id in &order {
            let Some(mut node) = old[id.index()].take() else { continue };
            node.children.values_mut().for_each(|child| *child = moved[child]);
            let fresh = self.nodes.push(node);
            self.known.insert(self.nodes[fresh].state.clone(), fresh);
        }
        self.root = NodeId::new(0);
        self.arms = self.nodes.iter().map(|node| node.arms.len()).sum();
    }
}
