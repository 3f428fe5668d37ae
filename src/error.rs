//! Why a text is no game, why a stage could not do its work, and why a question about a position has
//! no answer.

use gambol_ground::GroundError;
use gambol_net::NetError;
use gambol_reference::ReferenceError;
use gambol_sim::SimError;
use gambol_solve::SolveError;
use gambol_syntax::{Diagnosis, Severity, edit_distance};

use crate::machine::MachineError;
use crate::{Bundled, TermsError, bundled_games};

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
    /// The file cannot be read.
    #[error("cannot read {path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
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
    /// The game cannot be solved this way.
    #[error("{0}")]
    Solve(#[from] SolveError),
}

impl StageError {
    /// Whether a limit on time or memory, not the game, is the reason.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Ground(error) => error.category() == "ground.limit",
            Self::Reference(error) => error.category() == "ground.limit",
            Self::Machine(MachineError::Reference(error)) => error.category() == "ground.limit",
            Self::Net(_) | Self::Circuit(_) | Self::Machine(_) | Self::Solve(_) => false,
        }
    }
}

/// Why a question about a position has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PositionError {
    /// A stage before it failed.
    #[error("{0}")]
    Stage(#[from] StageError),
    /// The text is no list of ground terms.
    #[error("{0}")]
    Terms(#[from] TermsError),
    /// No role has this name.
    #[error("{name} is no role of this game; the roles are {}", .roles.join(", "))]
    UnknownRole {
        /// The name.
        name: String,
        /// The roles there are.
        roles: Vec<String>,
    },
    /// No such fluent can become true.
    #[error("{name} is no fluent of this game{}", did_you_mean(.close))]
    UnknownFluent {
        /// The name.
        name: String,
        /// The fluent whose name is closest, if one is close.
        close: Option<String>,
    },
    /// No such move can become legal.
    #[error("{name} is no move of {role}{}", did_you_mean(.close))]
    UnknownMove {
        /// Whose move.
        role: String,
        /// The move.
        name: String,
        /// The move whose name is closest, if one is close.
        close: Option<String>,
    },
    /// The role may not make this move here.
    #[error("{name} is not legal for {role} here; it has {}", some_of(.legal))]
    IllegalMove {
        /// Whose move.
        role: String,
        /// The move.
        name: String,
        /// The moves that are legal.
        legal: Vec<String>,
    },
    /// Not one move per role.
    #[error("{found} moves for {roles} roles; give one per role, in the order of the rules")]
    MoveCount {
        /// The number of roles.
        roles: usize,
        /// The number of moves.
        found: usize,
    },
    /// There is nothing left to play.
    #[error("the game is over in this position")]
    Over,
    /// There is nothing to choose from.
    #[error("{role} has no legal move here")]
    NoMove {
        /// Whose move.
        role: String,
    },
    /// The position belongs to another game.
    #[error("the position belongs to another game")]
    OtherGame,
}

/// The name closest to one that does not exist, if one is close.
pub(crate) fn closest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let (distance, close) = names.map(|other| (edit_distance(name, other), other)).min()?;
    (distance <= 2 + name.len() / 4).then(|| close.to_string())
}

fn did_you_mean(close: &Option<String>) -> String {
    close.as_ref().map_or(String::new(), |close| format!("; did you mean {close}?"))
}

/// Moves that a message has room for.
const SHOWN: usize = 8;

fn some_of(legal: &[String]) -> String {
    match legal.len() {
        0 => "no legal move".to_string(),
        count if count <= SHOWN => legal.join(", "),
        count => format!("{} and {} more", legal[..SHOWN].join(", "), count - SHOWN),
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

/// The bundled game that was probably asked for.
fn suggestion(name: &str) -> String {
    let games = bundled_games();
    let names: Vec<&str> = games.iter().map(|game| game.name()).collect();
    let about = || games.iter().find(|game| is_about(game, name)).map(|game| game.name());
    let meant = (holding(name, &names).map(str::to_owned))
        .or_else(|| closest(name, names.iter().copied()))
        .or_else(|| about().or_else(|| beginning_alike(name, &names)).map(str::to_owned));
    match meant {
        Some(meant) => format!("; did you mean {meant}?"),
        None => "; `gambol games` lists them".to_string(),
    }
}

/// A name without capitals and hyphens.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The shortest name that holds what was asked for.
fn holding<'a>(wanted: &str, names: &[&'a str]) -> Option<&'a str> {
    let wanted = plain(wanted);
    let holds = |name: &&&str| wanted.len() > 2 && plain(name).contains(&wanted);
    names.iter().filter(holds).min_by_key(|name| name.len()).copied()
}

/// Whether the description of a game has the word.
fn is_about(game: &Bundled, wanted: &str) -> bool {
    let has = |about: &str| {
        about.split(|it: char| !it.is_alphanumeric()).any(|it| plain(it) == plain(wanted))
    };
    wanted.len() > 2 && game.facts().is_ok_and(|facts| has(&facts.about))
}

/// The shortest of the names that begin like what was asked for.
fn beginning_alike<'a>(wanted: &str, names: &[&'a str]) -> Option<&'a str> {
    const ENOUGH: usize = 4;
    let wanted = plain(wanted);
    let alike =
        |name: &str| plain(name).chars().zip(wanted.chars()).take_while(|(a, b)| a == b).count();
    // Less than half of what was asked for says nothing.
    let enough = ENOUGH.max(wanted.len().div_ceil(2));
    let longest = names.iter().map(|name| alike(name)).max().filter(|&length| length >= enough)?;
    names.iter().filter(|name| alike(name) == longest).min_by_key(|name| name.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn other_names_of_games_are_understood() {
        for (asked, meant) in [
            ("connect4", "connect-four"),
            ("tictac", "tic-tac-toe"),
            ("Tic-Tac-Toe", "tic-tac-toe"),
            ("chess", "minichess"),
            ("othello", "reversi"),
            ("nimm", "nim"),
        ] {
            assert_eq!(suggestion(asked), format!("; did you mean {meant}?"));
        }
        for unknown in ["zzz", "four-in-a-row"] {
            assert_eq!(suggestion(unknown), "; `gambol games` lists them");
        }
    }
}
