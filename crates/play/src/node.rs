//! The nodes of a search tree: a state, and what was seen of each move of each role in it.

use std::ops::Range;

use gambol_index::{IndexVec, define_id};
use gambol_net::{MoveId, RoleId};
use gambol_sim::State;
use rustc_hash::FxHashMap;

define_id! {
    /// A node of a search tree.
    pub(crate) struct NodeId;
}

/// A move of one role, as seen from one node.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) action: MoveId,
    /// Games played through it, those under way included.
    pub(crate) visits: u32,
    /// Games under way, which have brought nothing yet.
    pub(crate) pending: u32,
    /// The sum of the role's goals in the games played.
    pub(crate) goals: f64,
}

impl Arm {
    fn new(action: MoveId) -> Self {
        Self { action, visits: 0, pending: 0, goals: 0.0 }
    }

    /// The mean goal of the games that are over.
    pub(crate) fn mean(&self) -> Option<f64> {
        let over = self.visits - self.pending;
        (over > 0).then(|| self.goals / f64::from(over))
    }
}

/// A state of the game and the statistics of its moves.
pub(crate) struct Node {
    pub(crate) state: State,
    pub(crate) terminal: bool,
    /// The legal moves, role after role.
    pub(crate) arms: Vec<Arm>,
    /// Which of them are whose.
    pub(crate) of_role: IndexVec<RoleId, Range<u32>>,
    /// Where joint moves lead, by their number.
    pub(crate) children: FxHashMap<u64, NodeId>,
    pub(crate) visits: u32,
    /// Every role's goal if all play their best, once that is certain.
    pub(crate) proved: Option<IndexVec<RoleId, u32>>,
}

impl Node {
    pub(crate) fn new(
        state: State,
        terminal: bool,
        legal: &[MoveId],
        role_of: impl Fn(MoveId) -> RoleId,
        roles: usize,
    ) -> Self {
        let mut of_role: IndexVec<RoleId, Range<u32>> = IndexVec::filled(0..0, roles);
        let mut first = 0;
        for group in legal.chunk_by(|&a, &b| role_of(a) == role_of(b)) {
            let end = first + group.len() as u32;
            of_role[role_of(group[0])] = first..end;
            first = end;
        }
        Self {
            state,
            terminal,
            arms: legal.iter().copied().map(Arm::new).collect(),
            of_role,
            children: FxHashMap::default(),
            visits: 0,
            proved: None,
        }
    }

    /// The moves of a role.
    pub(crate) fn arms_of(&self, role: RoleId) -> &[Arm] {
        let Range { start, end } = self.of_role[role];
        &self.arms[start as usize..end as usize]
    }

    /// Whether some role has no legal move.
    pub(crate) fn is_stuck(&self) -> bool {
        self.of_role.iter().any(Range::is_empty)
    }

    /// The only role that has a choice; none if several have one, or no role at all.
    pub(crate) fn chooser(&self) -> Option<RoleId> {
        let mut choosing = self.of_role.iter_ids().filter(|(_, arms)| arms.len() > 1);
        match (choosing.next(), choosing.next()) {
            (Some((role, _)), None) => Some(role),
            _ => None,
        }
    }

    /// How many joint moves there are.
    pub(crate) fn joint_moves(&self) -> u64 {
        self.of_role.iter().map(|arms| arms.len() as u64).fold(1, u64::saturating_mul)
    }

    /// The number of a joint move, given by the place of each role's move among its own.
    pub(crate) fn number_of(&self, places: &[usize]) -> u64 {
        let digits = self.of_role.iter().zip(places);
        digits.fold(0, |number: u64, (arms, &place)| {
            number.wrapping_mul(arms.len() as u64).wrapping_add(place as u64)
        })
    }

    /// The moves at these places, one per role.
    pub(crate) fn moves_at(&self, places: &[usize]) -> Vec<MoveId> {
        let chosen = self.of_role.iter().zip(places);
        chosen.map(|(arms, &place)| self.arms[arms.start as usize + place].action).collect()
    }

    /// Takes `games` to be under way through these places.
    pub(crate) fn begin(&mut self, places: &[usize], games: u32) {
        self.visits += games;
        for arm in self.chosen(places) {
            self.arms[arm].visits += games;
            self.arms[arm].pending += games;
        }
    }

    /// Of the games under way `ended` brought these goals, the others nothing at all.
    pub(crate) fn end(&mut self, places: &[usize], games: u32, ended: u32, goals: &[f64]) {
        self.visits -= games - ended;
        for (arm, goal) in self.chosen(places).zip(goals) {
            self.arms[arm].pending -= games;
            self.arms[arm].visits -= games - ended;
            self.arms[arm].goals += goal;
        }
    }

    fn chosen(&self, places: &[usize]) -> impl Iterator<Item = usize> + use<> {
        let arms: Vec<usize> = self
            .of_role
            .iter()
            .zip(places)
            .map(|(arms, place)| arms.start as usize + place)
            .collect();
        arms.into_iter()
    }
}
