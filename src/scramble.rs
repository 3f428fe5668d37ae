//! The same game in other words: to tell who reasons from who remembers.
//!
//! Every name of the rules is replaced, roles and numbers included, and comments are left out; the tree of the game
//! stays what it is. That is not taken on trust: the net of the new rules is shown to be isomorphic to that of the
//! old ones.

use std::collections::{BTreeMap, BTreeSet};

use gambol_ground::Limits;
use gambol_net::{NotIsomorphic, isomorphic};
use gambol_syntax::{Notation, ReadOptions, Symbols, print};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::{Game, LoadError, StageError};

/// A game in other words, and the dictionary of the renaming.
#[derive(Clone, Debug)]
pub struct Scrambled {
    /// The game.
    pub game: Game,
    /// Its rules.
    pub text: String,
    /// The new word of each old name.
    pub names: BTreeMap<String, String>,
}

/// Why a game cannot be put in other words.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ScrambleError {
    /// A stage could not do its work.
    #[error("{0}")]
    Stage(#[from] StageError),
    /// The new text is no game.
    #[error("the game in other words cannot be read: {0}")]
    Load(#[from] LoadError),
    /// It is not shown to be the same game.
    #[error("the game in other words is not shown to have the same net: {0}")]
    NotIsomorphic(#[from] NotIsomorphic),
}

/// The role that is chance, by the custom of the field.
const RANDOM: &str = "random";

/// Puts a game in other words, and shows that it is the same.
pub fn scramble(game: &Game, seed: u64) -> Result<Scrambled, ScrambleError> {
    scramble_within(game, seed, game.limits().clone())
}

/// The same; the new rules are grounded within these limits.
pub fn scramble_within(game: &Game, seed: u64, limits: Limits) -> Result<Scrambled, ScrambleError> {
    let rules = game.rules();
    let goals = &game.ground().map_err(StageError::from)?.goals;
    let mut kept: BTreeSet<String> = goals.iter().map(|goal| goal.value.to_string()).collect();
    kept.insert(RANDOM.to_string());
    let old = rules.names();
    let mut words = Words::new(seed, old.iter().map(ToString::to_string).chain(kept.clone()));
    let renamed = old.into_iter().filter(|&name| !kept.contains(name));
    let names: BTreeMap<String, String> =
        renamed.map(|name| (name.to_string(), words.next())).collect();
    let word = |name: &str| names.get(name).map_or(name, String::as_str).to_string();
    let text = print::to_prefix(&rules.renamed(word));
    // Printed in prefix notation, whatever the rules were written in.
    let reading = ReadOptions { syntax: Some(Notation::Prefix), ..game.read_options().clone() };
    let other = Game::read(text.as_bytes(), &reading)?.with_limits(limits);
    let scrambled = Scrambled { game: other, text, names };
    isomorphic(game.net()?, scrambled.game.net()?, |term| scrambled.translate(term))?;
    Ok(scrambled)
}

impl Scrambled {
    /// A term of the old game in the words of the new one.
    pub fn translate(&self, term: &str) -> String {
        let mut text = String::with_capacity(term.len());
        for piece in term.split_inclusive([' ', '(', ')']) {
            let name = piece.trim_end_matches([' ', '(', ')']);
            text.push_str(self.names.get(name).map_or(name, String::as_str));
            text.push_str(&piece[name.len()..]);
        }
        text
    }
}

/// New words that can be spoken, none of them twice.
struct Words {
    random: Xoshiro256PlusPlus,
    taken: BTreeSet<String>,
}

impl Words {
    fn new(seed: u64, taken: impl Iterator<Item = String>) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed), taken: taken.collect() }
    }

    fn next(&mut self) -> String {
        // Short words first; where they run out, longer ones.
        let mut syllables = self.random.random_range(2..=3);
        loop {
            let word: String = (0..syllables).flat_map(|_| self.syllable()).collect();
            if Symbols::reserved(&word).is_none() && self.taken.insert(word.clone()) {
                return word;
            }
            syllables += 1;
        }
    }

    fn syllable(&mut self) -> [char; 2] {
        let mut one_of =
            |letters: &[u8]| char::from(letters[self.random.random_range(0..letters.len())]);
        [one_of(b"bdfgklmnprstvz"), one_of(b"aeiou")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled_games;

    #[test]
    fn every_bundled_game_is_the_same_in_other_words() {
        for bundled in bundled_games() {
            let game = Game::bundled(bundled.name()).unwrap();
            let other =
                scramble(&game, 5).unwrap_or_else(|error| panic!("{}: {error}", bundled.name()));
            let fluents = &game.net().unwrap().fluents;
            assert!(
                other
                    .game
                    .net()
                    .unwrap()
                    .fluents
                    .iter()
                    .all(|name| !fluents.iter().any(|old| old == name))
            );
            assert!(!other.text.contains(';'));
        }
    }

    #[test]
    fn infix_rules_come_out_in_other_words_too() {
        let text = print::to_infix(Game::bundled("nim").unwrap().rules());
        let reading = ReadOptions { syntax: Some(Notation::Infix), ..ReadOptions::default() };
        let game = Game::read(text.as_bytes(), &reading).unwrap();
        let other = scramble(&game, 2).unwrap();
        assert_eq!(other.text, print::to_prefix(other.game.rules()));
    }

    #[test]
    fn a_term_is_translated_word_by_word() {
        let game = Game::bundled("tic-tac-toe").unwrap();
        let other = scramble(&game, 1).unwrap();
        let cell = other.translate("(cell 1 1 empty)");
        assert!(other.game.start().unwrap().holds(&cell).unwrap());
        assert_eq!(other.text, scramble(&game, 1).unwrap().text);
        assert_ne!(other.text, scramble(&game, 2).unwrap().text);
    }
}
