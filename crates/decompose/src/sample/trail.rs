//! The first game of every lane, state by state.

use gambol_index::IndexVec;
use gambol_net::{FluentId, State};

use crate::evaluate::lanes::{ALL, NONE, Word, and, gathered, is_none};

/// Steps after which an endless game is begun again.
pub(crate) const LONGEST: u16 = 400;
/// Words that may be kept, one for each fluent and step.
const MOST_WORDS: usize = 400_000;

/// Whole games, side by side: one in each lane.
pub(crate) struct Trail {
    /// The states, step by step, as one word per fluent.
    pub(crate) states: Vec<IndexVec<FluentId, Word>>,
    /// The lanes whose game has come to that state.
    pub(crate) present: Vec<Word>,
    /// Those in which somebody has a choice there.
    pub(crate) choice: Vec<Word>,
    /// The lanes whose first game goes on.
    first: Word,
    /// Whether everything could be kept.
    whole: bool,
}

impl Trail {
    pub(crate) fn new() -> Self {
        let (states, present, choice) = (Vec::new(), Vec::new(), Vec::new());
        Self { states, present, choice, first: ALL, whole: true }
    }

    /// One that notes nothing.
    pub(crate) fn none() -> Self {
        Self { whole: false, ..Self::new() }
    }

    /// Whether there is nothing more to note.
    pub(crate) fn is_over(&self) -> bool {
        !self.whole || is_none(&self.first)
    }

    /// Notes the states of all lanes; `going` are those that go on.
    pub(crate) fn note(&mut self, states: IndexVec<FluentId, Word>, choice: Word, going: &Word) {
        if (self.states.len() + 1) * states.len() > MOST_WORDS {
            *self = Self::none();
            return;
        }
        self.states.push(states);
        self.present.push(self.first);
        self.choice.push(and(&choice, &self.first));
        self.first = match self.states.len() < usize::from(LONGEST) {
            true => and(&self.first, going),
            // Play begins again there.
            false => NONE,
        };
    }

    /// The states in some lanes at a step.
    pub(crate) fn states_at(&self, step: usize, lanes: &[usize]) -> Vec<State> {
        gathered(self.states[step].iter(), lanes)
    }
}
