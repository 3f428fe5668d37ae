//! Claims about all reachable states or steps, to be proved or refuted.

use gambol_net::{GateId, Net};
use rustsat::types::Lit;

use crate::Literal;
use crate::encode::{Encoding, Frame};

/// A condition on one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A fluent has a value.
    Literal(Literal),
    /// A gate that looks at the state only has a value.
    Gate(GateId, bool),
    /// All of these hold.
    All(Vec<Condition>),
    /// One of these holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// All of these literals hold.
    pub fn all(literals: impl IntoIterator<Item = Literal>) -> Self {
        Self::All(literals.into_iter().map(Self::Literal).collect())
    }

    /// One of these literals holds.
    pub fn any(literals: impl IntoIterator<Item = Literal>) -> Self {
        Self::Any(literals.into_iter().map(Self::Literal).collect())
    }

    /// The condition, and the game is over.
    pub fn at_the_end(self, net: &Net) -> Self {
        Self::All(vec![Self::Gate(net.terminal, true), self])
    }

    /// The condition that holds where this one does not.
    pub fn negated(&self) -> Self {
        let negate = |all: &[Self]| all.iter().map(Self::negated).collect();
        match self {
            Self::Literal(literal) => Self::Literal(literal.negated()),
            Self::Gate(gate, holds) => Self::Gate(*gate, !holds),
            Self::All(all) => Self::Any(negate(all)),
            Self::Any(any) => Self::All(negate(any)),
        }
    }

    /// A literal that is true exactly if the condition holds in a frame.
    pub fn encode(&self, encoding: &mut Encoding<'_>, frame: Frame) -> Lit {
        match self {
            Self::Literal(literal) => encoding.literal(frame, *literal),
            Self::Gate(gate, holds) => {
                let gate = encoding.gate(frame, *gate);
                if *holds { gate } else { !gate }
            }
            Self::All(all) => {
                let all = all.iter().map(|one| one.encode(encoding, frame)).collect();
                encoding.and(all)
            }
            Self::Any(any) => {
                let any = any.iter().map(|one| one.encode(encoding, frame)).collect();
                encoding.or(any)
            }
        }
    }

    /// Adds literals that together say that the condition holds.
    pub(crate) fn spread(
        &self,
        encoding: &mut Encoding<'_>,
        frame: Frame,
        literals: &mut Vec<Lit>,
    ) {
        match self {
            Self::All(all) => all.iter().for_each(|one| one.spread(encoding, frame, literals)),
            _ => literals.push(self.encode(encoding, frame)),
        }
    }
}

/// Something that may hold of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// No reachable state has this.
    Never(Condition),
    /// No step leads from a reachable state of the first kind to one of the second.
    NoStep(Condition, Condition),
}

impl Claim {
    /// Once the condition holds, it holds in every later state.
    pub fn latches(condition: Condition) -> Self {
        let lost = condition.negated();
        Self::NoStep(condition, lost)
    }

    /// A fluent keeps a value.
    pub(crate) fn keeps(literal: Literal) -> Self {
        Self::latches(Condition::Literal(literal))
    }

    /// The one is never followed by the other.
    pub(crate) fn excludes(before: Literal, after: Literal) -> Self {
        Self::NoStep(Condition::Literal(before), Condition::Literal(after))
    }

    /// How many steps the claim speaks about.
    pub(crate) fn steps(&self) -> usize {
        match self {
            Self::Never(_) => 0,
            Self::NoStep(..) => 1,
        }
    }

    /// Adds literals that say that the claim fails at this place of a play.
    pub(crate) fn fails_at(
        &self,
        encoding: &mut Encoding<'_>,
        frames: &[Frame],
        place: usize,
        literals: &mut Vec<Lit>,
    ) {
        match self {
            Self::Never(condition) => condition.spread(encoding, frames[place], literals),
            Self::NoStep(before, after) => {
                before.spread(encoding, frames[place], literals);
                after.spread(encoding, frames[place + 1], literals);
            }
        }
    }
}
