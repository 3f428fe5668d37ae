//! A player of one role that is asked for single moves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gambol_play::{Effort, Reason, Settings};

use crate::{Game, Move, Position, PositionError};

/// Chooses moves for one role by tree search.
///
/// With a number of playouts, which is the default, the same seed gives the same move. With a time it
/// uses whatever helps: the parts of the game, goals that are out of reach, a solver beside it.
///
/// ```
/// use gambol::Game;
///
/// let game = Game::bundled("tic-tac-toe")?;
/// let position = game.state("(cell 1 1 x) (cell 1 2 x) (cell 1 3 empty) (cell 2 1 o) (cell 2 2 o) \
///     (cell 2 3 empty) (cell 3 1 empty) (cell 3 2 empty) (cell 3 3 empty) (turn xplayer)")?;
/// let chosen = game.agent("xplayer").playouts(2_000).seed(7).choose(&position)?;
/// assert_eq!(chosen.to_string(), "(put 1 3)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Agent<'g> {
    game: &'g Game,
    role: String,
    budget: Budget,
    seed: u64,
    threads: usize,
}

/// How long to think about a move.
#[derive(Clone, Copy, Debug)]
enum Budget {
    Playouts(u64),
    Time(Duration),
}

/// Random games per move unless something else is said.
const PLAYOUTS: u64 = 10_000;
/// The share of the first move's time for looking at the structure of the game.
const STUDY: f64 = 0.25;

/// A move and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The move.
    pub action: Move,
    /// Why it was chosen.
    pub reason: Reason,
}

impl Game {
    /// Someone who chooses moves for a role.
    pub fn agent(&self, role: &str) -> Agent<'_> {
        Agent::new(self, role)
    }
}

impl<'g> Agent<'g> {
    pub(crate) fn new(game: &'g Game, role: &str) -> Self {
        let budget = Budget::Playouts(PLAYOUTS);
        Self { game, role: role.to_string(), budget, seed: 1, threads: 1 }
    }

    /// Thinks for this many playouts.
    pub fn playouts(mut self, playouts: u64) -> Self {
        self.budget = Budget::Playouts(playouts);
        self
    }

    /// Thinks for so long.
    pub fn time(mut self, time: Duration) -> Self {
        self.budget = Budget::Time(time);
        self
    }

    /// For the random games.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Threads that play random games.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// A move for the position.
    pub fn choose(&self, position: &Position) -> Result<Move, PositionError> {
        Ok(self.decide(position)?.action)
    }

    /// A move for the position, and why.
    pub fn decide(&self, position: &Position) -> Result<Choice, PositionError> {
        if !position.game().is_same(self.game) {
            return Err(PositionError::OtherGame);
        }
        if position.is_terminal() {
            return Err(PositionError::Over);
        }
        let role = self.game.role(&self.role)?;
        let begun = Instant::now();
        let prepared = self.game.prepared()?;
        let effort = match self.budget {
            Budget::Playouts(playouts) => Effort::Playouts(playouts),
            Budget::Time(time) => {
                prepared.study(time.mul_f64(STUDY), &Arc::new(AtomicBool::new(false)));
                Effort::Until(begun + time)
            }
        };
        let mut agent = gambol_play::Agent::new(prepared, self.settings());
        agent.go_to(position.state().clone());
        let decision = agent.decide(role, effort, &AtomicBool::new(false));
        let decision = decision.ok_or_else(|| PositionError::NoMove { role: self.role.clone() })?;
        let action = Move::new(self.game.clone(), decision.action);
        Ok(Choice { action, reason: decision.reason })
    }

    /// What runs beside the search is done when it is done: with a number of playouts it is left out, so
    /// that the same is chosen again.
    fn settings(&self) -> Settings {
        let mut settings = Settings::default().with_threads(self.threads);
        settings.search.seed = self.seed;
        let structure = matches!(self.budget, Budget::Time(_));
        (settings.solve, settings.decompose, settings.latches) = (structure, structure, structure);
        settings
    }
}
