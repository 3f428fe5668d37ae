//! Nodes in which several roles choose at the same time: where their joint moves lead, and what came of them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::mcts::tree::{NONE, NodeId};

/// A joint move, as seen from one node.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    child: u32,
    /// Ways that went through it and are over.
    visits: u32,
    /// The sum of the results of these visits for each role, as shares of its best goal.
    shares: SmallVec<[f32; 4]>,
}

/// How one of several choosers plays a move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixture {
    /// How much more the role would have got by always making this move, never below nothing.
    pub(crate) regret: f32,
    /// The sum of the probabilities with which it was to be drawn.
    pub(crate) drawn: f32,
}

/// A joint move by its node and its number there.
type Key = (u32, u64);

/// The joint moves of a tree.
#[derive(Debug, Default)]
pub(crate) struct Together {
    joint: FxHashMap<Key, Joint>,
    /// By arm, as far as the last node in which several choose.
    mixtures: Vec<Mixture>,
}

impl Together {
    pub(crate) fn child(&self, node: NodeId, number: u64) -> Option<NodeId> {
        let joint = self.joint.get(&(node.number(), number))?;
        (joint.child != NONE).then(|| NodeId::new(joint.child))
    }

    pub(crate) fn set_child(&mut self, node: NodeId, number: u64, child: NodeId) {
        self.joint_mut(node, number).child = child.number();
    }

    fn joint_mut(&mut self, node: NodeId, number: u64) -> &mut Joint {
        let unseen = || Joint { child: NONE, visits: 0, shares: SmallVec::new() };
        self.joint.entry((node.number(), number)).or_insert_with(unseen)
    }

    /// Records the result of a descent through a joint move for each role.
    pub(crate) fn note(&mut self, node: NodeId, number: u64, shares: &[f32]) {
        let joint = self.joint_mut(node, number);
        joint.visits += 1;
        joint.shares.resize(shares.len(), 0.0);
        joint.shares.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
    }

    /// What a joint move has brought the role at this place on average; `None` if it was never tried.
    pub(crate) fn mean(&self, node: NodeId, number: u64, role: usize) -> Option<f32> {
        let joint = self.joint.get(&(node.number(), number))?;
        (joint.visits > 0).then(|| joint.shares[role] / joint.visits as f32)
    }

    /// The mixtures of a node in which several choose, whose arms end here, are needed from now on.
    pub(crate) fn reach(&mut self, arms: usize) {
        self.mixtures.resize(arms.max(self.mixtures.len()), Mixture::default());
    }

    pub(crate) fn mixtures(&self, arms: std::ops::Range<usize>) -> &[Mixture] {
        &self.mixtures[arms]
    }

    pub(crate) fn mixtures_mut(&mut self, arms: std::ops::Range<usize>) -> &mut [Mixture] {
        &mut self.mixtures[arms]
    }

    /// The joint moves that are known, node by node.
    pub(crate) fn take_sorted(&mut self) -> Vec<(Key, Joint)> {
        let mut joint: Vec<(Key, Joint)> = std::mem::take(&mut self.joint).into_iter().collect();
        joint.sort_unstable_by_key(|(key, _)| *key);
        joint
    }

    /// Takes back the joint moves of the nodes that are kept, under their new numbers.
    pub(crate) fn put_back(&mut self, joint: Vec<(Key, Joint)>, place_of: &[u32]) {
        for ((node, number), mut joint) in joint {
            let place = place_of[node as usize];
            if place != NONE {
                joint.child = joint.child_place(place_of);
                self.joint.insert((place, number), joint);
            }
        }
    }
}

impl Joint {
    /// Where it leads, if that is known.
    pub(crate) fn leads_to(&self) -> Option<u32> {
        (self.child != NONE).then_some(self.child)
    }

    fn child_place(&self, place_of: &[u32]) -> u32 {
        self.leads_to().map_or(NONE, |child| place_of[child as usize])
    }
}
