//! Lanes for a search: many states side by side, each with the moves its player makes in it.
//!
//! Where an [`Evaluator`](crate::Evaluator) answers about one state, a sweep holds as many as there
//! are lanes and leaves the words to its owner: lane `l` of slot `s` is bit `l % 64` of word
//! `s * parts + l / 64`.

use std::ops::Range;

use crate::Circuit;
use crate::lanes::{Lanes, lanes_for, load_lanes};
use crate::layout::Layout;
use crate::playouts::{Code, Width};
use crate::single::Single;

/// Many states of one game at once. Owns its memory: one per thread.
pub struct Sweep<'a> {
    single: &'a Single,
    layout: Layout,
    parts: usize,
    lanes: Box<dyn Lanes + Send + 'a>,
}

/// Which slots of a [`Sweep`] hold what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    /// The fluents.
    pub fluents: Range<usize>,
    /// What is done, by move.
    pub moves: usize,
    /// What is legal, by place in [`Sweep::computed_moves`].
    pub legal: usize,
    /// Whether the game is over.
    pub terminal: usize,
    /// The goals, in the order of the net.
    pub goals: Range<usize>,
}

impl<'a> Sweep<'a> {
    /// Lanes for a game.
    pub fn new(circuit: &'a Circuit) -> Self {
        Self::with_code(circuit, Code::Auto)
    }

    /// Lanes that are run in a certain way.
    pub fn with_code(circuit: &'a Circuit, code: Code) -> Self {
        let single = circuit.single();
        let lanes = lanes_for(single, code, Width::Auto);
        Self { single, layout: single.batch.layout, parts: lanes.parts(), lanes }
    }

    /// How many words a slot has; each word is 64 lanes.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Where everything lies.
    pub fn slots(&self) -> Slots {
        Slots {
            fluents: self.layout.fluent_slots(),
            moves: self.layout.moves as usize,
            legal: self.layout.legal as usize,
            terminal: self.layout.terminal as usize,
            goals: self.layout.goal_slots(),
        }
    }

    /// The moves whose legality is computed, in the order of their slots.
    pub fn computed_moves(&self) -> &[u32] {
        &self.single.batch.phases[0].moves
    }

    /// The moves that are legal in every state.
    pub fn always_legal(&self) -> &[u32] {
        &self.single.batch.phases[0].always_legal
    }

    /// The fluents that do not just keep their value.
    pub fn changing_fluents(&self) -> &[u32] {
        &self.single.batch.phases[0].changing
    }

    /// All slots, word by word.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.lanes.words()
    }

    /// All slots, to be written. Slots 0 and 1 are constants and must stay what they are.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        self.lanes.words_mut()
    }

    /// Puts one state into every lane.
    pub fn load(&mut self, state: &[u64]) {
        self.lanes.load(state);
    }

    /// Puts states into the lanes `64 * part ..`; there are at most 64 of them, row after row.
    pub fn load_lanes(&mut self, part: usize, states: &[u64]) {
        let fluents = self.layout.fluent_slots();
        let width = fluents.len().div_ceil(64).max(1);
        load_lanes(&mut *self.lanes, fluents, part, states.chunks_exact(width));
    }

    /// Appends the states of the first `count` of the lanes `64 * part ..`, row after row.
    pub fn read_lanes(&self, part: usize, count: usize, states: &mut Vec<u64>) {
        let fluents = self.layout.fluent_slots();
        let width = fluents.len().div_ceil(64).max(1);
        let start = states.len();
        states.resize(start + count * width, 0);
        for (column, first) in fluents.clone().step_by(64).enumerate() {
            let square = self.lanes.square(first..fluents.end.min(first + 64), part);
            for (row, word) in states[start..].chunks_exact_mut(width).zip(square) {
                row[column] = word;
            }
        }
    }

    /// Appends for each of the lanes `64 * part ..` the legal moves among the computed ones, as
    /// bits: rows of [`Sweep::legal_width`] words.
    pub fn read_legal(&self, part: usize, count: usize, rows: &mut Vec<u64>) {
        let legal = self.layout.legal as usize;
        let slots = legal..legal + self.computed_moves().len();
        let width = self.legal_width();
        let start = rows.len();
        rows.resize(start + count * width, 0);
        for (column, first) in slots.clone().step_by(64).enumerate() {
            let square = self.lanes.square(first..slots.end.min(first + 64), part);
            for (row, word) in rows[start..].chunks_exact_mut(width).zip(square) {
                row[column] = word;
            }
        }
    }

    /// How many words the legal moves of one lane take.
    pub fn legal_width(&self) -> usize {
        self.computed_moves().len().div_ceil(64).max(1)
    }

    /// Computes legality and termination of the states.
    pub fn legality(&mut self) {
        self.lanes.legality();
    }

    /// Replaces the states by their successors under what is done.
    pub fn transition(&mut self) {
        self.lanes.transition();
    }

    /// Computes the goals of the states.
    pub fn goals(&mut self) {
        self.lanes.goals();
    }
}
