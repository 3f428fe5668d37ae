//! What can be wrong with a game as it is played, and the play that shows it.

use crate::{GroundTerm, Interpreter};

/// A property of well-formed games that a game lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// A role has no legal move in a state that is not terminal.
    NoLegalMove,
    /// A role has no goal value in a terminal state.
    GoalMissing,
    /// A role has several goal values in a terminal state.
    GoalAmbiguous,
    /// A goal value is not a number from 0 to 100.
    GoalValue,
    /// A fluent holds that `base` does not declare.
    BaseMissing,
    /// A move is legal that `input` does not declare.
    InputMissing,
    /// A play can return to a state it was in.
    Nonterminating,
    /// A role's goal value falls along a play.
    GoalFalls,
    /// No play ends with 100 for a role.
    Unwinnable,
}

impl Fault {
    /// The category of the language's list of diagnoses.
    pub fn category(self) -> &'static str {
        match self {
            Self::NoLegalMove => "play.no-legal-move",
            Self::GoalMissing => "play.goal-missing",
            Self::GoalAmbiguous => "play.goal-ambiguous",
            Self::GoalValue => "play.goal-value",
            Self::BaseMissing => "play.base-missing",
            Self::InputMissing => "play.input-missing",
            Self::Nonterminating => "play.nonterminating",
            Self::GoalFalls => "warn.play-goal-falls",
            Self::Unwinnable => "warn.play-unwinnable",
        }
    }

    /// Whether a game with this fault is refused by the strict check.
    pub fn is_error(self) -> bool {
        !matches!(self, Self::GoalFalls | Self::Unwinnable)
    }
}

/// A fault, and how to see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What is wrong.
    pub fault: Fault,
    /// The role concerned, by its number.
    pub role: Option<usize>,
    /// The fluent, move or goal value concerned.
    pub subject: Option<GroundTerm>,
    /// The joint moves that lead there from the initial state.
    pub witness: Vec<Vec<GroundTerm>>,
}

impl Finding {
    /// The finding in words, without the witness.
    pub fn message(&self, game: &Interpreter) -> String {
        let role = self.role.and_then(|role| game.roles().get(role));
        let role = role.map(|&role| game.text(role)).unwrap_or_default();
        let subject = self.subject.map(|term| game.text(term)).unwrap_or_default();
        match self.fault {
            Fault::NoLegalMove => {
                format!("{role} has no legal move, and the state is not terminal")
            }
            Fault::GoalMissing => format!("{role} has no goal value in a terminal state"),
            Fault::GoalAmbiguous => format!("{role} has several goal values in a terminal state"),
            Fault::GoalValue => {
                format!("the goal value {subject} of {role} is no number from 0 to 100")
            }
            Fault::BaseMissing => format!("{subject} holds, and base does not declare it"),
            Fault::InputMissing => {
                format!("{subject} is legal for {role}, and input does not declare it")
            }
            Fault::Nonterminating => "a play can go round in a circle for ever".to_owned(),
            Fault::GoalFalls => format!("the goal value of {role} falls"),
            Fault::Unwinnable => format!("no play ends with 100 for {role}"),
        }
    }
}
