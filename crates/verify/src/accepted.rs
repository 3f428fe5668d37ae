//! What a certificate that is accepted proves.

use std::fmt;

use serde::Serialize;

use crate::certificate::Sense;
use crate::fraction::Fraction;

/// What was checked and holds: the values of one state of one game, all in one sense.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// The fluents of the state the values are about, sorted.
    pub state: Vec<String>,
    /// Whether a match begins in that state.
    pub is_initial: bool,
    /// For each role, in the order of the rules.
    pub values: Vec<AcceptedValue>,
    /// How many entries were checked.
    pub entries: u64,
}

/// What is proved for a role.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct AcceptedValue {
    /// For whom.
    pub role: String,
    /// What it gets, exactly.
    pub value: Fraction,
    /// In what sense.
    pub sense: Sense,
    /// Who sees to it that it gets no less.
    pub at_least: Ground,
    /// Who sees to it that it gets no more.
    pub at_most: Ground,
}

/// What a bound rests on.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// No goal is lower, or higher.
    Trivial,
    /// All of play was looked at.
    AllPlay,
    /// These players' strategy.
    Players(Vec<String>),
}

impl fmt::Display for AcceptedValue {
    /// Such as `a: 50, secured: a can get this whatever the others do; b can hold it to this`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, value, sense, at_least, at_most } = self;
        write!(out, "{role}: {value}, {sense}: ")?;
        if *sense == Sense::Equilibrium {
            return out.write_str("in no state would who is to move do better by another move");
        }
        let average = if *sense == Sense::Mixed { " on average" } else { "" };
        match at_least {
            Ground::Trivial => out.write_str("nobody gets less; ")?,
            _ => write!(out, "{role} can get this{average} whatever the others do; ")?,
        }
        match at_most {
            Ground::Trivial => out.write_str("no goal is higher"),
            Ground::AllPlay => out.write_str("no play gives more"),
            Ground::Players(players) => {
                let more = if *sense == Sense::Forced { " and get their own values" } else { "" };
                write!(out, "{} can hold it to this{average}{more}", players.join(", "))
            }
        }
    }
}
