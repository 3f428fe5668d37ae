//! What a certificate of a cut says.

use gambol_verify::Digest;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Gate};

/// The word that tells it from other certificates.
pub const CUT_KIND: &str = "cut";
/// The version of the format.
pub const CUT_FORMAT: u32 = 2;
/// The version before, without thresholds and phases.
pub(crate) const PLAIN_FORMAT: u32 = 1;

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
    /// The conditions of the parts, for roles whose highest score takes more than one of them and not all.
    #[serde(default)]
    pub thresholds: Vec<Threshold>,
    /// Stretches of play, one after the other, each with parts of its own; none if only the whole game is
    /// spoken of.
    #[serde(default)]
    pub phases: Vec<Phase>,
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

/// How the highest score of a role is made of conditions: at least so many of them must hold where the game is over.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// Whose score.
    pub role: String,
    /// How many conditions must hold.
    pub least: usize,
    /// Places of parts, each with its condition, which looks at the part and at clocks.
    pub conditions: Vec<(usize, Condition)>,
}

/// A stretch of play, with what is claimed of the states in it and of the steps that do not leave it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// It begins when this comes to hold, and what holds once holds for good; none for the first.
    pub begins: Option<Condition>,
    /// Values that fluents have in all its states.
    pub facts: Vec<(String, bool)>,
    /// As of the whole game.
    pub parts: Vec<Part>,
    /// As of the whole game, but that these fluents keep the value that they had when the phase began.
    pub rest: Vec<String>,
    /// As of the whole game.
    pub series: Vec<Crossing>,
    /// As of the whole game.
    pub sound: bool,
    /// As of the whole game.
    pub classes_exact: bool,
    /// As of the whole game.
    pub scores: Option<Scores>,
    /// As of the whole game.
    pub thresholds: Vec<Threshold>,
}

/// What is claimed of a stretch of play, or of all of it.
#[derive(Clone, Copy)]
pub(crate) struct Claims<'a> {
    pub(crate) parts: &'a [Part],
    pub(crate) rest: &'a [String],
    pub(crate) series: &'a [Crossing],
    pub(crate) sound: bool,
    pub(crate) classes_exact: bool,
    pub(crate) scores: Option<Scores>,
    pub(crate) thresholds: &'a [Threshold],
}

impl Claims<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        !self.sound && !self.classes_exact && self.scores.is_none()
    }

    fn add_parts(&self, sum: &mut Digest) {
        sum.number(self.parts.len() as u64);
        for part in self.parts {
            sum.texts(&part.fluents);
            sum.number(u64::from(part.clock));
            sum.number(part.classes.len() as u64);
            for class in &part.classes {
                sum.text(&class.role);
                sum.texts(&class.moves);
                sum.number(u64::from(class.idle));
            }
        }
        sum.texts(self.rest);
        sum.number(self.series.len() as u64);
        for crossing in self.series {
            add_numbers(sum, &crossing.before);
            add_numbers(sum, &crossing.after);
        }
    }

    fn add_claims(&self, sum: &mut Digest, format: u32) {
        sum.number(u64::from(self.sound));
        sum.number(u64::from(self.classes_exact));
        sum.number(match self.scores {
            None => 0,
            Some(Scores::Goals) => 1,
            Some(Scores::End) => 2,
        });
        if format == PLAIN_FORMAT {
            return;
        }
        sum.number(self.thresholds.len() as u64);
        for threshold in self.thresholds {
            sum.text(&threshold.role);
            sum.number(threshold.least as u64);
            sum.number(threshold.conditions.len() as u64);
            for (part, condition) in &threshold.conditions {
                sum.number(*part as u64);
                add_condition(sum, condition);
            }
        }
    }
}

fn add_numbers(sum: &mut Digest, numbers: &[usize]) {
    sum.number(numbers.len() as u64);
    numbers.iter().for_each(|&number| sum.number(number as u64));
}

fn add_values(sum: &mut Digest, values: &[(String, bool)]) {
    sum.number(values.len() as u64);
    for (fluent, holds) in values {
        sum.text(fluent);
        sum.number(u64::from(*holds));
    }
}

fn add_condition(sum: &mut Digest, condition: &Condition) {
    sum.number(condition.gates.len() as u64);
    for gate in &condition.gates {
        let (kind, inputs) = match gate {
            Gate::Fluent(_) => (0, &[][..]),
            Gate::Not(input) => (1, std::slice::from_ref(input)),
            Gate::All(inputs) => (2, inputs.as_slice()),
            Gate::Any(inputs) => (3, inputs.as_slice()),
        };
        sum.number(kind);
        add_numbers(sum, inputs);
        if let Gate::Fluent(fluent) = gate {
            sum.text(fluent);
        }
    }
}

impl Phase {
    pub(crate) fn claims(&self) -> Claims<'_> {
        Claims {
            parts: &self.parts,
            rest: &self.rest,
            series: &self.series,
            sound: self.sound,
            classes_exact: self.classes_exact,
            scores: self.scores,
            thresholds: &self.thresholds,
        }
    }
}

impl CutCertificate {
    /// What is claimed of the whole game.
    pub(crate) fn claims(&self) -> Claims<'_> {
        Claims {
            parts: &self.parts,
            rest: &self.rest,
            series: &self.series,
            sound: self.sound,
            classes_exact: self.classes_exact,
            scores: self.scores,
            thresholds: &self.thresholds,
        }
    }

    /// The sum over everything but itself. Who forges can compute it too: a certificate is believed because
    /// the rules bear it out.
    pub fn compute_digest(&self) -> String {
        let mut sum = Digest::default();
        sum.text(&self.kind);
        sum.number(u64::from(self.format));
        sum.number(u64::from(self.at.is_some()));
        sum.texts(self.at.as_deref().unwrap_or_default());
        self.claims().add_parts(&mut sum);
        sum.number(self.invariants.len() as u64);
        self.invariants.iter().for_each(|clause| add_values(&mut sum, clause));
        self.claims().add_claims(&mut sum, self.format);
        if self.format != PLAIN_FORMAT {
            sum.number(self.phases.len() as u64);
            for phase in &self.phases {
                sum.number(u64::from(phase.begins.is_some()));
                phase.begins.iter().for_each(|begins| add_condition(&mut sum, begins));
                add_values(&mut sum, &phase.facts);
                phase.claims().add_parts(&mut sum);
                phase.claims().add_claims(&mut sum, self.format);
            }
        }
        sum.to_string()
    }
}
