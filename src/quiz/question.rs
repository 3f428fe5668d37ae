//! A question, as data that goes into a line of JSON.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::Features;
use crate::engine::State;

/// What can be asked of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Which moves are legal.
    Legal,
    /// Which state follows from some moves.
    Next,
    /// Whether the game is over.
    Terminal,
    /// What an end is worth.
    Goals,
    /// What each role can make sure of.
    Value,
    /// Which moves are best.
    Best,
    /// Which latches have fallen.
    Latches,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 7] = [
        Self::Legal,
        Self::Next,
        Self::Terminal,
        Self::Goals,
        Self::Value,
        Self::Best,
        Self::Latches,
    ];

    /// In a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Legal => "legal",
            Self::Next => "next",
            Self::Terminal => "terminal",
            Self::Goals => "goals",
            Self::Value => "value",
            Self::Best => "best",
            Self::Latches => "latches",
        }
    }

    /// In a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Legal => "Which moves are legal for each role in this state?",
            Self::Next => {
                "Which fluents are true after these moves, one of each role in each step?"
            }
            Self::Terminal => "Is the game over in this state?",
            Self::Goals => "The game is over in this state. What does each role get?",
            Self::Value => {
                "How much can each role make sure of from this state on, on average and whatever the others do?"
            }
            Self::Best => "Which moves of this role keep the most that it can make sure of?",
            Self::Latches => {
                "A latch is a fluent that changes at most once in every play from the start. Which latches have \
                 changed by now? Write (not f) for a fluent f that is false now."
            }
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        let all = || Self::ALL.map(Self::as_str).join(", ");
        found.ok_or_else(|| format!("no such question: {text}; there are {}", all()))
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The answer to a question.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
#[serde(untagged)]
pub enum Answer {
    /// Yes or no.
    Truth(bool),
    /// Fluents, or moves.
    Terms(Vec<String>),
    /// The moves of each role.
    Moves(BTreeMap<String, Vec<String>>),
    /// The goal of each role; none where the rules give no goal, or several.
    Goals(BTreeMap<String, Option<u32>>),
    /// The value for each role, as a whole number or a fraction.
    Values(BTreeMap<String, String>),
}

/// A question with its answer.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Question {
    /// The game.
    pub game: String,
    /// Its place among the others.
    pub number: usize,
    /// What is asked.
    pub kind: Kind,
    /// The same in a sentence.
    pub question: &'static str,
    /// The fluents that are true.
    pub state: State,
    /// The moves that are made, where they are asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Vec<String>>,
    /// Whose moves are asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The answer.
    pub answer: Answer,
    /// How much must be worked out: fluents, times the moves made; of values the states that can follow.
    pub difficulty: usize,
    /// What is known of the game.
    pub features: Features,
}

/// A question of which nothing is said yet but what is asked of the state.
pub(super) struct Asked {
    pub(super) kind: Kind,
    pub(super) state: State,
    pub(super) moves: Vec<Vec<String>>,
    pub(super) role: Option<String>,
    pub(super) answer: Answer,
    pub(super) difficulty: usize,
}

impl Asked {
    /// A question about a state alone.
    pub(super) fn about(kind: Kind, state: &State, answer: Answer) -> Self {
        let (state, difficulty) = (state.clone(), state.len());
        Self { kind, state, moves: Vec::new(), role: None, answer, difficulty }
    }

    pub(super) fn of(self, game: &str, features: &Features) -> Question {
        let Asked { kind, state, moves, role, answer, difficulty } = self;
        Question {
            game: game.to_string(),
            number: 0,
            kind,
            question: kind.in_words(),
            state,
            moves,
            role,
            answer,
            difficulty,
            features: features.clone(),
        }
    }
}
