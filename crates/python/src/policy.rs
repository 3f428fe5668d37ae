//! What to do in every state of a game, found by regressing its goals.

use std::sync::Arc;

use gambol::AutomatonError;
use gambol::regress::{
    AgentId, Answer, ClassRef, Found, Limits, Options, Policy as Rules, RegressError, Value,
    compress, find_policy, policy_to_text, read_facts,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{limit_reached, stage_error};
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::shared::Shared;
use crate::state::State;

/// A policy: classes of states, each with a move and what it is worth.
#[pyclass(frozen, module = "gambol")]
pub(crate) struct Policy {
    shared: Arc<Shared>,
    rules: Rules,
}

/// How to regress.
pub(crate) struct Wanted {
    pub(crate) distances: bool,
    pub(crate) threads: usize,
    pub(crate) seed: u64,
    pub(crate) limits: Limits,
}

enum Refusal {
    Automaton(AutomatonError),
    Regress(RegressError),
}

/// Regresses the goals of a game. What is found when a limit is met goes with the exception.
pub(crate) fn regressed(py: Python<'_>, game: &Game, wanted: Wanted) -> PyResult<Py<Policy>> {
    let shared = game.shared.clone();
    let found = interruptible(py, |stop| {
        let begun = std::time::Instant::now();
        let mut limits = Limits { stop: Some(stop), ..wanted.limits };
        let made = shared.game.automaton(&shared.name, wanted.seed, &limits);
        let made = made.map_err(Refusal::Automaton)?;
        limits.time = limits.time.map(|time| time.saturating_sub(begun.elapsed()));
        let (distances, threads) = (wanted.distances, wanted.threads.max(1));
        let options = Options { distances, threads, limits, ..Options::default() };
        find_policy(&made.automaton, &options, &mut |_| ()).map_err(Refusal::Regress)
    })?;
    let Found { policy, halt, .. } = found.map_err(|refusal| match refusal {
        Refusal::Automaton(AutomatonError::Stage(error)) => stage_error(py, &error),
        Refusal::Automaton(error) if error.is_limit() => {
            limit_reached(py, &error.to_string(), py.None())
        }
        Refusal::Automaton(error) => PyValueError::new_err(error.to_string()),
        Refusal::Regress(RegressError::Halt(halt)) => {
            limit_reached(py, &halt.to_string(), py.None())
        }
        Refusal::Regress(error) => PyValueError::new_err(error.to_string()),
    })?;
    let policy = Py::new(py, Policy { shared, rules: policy })?;
    match halt {
        Some(halt) => Err(limit_reached(py, &halt.to_string(), policy.into_any())),
        None => Ok(policy),
    }
}

impl Policy {
    fn rewards<'py>(&self, py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyDict>> {
        let automaton = &self.rules.automaton;
        let rewards = &automaton.outcomes[value.outcome].rewards;
        let dict = PyDict::new(py);
        for (agent, name) in automaton.agents.iter_ids() {
            let agent: AgentId = agent;
            dict.set_item(&**name, rewards[agent])?;
        }
        Ok(dict)
    }

    fn answer(&self, state: &State) -> PyResult<Answer> {
        if !self.shared.is_same(&state.shared) {
            return Err(PyValueError::new_err("the state belongs to another game"));
        }
        let facts: Vec<String> = state.fluent_names().map(str::to_string).collect();
        let (node, cube) = read_facts(&self.rules.automaton, &facts)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let unknown = || PyValueError::new_err("the policy says nothing about this state");
        self.rules.query(node, &cube).ok_or_else(unknown)
    }
}

#[pymethods]
impl Policy {
    /// What each role gets from the start on.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.rules.start_value().map(|value| self.rewards(py, value)).transpose()
    }

    /// Whether every state has its value.
    #[getter]
    fn complete(&self) -> bool {
        self.rules.complete
    }

    /// What each role gets from a state on.
    fn value<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, State>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.rewards(py, self.answer(state.get())?.value)
    }

    /// How many moves the end is away, if distances were asked for.
    fn distance(&self, state: &Bound<'_, State>) -> PyResult<Option<u32>> {
        let value = self.answer(state.get())?.value;
        Ok((self.rules.distances && value.distance > 0).then_some(value.distance))
    }

    /// A best action of the role whose turn it is; `None` if the game is over, or nothing can be done.
    fn action(&self, py: Python<'_>, state: &Bound<'_, State>) -> PyResult<Option<usize>> {
        let state = state.get();
        let Some(transition) = self.answer(state)?.transition else { return Ok(None) };
        let Some(mover) = state.mover(py)?.filter(|_| !state.over()) else { return Ok(None) };
        let name = &self.rules.automaton.transitions[transition].name;
        state.owner().named_action(mover, name).map(Some)
    }

    /// The rule that says what to do in a state, to be read.
    fn rule(&self, state: &Bound<'_, State>) -> PyResult<Option<String>> {
        Ok(self.answer(state.get())?.class.map(|class| self.rules.rule(class)))
    }

    /// Rules, in the order in which they are consulted.
    #[pyo3(signature = (most=100))]
    fn rules(&self, most: usize) -> Vec<String> {
        let store = &self.rules.store;
        let all = store.list_ids().flat_map(|list| {
            (0..store.classes(list).len() as u32).rev().map(move |place| ClassRef { list, place })
        });
        all.take(most).map(|class| self.rules.rule(class)).collect()
    }

    /// The same policy as a decision list of fewer and shorter rules.
    fn compressed(&self, py: Python<'_>) -> PyResult<Self> {
        let short = interruptible(py, |stop| {
            compress(&self.rules, &Limits { stop: Some(stop), ..Limits::default() })
        })?;
        let rules = short.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Self { shared: self.shared.clone(), rules })
    }

    /// The policy as `gambol regress` reads it.
    fn to_text(&self) -> String {
        policy_to_text(&self.rules)
    }

    fn __len__(&self) -> usize {
        self.rules.store.len()
    }

    fn __repr__(&self) -> String {
        let whole = if self.rules.complete { "" } else { ", not complete" };
        format!("<Policy of {}: {} classes{whole}>", self.shared.name, self.__len__())
    }
}
