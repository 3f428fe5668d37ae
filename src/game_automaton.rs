//! A game as an automaton, for goal regression.

use std::time::{Duration, Instant};

use gambol_analysis::{Budget, ShapeOptions, shape};
use gambol_regress::{
    GameAutomaton, GameError, Halt, Limits, Mismatch, RegressError, automaton_of_game,
    compare_with_circuit,
};

use crate::{Game, StageError};

/// Random games that are played on both the circuit and the automaton made of it.
const COMPARED_GAMES: usize = 200;
/// Time for the analysis that the variables come from, if no limit is given; and its share if one is.
const ANALYSIS: Duration = Duration::from_secs(20);
const ANALYSIS_SHARE: f64 = 0.3;

/// Why a game has no automaton.
#[derive(Debug, thiserror::Error)]
pub enum AutomatonError {
    /// A stage could not do its work.
    #[error("{0}")]
    Stage(#[from] StageError),
    /// The game cannot be made one.
    #[error("{0}")]
    Game(#[from] GameError),
    /// It does not do what the circuit does.
    #[error("{0}")]
    Mismatch(#[from] Mismatch),
}

impl AutomatonError {
    /// Whether a limit on time or memory, not the game, is the reason.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Stage(error) => error.is_limit(),
            Self::Game(error) => matches!(error, GameError::Regress(RegressError::Halt(_))),
            Self::Mismatch(_) => false,
        }
    }
}

impl Game {
    /// The game as an automaton, compared with the circuit on random games.
    pub fn automaton(
        &self,
        name: &str,
        seed: u64,
        limits: &Limits,
    ) -> Result<GameAutomaton, AutomatonError> {
        let begun = Instant::now();
        let net = self.net()?;
        let mut options = ShapeOptions::default();
        let time = limits.time.map_or(ANALYSIS, |time| time.mul_f64(ANALYSIS_SHARE));
        options.budget = Budget { time: Some(time), stop: limits.stop.clone() };
        options.seed = seed;
        options.inhibitors = false;
        let shape = shape(net, &options);
        let left = limits.time.map(|time| time.saturating_sub(begun.elapsed()));
        let made = automaton_of_game(name, net, &shape, &Limits { time: left, ..limits.clone() });
        let made = made.map_err(|error| match error {
            // With more time a turn might have been proved.
            GameError::Simultaneous(_) if !shape.complete => {
                GameError::Regress(RegressError::Halt(Halt::Time))
            }
            error => error,
        })?;
        compare_with_circuit(&made, net, self.circuit()?, COMPARED_GAMES, seed)?;
        Ok(made)
    }
}
