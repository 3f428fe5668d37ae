//! A certificate: what was proved about a game, in a form that can be checked without trust.
//!
//! It argues in one [`Sense`]. A *claim* says that some players can see to it that every end fulfils
//! some conditions. Its entries are states, each with the players' reply. The claim holds if the start
//! is among them, and if every joint move that goes with the replies leads to an end that fulfils the
//! conditions or to another entry. Who claims at least something must also come to an end: there the
//! ranks of the entries fall with every step. Who claims at most something need not: play that never ends
//! gives nothing. A claim of no players is about all of play.
//!
//! Where players choose at the same time, a claim is about averages: players mix their moves, and
//! whatever the others do, what the role gets on average is at least (at most) the value of the entry.
//! Where each player plays for its own goal, the entries are an equilibrium: no player would do
//! better by another move, in no state that can come up.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::fraction::Fraction;

/// No goal is above this, by the definition of the language. An end that says otherwise refutes the claim that meets
/// it.
pub const HIGHEST_GOAL: u32 = 100;

/// The version of the format that is written.
pub const FORMAT: u32 = 3;
/// The version before it, which does not name its sense. It is still read.
pub const FORMAT_WITHOUT_SENSE: u32 = 2;

/// In what sense the values of a certificate are values of the game.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Sense {
    /// Each role brings every play to an end with at least its value, and is held to at most its value by
    /// others who get their own values while they do so: no side would do better in another way. Of a
    /// single role it is the best that can be reached.
    Forced,
    /// Each role alone brings every play to an end with at least its value, and all others together can
    /// hold it to that. They may have other things to do, and then it gets more.
    Secured,
    /// Each role plays for its own goal, one moves at a time, and in no state that can come up would the one to move
    /// do better by another move: a subgame-perfect equilibrium. There may be others.
    Equilibrium,
    /// As secured, but on average: players mix their moves.
    Mixed,
}

impl Sense {
    /// The word it is called by.
    pub fn word(self) -> &'static str {
        match self {
            Self::Forced => "forced",
            Self::Secured => "secured",
            Self::Equilibrium => "equilibrium",
            Self::Mixed => "mixed",
        }
    }
}

impl fmt::Display for Sense {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// Values of a game and the claims that prove them.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`] or [`FORMAT_WITHOUT_SENSE`].
    pub format: u32,
    /// In what sense the values hold. Not given in [`FORMAT_WITHOUT_SENSE`], where it is that of the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense: Option<Sense>,
    /// The fluents that occur in states, by which entries name them.
    pub fluents: Vec<String>,
    /// The state the values are about, as places among the fluents; the start if it is not given.
    pub at: Option<Vec<u32>>,
    /// What each role gets.
    #[serde(deserialize_with = "each_role_once")]
    pub value: BTreeMap<String, Fraction>,
    /// Why, in the senses [`Sense::Forced`] and [`Sense::Secured`].
    pub claims: Vec<Claim>,
    /// Why, in the sense [`Sense::Mixed`].
    pub averages: Vec<AverageClaim>,
    /// Why, in the sense [`Sense::Equilibrium`]: all states that can come up.
    pub equilibrium: Vec<EquilibriumEntry>,
    /// A sum over all of the above, against damage on the way.
    pub digest: String,
}

/// Some players can see to it that every end fulfils the conditions.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The players who follow the replies.
    pub players: Vec<String>,
    /// What holds of every end.
    pub ends: Vec<Condition>,
    /// The states that can come up.
    pub entries: Vec<ClaimEntry>,
}

/// What an end is worth to a role.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// To whom.
    pub role: String,
    /// At least this. The role must be one of the players, who also bring play to an end.
    pub at_least: Option<u32>,
    /// At most this. The role must not be one of the players.
    pub at_most: Option<u32>,
}

/// A state and what the players do in it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct ClaimEntry {
    /// The fluents that are true, as places in the certificate's list, ascending.
    pub state: Vec<u32>,
    /// Steps to the end, at most. Where play must end it goes to entries of lower rank.
    pub rank: u32,
    /// The moves of the players, in their order.
    pub reply: Vec<String>,
}

/// Some players see to it that a role gets at least, or at most, so much on average.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct AverageClaim {
    /// The players who mix their moves: the role itself, or all the others.
    pub players: Vec<String>,
    /// Whose goal it is about.
    pub role: String,
    /// Whether the values are lower bounds; else they are upper ones.
    pub at_least: bool,
    /// The states that can come up.
    pub entries: Vec<AverageEntry>,
}

/// A state, what it is worth, and how often the players take which moves.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct AverageEntry {
    /// The fluents that are true, as places in the certificate's list, ascending.
    pub state: Vec<u32>,
    /// Steps to the end, at most.
    pub rank: u32,
    /// What the role gets on average.
    pub value: Fraction,
    /// Moves of the players, in their order, and how often they are taken.
    pub mixture: Vec<(Vec<String>, Fraction)>,
}

/// A state, the joint move that is made, and what each role gets.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct EquilibriumEntry {
    /// The fluents that are true, as places in the certificate's list, ascending.
    pub state: Vec<u32>,
    /// Steps to the end, at most.
    pub rank: u32,
    /// One move for each role.
    pub reply: Vec<String>,
    /// What each role gets.
    pub values: Vec<u32>,
}

/// Reads values by role. A role that occurs twice would be read in one way by one program and otherwise by another.
fn each_role_once<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<BTreeMap<String, Fraction>, D::Error> {
    struct Values;
    impl<'de> Visitor<'de> for Values {
        type Value = BTreeMap<String, Fraction>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("a value for each role")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut values = BTreeMap::new();
            while let Some((role, value)) = map.next_entry::<String, Fraction>()? {
                if values.insert(role.clone(), value).is_some() {
                    return Err(A::Error::custom(format!("{role} has two values")));
                }
            }
            Ok(values)
        }
    }
    source.deserialize_map(Values)
}
