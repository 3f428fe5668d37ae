//! What can go wrong between rules and answers.

use gambol_syntax::Span;

/// Why the interpreter has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// A variable that no positive condition binds.
    #[error(
        "?{variable} is bound by no positive condition; add a condition that says what it ranges over"
    )]
    Unsafe {
        /// The variable, without question mark.
        variable: String,
        /// The clause.
        at: Span,
    },
    /// An atom that depends on its own negation, in the state asked about.
    #[error("{atom} depends on its own negation; break the cycle through `not`")]
    Unstratified {
        /// The atom, in prefix form.
        atom: String,
        /// The rule that derives it.
        at: Span,
    },
    /// A term that grows without end.
    #[error(
        "this rule builds ever larger terms (deeper than {depth}, or longer than a megabyte); bound its recursion"
    )]
    Infinite {
        /// The limit that was passed.
        depth: u32,
        /// The head that grew.
        at: Span,
    },
    /// More atoms and terms than the budget allows.
    #[error("more than {limit} atoms and terms; restrict this rule or allow more memory")]
    Atoms {
        /// The limit that was passed.
        limit: usize,
        /// The rule that passed it.
        at: Option<Span>,
    },
    /// The time allowed for one question was up.
    #[error("the time allowed is up; restrict this rule or allow more time")]
    Time {
        /// The rule that was running.
        at: Option<Span>,
    },
    /// The stop flag was raised.
    #[error("stopped on request")]
    Stopped,
    /// Terms or conditions nested too deeply to be interpreted.
    #[error("nested more than {limit} deep; flatten this clause")]
    Depth {
        /// The limit that was passed.
        limit: u32,
        /// The clause.
        at: Span,
    },
    /// A game without players.
    #[error("no role is declared; add a fact such as (role player)")]
    NoRole,
    /// A joint move that does not have one move per role.
    #[error("{found} moves for {roles} roles; give one move per role, in the order of the roles")]
    JointMove {
        /// The number of roles.
        roles: usize,
        /// The number of moves given.
        found: usize,
    },
    /// Text that is not a list of ground terms.
    #[error("not a list of terms without variables at byte {at}: {problem}")]
    Text {
        /// The byte at which reading failed.
        at: usize,
        /// What was wrong there.
        problem: &'static str,
    },
}

impl ReferenceError {
    /// The category of the language's list of diagnoses.
    pub fn category(&self) -> &'static str {
        match self {
            Self::Unsafe { .. } => "static.unsafe",
            Self::Unstratified { .. } => "static.unstratified",
            Self::Infinite { .. } => "ground.infinite",
            Self::Atoms { .. } | Self::Time { .. } | Self::Stopped => "ground.limit",
            Self::Depth { .. } => "limit.depth",
            Self::NoRole => "static.missing-role",
            Self::JointMove { .. } => "play.joint-move",
            Self::Text { .. } => "syntax.term",
        }
    }

    /// The place in the rulesheet, if there is one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Unsafe { at, .. }
            | Self::Unstratified { at, .. }
            | Self::Infinite { at, .. }
            | Self::Depth { at, .. } => Some(*at),
            Self::Atoms { at, .. } | Self::Time { at } => *at,
            _ => None,
        }
    }
}
