//! A game whose states are counted for an observer as they are looked at.

use crate::{Dynamics, Looks, Observer};

pub(crate) struct Watched<'a, G> {
    game: &'a mut G,
    observer: &'a mut dyn Observer,
    states: u64,
}

impl<'a, G: Dynamics> Watched<'a, G> {
    /// A game, and who watches.
    pub(crate) fn new(game: &'a mut G, observer: &'a mut dyn Observer) -> Self {
        Self { game, observer, states: 0 }
    }
}

impl<G: Dynamics> Dynamics for Watched<'_, G> {
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
        self.states += (states.len() / self.game.width()) as u64;
        self.observer.progress(self.states, "parts together");
        self.game.look(states)
    }

    fn step(&mut self, states: &[u64], joint_moves: &[u32]) -> Vec<u64> {
        self.game.step(states, joint_moves)
    }
}
