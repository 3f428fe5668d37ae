//! A game: its rules, and whatever the later stages have made of them so far.

use std::sync::OnceLock;

use gambol_ground::{GroundError, GroundGame, Limits, instantiate};
use gambol_net::{Net, NetError};
use gambol_reference::{Budget, Interpreter, ReferenceError};
use gambol_sim::{Circuit, CompileOptions, SimError};
use gambol_syntax::{Diagnosis, ReadOptions, Rules, Severity, check, edit_distance, read, repair};

use crate::engine::{Engine, Named, State};
use crate::machine::{CircuitMachine, EngineKind, MachineError, NetMachine, ReferenceMachine};
use crate::{bundled_game, bundled_games};

/// Why a text is no game.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LoadError {
    /// The rules have errors; each diagnosis says what, where, and what to do.
    #[error("{}", first_error(.0))]
    Invalid(Vec<Diagnosis>),
    /// No bundled game has this name.
    #[error("no bundled game is called {name}{}", suggestion(.name))]
    UnknownGame {
        /// The name.
        name: String,
    },
}

/// Why a stage could not do its work.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StageError {
    /// The rules cannot be instantiated.
    #[error("{0}")]
    Ground(#[from] GroundError),
    /// The ground rules make no net.
    #[error("{0}")]
    Net(#[from] NetError),
    /// The net makes no circuit.
    #[error("{0}")]
    Circuit(#[from] SimError),
    /// The interpreter cannot work with the rules.
    #[error("{0}")]
    Reference(#[from] ReferenceError),
    /// A question to a machine failed.
    #[error("{0}")]
    Machine(#[from] MachineError),
}

impl StageError {
    /// Whether a limit on time or memory, not the game, is the reason.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Ground(error) => error.category() == "ground.limit",
            Self::Reference(error) => error.category() == "ground.limit",
            Self::Machine(MachineError::Reference(error)) => error.category() == "ground.limit",
            Self::Net(_) | Self::Circuit(_) | Self::Machine(_) => false,
        }
    }
}

/// A game. Each later stage runs when it is first asked for, and only once.
#[derive(Debug)]
pub struct Game {
    rules: Rules,
    diagnoses: Vec<Diagnosis>,
    limits: Limits,
    ground: OnceLock<Result<GroundGame, GroundError>>,
    net: OnceLock<Result<Net, StageError>>,
    circuit: OnceLock<Result<Circuit, StageError>>,
}

impl Game {
    /// Reads rules as play does: what can be repaired is, with a warning.
    pub fn read(text: &[u8], options: &ReadOptions) -> Result<Game, LoadError> {
        let reading = read(text, options);
        let mut diagnoses = reading.diagnoses;
        let Some(rules) = reading.rules else { return Err(LoadError::Invalid(diagnoses)) };
        let repaired = repair(rules);
        diagnoses.extend(repaired.diagnoses);
        match repaired.rules {
            Some(rules) => Ok(Self::new(rules, diagnoses)),
            None => Err(LoadError::Invalid(diagnoses)),
        }
    }

    /// Reads rules as their author wants them read: every fault is an error.
    pub fn read_strict(text: &[u8], options: &ReadOptions) -> Result<Game, LoadError> {
        let reading = read(text, options);
        let mut diagnoses = reading.diagnoses;
        let Some(rules) = reading.rules else { return Err(LoadError::Invalid(diagnoses)) };
        diagnoses.extend(check(&rules));
        if diagnoses.iter().any(|diagnosis| diagnosis.severity == Severity::Error) {
            return Err(LoadError::Invalid(diagnoses));
        }
        Ok(Self::new(rules, diagnoses))
    }

    /// One of the games that come with the program.
    pub fn bundled(name: &str) -> Result<Game, LoadError> {
        let unknown = || LoadError::UnknownGame { name: name.to_string() };
        let bundled = bundled_game(name).ok_or_else(unknown)?;
        Self::read(&bundled.rules(), &ReadOptions::default())
    }

    fn new(rules: Rules, diagnoses: Vec<Diagnosis>) -> Self {
        Self {
            rules,
            diagnoses,
            limits: Limits::default(),
            ground: OnceLock::new(),
            net: OnceLock::new(),
            circuit: OnceLock::new(),
        }
    }

    /// The same game, to be grounded within these limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What was found while reading; only warnings, since there is a game.
    pub fn diagnoses(&self) -> &[Diagnosis] {
        &self.diagnoses
    }

    /// The rules without variables.
    pub fn ground(&self) -> Result<&GroundGame, GroundError> {
        let ground = self.ground.get_or_init(|| instantiate(&self.rules, &self.limits));
        ground.as_ref().map_err(Clone::clone)
    }

    /// The propositional net.
    pub fn net(&self) -> Result<&Net, StageError> {
        let net = self.net.get_or_init(|| {
            let net = gambol_net::build(self.ground()?)?;
            Ok(gambol_net::simplify(&net))
        });
        net.as_ref().map_err(Clone::clone)
    }

    /// The compiled circuit.
    pub fn circuit(&self) -> Result<&Circuit, StageError> {
        let circuit = self.circuit.get_or_init(|| {
            let circuit = Circuit::compile(self.net()?, &CompileOptions::default())?;
            Ok(circuit)
        });
        circuit.as_ref().map_err(Clone::clone)
    }

    /// The plain interpreter of the rules. It stops when grounding would be stopped.
    pub fn interpreter(&self) -> Result<Interpreter, StageError> {
        let budget = Budget { stop: self.limits.stop.clone(), ..Budget::default() };
        Ok(Interpreter::with_budget(&self.rules, budget)?)
    }

    /// Every derived atom that holds in a state, or in a step if moves are given; sorted by bytes.
    pub fn views(
        &self,
        state: &State,
        moves: Option<&[String]>,
    ) -> Result<Vec<String>, StageError> {
        let mut interpreter = self.interpreter()?;
        let state = interpreter.state_from_text(&state.join(" "))?;
        let moves = moves.map(|moves| interpreter.terms_from_text(&moves.join(" ")));
        let moves = moves.transpose()?;
        Ok(interpreter.views(&state, moves.as_deref())?)
    }

    /// The game behind the common interface.
    pub fn engine(&self, kind: EngineKind) -> Result<Box<dyn Engine + '_>, StageError> {
        Ok(match kind {
            EngineKind::Reference => {
                Box::new(Named::new(ReferenceMachine::new(self.interpreter()?)))
            }
            EngineKind::Net => Box::new(Named::new(NetMachine::new(self.net()?))),
            EngineKind::Circuit => {
                Box::new(Named::new(CircuitMachine::new(self.net()?, self.circuit()?)))
            }
        })
    }
}

fn first_error(diagnoses: &[Diagnosis]) -> String {
    let errors: Vec<&Diagnosis> =
        diagnoses.iter().filter(|diagnosis| diagnosis.severity == Severity::Error).collect();
    match errors.as_slice() {
        [] => "the rules have errors".to_string(),
        [only] => only.message.clone(),
        [first, rest @ ..] => format!("{} (and {} more errors)", first.message, rest.len()),
    }
}

/// The bundled name closest to what was asked for.
fn suggestion(name: &str) -> String {
    let games = bundled_games();
    let closest = games.iter().map(|game| (edit_distance(name, game.name()), game.name())).min();
    match closest {
        Some((distance, close)) if distance <= 2 + name.len() / 4 => {
            format!("; did you mean {close}?")
        }
        _ => "; `gambol games` lists them".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_corrected() {
        let error = Game::bundled("tictactoe").unwrap_err();
        assert!(error.to_string().contains("tic-tac-toe"), "{error}");
    }
}
