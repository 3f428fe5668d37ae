//! What a certificate of a cut says.

use gambol_verify::Digest;
use serde::{Deserialize, Serialize};

/// The word that tells it from other certificates.
pub const CUT_KIND: &str = "cut";
/// The version of the format.
pub const CUT_FORMAT: u32 = 1;

/// A cut, and what is claimed of it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct CutCertificate {
    /// [`CUT_KIND`].
    pub kind: String,
    /// [`CUT_FORMAT`].
    pub format: u32,
    /// The state that play begins with, as its true fluents; the start if it is not given.
    pub at: Option<Vec<String>>,
    /// The parts, those that run by themselves too.
    pub parts: Vec<Part>,
    /// The fluents in no part, which never change.
    pub rest: Vec<String>,
    /// Where the parts of a series meet, if the parts are compared stage by stage.
    pub series: Vec<Crossing>,
    /// Clauses that hold in every state of play: fluents with their values, of which one is right. They are
    /// proved together, by induction, before they are used.
    pub invariants: Vec<Vec<(String, bool)>>,
    /// Whether the parts are claimed to be apart.
    pub sound: bool,
    /// Whether moves of one class are claimed to do the same.
    pub classes_exact: bool,
    /// Whether and how scores are claimed to split.
    pub scores: Option<Scores>,
    /// A sum over all of the above, against damage on the way.
    pub digest: String,
}

/// One part.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its fluents.
    pub fluents: Vec<String>,
    /// Whether it runs by itself.
    pub clock: bool,
    /// All moves of the game, by what they do in it; none if it runs by itself.
    pub classes: Vec<Class>,
}

/// Moves of one role that do the same in a part.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Whose moves.
    pub role: String,
    /// The moves.
    pub moves: Vec<String>,
    /// Whether they leave the part alone.
    pub idle: bool,
}

/// Where some parts are over and others begin.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Crossing {
    /// Places of the parts that are over by then.
    pub before: Vec<usize>,
    /// Places of the parts that begin then.
    pub after: Vec<usize>,
}

/// What splits.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Scores {
    /// The highest score of every role.
    Goals,
    /// The end of the game; the scores look at clocks only.
    End,
}

impl CutCertificate {
    /// The sum over everything but itself. Who forges can compute it too: a certificate is believed because
    /// the rules bear it out.
    pub fn compute_digest(&self) -> String {
        let mut sum = Digest::default();
        sum.text(&self.kind);
        sum.number(u64::from(self.format));
        sum.number(u64::from(self.at.is_some()));
        sum.texts(self.at.as_deref().unwrap_or_default());
        sum.number(self.parts.len() as u64);
        for part in &self.parts {
            sum.texts(&part.fluents);
            sum.number(u64::from(part.clock));
            sum.number(part.classes.len() as u64);
            for class in &part.classes {
                sum.text(&class.role);
                sum.texts(&class.moves);
                sum.number(u64::from(class.idle));
            }
        }
        sum.texts(&self.rest);
        sum.number(self.series.len() as u64);
        for crossing in &self.series {
            for places in [&crossing.before, &crossing.after] {
                sum.number(places.len() as u64);
                places.iter().for_each(|&place| sum.number(place as u64));
            }
        }
        sum.number(self.invariants.len() as u64);
        for clause in &self.invariants {
            sum.number(clause.len() as u64);
            for (fluent, holds) in clause {
                sum.text(fluent);
                sum.number(u64::from(*holds));
            }
        }
        sum.number(u64::from(self.sound));
        sum.number(u64::from(self.classes_exact));
        sum.number(match self.scores {
            None => 0,
            Some(Scores::Goals) => 1,
            Some(Scores::End) => 2,
        });
        sum.to_string()
    }
}
