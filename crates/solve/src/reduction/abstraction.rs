//! A game in which every state is replaced by the representative of its residue.
//!
//! The same moves are legal in both, and lead to states with the same residues, so lines of play and values are those
//! of the game. Parts played one after the other cost the sum of their states, not the product: of a part that is over
//! only the result is left.
//!
//! The same moves are legal in both and lead to states with the same residues, so lines of play and
//! values are those of the game. Parts played one after the other cost the sum of their states, not
//! the product: of a part that is over only the result is left.

use gambol_net::Net;
use gambol_sim::Circuit;

use crate::circuit_dynamics::CircuitDynamics;
use crate::reduction::relevance::Residues;
use crate::{Dynamics, Limits, Looks};

pub(crate) struct Reduced<'a> {
    game: CircuitDynamics<'a>,
    residues: Residues,
}

impl<'a> Reduced<'a> {
    /// A game, with what residues may cost.
    pub(crate) fn new(net: &'a Net, circuit: &'a Circuit, limits: &Limits) -> Self {
        Self { game: CircuitDynamics::new(net, circuit), residues: Residues::new(net, limits) }
    }

    /// The state that stands for a state.
    pub(crate) fn standing(&mut self, state: &[u64]) -> Vec<u64> {
        let mut state = state.to_vec();
        self.residues.reduce(&mut state);
        state
    }
}

impl Dynamics for Reduced<'_> {
    fn roles(&self) -> usize {
        self.game.roles()
    }

    fn width(&self) -> usize {
        self.game.width()
    }

    fn start(&self) -> Vec<u64> {
        self.game.start()
    }

    fn look(&mut self, states: &[u64]) -> Looks {
        self.game.look(states)
    }

    fn step(&mut self, states: &[u64], joint_moves: &[u32]) -> Vec<u64> {
        let mut next = self.game.step(states, joint_moves);
        self.residues.reduce(&mut next);
        next
    }
}
