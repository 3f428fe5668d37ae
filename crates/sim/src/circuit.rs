//! A game compiled: from a net to programs over slots.
//!
//! There are three kinds of program: *legality* (and termination), *transition* and *goals*. Each
//! is compiled for itself, because they run at different times: legality and transition at every
//! step, goals only when games end.

use std::sync::OnceLock;

use gambol_index::Id;
use gambol_net::{FluentId, Net, RoleId, When};

use crate::compile::phases::Phases;
use crate::compile::source::Source;
use crate::engine::Code;
use crate::engine::batch::{Batch, GateCounts};
use crate::engine::single::Single;
use crate::{SimError, State};

/// How a net is compiled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompileOptions {
    /// Whether fluents that come round in a fixed rhythm, such as turn markers, get circuits of
    /// their own for each phase.
    pub phases: bool,
    /// Whether the rules that reduce the number of gates are applied: that exactly one move of a role
    /// is done, that it is legal, and other ways to factor. When it pays: those that save gates.
    pub reductions: When,
    /// Whether machine code looks for groups of moves of which one is open at a time, as the moves of one
    /// piece from each square are, and lays them over one another. When it pays: where that makes the choice
    /// much shorter.
    pub grouping: When,
    /// How the gates are run where nothing else is asked for. It changes no answer.
    pub code: Code,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            phases: true,
            reductions: When::WhenItPays,
            grouping: When::WhenItPays,
            code: Code::Auto,
        }
    }
}

/// A goal value that a role can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Goal {
    /// Whose goal.
    pub role: RoleId,
    /// How much it is worth.
    pub value: u32,
}

/// A game ready to run: many games side by side ([`playouts`](crate::playouts)), or one state at a
/// time ([`Evaluator`](crate::Evaluator)).
///
/// Code is made when it is first needed, and then kept.
#[derive(Debug)]
pub struct Circuit {
    pub(crate) source: Source,
    pub(crate) options: CompileOptions,
    pub(crate) goals: Vec<Goal>,
    initial: State,
    single: OnceLock<Single>,
    batch: OnceLock<Batch>,
}

impl Circuit {
    /// Compiles a net.
    pub fn compile(net: &Net, options: &CompileOptions) -> Result<Self, SimError> {
        let mut source = Source::of(net)?;
        (source.reductions, source.grouping) = (options.reductions, options.grouping);
        let goal = |goal: &gambol_net::GoalGate| Goal { role: goal.role, value: goal.value };
        Ok(Self {
            options: options.clone(),
            goals: net.goals.iter().map(goal).collect(),
            initial: State::initial(net),
            source,
            single: OnceLock::new(),
            batch: OnceLock::new(),
        })
    }

    /// How it was compiled.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// The state at the start.
    pub fn initial(&self) -> State {
        self.initial.clone()
    }

    /// The state in which exactly these fluents are true.
    pub fn state_of(&self, fluents: &[FluentId]) -> State {
        let mut state = State::empty(self.fluent_count());
        for fluent in fluents.iter().filter(|fluent| fluent.index() < self.fluent_count()) {
            state.set(*fluent);
        }
        state
    }

    /// The state with these bits, 64 fluents to a word; further words are left out.
    pub fn state_from(&self, words: &[u64]) -> State {
        let mut state = State::from_words(&words[..self.fluent_count().div_ceil(64)]);
        state.clear_beyond(self.fluent_count());
        state
    }

    /// The fluents that are true in a state, sorted.
    pub fn fluents_of(&self, state: &State) -> Vec<FluentId> {
        state.fluents()
    }

    /// How many fluents there are.
    pub fn fluent_count(&self) -> usize {
        self.source.fluent_count()
    }

    /// How many moves there are, of all roles together.
    pub fn move_count(&self) -> usize {
        self.source.move_count()
    }

    /// How many roles there are.
    pub fn role_count(&self) -> usize {
        self.source.role_count
    }

    /// The goal values of all roles.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// After how many steps the phases of the game repeat; 1 if it has none.
    pub fn period(&self) -> usize {
        self.batch().phases.len()
    }

    /// How many gates the playouts run.
    pub fn gate_counts(&self) -> GateCounts {
        self.batch().gate_counts()
    }

    /// The code for playouts.
    pub(crate) fn batch(&self) -> &Batch {
        self.batch.get_or_init(|| {
            let phases = match self.options.phases {
                true => Phases::of(&self.source),
                false => Phases::none(&self.source),
            };
            Batch::of(&self.source, &phases)
        })
    }

    /// The code for single states.
    pub(crate) fn single(&self) -> &Single {
        self.single.get_or_init(|| Single::of(&self.source))
    }
}
