//! The nodes of a search tree: a state, and what was seen of each move of each role in it.

use std::ops::Range;

use gambol_index::{IndexVec, define_id};
use gambol_net::{MoveId, RoleId};
use gambol_sim::State;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

define_id! {
    /// A node of a search tree.
    pub(crate) struct NodeId;
}

/// A joint move in a node: the place of each role's move among its own.
pub(crate) type Places = SmallVec<[u32; 4]>;

/// What going through a move has brought.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tried {
    /// How often it was gone through, ways under way included.
    pub(crate) visits: u32,
    /// Ways under way, which have brought nothing yet.
    pub(crate) pending: u32,
    /// The sum, over the ways, of the mean goal of the games at their end.
    pub(crate) goals: f64,
}

impl Tried {
    pub(crate) fn begin(&mut self) {
        self.visits += 1;
        self.pending += 1;
    }

    /// What a way under way has brought; nothing if no game from its end came to an end.
    pub(crate) fn end(&mut self, goal: Option<f64>) {
        self.pending -= 1;
        match goal {
            Some(goal) => self.goals += goal,
            None => self.visits -= 1,
        }
    }

    /// The mean goal of the ways that are over.
    pub(crate) fn mean(&self) -> Option<f64> {
        let over = self.visits - self.pending;
        (over > 0).then(|| self.goals / f64::from(over))
    }
}

/// A move of one role, as seen from one node.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) action: MoveId,
    pub(crate) tried: Tried,
    /// The role's goal, if the move was found to lead to a state whose value is certain and no
    /// other role has a choice.
    pub(crate) certain: Option<u32>,
}

impl Arm {
    fn new(action: MoveId) -> Self {
        Self { action, tried: Tried::default(), certain: None }
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
        let mut choosing = self.choosing();
        match (choosing.next(), choosing.next()) {
            (Some(role), None) => Some(role),
            _ => None,
        }
    }

    /// The roles that have a choice.
    pub(crate) fn choosing(&self) -> impl Iterator<Item = RoleId> {
        self.of_role.iter_ids().filter(|(_, arms)| arms.len() > 1).map(|(role, _)| role)
    }

    /// How many joint moves there are.
    pub(crate) fn joint_moves(&self) -> u64 {
        self.of_role.iter().map(|arms| arms.len() as u64).fold(1, u64::saturating_mul)
    }

    /// The number of a joint move.
    pub(crate) fn number_of(&self, places: &[u32]) -> u64 {
        let digits = self.of_role.iter().zip(places);
        digits.fold(0, |number: u64, (arms, &place)| {
            number.wrapping_mul(arms.len() as u64).wrapping_add(u64::from(place))
        })
    }

    /// The moves at these places, one per role.
    pub(crate) fn moves_at(&self, places: &[u32]) -> SmallVec<[MoveId; 4]> {
        self.chosen(places).map(|arm| self.arms[arm].action).collect()
    }

    /// Takes one more way to lead through these places.
    pub(crate) fn begin(&mut self, places: &[u32]) {
        self.visits += 1;
        for (arms, &place) in self.of_role.iter().zip(places) {
            self.arms[(arms.start + place) as usize].tried.begin();
        }
    }

    /// A way under way has brought these mean goals, or nothing at all.
    pub(crate) fn end(&mut self, places: &[u32], goals: Option<&[f64]>) {
        self.visits -= u32::from(goals.is_none());
        for (role, (arms, &place)) in self.of_role.iter().zip(places).enumerate() {
            let arm = &mut self.arms[(arms.start + place) as usize];
            arm.tried.end(goals.map(|goals| goals[role]));
        }
    }

    fn chosen<'s>(&'s self, places: &'s [u32]) -> impl Iterator<Item = usize> + 's {
        self.of_role.iter().zip(places).map(|(arms, &place)| (arms.start + place) as usize)
    }
}
