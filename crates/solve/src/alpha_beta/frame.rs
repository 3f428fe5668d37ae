//! A node on the path, its children, and what is known of its grandchildren.

use super::search_problem::Turn;

/// A child of a node.
#[derive(Clone, Copy)]
pub(crate) struct Child<const K: usize> {
    pub(crate) state: [u64; K],
    /// The least of the states that are equal to it by symmetry, once that has been asked.
    pub(crate) key: [u64; K],
    /// The move that leads to it.
    pub(crate) action: u32,
    pub(crate) over: bool,
    pub(crate) turn: Turn,
    /// The moves of the player whose turn it is, in the frame.
    pub(crate) first_move: u32,
    pub(crate) move_count: u32,
    /// What is known of its value, as places of goal values.
    pub(crate) least: u8,
    pub(crate) most: u8,
    pub(crate) score: i64,
    /// Where its children are, if they have been looked at.
    pub(crate) place: Option<Place>,
}

/// Lanes of a sweep that has been kept: row `r` is at word `base + r * stride`, from bit `shift` on.
/// The fluents that the sweep changed are named in `changed`; they have the last rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) base: u32,
    pub(crate) changed: (u32, u32),
    pub(crate) stride: u8,
    pub(crate) shift: u8,
}

/// What sweeps found, in rows of words.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) words: Vec<u64>,
    pub(crate) changed: Vec<u32>,
}

impl Kept {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.changed.clear();
    }
}

/// The children of a node on the path.
#[derive(Default)]
pub(crate) struct Frame<const K: usize> {
    pub(crate) children: Vec<Child<K>>,
    /// The moves of all children, one after the other.
    pub(crate) moves: Vec<u32>,
    /// The fluents that are not in all children as in the node, and in which children they are true,
    /// if there are at most 64.
    pub(crate) varying: Vec<(u32, u64)>,
    /// The children the question hangs on.
    pub(crate) open: Vec<u16>,
    /// Sweeps over the children's children.
    pub(crate) kept: Kept,
}

impl<const K: usize> Frame<K> {
    pub(crate) fn moves_of(&self, child: &Child<K>) -> &[u32] {
        &self.moves[child.first_move as usize..][..child.move_count as usize]
    }

    pub(crate) fn clear(&mut self) {
        self.children.clear();
        self.moves.clear();
        self.varying.clear();
        self.kept.clear();
    }
}
