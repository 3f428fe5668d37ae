//! A state of a game: the set of fluents that hold.

use crate::GroundTerm;

/// The fluents that hold, sorted, each once. A state belongs to the interpreter that made it and
/// to those cloned from that one later.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct State {
    fluents: Box<[GroundTerm]>,
}

impl State {
    /// The state in which exactly these fluents hold.
    pub fn of(fluents: impl IntoIterator<Item = GroundTerm>) -> Self {
        let mut fluents: Vec<GroundTerm> = fluents.into_iter().collect();
        fluents.sort_unstable();
        fluents.dedup();
        Self { fluents: fluents.into() }
    }

    /// The fluents that hold, in the order of their ids.
    pub fn fluents(&self) -> &[GroundTerm] {
        &self.fluents
    }
}
