//! What is known of a game, for those who compare games.

use gambol_analysis::{Budget, Shape};
use serde::Serialize;

use super::QuizOptions;
use crate::{Game, StageError, moving};

/// What is known of a game. Latches and clocks are proved; so is that players move in turn.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Features {
    /// How many players.
    pub players: usize,
    /// `single`, `sequential` or `simultaneous`.
    pub dynamics: &'static str,
    /// How many fluents.
    pub fluents: usize,
    /// How many moves, of all roles together.
    pub moves: usize,
    /// How many fluents latch.
    pub latches: usize,
    /// How many groups of fluents count steps.
    pub clocks: usize,
    /// How many states play can reach, if that is known.
    pub states: Option<usize>,
}

impl Features {
    pub(super) fn of(
        game: &Game,
        structure: &Shape,
        options: &QuizOptions,
    ) -> Result<Self, StageError> {
        let net = game.net()?;
        let budget = Budget { time: None, stop: options.stop.clone() };
        Ok(Self {
            players: net.roles.len(),
            dynamics: moving(net, game.circuit()?, &budget).as_str(),
            fluents: net.fluents.len(),
            moves: net.moves.len(),
            latches: structure.proved_latches().count(),
            clocks: structure.clocks.iter().filter(|clock| clock.back_to.is_none()).count(),
            states: structure.states,
        })
    }
}
