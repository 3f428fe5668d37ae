//! Lanes for a search: many states side by side, each with the moves its player makes in it.
//!
//! Where an [`Evaluator`](crate::Evaluator) answers about one state, a sweep holds as many as there
//! are lanes and leaves the words to its owner: lane `l` of slot `s` is bit `l % 64` of word
//! `s * parts + l / 64`.

use std::ops::Range;

use gambol_net::MoveId;

use crate::Circuit;
use crate::compile::layout::Layout;
use crate::engine::single::Single;
use crate::engine::{Code, Width};
use crate::query::lanes::{Lanes, lanes_for};
use crate::query::rows::words_for;

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
        Self::with_code(circuit, circuit.options.code)
    }

    /// Lanes that are run in a certain way.
    pub fn with_code(circuit: &'a Circuit, code: Code) -> Self {
        let single = circuit.single();
        let lanes = lanes_for(single, code, Width::W256);
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

    /// Puts states into the first lanes, row after row. What the other lanes hold is undefined.
    pub fn load_states(&mut self, states: &[u64]) {
        self.lanes.load_rows(states);
    }

    /// Appends the states of the first `count` lanes, row after row.
    pub fn read_states(&self, count: usize, states: &mut Vec<u64>) {
        self.append(self.layout.fluent_slots(), count, states);
    }

    /// Appends for each of the first `count` lanes the legal moves among the computed ones, as bits: rows
    /// of [`Sweep::legal_width`] words.
    pub fn read_legal(&self, count: usize, rows: &mut Vec<u64>) {
        let legal = self.layout.legal as usize;
        self.append(legal..legal + self.computed_moves().len(), count, rows);
    }

    fn append(&self, slots: Range<usize>, count: usize, rows: &mut Vec<u64>) {
        let start = rows.len();
        rows.resize(start + count * words_for(slots.len()), 0);
        self.lanes.read_rows(slots, &mut rows[start..]);
    }

    /// Appends the legal moves of all roles, sorted, of a lane in which the computed ones are these bits.
    pub fn append_legal(&self, row: &[u64], legal: &mut Vec<MoveId>) {
        self.single.batch.phases[0].append_legal(row, legal);
    }

    /// How many words the legal moves of one lane take.
    pub fn legal_width(&self) -> usize {
        words_for(self.computed_moves().len())
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

#[cfg(test)]
mod tests {
    use gambol_net::NetBuilder;

    use super::*;
    use crate::CompileOptions;
    use gambol_run::Random;

    /// Seventy lamps that stay as they are, so that a state takes two words.
    fn lamps() -> Circuit {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        let press = net.action(player, "press");
        let always = net.constant(true);
        net.legal(press, always);
        for number in 0..70 {
            let lamp = net.fluent(&format!("lamp {number}"));
            let lit = net.truth(lamp);
            net.next(lamp, lit);
        }
        Circuit::compile(&net.finish().expect("a net"), &CompileOptions::default())
            .expect("a circuit")
    }

    #[test]
    fn what_goes_into_lanes_comes_out_of_them() {
        let circuit = lamps();
        let mut random = Random::new(8);
        for code in [Code::Table, Code::Auto] {
            let mut sweep = Sweep::with_code(&circuit, code);
            for count in [1, 64, 65, 128, 129, 64 * sweep.parts()] {
                let mut row = || [random.word(), random.word() & 0x3f];
                let states: Vec<u64> = (0..count).flat_map(|_| row()).collect();
                sweep.load_states(&states);
                sweep.transition();
                let mut found = vec![7];
                sweep.read_states(count, &mut found);
                assert_eq!(found[1..], states);
            }
        }
    }
}
