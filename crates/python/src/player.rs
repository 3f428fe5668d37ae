//! Someone who chooses moves.

use std::sync::Arc;
use std::time::Instant;

use gambol::play::{Agent, Effort, Prepared, Reason, Settings};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::game::Game;
use crate::interrupt::interruptible;
use crate::oracle::Evaluate;
use crate::shared::Shared;
use crate::state::State;
use crate::table::Table;

/// Chooses moves by tree search, or as its settings say.
#[pyclass(frozen, module = "gambol")]
pub(crate) struct Player {
    shared: Arc<Shared>,
    prepared: Arc<Prepared>,
    settings: Settings,
    evaluate: Option<Py<PyAny>>,
}

/// The share of the time for looking at the structure of the game.
const STUDY: f64 = 0.25;

/// A player as on the command line: `mcts`, `random`, `legal`, with settings after a colon.
pub(crate) fn player(
    py: Python<'_>,
    game: &Game,
    spec: &str,
    seed: u64,
    evaluate: Option<Py<PyAny>>,
) -> PyResult<Player> {
    let mut settings: Settings =
        spec.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
    settings.search.seed = seed;
    if evaluate.as_ref().is_some_and(|function| !function.bind(py).is_callable()) {
        return Err(PyTypeError::new_err("evaluate is called with observations and masks"));
    }
    let prepared = py.detach(|| game.shared.game.prepared());
    let prepared = prepared.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (shared, prepared) = (game.shared.clone(), Arc::clone(prepared));
    Ok(Player { shared, prepared, settings, evaluate })
}

#[pymethods]
impl Player {
    /// An action for a role in a state, after `playouts` random games or evaluations (then the same seed gives the
    /// same) or `seconds`.
    #[pyo3(signature = (state, role=None, *, playouts=10_000, seconds=None))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, State>,
        role: Option<&Bound<'py, PyAny>>,
        playouts: u64,
        seconds: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let state = state.get();
        if !self.shared.is_same(&state.shared) {
            return Err(PyValueError::new_err("the state belongs to another game"));
        }
        let role = state.meant(role, py)?;
        let time = seconds.map(crate::loading::seconds).transpose()?;
        let oracle = self.evaluate.as_ref().map(|function| {
            Evaluate::new(py, self.shared.clone(), function.clone_ref(py)).map(Arc::new)
        });
        let oracle = oracle.transpose()?;
        let decided = interruptible(py, |stop| {
            let begun = Instant::now();
            let mut settings = self.settings.clone();
            // What runs beside the search is done when it is done, and would make a difference; an evaluation that is
            // given is asked about the whole game, and nothing else is.
            if time.is_none() || oracle.is_some() {
                (settings.solve, settings.decompose, settings.latches) = (false, false, false);
            }
            if oracle.is_some() {
                (settings.evaluate, settings.plan) = (false, false);
            }
            let effort = match time {
                Some(time) => {
                    if oracle.is_none() {
                        self.prepared.study(time.mul_f64(STUDY), &stop);
                    }
                    Effort::Until(begun + time)
                }
                None => Effort::Playouts(playouts),
            };
            let mut agent = Agent::new(&self.prepared, settings);
            if let Some(oracle) = &oracle {
                agent.use_oracle(oracle.clone());
            }
            agent.go_to(state.state.clone());
            let decision = agent.decide(Table::id(role), effort, &stop)?;
            Some((decision, agent.report(Table::id(role))))
        })?;
        if let Some(raised) = oracle.and_then(|oracle| oracle.raised()) {
            return Err(raised);
        }
        let none =
            || PyValueError::new_err(format!("{} has no move here", self.shared.table.name(role)));
        let (decision, report) = decided.ok_or_else(none)?;
        let table = &self.shared.table;
        let (visits, means) = (PyDict::new(py), PyDict::new(py));
        for action in report.moves {
            visits.set_item(table.action(role, action.action), action.visits)?;
            means.set_item(table.action(role, action.action), action.mean)?;
        }
        let (reason, value, certain) = described(&decision.reason);
        let fields = (table.action(role, decision.action), reason, value, certain, visits, means);
        py.import("gambol.results")?.getattr("Choice")?.call1(fields)
    }

    fn __repr__(&self) -> String {
        format!("<Player of {}>", self.shared.name)
    }
}

/// The reason in a word, what the move is worth, and whether that is certain.
fn described(reason: &Reason) -> (&'static str, Option<f64>, bool) {
    match reason {
        Reason::Forced => ("forced", None, false),
        Reason::Solved(goal) => ("solved", Some(f64::from(*goal)), true),
        Reason::Proved(goal) => ("proved", Some(f64::from(*goal)), true),
        Reason::Tried { mean, .. } => ("tried", Some(*mean), false),
        Reason::Parts { .. } => ("parts", None, false),
        Reason::Unthinking => ("unthinking", None, false),
    }
}
