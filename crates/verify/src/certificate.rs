//! A certificate: what was proved about a game, in a form that can be checked without trust.
//!
//! A *claim* says that some players can see to it that every end fulfils some conditions. Its
//! entries are states, each with the players' reply. The claim holds if the start is among them, if
//! every joint move that goes with the replies leads to an end that fulfils the conditions or to an
//! entry of lower rank, and so play comes to an end. A claim of no players is about all of play; it
//! needs no ranks, because it only says what no end is.
//!
//! Where players choose at the same time, a claim is about averages: players mix their moves, and
//! whatever the others do, what the role gets on average is at least (at most) the value of the entry.
//! Where each player plays for its own goal, the entries are an equilibrium: no player would do
//! better by another move.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fraction::Fraction;

/// The version of the format.
pub const FORMAT: u32 = 2;

/// Values of a game and the claims that prove them.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`].
    pub format: u32,
    /// The fluents that occur in states, by which entries name them.
    pub fluents: Vec<String>,
    /// The state the values are about, as places among the fluents; the start if it is not given.
    pub at: Option<Vec<u32>>,
    /// What each role gets.
    pub value: BTreeMap<String, Fraction>,
    /// Why.
    pub claims: Vec<Claim>,
    /// Why, where players choose at the same time.
    pub averages: Vec<AverageClaim>,
    /// Why, where each player plays for its own goal: all states that can come up.
    pub equilibrium: Vec<EquilibriumEntry>,
    /// A sum over all of the above, against damage on the way.
    pub digest: String,
}

/// Some players can force every end to fulfil the conditions.
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
    /// At least this.
    pub at_least: Option<u32>,
    /// At most this.
    pub at_most: Option<u32>,
}

impl Condition {
    /// Whether a goal fulfils it.
    pub fn admits(&self, goal: u32) -> bool {
        self.at_least.is_none_or(|least| goal >= least)
            && self.at_most.is_none_or(|most| goal <= most)
    }
}

/// A state and what the players do in it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct ClaimEntry {
    /// The fluents that are true, as places in the certificate's list, ascending.
    pub state: Vec<u32>,
    /// Steps to the end, at most. Play goes to entries of lower rank.
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

impl Certificate {
    /// How many entries there are in all claims together.
    pub fn entries(&self) -> u64 {
        let claims = self.claims.iter().map(|claim| claim.entries.len());
        let averages = self.averages.iter().map(|claim| claim.entries.len());
        claims.chain(averages).chain([self.equilibrium.len()]).sum::<usize>() as u64
    }

    /// The sum over everything but itself.
    pub fn compute_digest(&self) -> String {
        let mut sum = Sum(0xcbf2_9ce4_8422_2325);
        sum.number(self.format.into());
        sum.texts(&self.fluents);
        sum.numbers(self.at.as_deref().unwrap_or_default());
        sum.number(u64::from(self.at.is_some()));
        for (role, value) in &self.value {
            sum.text(role);
            sum.text(&value.to_string());
        }
        for claim in &self.claims {
            sum.texts(&claim.players);
            for condition in &claim.ends {
                sum.text(&condition.role);
                for bound in [condition.at_least, condition.at_most] {
                    sum.number(bound.map_or(u64::MAX, u64::from));
                }
            }
            for entry in &claim.entries {
                sum.numbers(&entry.state);
                sum.number(entry.rank.into());
                sum.texts(&entry.reply);
            }
        }
        for claim in &self.averages {
            sum.average(claim);
        }
        for entry in &self.equilibrium {
            sum.numbers(&entry.state);
            sum.number(entry.rank.into());
            sum.texts(&entry.reply);
            sum.numbers(&entry.values);
        }
        format!("{:016x}", sum.0)
    }
}

/// Fowler, Noll and Vo's hash, with lengths, so that texts do not run together.
struct Sum(u64);

impl Sum {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        text.bytes().for_each(|byte| self.byte(byte));
    }

    fn texts(&mut self, texts: &[String]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }

    fn average(&mut self, claim: &AverageClaim) {
        self.number(u64::from(claim.at_least));
        self.texts(&claim.players);
        self.text(&claim.role);
        for entry in &claim.entries {
            self.numbers(&entry.state);
            self.number(entry.rank.into());
            self.text(&entry.value.to_string());
            for (moves, share) in &entry.mixture {
                self.texts(moves);
                self.text(&share.to_string());
            }
        }
    }

    fn numbers(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u64);
        numbers.iter().for_each(|&number| self.number(number.into()));
    }
}
