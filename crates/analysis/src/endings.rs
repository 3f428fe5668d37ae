//! The ends of play in the sample, and the goal values had there.

use gambol_index::bits;
use gambol_net::{GateId, Net};

use crate::Literal;
use crate::columns::Columns;
use crate::sample::Sample;

/// The states of the sample that are terminal, and those with a goal value.
pub(crate) struct Endings {
    /// Termination, then the goals.
    pub(crate) gates: Vec<GateId>,
    /// Row 0 is termination, row `n + 1` goal `n`.
    columns: Columns,
}

impl Endings {
    pub(crate) fn of(net: &Net, sample: &Sample) -> Self {
        let mut gates = vec![net.terminal];
        gates.extend(net.goals.iter().map(|goal| goal.gate));
        Self { columns: sample.gate_columns(net, &gates), gates }
    }

    /// Whether the game is over in a state of the sample.
    pub(crate) fn is_end(&self, state: usize) -> bool {
        bits::is_set(self.columns.row(0), state)
    }

    /// The ends of the sample that lack a goal value and have none of these literals.
    pub(crate) fn without(
        &self,
        sample: &Sample,
        goal: usize,
        literals: &[Literal],
    ) -> impl Iterator<Item = usize> {
        let (terminal, goal) = (self.columns.row(0), self.columns.row(goal + 1));
        let is_open = move |&state: &usize| {
            let bit = |row: &[u64]| bits::is_set(row, state);
            bit(terminal)
                && !bit(goal)
                && !literals.iter().any(|&one| one.holds_in(&sample.states[state]))
        };
        (0..sample.states.len()).filter(is_open)
    }

    /// Whether a step of the sample leaves a state with a literal but without a goal value.
    pub(crate) fn leaves(&self, sample: &Sample, goal: usize, literal: Literal) -> bool {
        let goal = self.columns.row(goal + 1);
        let without = |state: u32| {
            !bits::is_set(goal, state as usize) && literal.holds_in(&sample.states[state as usize])
        };
        sample.steps.iter().any(|step| without(step.from))
    }

    /// Whether a goal value is had together with a literal at an end of the sample.
    pub(crate) fn meets(&self, sample: &Sample, goal: usize, literal: Literal) -> bool {
        let (terminal, goal) = (self.columns.row(0), self.columns.row(goal + 1));
        (0..sample.now.words())
            .any(|word| terminal[word] & goal[word] & sample.now.word(literal, word) != 0)
    }
}
