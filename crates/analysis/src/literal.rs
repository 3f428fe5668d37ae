//! Literals: a fluent that is true, or one that is false; and clauses of them.

use gambol_net::{FluentId, Net, State};
use smallvec::SmallVec;

/// A fluent with one of its two values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// Which fluent.
    pub fluent: FluentId,
    /// Its value.
    pub holds: bool,
}

impl Literal {
    /// The fluent is true.
    pub fn is(fluent: FluentId) -> Self {
        Self { fluent, holds: true }
    }

    /// The fluent is false.
    pub fn is_not(fluent: FluentId) -> Self {
        Self { fluent, holds: false }
    }

    /// The fluent with the value it has in a state.
    pub(crate) fn of(state: &State, fluent: FluentId) -> Self {
        Self { fluent, holds: state.holds(fluent) }
    }

    /// Whether it is true in a state.
    pub(crate) fn holds_in(self, state: &State) -> bool {
        state.holds(self.fluent) == self.holds
    }

    /// The fluent with its other value.
    pub fn negated(self) -> Self {
        Self { fluent: self.fluent, holds: !self.holds }
    }

    /// The literal as GDL text: `(heap 3)` or `(not (heap 3))`.
    pub fn text(self, net: &Net) -> String {
        let name = &net.fluents[self.fluent];
        if self.holds { name.to_string() } else { format!("(not {name})") }
    }
}

/// One of these literals holds.
pub type Clause = SmallVec<[Literal; 2]>;
