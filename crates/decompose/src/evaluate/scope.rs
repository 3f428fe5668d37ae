//! Which states belong to a phase.

use gambol_analysis::{Encoding, Frame, Literal};
use gambol_net::{Condition, FluentId, State};

use crate::evaluate::lanes::{ALL, NONE, Word, and, and_not, or};

/// Between two crossing points: the first is passed, the second is not.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) begins: Option<Condition>,
    pub(crate) ends: Option<Condition>,
    /// What holds in all its states. Proved.
    pub(crate) facts: Vec<Literal>,
}

impl Scope {
    /// The lanes whose states belong to the phase.
    pub(crate) fn lanes<'w>(&self, word: &impl Fn(FluentId) -> &'w Word) -> Word {
        let inside = self.begins.as_ref().map_or(ALL, |begins| in_lanes(begins, word));
        match &self.ends {
            Some(ends) => and_not(&inside, &in_lanes(ends, word)),
            None => inside,
        }
    }

    /// Whether a state belongs to the phase.
    pub(crate) fn contains(&self, state: &State) -> bool {
        self.begins.as_ref().is_none_or(|begins| begins.holds(state))
            && !self.ends.as_ref().is_some_and(|ends| ends.holds(state))
    }

    /// A state of an encoding belongs to the phase.
    pub(crate) fn assume(&self, encoding: &mut Encoding<'_>, frame: Frame) {
        if let Some(begins) = &self.begins {
            let begun = encoding.condition(frame, begins);
            encoding.add(&[begun]);
        }
        if let Some(ends) = &self.ends {
            let over = encoding.condition(frame, ends);
            encoding.add(&[!over]);
        }
        for &fact in &self.facts {
            let fact = encoding.literal(frame, fact);
            encoding.add(&[fact]);
        }
    }
}

/// The lanes in which a condition holds.
pub(crate) fn in_lanes<'w>(condition: &Condition, word: &impl Fn(FluentId) -> &'w Word) -> Word {
    match condition {
        Condition::Is(fluent, true) => *word(*fluent),
        Condition::Is(fluent, false) => and_not(&ALL, word(*fluent)),
        Condition::All(parts) => {
            parts.iter().fold(ALL, |all, part| and(&all, &in_lanes(part, word)))
        }
        Condition::Any(parts) => {
            parts.iter().fold(NONE, |any, part| or(&any, &in_lanes(part, word)))
        }
    }
}
