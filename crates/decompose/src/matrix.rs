//! The dependency matrix: which moves act on which fluents, and how strongly.

use gambol_net::{FluentId, MoveId};

/// What a move has to do with a fluent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dependency {
    /// The fluent.
    pub fluent: FluentId,
    /// The move.
    pub action: MoveId,
    /// How often the move makes a difference to the fluent, where it was tried: 0 to 1.
    pub effect: f32,
    /// Whether the legality of the move looks at the fluent.
    pub gates: bool,
}

/// The dependencies that were found, sorted by fluent and move.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct DependencyMatrix {
    /// The entries that are not empty.
    pub entries: Vec<Dependency>,
}

impl DependencyMatrix {
    /// The entries of one fluent.
    pub fn of_fluent(&self, fluent: FluentId) -> &[Dependency] {
        let first = self.entries.partition_point(|entry| entry.fluent < fluent);
        let last = self.entries.partition_point(|entry| entry.fluent <= fluent);
        &self.entries[first..last]
    }
}
