//! The games that come with the program, embedded in it.

use std::borrow::Cow;

use crate::{Facts, FactsError};

#[derive(rust_embed::RustEmbed)]
#[folder = "games/"]
#[include = "*/rules.kif"]
#[include = "*/facts.toml"]
struct Files;

/// A game that comes with the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bundled {
    name: String,
}

/// All bundled games, sorted by name.
///
/// ```
/// assert!(gambol::bundled_games().iter().any(|game| game.name() == "tic-tac-toe"));
/// ```
pub fn bundled_games() -> Vec<Bundled> {
    let mut games: Vec<Bundled> = Files::iter()
        .filter_map(|path| Some(Bundled { name: path.strip_suffix("/rules.kif")?.to_string() }))
        .collect();
    games.sort_by(|one, other| one.name.cmp(&other.name));
    games
}

/// The bundled game of this name.
pub fn bundled_game(name: &str) -> Option<Bundled> {
    Files::get(&format!("{name}/rules.kif")).map(|_| Bundled { name: name.to_string() })
}

impl Bundled {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its rules.
    pub fn rules(&self) -> Cow<'static, [u8]> {
        self.file("rules.kif")
    }

    /// What is known of it.
    pub fn facts(&self) -> Result<Facts, FactsError> {
        Facts::parse(&String::from_utf8_lossy(&self.file("facts.toml")))
    }

    fn file(&self, file: &str) -> Cow<'static, [u8]> {
        // A missing file reads as an empty one, which no later stage accepts.
        Files::get(&format!("{}/{file}", self.name)).map(|file| file.data).unwrap_or_default()
    }
}
