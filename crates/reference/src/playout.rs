//! Random games: each role chooses uniformly among its legal moves, independently of the others.

use crate::random::Random;
use crate::terms::GroundTerm;
use crate::{Interpreter, ReferenceError, State};

/// Why a playout ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// In a terminal state.
    Terminal,
    /// The role with this number had no legal move.
    Stuck(usize),
    /// After the number of steps allowed.
    Capped,
}

/// A random game.
#[derive(Clone, Debug)]
pub struct Playout {
    /// The joint moves.
    pub moves: Vec<Vec<GroundTerm>>,
    /// The last state.
    pub end: State,
    /// Why it is the last.
    pub ending: Ending,
    /// The goal value of each role in the last state, if it has exactly one.
    pub goals: Vec<Option<u32>>,
}

impl Interpreter {
    /// Plays one random game of at most `max_steps` joint moves. Equal seeds give equal games.
    pub fn playout(&mut self, seed: u64, max_steps: usize) -> Result<Playout, ReferenceError> {
        let mut random = Random::seeded(seed);
        let mut moves = Vec::new();
        let mut state = self.initial()?;
        let ending = loop {
            if self.terminal(&state)? {
                break Ending::Terminal;
            }
            if moves.len() >= max_steps {
                break Ending::Capped;
            }
            let legal = self.legal(&state)?;
            let joint = match random_joint_move(&mut random, &legal) {
                Ok(joint) => joint,
                Err(role) => break Ending::Stuck(role),
            };
            state = self.next(&state, &joint)?;
            moves.push(joint);
        };
        let goals = self.goal_values(&state)?;
        Ok(Playout { moves, end: state, ending, goals })
    }
}

/// One move per role, or the role that has none.
pub(crate) fn random_joint_move(
    random: &mut Random,
    legal: &[Vec<GroundTerm>],
) -> Result<Vec<GroundTerm>, usize> {
    legal.iter().enumerate().map(|(role, moves)| random.choose(moves).ok_or(role)).collect()
}
