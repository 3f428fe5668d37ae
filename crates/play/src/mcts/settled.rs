//! Settled states and their backup (MCTS-Solver; Winands, Björnsson and Saito 2008).
//!
//! Where a state is settled the search expects certain goals and looks no further. It supposes that play comes to an
//! end, that an end without a goal is worth nothing, and that a role which has a move to its best goal makes that one.
//! What is *proved* are the [bounds](crate::mcts::bounds) that go with it; nothing else is claimed.

use gambol_index::Id;
use gambol_net::RoleId;
use smallvec::SmallVec;

use crate::mcts::selection::Leaf;
use crate::mcts::tree::{Chooser, NodeId};
use crate::mcts::tree_search::TreeSearch;

/// States with more joint moves are not settled by those after them.
const MOST_JOINT_MOVES: u64 = 512;

/// Every role's goal.
type Goals = SmallVec<[u32; 4]>;

impl TreeSearch<'_> {
    /// What a move of the only role that chooses leads to, if that is settled.
    pub(crate) fn certain(&self, arm: usize) -> Option<&[u32]> {
        self.tree.settled(self.tree.child(arm)?)
    }

    /// A descent ended in a settled state: its goals count like games, and may settle its nodes.
    pub(crate) fn take_up_certain(&mut self, leaf: &Leaf) {
        let Some(goals) = self.tree.settled(leaf.node) else { return };
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

    /// Draws the conclusion for a node from those of its children that are settled; says whether there is one.
    pub(crate) fn conclude(&mut self, node: NodeId) -> bool {
        if self.tree.node(node).settled {
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
        let bounds = self.bounds_after(node);
        self.tree.settle(node, &goals, &bounds);
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
                // Between equals a role may choose either; unless they are equal to all, nothing is settled.
                Some(one) if one[role.index()] == goals[role.index()] => differ |= one != goals,
                _ => (best, differ) = (Some(goals), false),
            }
        }
        let best = best.filter(|best| !unknown || best[role.index()] >= self.best_goals[role])?;
        (!differ).then(|| Goals::from_slice(best))
    }

    /// Nobody chooses but chance: settled only if it makes no difference.
    fn after_all(&self, node: NodeId, role: RoleId) -> Option<Goals> {
        let mut children = self.tree.span(node, role).map(|arm| self.certain(arm));
        let first = children.next()??;
        children.all(|child| child == Some(first)).then(|| Goals::from_slice(first))
    }

    /// Several roles choose: settled if it makes no difference, or if one has a move that brings it the best there is
    /// whatever the others do.
    fn after_all_joint_moves(&mut self, node: NodeId) -> Option<Goals> {
        let count = self.tree.joint_moves(node);
        if count > MOST_JOINT_MOVES {
            return None;
        }
        let mut all = (0..count).map(|number| self.after_joint_move(node, number));
        if let Some(first) = all.next().flatten()
            && all.all(|other| other == Some(first))
        {
            return Some(Goals::from_slice(first));
        }
        let mut choosers = self.tree.roles().filter(|&role| self.chance != Some(role));
        let (arm, goals) = choosers.find_map(|role| self.sure_win(node, role, count))?;
        let role = self.role_of(self.tree.arm(arm).action);
        self.tree.arm_mut(arm).set_certain(goals[role.index()]);
        Some(goals)
    }

    fn after_joint_move(&self, node: NodeId, number: u64) -> Option<&[u32]> {
        self.tree.settled(self.tree.joint_child(node, number)?)
    }

    /// A move that certainly brings a role the best there is, and what everybody gets then.
    fn sure_win(&self, node: NodeId, role: RoleId, count: u64) -> Option<(usize, Goals)> {
        let later = self.tree.roles().skip(role.index() + 1);
        let stride: u64 = later.map(|role| self.tree.span(node, role).len() as u64).product();
        let span = self.tree.span(node, role);
        let moves = span.len() as u64;
        (0..moves).find_map(|place| {
            let mut answers = (0..count).filter(|number| number / stride % moves == place);
            let first = self.after_joint_move(node, answers.next()?)?;
            let wins = first[role.index()] >= self.best_goals[role];
            let mut same = answers.map(|number| self.after_joint_move(node, number) == Some(first));
            let arm = span.start + place as usize;
            (wins && same.all(|same| same)).then(|| (arm, Goals::from_slice(first)))
        })
    }
}
