//! The search tree in flat tables: states, nodes and the moves of each role in them.
//!
//! Node `n` has the words `n * width ..` of `states`, and of role `r` the arms
//! `firsts[n * (roles + 1) + r] .. firsts[n * (roles + 1) + r + 1]`. Equal states share a node: an open
//! hash table finds it. Nothing is allocated for a single node, and nothing is freed before
//! [`Tree::keep_reachable`].

use std::hash::Hasher;
use std::ops::Range;

use gambol_index::{Id, define_id};
use gambol_net::{MoveId, RoleId};
use rustc_hash::FxHasher;

use crate::mcts::bounds::{AllBounds, Bounds};
use crate::mcts::together::Together;

define_id! {
    /// A node of a search tree.
    pub(crate) struct NodeId;
}

/// No node, or no value.
pub(crate) const NONE: u32 = u32::MAX;

/// Who decides how it goes on from a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chooser {
    /// All have one move only.
    Nobody,
    /// Only chance has a choice.
    Chance,
    /// Only this role has a choice.
    One(RoleId),
    /// Several choose at the same time.
    Several,
    /// A role has no move at all.
    Stuck,
}

/// A move of one role, as seen from one node.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) action: MoveId,
    /// Descents through it, in-flight ones included.
    pub(crate) visits: u32,
    /// In-flight descents, which have no result yet.
    pub(crate) pending: u32,
    child: u32,
    /// The sum of the results of the descents for the role.
    pub(crate) goals: f64,
    certain: u32,
    /// What the evaluation says, backed up by minimax, as a share of the best goal of the role that
    /// chooses; not a number if nothing evaluates.
    pub(crate) minimax: f32,
}

impl Arm {
    fn new(action: MoveId) -> Self {
        Self {
            action,
            visits: 0,
            pending: 0,
            child: NONE,
            goals: 0.0,
            certain: NONE,
            minimax: f32::NAN,
        }
    }

    /// One more descent goes through it.
    pub(crate) fn begin(&mut self) {
        self.visits += 1;
        self.pending += 1;
    }

    /// The result of an in-flight descent; `None` if no game from its leaf came to an end.
    pub(crate) fn end(&mut self, goal: Option<f64>) {
        self.pending -= 1;
        match goal {
            Some(goal) => self.goals += goal,
            None => self.visits -= 1,
        }
    }

    /// The mean result of the finished descents.
    pub(crate) fn mean(&self) -> Option<f64> {
        let over = self.visits - self.pending;
        (over > 0).then(|| self.goals / f64::from(over))
    }

    /// The role's goal, if the move was found to lead to a state whose value is certain and no
    /// other role has a choice.
    pub(crate) fn certain(&self) -> Option<u32> {
        (self.certain != NONE).then_some(self.certain)
    }

    pub(crate) fn set_certain(&mut self, goal: u32) {
        self.certain = goal;
    }
}

/// A state of the game.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) visits: u32,
    hash: u32,
    pub(crate) chooser: Chooser,
    pub(crate) terminal: bool,
    /// Whether the search knows what to expect from here on, and looks no further.
    pub(crate) settled: bool,
}

/// A search tree.
pub(crate) struct Tree {
    width: usize,
    roles: usize,
    /// The role that is chance, if there is one.
    chance: Option<RoleId>,
    states: Vec<u64>,
    nodes: Vec<Node>,
    firsts: Vec<u32>,
    arms: Vec<Arm>,
    /// Every role's goal at the end of the play that is expected, where a node is settled.
    values: Vec<u32>,
    /// What is proved of every role's goal, node by node.
    bounds: Vec<Bounds>,
    /// The same of nodes of which nothing is known.
    widest: AllBounds,
    /// What the evaluation says for each role, backed up by minimax.
    pub(crate) evaluations: Vec<f32>,
    /// What is known where several roles choose.
    pub(crate) together: Together,
    /// Nodes by the hash of their state.
    table: Vec<u32>,
}

impl Tree {
    /// For states of so many words; all that is known of each role's goal in any of them.
    pub(crate) fn new(width: usize, widest: AllBounds, chance: Option<RoleId>) -> Self {
        Self {
            width,
            roles: widest.len(),
            widest,
            chance,
            bounds: Vec::new(),
            states: Vec::new(),
            nodes: Vec::new(),
            firsts: Vec::new(),
            arms: Vec::new(),
            values: Vec::new(),
            evaluations: Vec::new(),
            together: Together::default(),
            table: vec![NONE; 1024],
        }
    }

    /// How many words a state has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Forgets all nodes.
    pub(crate) fn clear(&mut self, widest: AllBounds) {
        *self = Self::new(self.width, widest, self.chance);
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn arm_count(&self) -> usize {
        self.arms.len()
    }

    pub(crate) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    pub(crate) fn node_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.index()]
    }

    pub(crate) fn state(&self, node: NodeId) -> &[u64] {
        &self.states[node.index() * self.width..][..self.width]
    }

    /// Where the arms of a role are.
    pub(crate) fn span(&self, node: NodeId, role: RoleId) -> Range<usize> {
        let place = node.index() * (self.roles + 1) + role.index();
        self.firsts[place] as usize..self.firsts[place + 1] as usize
    }

    pub(crate) fn arms(&self, node: NodeId, role: RoleId) -> &[Arm] {
        &self.arms[self.span(node, role)]
    }

    pub(crate) fn arm(&self, arm: usize) -> &Arm {
        &self.arms[arm]
    }

    pub(crate) fn arm_mut(&mut self, arm: usize) -> &mut Arm {
        &mut self.arms[arm]
    }

    pub(crate) fn roles(&self) -> impl Iterator<Item = RoleId> + use<> {
        (0..self.roles).map(RoleId::from_index)
    }

    /// The only move of each role but the chooser, whose arm is given: the joint move.
    pub(crate) fn joint_move(
        &self,
        node: NodeId,
        arm: usize,
    ) -> impl Iterator<Item = MoveId> + use<'_> {
        self.roles().map(move |role| {
            let span = self.span(node, role);
            self.arms[if span.contains(&arm) { arm } else { span.start }].action
        })
    }

    /// What everybody is expected to get, where that is settled.
    pub(crate) fn settled(&self, node: NodeId) -> Option<&[u32]> {
        self.node(node).settled.then(|| &self.values[node.index() * self.roles..][..self.roles])
    }

    /// Settles a node: what everybody is expected to get, and what is proved of that.
    pub(crate) fn settle(&mut self, node: NodeId, goals: &[u32], bounds: &[Bounds]) {
        self.nodes[node.index()].settled = true;
        let of_node = node.index() * self.roles..(node.index() + 1) * self.roles;
        self.values[of_node.clone()].copy_from_slice(goals);
        self.bounds[of_node].copy_from_slice(bounds);
    }

    /// What is proved of every role's goal.
    pub(crate) fn bounds(&self, node: NodeId) -> &[Bounds] {
        &self.bounds[node.index() * self.roles..][..self.roles]
    }

    /// What is proved of every role's goal in any state.
    pub(crate) fn widest(&self) -> &[Bounds] {
        &self.widest
    }

    /// What the evaluation says for each role.
    pub(crate) fn evaluation(&self, node: NodeId) -> &[f32] {
        &self.evaluations[node.index() * self.roles..][..self.roles]
    }

    pub(crate) fn evaluation_mut(&mut self, node: NodeId) -> &mut [f32] {
        &mut self.evaluations[node.index() * self.roles..][..self.roles]
    }

    /// Where the arm of the only role that chooses leads.
    pub(crate) fn child(&self, arm: usize) -> Option<NodeId> {
        let child = self.arms[arm].child;
        (child != NONE).then(|| NodeId::new(child))
    }

    pub(crate) fn set_child(&mut self, arm: usize, child: NodeId) {
        self.arms[arm].child = child.number();
    }

    /// Where a joint move leads in a node in which several choose.
    pub(crate) fn joint_child(&self, node: NodeId, number: u64) -> Option<NodeId> {
        self.together.child(node, number)
    }

    pub(crate) fn set_joint_child(&mut self, node: NodeId, number: u64, child: NodeId) {
        self.together.set_child(node, number, child);
    }

    /// How many joint moves there are.
    pub(crate) fn joint_moves(&self, node: NodeId) -> u64 {
        self.roles().map(|role| self.span(node, role).len() as u64).fold(1, u64::saturating_mul)
    }

    /// The node of a state.
    pub(crate) fn find(&self, state: &[u64]) -> Option<NodeId> {
        let hash = hash_of(state);
        self.probe(hash, state).ok()
    }

    /// A node for a state that has none. The legal moves are those of all roles, role after role.
    pub(crate) fn add(
        &mut self,
        state: &[u64],
        terminal: bool,
        legal: &[MoveId],
        role_of: impl Fn(MoveId) -> RoleId,
    ) -> NodeId {
        if self.nodes.len() * 2 >= self.table.len() {
            self.grow_table();
        }
        let (hash, node) = (hash_of(state), NodeId::from_index(self.nodes.len()));
        if let Err(place) = self.probe(hash, state) {
            self.table[place] = node.number();
        }
        self.states.extend_from_slice(state);
        let mut rest = legal;
        for role in self.roles() {
            self.firsts.push(self.arms.len() as u32);
            let own = rest.iter().take_while(|&&action| role_of(action) == role).count();
            self.arms.extend(rest[..own].iter().copied().map(Arm::new));
            rest = &rest[own..];
        }
        self.firsts.push(self.arms.len() as u32);
        self.values.extend(std::iter::repeat_n(0, self.roles));
        self.bounds.extend_from_slice(&self.widest);
        self.evaluations.extend(std::iter::repeat_n(f32::NAN, self.roles));
        let chooser = Chooser::Nobody;
        self.nodes.push(Node { visits: 0, hash: hash as u32, chooser, terminal, settled: false });
        self.node_mut(node).chooser = self.chooser(node);
        if self.node(node).chooser == Chooser::Several {
            self.together.reach(self.arms.len());
        }
        node
    }

    fn chooser(&self, node: NodeId) -> Chooser {
        let mut chooser = Chooser::Nobody;
        for role in self.roles() {
            chooser = match (self.span(node, role).len(), chooser) {
                (0, _) => return Chooser::Stuck,
                (1, _) => chooser,
                (_, Chooser::Nobody) if self.chance == Some(role) => Chooser::Chance,
                (_, Chooser::Nobody) => Chooser::One(role),
                _ => Chooser::Several,
            };
        }
        chooser
    }

    /// The place of a state in the table: its node, or where it would be.
    fn probe(&self, hash: u64, state: &[u64]) -> Result<NodeId, usize> {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place] != NONE {
            let node = NodeId::new(self.table[place]);
            if self.node(node).hash == hash as u32 && self.state(node) == state {
                return Ok(node);
            }
            place = (place + 1) & mask;
        }
        Err(place)
    }

    fn grow_table(&mut self) {
        let size = (self.table.len() * 2).max(1024);
        self.table = vec![NONE; size];
        for number in 0..self.nodes.len() {
            let node = NodeId::from_index(number);
            if let Err(place) = self.probe(hash_of(self.state(node)), self.state(node)) {
                self.table[place] = node.number();
            }
        }
    }

    /// Drops the nodes that cannot be reached from this one, which becomes the first.
    pub(crate) fn keep_reachable(&mut self, root: NodeId) {
        let joint = self.together.take_sorted();
        let (mut place_of, mut order) = (vec![NONE; self.nodes.len()], vec![root.number()]);
        place_of[root.index()] = 0;
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            let of_node = joint.partition_point(|((one, _), _)| *one < node);
            let together = joint[of_node..].iter().take_while(|((one, _), _)| *one == node);
            let arms = self.all_arms(NodeId::new(node));
            let alone = self.arms[arms].iter().map(|arm| arm.child).filter(|&child| child != NONE);
            for child in alone.chain(together.filter_map(|(_, joint)| joint.leads_to())) {
                if place_of[child as usize] == NONE {
                    place_of[child as usize] = order.len() as u32;
                    order.push(child);
                }
            }
        }
        self.keep(&order, &place_of);
        self.together.put_back(joint, &place_of);
    }

    fn all_arms(&self, node: NodeId) -> Range<usize> {
        let place = node.index() * (self.roles + 1);
        self.firsts[place] as usize..self.firsts[place + self.roles] as usize
    }

    fn keep(&mut self, order: &[u32], place_of: &[u32]) {
        let mut kept = Self::new(self.width, self.widest.clone(), self.chance);
        for &number in order {
            let node = NodeId::new(number);
            let (old, new) = (self.all_arms(node).start as u32, kept.arms.len() as u32);
            kept.states.extend_from_slice(self.state(node));
            kept.nodes.push(self.node(node).clone());
            let firsts = &self.firsts[node.index() * (self.roles + 1)..][..self.roles + 1];
            kept.firsts.extend(firsts.iter().map(|&first| first - old + new));
            kept.arms.extend_from_slice(&self.arms[self.all_arms(node)]);
            if self.node(node).chooser == Chooser::Several {
                let (from, to) = (self.all_arms(node), new as usize..kept.arms.len());
                kept.together.reach(to.end);
                kept.together.mixtures_mut(to).copy_from_slice(self.together.mixtures(from));
            }
            kept.values.extend_from_slice(&self.values[node.index() * self.roles..][..self.roles]);
            kept.bounds.extend_from_slice(self.bounds(node));
            kept.evaluations.extend_from_slice(self.evaluation(node));
        }
        for arm in kept.arms.iter_mut().filter(|arm| arm.child != NONE) {
            arm.child = place_of[arm.child as usize];
        }
        kept.table = vec![NONE; (2 * order.len()).next_power_of_two().max(512)];
        kept.grow_table();
        *self = kept;
    }
}

fn hash_of(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    state.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: Option<RoleId> = None;

    fn widest(roles: usize) -> AllBounds {
        std::iter::repeat_n(Bounds { least: 0, most: 100 }, roles).collect()
    }

    fn role_of(action: MoveId) -> RoleId {
        RoleId::new(action.number() / 10)
    }

    fn moves(numbers: &[u32]) -> Vec<MoveId> {
        numbers.iter().copied().map(MoveId::new).collect()
    }

    #[test]
    fn equal_states_share_a_node() {
        let mut tree = Tree::new(2, widest(2), NOBODY);
        for number in 0..5_000u64 {
            assert_eq!(tree.find(&[number, 7]), None);
            let node = tree.add(&[number, 7], false, &moves(&[1, 2, 10]), role_of);
            assert_eq!(tree.find(&[number, 7]), Some(node));
        }
        assert_eq!(tree.state(tree.find(&[77, 7]).expect("added")), [77, 7]);
    }

    #[test]
    fn who_chooses_is_told_by_the_legal_moves() {
        let mut tree = Tree::new(1, widest(2), Some(RoleId::new(1)));
        let mut chooser = |state: u64, legal: &[u32]| {
            let node = tree.add(&[state], false, &moves(legal), role_of);
            tree.node(node).chooser
        };
        assert_eq!(chooser(1, &[1, 10]), Chooser::Nobody);
        assert_eq!(chooser(2, &[1, 2, 10]), Chooser::One(RoleId::new(0)));
        assert_eq!(chooser(3, &[1, 10, 11]), Chooser::Chance);
        assert_eq!(chooser(4, &[1, 2, 10, 11]), Chooser::Several);
        assert_eq!(chooser(5, &[1, 2]), Chooser::Stuck);
    }

    #[test]
    fn what_cannot_be_reached_is_dropped_and_the_rest_keeps_its_links() {
        let mut tree = Tree::new(1, widest(2), NOBODY);
        let ids: Vec<NodeId> = (0..6u64)
            .map(|state| tree.add(&[state], false, &moves(&[1, 2, 10]), role_of))
            .collect();
        let arm = |tree: &Tree, node: NodeId, place| tree.span(node, RoleId::new(0)).start + place;
        for (from, place, to) in [(0, 0, 1), (0, 1, 2), (2, 0, 3), (3, 1, 2)] {
            let arm = arm(&tree, ids[from], place);
            tree.set_child(arm, ids[to]);
        }
        tree.set_joint_child(ids[3], 4, ids[5]);
        let bounds = [100, 0].map(|goal| Bounds { least: goal, most: goal });
        tree.settle(ids[5], &[100, 0], &bounds);
        tree.keep_reachable(ids[2]);
        assert_eq!(tree.len(), 3);
        let [two, three, five] = [2, 3, 5].map(|state| tree.find(&[state]).expect("kept"));
        assert_eq!(tree.child(arm(&tree, two, 0)), Some(three));
        assert_eq!(tree.child(arm(&tree, three, 1)), Some(two));
        assert_eq!(tree.joint_child(three, 4), Some(five));
        assert_eq!((tree.settled(five), tree.bounds(five)), (Some(&[100, 0][..]), &bounds[..]));
        assert_eq!(tree.find(&[1]), None);
    }
}
