//! Who plays, as one word on a command line: `mcts`, `random`, `legal`, and settings after a colon,
//! as in `mcts:decompose=off,threads=2`.

use std::str::FromStr;

use crate::mcts::tree_search::SearchOptions;

/// How moves are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By tree search.
    Search,
    /// Any legal move, all equally likely.
    Random,
    /// The first legal move.
    Legal,
}

/// Who plays.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// How moves are chosen.
    pub way: Way,
    /// Whether the parts of games that fall apart are searched and solved one by one.
    pub decompose: bool,
    /// Whether states in which goals are out of reach are recognised.
    pub latches: bool,
    /// Whether states are evaluated by what own play has taught.
    pub evaluate: bool,
    /// Whether the best line found is followed where there is one player only.
    pub plan: bool,
    /// Whether the game is solved at the same time, in a thread of its own.
    pub solve: bool,
    /// Whether a player on the network thinks on while others do.
    pub ponder: bool,
    /// A multiple of the clock of a local match: a handicap for the others.
    pub times: u32,
    /// How to search.
    pub search: SearchOptions,
}

impl Default for Settings {
    fn default() -> Self {
        let (way, search) = (Way::Search, SearchOptions::default());
        let (decompose, latches, evaluate, plan, solve, ponder) =
            (true, true, true, true, true, true);
        Self { way, decompose, latches, evaluate, plan, solve, ponder, times: 1, search }
    }
}

/// Words that describe no player.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadSettings {
    /// Nobody is called so.
    #[error("there is no player {0}; there are mcts, random and legal")]
    Way(String),
    /// Not a setting.
    #[error(
        "there is no setting {0}; there are decompose, latches, evaluate, lookahead, children, plan, \
         solve, ponder (on or off), times, threads, playouts, leaves, fewest, exploration, minimax, backup, \
         history, bias, urgency and regret (numbers)"
    )]
    Setting(String),
    /// Not a value for the setting.
    #[error("{value} is no value for {setting}")]
    Value {
        /// Which setting.
        setting: String,
        /// What it was to be.
        value: String,
    },
}

impl FromStr for Settings {
    type Err = BadSettings;

    fn from_str(text: &str) -> Result<Self, BadSettings> {
        let (way, rest) = text.split_once(':').unwrap_or((text, ""));
        let way = match way {
            "mcts" => Way::Search,
            "random" => Way::Random,
            "legal" => Way::Legal,
            other => return Err(BadSettings::Way(other.to_string())),
        };
        let mut settings = Self { way, ..Self::default() };
        for setting in rest.split(',').filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').unwrap_or((setting, "on"));
            settings.set(name, value)?;
        }
        Ok(settings)
    }
}

impl Settings {
    /// The same with another number of threads.
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.search.threads = threads;
        self
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), BadSettings> {
        let bad = || BadSettings::Value { setting: name.to_string(), value: value.to_string() };
        let switch = match value {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        };
        let number: Option<f64> = value.parse().ok().filter(|number| (0.0..1e6).contains(number));
        let count = number.filter(|&number| number >= 1.0 && number.fract() == 0.0);
        match name {
            "decompose" => self.decompose = switch.ok_or_else(bad)?,
            "latches" => self.latches = switch.ok_or_else(bad)?,
            "evaluate" => self.evaluate = switch.ok_or_else(bad)?,
            "plan" => self.plan = switch.ok_or_else(bad)?,
            "lookahead" => self.search.look_ahead = switch.ok_or_else(bad)?,
            "minimax" => self.search.minimax = number.ok_or_else(bad)?.min(1.0),
            "history" => self.search.history = number.ok_or_else(bad)?,
            "bias" => self.search.bias = number.filter(|&x| x <= 8.0).ok_or_else(bad)? as u8,
            "children" => self.search.children = switch.ok_or_else(bad)?,
            "backup" => self.search.backup = number.ok_or_else(bad)?.min(1.0),
            "fewest" => self.search.fewest = count.ok_or_else(bad)?.min(1024.0) as u32,
            "urgency" if value == "off" => self.search.urgency = None,
            "urgency" => self.search.urgency = Some(number.ok_or_else(bad)?),
            "regret" if value == "off" => self.search.regret = None,
            "regret" => self.search.regret = Some(number.filter(|&x| x <= 1.0).ok_or_else(bad)?),
            "solve" => self.solve = switch.ok_or_else(bad)?,
            "ponder" => self.ponder = switch.ok_or_else(bad)?,
            "times" => self.times = count.ok_or_else(bad)? as u32,
            "threads" => self.search.threads = count.ok_or_else(bad)?.min(256.0) as usize,
            "playouts" => self.search.playouts = Some(count.ok_or_else(bad)? as u32),
            "leaves" => self.search.leaves = count.ok_or_else(bad)?.min(4096.0) as usize,
            "exploration" => self.search.exploration = number.ok_or_else(bad)?,
            other => return Err(BadSettings::Setting(other.to_string())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_described_in_a_word() {
        let settings: Settings = "mcts:decompose=off,threads=2,times=10".parse().expect("fine");
        assert_eq!((settings.way, settings.decompose), (Way::Search, false));
        assert_eq!((settings.search.threads, settings.times), (2, 10));
        assert_eq!("legal".parse::<Settings>().expect("fine").way, Way::Legal);
    }

    #[test]
    fn what_describes_no_player_is_refused() {
        for text in [
            "alpha-zero",
            "mcts:speed=fast",
            "mcts:threads=0",
            "mcts:times=0",
            "mcts:decompose=perhaps",
        ] {
            assert!(text.parse::<Settings>().is_err(), "{text}");
        }
    }
}
