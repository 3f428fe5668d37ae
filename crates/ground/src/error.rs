//! What can go wrong between rules and ground game.

use gambol_syntax::Span;

/// Why a rulesheet could not be grounded.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum GroundError {
    /// Terms grow without bound.
    #[error("terms grow past a depth of {depth}: this rule derives ever larger terms")]
    Infinite {
        /// The depth limit.
        depth: u32,
        /// The rule whose head grew.
        at: Span,
    },
    /// The time limit was reached.
    #[error(
        "grounding did not finish within {seconds} s; raise the time limit, or play the game by interpreter"
    )]
    Time {
        /// The limit.
        seconds: f64,
    },
    /// The memory limit was reached.
    #[error(
        "grounding needs more than {mib} MiB; raise the memory limit, or play the game by interpreter"
    )]
    Memory {
        /// The limit.
        mib: u64,
    },
    /// Stopped from outside.
    #[error("stopped")]
    Stopped,
    /// A variable that no positive condition binds.
    #[error("?{variable} is bound by no positive condition of this rule")]
    UnsafeVariable {
        /// Its name.
        variable: String,
        /// The rule.
        at: Span,
    },
    /// An atom depends on its own negation.
    #[error("{atom} depends on its own negation")]
    NotStratified {
        /// One atom on the cycle.
        atom: String,
        /// A rule on the cycle.
        at: Option<Span>,
    },
    /// There is no player.
    #[error("the game has no role")]
    NoRole,
}

impl GroundError {
    /// The category, as the checker names it.
    pub fn category(&self) -> &'static str {
        match self {
            Self::Infinite { .. } => "ground.infinite",
            Self::Time { .. } | Self::Memory { .. } | Self::Stopped => "ground.limit",
            Self::UnsafeVariable { .. } => "static.unsafe",
            Self::NotStratified { .. } => "static.unstratified",
            Self::NoRole => "static.missing-role",
        }
    }

    /// The place in the rules, where there is one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Infinite { at, .. } | Self::UnsafeVariable { at, .. } => Some(*at),
            Self::NotStratified { at, .. } => *at,
            Self::Time { .. } | Self::Memory { .. } | Self::Stopped | Self::NoRole => None,
        }
    }
}
