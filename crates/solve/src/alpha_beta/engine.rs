//! Alpha-beta for two players in turn, one yes-or-no question at a time: can the first role get at
//! least this much?
//!
//! A node tries all replies to all its moves in one sweep of the circuit, each in a lane of its own.
//! Ends, bounds and entries of the table decide most children without a search; the rest is ordered
//! and searched. An answer rests on answers that were finished before, so it is a proof even if
//! states can come back; a line that gets too deep ends the search without one.
//!
//! Several engines may work on one question. They share what is proved, and each leaves to the end
//! what another is at.

use std::sync::Arc;

use super::bounds::Asked;
use super::deferred_search::Team;
use super::frame::{Child, Frame, Kept, Place};
use super::node_kind::Side;
use super::order::Order;
use super::search_problem::{SearchProblem, Turn};
use super::sweeps::Sweeps;
use super::table::{Entry, Table, mixed};
use super::weights::Weights;
use crate::Reading;
use crate::limits::{Meter, Unfinished};

/// Why a search ends without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// A limit.
    Unfinished(Unfinished),
    /// More nodes than were allowed.
    Nodes,
    /// Another engine has the answer.
    Answered,
    /// Both players have a choice.
    Simultaneous,
    /// A player has no move, and the game is not over.
    Stuck,
    /// The goals do not add up to the sum they have elsewhere.
    Sum,
    /// An end has several goals for a player, or none.
    Unclear,
    /// A line of play has no end in sight.
    Deep,
}

/// Lines of play with more moves are given up.
const DEEPEST: usize = 600;

/// For each byte of a state and each value of it the bits of the image.
type ByteTables<const K: usize> = Vec<[[u64; K]; 256]>;

pub(crate) struct Engine<'a, const K: usize> {
    board: &'a SearchProblem,
    sweeps: Sweeps<'a>,
    order: Order<'a>,
    symmetries: Vec<ByteTables<K>>,
    pub(super) frames: Vec<Frame<K>>,
    meter: Meter,
    pub(crate) table: Arc<Table<K>>,
    pub(crate) team: Arc<Team>,
    pub(crate) weights: Weights,
    /// How to read ends that are not clear, for the first role; without it they end the search, so that
    /// nothing rests on them.
    pub(crate) reading: Option<Reading>,
    pub(crate) nodes: u64,
    pub(crate) most_nodes: u64,
}

/// A state of which something is asked.
pub(super) struct Node<'n, const K: usize> {
    pub(super) ply: usize,
    pub(super) state: &'n [u64; K],
    pub(super) key: [u64; K],
    pub(super) turn: Turn,
    pub(super) moves: &'n [u32],
    /// Where its children are, if they have been looked at.
    pub(super) children: Option<(&'n Kept, Place)>,
}

impl<'a, const K: usize> Engine<'a, K> {
    pub(crate) fn new(
        board: &'a SearchProblem,
        circuit: &'a gambol_sim::Circuit,
        table: Arc<Table<K>>,
        meter: Meter,
    ) -> Self {
        Self {
            sweeps: Sweeps::new(board, circuit),
            order: Order::new(board),
            symmetries: board.symmetries.iter().map(|symmetry| byte_tables(symmetry)).collect(),
            frames: Vec::new(),
            table,
            team: Arc::new(Team::alone()),
            weights: Weights::ALL,
            reading: None,
            nodes: 0,
            most_nodes: u64::MAX,
            meter,
            board,
        }
    }

    /// How many words of 64 lanes circuits swept so far.
    pub(crate) fn words_swept(&self) -> u64 {
        self.sweeps.words_swept
    }

    /// Whether the first role can get at least the value at `target`: the answer is a place of that
    /// or a higher value the state is at least worth, or of a lower one it is at most worth.
    pub(crate) fn question(
        &mut self,
        state: &[u64; K],
        turn: Turn,
        moves: &[u32],
        target: u8,
    ) -> Result<u8, Halt> {
        let key = self.canonical(state);
        self.search(Node { ply: 0, state, key, turn, moves, children: None }, target)
    }

    /// The children of a state.
    pub(crate) fn children(
        &mut self,
        state: &[u64; K],
        turn: Turn,
        moves: &[u32],
        frame: &mut Frame<K>,
    ) -> Result<(), Halt> {
        let asked = self.asked(self.board.top());
        self.sweeps.expand(state, turn, moves, asked, frame)
    }

    /// What the table knows of a state.
    pub(crate) fn known(&self, state: &[u64; K]) -> Option<Entry> {
        self.table.find(&self.canonical(state))
    }

    fn asked(&self, target: u8) -> Asked {
        Asked::about(target, self.board.top(), self.reading, self.weights.bounds)
    }

    fn search(&mut self, node: Node<'_, K>, target: u8) -> Result<u8, Halt> {
        self.nodes += 1;
        self.check(node.ply)?;
        let before = self.nodes;
        let known = self.table.find(&node.key);
        let (least, most) = known.map_or((0, self.board.top()), |known| (known.least, known.most));
        if least >= target {
            return Ok(least);
        }
        if most < target {
            return Ok(most);
        }
        let preferred = known.map(|known| known.action).filter(|_| self.symmetries.is_empty());
        let mut frame = self.take_frame(node.ply);
        let result = self.decide(&node, target, preferred, &mut frame);
        self.frames[node.ply] = frame;
        let (value, action) = result?;
        self.remember(&node, value, target, action, before);
        Ok(value)
    }

    /// Keeps what has been found about a node.
    pub(super) fn remember(
        &self,
        node: &Node<'_, K>,
        value: u8,
        target: u8,
        action: u32,
        before: u64,
    ) {
        let top = self.board.top();
        let (least, most) = if value >= target { (value, top) } else { (0, value) };
        let work = (64 - (self.nodes - before + 1).leading_zeros()) as u8;
        self.table.add(&node.key, Entry { least, most, work, action });
    }

    pub(super) fn side(&self, turn: Turn, target: u8) -> Side {
        Side { first: turn.mover == 0, target, top: self.board.top() }
    }

    pub(super) fn check(&mut self, ply: usize) -> Result<(), Halt> {
        if self.team.is_done() {
            return Err(Halt::Answered);
        }
        if self.nodes & 0xfff == 0 {
            self.team.count(0x1000);
            self.meter.check_time().map_err(Halt::Unfinished)?;
        }
        if self.nodes > self.most_nodes {
            return Err(Halt::Nodes);
        }
        if ply > DEEPEST { Err(Halt::Deep) } else { Ok(()) }
    }

    pub(super) fn take_frame(&mut self, ply: usize) -> Frame<K> {
        while self.frames.len() <= ply {
            self.frames.push(Frame::default());
        }
        std::mem::take(&mut self.frames[ply])
    }

    /// The value of a node, as far as the question goes, and the move that shows it.
    fn decide(
        &mut self,
        node: &Node<'_, K>,
        target: u8,
        preferred: Option<u32>,
        frame: &mut Frame<K>,
    ) -> Result<(u8, u32), Halt> {
        let side = self.side(node.turn, target);
        let mut best = side.worst();
        if let Some(found) = self.survey(node, side, &mut best, frame)? {
            return Ok(found);
        }
        let words_swept = &mut self.sweeps.words_swept;
        self.order.sort(&self.weights, node.state, node.turn, preferred, frame, words_swept);
        self.try_children(node, side, best, frame)
    }

    /// Finds the children and what ends, bounds, replies and the table say about them: one that
    /// settles the question, or else the list of those that are open; what the others are worth goes
    /// into `best`.
    pub(super) fn survey(
        &mut self,
        node: &Node<'_, K>,
        side: Side,
        best: &mut u8,
        frame: &mut Frame<K>,
    ) -> Result<Option<(u8, u32)>, Halt> {
        let asked = self.asked(side.target);
        match node.children {
            Some((kept, place)) => {
                frame.clear();
                self.sweeps.cut_out(node.state, node.moves, kept, place, asked, frame)?;
            }
            None => self.sweeps.expand(node.state, node.turn, node.moves, asked, frame)?,
        }
        if let Some(found) = side.settle(frame, best) {
            return Ok(Some(found));
        }
        self.find_keys(frame);
        if self.weights.replies && frame.children.len() <= 64 {
            self.sweeps.look_at_replies(node.state, asked, frame)?;
            if let Some(found) = side.settle(frame, best) {
                return Ok(Some(found));
            }
        }
        if self.weights.peek {
            self.peek(frame);
            return Ok(side.settle(frame, best));
        }
        Ok(None)
    }

    /// Searches the open children; those that another engine is at come last.
    fn try_children(
        &mut self,
        node: &Node<'_, K>,
        side: Side,
        mut best: u8,
        frame: &mut Frame<K>,
    ) -> Result<(u8, u32), Halt> {
        let mut action = frame.children.first().map_or(u32::MAX, |child| child.action);
        let mut place = 0;
        let mut late = frame.open.len();
        while place < frame.open.len() {
            let child = frame.children[frame.open[place] as usize];
            let hash = mixed(&child.key);
            if place > 0 && place < late && self.team.is_busy(hash) {
                // To the end of the list; it is not asked about twice.
                frame.open[place..].rotate_left(1);
                late -= 1;
                continue;
            }
            place += 1;
            self.team.begin(hash);
            let value = self.search(Self::node(node.ply + 1, &child, frame), side.target);
            self.team.end(hash);
            let value = value?;
            if side.wins(value) {
                return Ok((value, child.action));
            }
            if side.improves(value, best) {
                best = value;
                action = child.action;
            }
        }
        Ok((best, action))
    }

    pub(super) fn node<'n>(ply: usize, child: &'n Child<K>, frame: &'n Frame<K>) -> Node<'n, K> {
        Node {
            ply,
            state: &child.state,
            key: child.key,
            turn: child.turn,
            moves: frame.moves_of(child),
            children: child.place.map(|place| (&frame.kept, place)),
        }
    }

    fn find_keys(&self, frame: &mut Frame<K>) {
        let Frame { open, children, .. } = frame;
        for &number in open.iter() {
            let child = &mut children[number as usize];
            child.key = self.canonical(&child.state);
            self.table.fetch(&child.key);
        }
    }

    /// What the table knows of the open children.
    fn peek(&mut self, frame: &mut Frame<K>) {
        let Frame { open, children, .. } = frame;
        for &number in open.iter() {
            let child = &mut children[number as usize];
            if let Some(known) = self.table.find(&child.key) {
                child.least = child.least.max(known.least);
                child.most = child.most.min(known.most);
            }
        }
    }

    /// The least of the states that are equal by symmetry.
    pub(super) fn canonical(&self, state: &[u64; K]) -> [u64; K] {
        let mut best = *state;
        for tables in &self.symmetries {
            let mut image = [0; K];
            for (byte, table) in tables.iter().enumerate() {
                let bits = (state[byte / 8] >> (8 * (byte % 8))) as u8;
                for (word, part) in image.iter_mut().zip(&table[usize::from(bits)]) {
                    *word |= part;
                }
            }
            best = best.min(image);
        }
        best
    }
}

fn byte_tables<const K: usize>(images: &[u32]) -> ByteTables<K> {
    let mut tables = vec![[[0; K]; 256]; images.len().div_ceil(8)];
    for (byte, table) in tables.iter_mut().enumerate() {
        for (value, row) in table.iter_mut().enumerate() {
            for bit in (0..8).filter(|bit| value >> bit & 1 == 1) {
                if let Some(&image) = images.get(8 * byte + bit) {
                    row[image as usize / 64] |= 1 << (image % 64);
                }
            }
        }
    }
    tables
}
