//! The game with the states of each part merged by bisimulation.
//!
//! A state is a block for each part and a step of the context; one state of each block represents all of them. Values
//! are those of the game.
//!
//! A state is a block for each part and a step of the context; one state of each block stands for
//! all. Values are those of the game.

use gambol_index::{Id, bits};
use gambol_net::Net;

use super::context::Orbit;
use super::part_quotient::Node;
use super::transition_system::unproject;
use crate::circuit_dynamics::CircuitDynamics;
use crate::listing::store::StateId;
use crate::{Dynamics, Looks};

pub(crate) struct Quotient<'a> {
    pub(crate) game: CircuitDynamics<'a>,
    pub(crate) parts: Vec<Node>,
    pub(crate) orbit: Orbit,
    pub(crate) start: Vec<u64>,
    words: usize,
}

impl<'a> Quotient<'a> {
    pub(crate) fn new(
        net: &Net,
        game: CircuitDynamics<'a>,
        parts: Vec<Node>,
        orbit: Orbit,
        start: &[u64],
    ) -> Self {
        let words = net.fluents.len().div_ceil(64).max(1);
        let mut quotient = Self { game, parts, orbit, start: Vec::new(), words };
        quotient.start = quotient.block_row(start, 0);
        quotient
    }

    /// The blocks of a state of the game at a step of the context.
    pub(crate) fn block_row(&self, state: &[u64], step: usize) -> Vec<u64> {
        let block = |part: &Node| {
            u64::from(part.block(state).expect("a part is listed under every joint move"))
        };
        self.parts.iter().map(block).chain([step as u64]).collect()
    }

    /// The blocks of a state that need not come from the start; `None` if the tables do not have it.
    pub(crate) fn entry(&self, state: &[u64]) -> Option<Vec<u64>> {
        let step = self.orbit.step_of(state)?;
        let blocks = self.parts.iter().map(|part| part.block(state).map(u64::from));
        blocks.chain([Some(step as u64)]).collect()
    }

    /// The state that stands for blocks.
    pub(crate) fn representative(&self, row: &[u64]) -> Vec<u64> {
        let mut state = vec![0; self.words];
        for (part, &block) in self.parts.iter().zip(row) {
            let local = &part.reduced;
            unproject(local.store.row(StateId::new(block as u32)), &local.fluents, &mut state);
        }
        for &fluent in &self.orbit.contexts[row[self.parts.len()] as usize] {
            bits::set(&mut state, fluent.index());
        }
        state
    }

    /// The row of the state that follows a row.
    pub(crate) fn row_after(&self, next: &[u64], before: &[u64]) -> Vec<u64> {
        self.block_row(next, self.orbit.after(before[self.parts.len()] as usize))
    }

    fn representatives(&self, rows: &[u64]) -> Vec<u64> {
        rows.chunks_exact(self.parts.len() + 1).flat_map(|row| self.representative(row)).collect()
    }
}

impl Dynamics for Quotient<'_> {
    fn roles(&self) -> usize {
        self.game.roles()
    }

    fn width(&self) -> usize {
        self.parts.len() + 1
    }

    fn start(&self) -> Vec<u64> {
        self.start.clone()
    }

    fn look(&mut self, states: &[u64]) -> Looks {
        let states = self.representatives(states);
        self.game.look(&states)
    }

    fn step(&mut self, states: &[u64], joint_moves: &[u32]) -> Vec<u64> {
        let width = self.width();
        let next = self.game.step(&self.representatives(states), joint_moves);
        let rows = next.chunks_exact(self.words).zip(states.chunks_exact(width));
        rows.flat_map(|(state, before)| self.row_after(state, before)).collect()
    }
}
