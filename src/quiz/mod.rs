//! Questions about a game, with answers that are checked.
//!
//! What is legal, what follows, whether it is over and what it is worth is asked of the circuit and of the
//! interpreter, and they must agree before a question is asked. Values and best moves come from a table of all
//! states, so they are asked only of games that can be listed. Latches are proved, and of every other fluent that has
//! changed it was seen that it is none.
//!
//! ```
//! use gambol::Game;
//! use gambol::quiz::{QuizOptions, quiz};
//!
//! let game = Game::bundled("tic-tac-toe")?;
//! let questions = quiz(&game, "tic-tac-toe", &QuizOptions { questions: 7, ..QuizOptions::default() })?;
//! assert_eq!(questions.len(), 7);
//! assert!(questions.is_sorted_by_key(|question| question.difficulty));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod features;
mod question;
mod sources;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

pub use features::Features;
pub use question::{Answer, Kind, Question};

use crate::{Game, MachineError, StageError};
use sources::Sources;

/// What to ask.
#[derive(Clone, Debug)]
pub struct QuizOptions {
    /// How many questions.
    pub questions: usize,
    /// The same seed asks the same.
    pub seed: u64,
    /// The most moves that a question about what follows makes.
    pub steps: usize,
    /// Which kinds of questions.
    pub kinds: Vec<Kind>,
    /// Time for listing the states; beyond it nothing is asked about values and best moves.
    pub time: Duration,
    /// Raised from outside to stop.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for QuizOptions {
    fn default() -> Self {
        let (kinds, time) = (Kind::ALL.to_vec(), Duration::from_secs(10));
        Self { questions: 20, seed: 1, steps: 3, kinds, time, stop: None }
    }
}

/// Why there are no questions.
#[derive(Clone, Debug, thiserror::Error)]
pub enum QuizError {
    /// A state does not tell everything.
    #[error("the game has chance or hidden information: its states do not tell everything")]
    HiddenInformation,
    /// The kinds of questions that are wanted cannot be asked of this game.
    #[error("the game has no such questions: {0}")]
    NothingToAsk(String),
    /// Circuit and interpreter, or proof and play, gave different answers: a fault of ours, and no question.
    #[error("two sources of answers differ in a state of this game; please report it")]
    Disagreement,
    /// A stage could not do its work.
    #[error("{0}")]
    Stage(#[from] StageError),
    /// Somebody stopped it before the first question.
    #[error("stopped")]
    Stopped,
}

impl From<MachineError> for QuizError {
    fn from(error: MachineError) -> Self {
        Self::Stage(error.into())
    }
}

/// Walks in vain before a kind of question is given up.
const MOST_WALKS: usize = 500;

/// Questions about a game, the easiest first.
pub fn quiz(game: &Game, name: &str, options: &QuizOptions) -> Result<Vec<Question>, QuizError> {
    let net = game.net()?;
    let chance = net.roles.iter().any(|role| role.eq_ignore_ascii_case("random"));
    if chance || !net.percepts.is_empty() {
        return Err(QuizError::HiddenInformation);
    }
    let mut sources = Sources::open(game, options)?;
    let mut kinds: Vec<Kind> =
        options.kinds.iter().copied().filter(|&kind| sources.can_answer(kind)).collect();
    let features = Features::of(game, sources.structure(), options)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    let (mut questions, mut in_vain) = (Vec::new(), 0);
    let stopped = || options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    // Whoever stops it gets what has been asked by then.
    while questions.len() < options.questions && (questions.is_empty() || !stopped()) {
        if stopped() {
            return Err(QuizError::Stopped);
        }
        if in_vain > MOST_WALKS {
            // Players who move at once have no best moves, and an end may be too far away.
            kinds.remove(questions.len() % kinds.len());
            in_vain = 0;
        }
        if kinds.is_empty() {
            let kinds: Vec<&str> = options.kinds.iter().map(|kind| kind.as_str()).collect();
            return Err(QuizError::NothingToAsk(kinds.join(", ")));
        }
        let kind = kinds[questions.len() % kinds.len()];
        let walk = sources.walk(&mut random)?;
        let place = random.random_range(0..walk.states.len());
        let steps = random.random_range(1..=options.steps.max(1));
        let asked = match sources.question(kind, &walk, place, &mut random, steps) {
            // The engines look at the flag, too.
            Err(_) if !questions.is_empty() && stopped() => break,
            asked => asked?,
        };
        match asked {
            Some(asked) => {
                questions.push(asked.of(name, &features));
                in_vain = 0;
            }
            None => in_vain += 1,
        }
    }
    questions.sort_by_key(|question| question.difficulty);
    (0..).zip(&mut questions).for_each(|(number, question)| question.number = number);
    Ok(questions)
}
