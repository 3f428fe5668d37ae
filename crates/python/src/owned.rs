//! Engines that own the game they run. Python keeps an object as long as it likes, so nothing in it may borrow.

use std::sync::Arc;

use gambol::Game;
use gambol::sim::{Evaluator, Sweep};
use self_cell::self_cell;

self_cell!(
    /// Answers about single states.
    pub(crate) struct OwnedEvaluator {
        owner: Arc<Game>,
        #[not_covariant]
        dependent: Evaluator,
    }
);

self_cell!(
    /// Lanes for many states.
    pub(crate) struct OwnedSweep {
        owner: Arc<Game>,
        #[not_covariant]
        dependent: Sweep,
    }
);

/// The reason why a loaded game has a net and a circuit.
pub(crate) const BUILT: &str = "a game is handed out once its circuit is compiled";

impl OwnedEvaluator {
    pub(crate) fn of(game: &Arc<Game>) -> Self {
        Self::new(game.clone(), |game| Evaluator::new(game.circuit().expect(BUILT)))
    }
}

impl OwnedSweep {
    pub(crate) fn of(game: &Arc<Game>) -> Self {
        Self::new(game.clone(), |game| Sweep::new(game.circuit().expect(BUILT)))
    }
}
