//! What is known to be true of a bundled game: the data beside its rules that every engine must
//! satisfy.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The contents of a `facts.toml`, format 1.
///
/// ```
/// let facts = gambol::Facts::parse("about = 'a coin'\nroles = ['you']\ninitial_legal = { you = 2 }")?;
/// assert_eq!(facts.initial_legal["you"], 2);
/// # Ok::<(), gambol::FactsError>(())
/// ```
#[derive(Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The game in one line.
    pub about: String,
    /// The players, in the order of the rules.
    pub roles: Vec<String>,
    /// How many legal moves each role has at the start.
    pub initial_legal: BTreeMap<String, u64>,
    /// The number of sequences of 1, 2, 3, … joint moves from the start.
    #[serde(default)]
    pub paths_by_depth: Vec<u64>,
    /// The number of distinct reachable states, the initial and the terminal ones included.
    pub states: Option<u64>,
    /// The mean number of steps of a random game.
    pub mean_length: Option<MeanLength>,
    /// What each role gets when all play best.
    #[serde(default)]
    pub value_at_start: BTreeMap<String, u32>,
    /// Joint moves that lead from the start to the end.
    #[serde(default)]
    pub solution: Vec<Vec<String>>,
    /// What each role has got at the end of `solution`.
    #[serde(default)]
    pub final_goals: BTreeMap<String, u32>,
}

/// A mean and how far a measured one may lie from it.
#[derive(Deserialize, Clone, Copy, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct MeanLength {
    /// The mean.
    pub mean: f64,
    /// The largest difference that is no surprise.
    pub tolerance: f64,
}

/// Why a `facts.toml` cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("facts.toml: {0}")]
pub struct FactsError(#[from] toml::de::Error);

impl Facts {
    /// Reads a `facts.toml`.
    pub fn parse(text: &str) -> Result<Self, FactsError> {
        Ok(toml::from_str(text)?)
    }
}
