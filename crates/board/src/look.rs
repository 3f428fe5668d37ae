//! How things on a board are drawn.

use crate::words::{Chessman, Ink};

/// The outline of a thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// An empty place.
    Nothing,
    /// A disc or stone that stays where it was put.
    Disc,
    /// A man of draughts.
    Man,
    /// A man of draughts that has reached the far side.
    Crowned,
    /// A man of chess.
    Chess(Chessman),
    /// An x.
    Cross,
    /// An o.
    Nought,
    /// A lamp that is lit.
    Lamp,
    /// A lamp that is not.
    DarkLamp,
    /// A peg in its hole.
    Peg,
    /// A hole, or a place where something could be.
    Hole,
    /// A wall, a plank, a covered square.
    Block,
    /// A small dot: something was here.
    Mark,
    /// Degrees clockwise from upwards.
    Arrow(u16),
    /// A tile with a number.
    Number(String),
    /// So many counters.
    Heap(u32),
    /// A disc of a tower, seen from the side: how wide, in hundredths.
    Slab(u32, String),
    /// A round token with a word.
    Token(String),
}

/// How a thing is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look {
    /// Its outline.
    pub shape: Shape,
    /// Its colour.
    pub ink: Ink,
}
