//! Proof-number search: the same questions, asked where the least work seems left (Allis; depth first with two
//! thresholds, after Nagai).
//!
//! Each node has two numbers: the fewest open nodes that must be decided for the player to move to get its way, and the
//! fewest for the other. The search descends where the first number is least, and returns as soon as another branch may
//! be better. It beats alpha-beta where the numbers of moves differ much from node to node, and the shortest proof is
//! narrow.
//! first with two thresholds, after Nagai).
//!
//! Each node has two numbers: how many open nodes at least must be decided for the player to move to
//! get its way, and how many for the other. The search goes where the first is least, and comes back
//! when it is no longer sure to be in the right place. It beats alpha-beta where the numbers of moves
//! differ much from node to node, and the shortest proof is a narrow one.

use super::engine::{Engine, Halt, Node};
use super::frame::{Child, Frame};
use super::node_kind::Side;
use super::search_problem::Turn;
use super::table::mixed;

/// More than any sum of numbers.
const NEVER: u32 = 1 << 30;
/// Bytes for the numbers of nodes that are not decided.
const BYTES: usize = 96 << 20;

/// For the player to move, and for the other: how much is left to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Numbers {
    own: u32,
    other: u32,
}

impl Numbers {
    const NEW: Self = Self { own: 1, other: 1 };
    const WON: Self = Self { own: 0, other: NEVER };
    const LOST: Self = Self { own: NEVER, other: 0 };

    /// The numbers as another player sees them.
    fn seen_by(self, mover: u8, viewer: u8) -> Self {
        if mover == viewer { self } else { Self { own: self.other, other: self.own } }
    }

    fn reach(self, limits: Self) -> bool {
        self.own >= limits.own || self.other >= limits.other
    }
}

/// Numbers of states, in a table in which newer ones replace older ones.
pub(crate) struct NumberTable<const K: usize> {
    entries: Vec<([u64; K], Numbers)>,
}

impl<const K: usize> NumberTable<K> {
    /// An empty table for so many nodes, or as many as there is room for.
    pub(crate) fn new(nodes: u64, bytes: u64) -> Self {
        let bytes = usize::try_from(bytes).map_or(BYTES, |bytes| bytes.min(BYTES));
        let room = bytes / size_of::<([u64; K], Numbers)>();
        let count = usize::try_from(nodes.saturating_mul(4)).map_or(room, |count| count.min(room));
        Self { entries: vec![([u64::MAX; K], Numbers::NEW); count.max(1)] }
    }

    fn place(&self, key: &[u64; K]) -> usize {
        ((u128::from(mixed(key)) * self.entries.len() as u128) >> 64) as usize
    }

    fn find(&self, key: &[u64; K]) -> Numbers {
        let (found, numbers) = self.entries[self.place(key)];
        if found == *key { numbers } else { Numbers::NEW }
    }

    fn put(&mut self, key: [u64; K], numbers: Numbers) {
        let place = self.place(&key);
        self.entries[place] = (key, numbers);
    }
}

/// Which child to go to, and when to come back.
struct Next {
    child: u16,
    limits: Numbers,
}

impl<const K: usize> Engine<'_, K> {
    /// Whether the first role can get at least the value at `target`, as
    /// [`question`](Engine::question) says it.
    pub(crate) fn prove(
        &mut self,
        state: &[u64; K],
        turn: Turn,
        moves: &[u32],
        target: u8,
        numbers: &mut NumberTable<K>,
    ) -> Result<u8, Halt> {
        let key = self.canonical(state);
        let limits = Numbers { own: NEVER, other: NEVER };
        let node = Node { ply: 0, state, key, turn, moves, children: None };
        self.grow(&node, target, limits, numbers)?;
        let known = self.table.find(&key).ok_or(Halt::Nodes)?;
        Ok(if known.least >= target { known.least } else { known.most })
    }

    /// Works at a node until it is decided or its numbers reach the limits.
    fn grow(
        &mut self,
        node: &Node<'_, K>,
        target: u8,
        limits: Numbers,
        numbers: &mut NumberTable<K>,
    ) -> Result<Numbers, Halt> {
        self.nodes += 1;
        self.check(node.ply)?;
        let before = self.nodes;
        let side = self.side(node.turn, target);
        if let Some(decided) = self.decided(&node.key, side) {
            return Ok(decided);
        }
        let mut frame = self.take_frame(node.ply);
        let result = self.grow_children(node, side, limits, numbers, &mut frame);
        self.frames[node.ply] = frame;
        let (found, action) = result?;
        match found {
            Numbers::WON => self.remember(node, side.way(true), target, action, before),
            Numbers::LOST => self.remember(node, side.way(false), target, action, before),
            open => numbers.put(node.key, open),
        }
        Ok(found)
    }

    /// What the table knows.
    fn decided(&self, key: &[u64; K], side: Side) -> Option<Numbers> {
        let known = self.table.find(key)?;
        let value = match (known.least >= side.target, known.most < side.target) {
            (true, _) => known.least,
            (_, true) => known.most,
            _ => return None,
        };
        Some(if side.wins(value) { Numbers::WON } else { Numbers::LOST })
    }

    fn grow_children(
        &mut self,
        node: &Node<'_, K>,
        side: Side,
        limits: Numbers,
        numbers: &mut NumberTable<K>,
        frame: &mut Frame<K>,
    ) -> Result<(Numbers, u32), Halt> {
        let mut best = side.worst();
        if let Some((_, action)) = self.survey(node, side, &mut best, frame)? {
            return Ok((Numbers::WON, action));
        }
        let any = frame.children.first().map_or(u32::MAX, |child| child.action);
        loop {
            let (sum, next) = self.sum_up(node, side, limits, numbers, frame);
            let action =
                next.as_ref().map_or(any, |next| frame.children[usize::from(next.child)].action);
            let Some(next) = next.filter(|_| sum.own > 0 && !sum.reach(limits)) else {
                let decided = sum.own == 0 || sum.other == 0;
                let found = if sum.own == 0 { Numbers::WON } else { Numbers::LOST };
                return Ok((if decided { found } else { sum }, action));
            };
            let child = frame.children[usize::from(next.child)];
            let limits = next.limits.seen_by(child.turn.mover, node.turn.mover);
            self.grow(&Self::node(node.ply + 1, &child, frame), side.target, limits, numbers)?;
        }
    }

    /// The numbers of a node by those of its children, and where to go on.
    fn sum_up(
        &self,
        node: &Node<'_, K>,
        side: Side,
        limits: Numbers,
        numbers: &NumberTable<K>,
        frame: &Frame<K>,
    ) -> (Numbers, Option<Next>) {
        let mut sum = Numbers { own: NEVER, other: 0 };
        let mut best: Option<(u16, Numbers)> = None;
        let mut second = NEVER;
        for &number in &frame.open {
            let seen = self.seen(&frame.children[usize::from(number)], node.turn, side, numbers);
            sum.other = (sum.other + seen.other).min(NEVER - 1);
            if best.is_none_or(|(_, numbers)| seen.own < numbers.own) {
                second = best.map_or(NEVER, |(_, numbers)| numbers.own);
                best = Some((number, seen));
            } else {
                second = second.min(seen.own);
            }
        }
        let Some((child, seen)) = best else { return (Numbers::LOST, None) };
        sum.own = seen.own;
        // A little more than the second best, so as not to go to and fro.
        let patience = second.saturating_add(second / 4 + 1);
        let other = limits.other.saturating_sub(sum.other - seen.other.min(sum.other));
        let limits = Numbers { own: limits.own.min(patience), other: other.max(1) };
        (sum, Some(Next { child, limits }))
    }

    /// The numbers of a child, as the player to move in its parent sees them.
    fn seen(&self, child: &Child<K>, turn: Turn, side: Side, numbers: &NumberTable<K>) -> Numbers {
        let own_side = Side { first: child.turn.mover == 0, ..side };
        let known = self.decided(&child.key, own_side);
        known.unwrap_or_else(|| numbers.find(&child.key)).seen_by(child.turn.mover, turn.mover)
    }
}
