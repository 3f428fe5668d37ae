//! What a solver found.

use gambol_net::MoveId;
use gambol_verify::Fraction;

use crate::limits::Unfinished;

/// A value, or what is proved of it so far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bounds {
    /// At least this.
    pub least: Fraction,
    /// At most this.
    pub most: Fraction,
}

impl Bounds {
    /// Exactly this.
    pub fn exact(value: impl Into<Fraction>) -> Self {
        let value = value.into();
        Self { least: value, most: value }
    }

    /// Between two goal values.
    pub fn between(least: u32, most: u32) -> Self {
        Self { least: least.into(), most: most.into() }
    }

    /// How far the bounds are apart.
    pub fn width(&self) -> f64 {
        // Equal fractions may have too many digits to be subtracted.
        if self.least == self.most { 0.0 } else { self.most.as_f64() - self.least.as_f64() }
    }

    /// Whether the value is known, or as good as known: the bounds are proved and nearly touch.
    pub fn is_settled(&self) -> bool {
        self.width() < SETTLED
    }

    /// The value, if it is known.
    pub fn value(self) -> Option<Fraction> {
        (self.least == self.most).then_some(self.least)
    }
}

/// Bounds nearer than this are as good as a value.
const SETTLED: f64 = 1e-6;

/// In what sense the values are the values of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The best a single player can reach.
    Best,
    /// Two players with opposite interests: each can secure its value, and no more.
    Opposed,
    /// Each player prefers its own goal, moves in turn: a subgame-perfect equilibrium.
    Equilibrium {
        /// Whether it is the only one.
        unique: bool,
    },
    /// What each player can secure whatever all others do together. Others may let it have more.
    Secured,
}

impl Meaning {
    /// The same in words, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Best => "the best that can be reached",
            Self::Opposed => "each player can secure this and no more",
            Self::Equilibrium { unique: true } => "each player plays for its own goal",
            Self::Equilibrium { unique: false } => {
                "each player plays for its own goal; ties can be broken otherwise, with other values"
            }
            Self::Secured => "each player can secure this whatever the others do",
        }
    }
}

/// How the values were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// All states were listed.
    Listing,
    /// All states were listed and solved layer by layer.
    Layers,
    /// Breadth-first search for the best plan.
    BreadthFirst,
    /// Depth-first search for a plan.
    DepthFirst,
    /// A plan found by satisfiability, step after step.
    Satisfiability,
    /// Alpha-beta search with a transposition table.
    AlphaBeta,
    /// Proof-number search with a transposition table.
    ProofNumber,
    /// Depth first, with a matrix game in each state.
    Mixed,
    /// The parts were solved and the answers composed.
    Factored,
    /// The phases were solved, the last one first.
    Phased,
    /// The goals were regressed to a policy for all states.
    Regression,
}

impl Method {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Listing => "listing",
            Method::Layers => "layers",
            Method::BreadthFirst => "breadth-first",
            Method::DepthFirst => "depth-first",
            Method::Satisfiability => "satisfiability",
            Method::AlphaBeta => "alpha-beta",
            Method::ProofNumber => "proof-number",
            Method::Mixed => "mixed",
            Method::Factored => "factored",
            Method::Phased => "phases",
            Method::Regression => "regression",
        }
    }
}

/// What is known of a game, or of a state of it.
#[derive(Clone, Debug)]
pub struct Solution {
    /// For each role.
    pub values: Vec<Bounds>,
    /// What the values mean.
    pub meaning: Meaning,
    /// Best play: joint moves to the end, or as far as it is known. With simultaneous moves there
    /// is none.
    pub line: Vec<Vec<MoveId>>,
    /// Whether no shorter line is as good; known for one player only.
    pub shortest: bool,
    /// How it was found.
    pub method: Method,
    /// Nodes that were searched.
    pub nodes: u64,
    /// Distinct states that were stored.
    pub states: u64,
    /// Which limit ended the work, if the values are not exact.
    pub unfinished: Option<Unfinished>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

impl Solution {
    /// Whether all values are known or as good as known.
    pub fn is_settled(&self) -> bool {
        self.values.iter().all(Bounds::is_settled)
    }

    /// Whether all values are known.
    pub fn is_exact(&self) -> bool {
        self.values.iter().all(|bounds| bounds.value().is_some())
    }
}
