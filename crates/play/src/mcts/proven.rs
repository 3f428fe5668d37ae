//! Proven values and their backup (MCTS-Solver; Winands, Björnsson and Saito 2008).

use gambol_index::Id;
use gambol_net::RoleId;
use smallvec::SmallVec;

use crate::mcts::selection::Leaf;
use crate::mcts::tree::{Chooser, NodeId};
use crate::mcts::tree_search::TreeSearch;

/// States with more joint moves are not examined for certainty.
const MOST_JOINT_MOVES: u64 = 512;

/// Every role's goal.
type Goals = SmallVec<[u32; 4]>;

impl TreeSearch<'_> {
    /// What a move of the only role that chooses certainly leads to.
    pub(crate) fn certain(&self, arm: usize) -> Option<&[u32]> {
        self.tree.proved(self.tree.child(arm)?)
    }

    /// A way ended in certainty: its goals count like games, and may make its nodes certain.
    pub(crate) fn take_up_certain(&mut self, leaf: &Leaf) {
        let Some(goals) = self.tree.proved(leaf.node) else { return };
        let worth: SmallVec<[f64; 4]> = goals.iter().map(|&goal| f64::from(goal)).collect();
        self.take_up(leaf, Some(&worth));
        for step in leaf.path.iter().rev().filter(|step| step.first) {
            if let Chooser::One(role) = self.tree.node(step.node).chooser
                && let Some(goal) = self.certain(step.arm).map(|goals| goals[role.index()])
            {
                self.tree.arm_mut(step.arm).set_certain(goal);
            }
            if !self.conclude(step.node) {
                break;
            }
        }
    }

    /// Draws the conclusion for a node from what is certain of its children; says whether there is one.
    pub(crate) fn conclude(&mut self, node: NodeId) -> bool {
        if self.tree.node(node).proved {
            return true;
        }
        let conclusion = match self.tree.node(node).chooser {
            Chooser::One(role) => self.best_choice(node, role),
            Chooser::Nobody => self.after_all(node, RoleId::new(0)),
            Chooser::Chance => self.chance.and_then(|chance| self.after_all(node, chance)),
            Chooser::Several => self.after_all_joint_moves(node),
            Chooser::Stuck => None,
        };
        let Some(goals) = conclusion else { return false };
        self.tree.prove(node, &goals);
        true
    }

    /// One role chooses: it takes the best it can get, as soon as it has that or knows all.
    fn best_choice(&self, node: NodeId, role: RoleId) -> Option<Goals> {
        let (mut best, mut unknown) = (None::<&[u32]>, false);
        let mut differ = false;
        for arm in self.tree.span(node, role) {
            let Some(goals) = self.certain(arm) else {
                unknown = true;
                continue;
            };
            match best {
                Some(one) if one[role.index()] > goals[role.index()] => {}
                // Between equals a role may choose either; unless they are equal to all, nothing is certain.
                Some(one) if one[role.index()] == goals[role.index()] => differ |= one != goals,
                _ => (best, differ) = (Some(goals), false),
            }
        }
        let best = best.filter(|best| !unknown || best[role.index()] >= self.best_goals[role])?;
        (!differ).then(|| Goals::from_slice(best))
    }

    /// Nobody chooses but chance: certain only if it makes no difference.
    fn after_all(&self, node: NodeId, role: RoleId) -> Option<Goals> {
        let mut children = self.tree.span(node, role).map(|arm| self.certain(arm));
        let first = children.next()??;
        children.all(|child| child == Some(first)).then(|| Goals::from_slice(first))
    }

    /// Several roles choose: certain only if it makes no difference.
    fn after_all_joint_moves(&self, node: NodeId) -> Option<Goals> {
        let count = self.tree.joint_moves(node);
        if count > MOST_JOINT_MOVES {
            return None;
        }
        let child = |number: u64| self.tree.proved(self.tree.joint_child(node, number)?);
        let first = child(0)?;
        (1..count).all(|number| child(number) == Some(first)).then(|| Goals::from_slice(first))
    }
}
