//! The value of a game, of any state of it, and the moves that keep it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use gambol::StageError;
use gambol::index::Id;
use gambol::reference::{Budget, Interpreter};
use gambol::report::Solution as Report;
use gambol::solve::{
    BestPlans, Bounds, Choice, Fraction, Meaning, NoCount, Solution as Found, SolveOptions,
    StateId, StateValues, Unfinished, certify, count_plans, solve, state_values,
};
use gambol::verify::{VerifyOptions, verify};
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::error::{limit_reached, stage_error};
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::report::plain;
use crate::shared::Shared;
use crate::state::{State, board_svg};

/// What the players get when all play best.
#[pyclass(frozen, module = "gambol")]
pub(crate) struct Solution {
    shared: Arc<Shared>,
    found: Found,
    options: SolveOptions,
    table: OnceLock<StateValues>,
}

/// Which way to solve.
pub(crate) fn named_choice(name: &str) -> PyResult<Choice> {
    Ok(match name {
        "auto" => Choice::Auto,
        "listing" => Choice::Listing,
        "search" => Choice::Search,
        "proof-number" => Choice::ProofNumber,
        "factored" => Choice::Factored,
        "phases" => Choice::Phased,
        "symbolic" => Choice::Satisfiability,
        _ => {
            let known = "auto, listing, search, proof-number, factored, phases or symbolic";
            return Err(PyValueError::new_err(format!("{name} is no method: {known}")));
        }
    })
}

/// Solves a game. What is proved when a limit is met goes with the exception.
pub(crate) fn solved(
    py: Python<'_>,
    game: &Game,
    options: SolveOptions,
    strong: bool,
) -> PyResult<Py<PyAny>> {
    let shared = game.shared.clone();
    let found = run(py, &shared, &options)?;
    let unfinished = found.unfinished.filter(|_| !found.is_settled());
    let solution = Py::new(py, Solution { shared, found, options, table: OnceLock::new() })?;
    if let Some(unfinished) = unfinished {
        return Err(limit_reached(py, &unfinished.to_string(), solution.into_any()));
    }
    if strong && let Err(unfinished) = solution.get().filled_table(py)? {
        // The value of the start is known all the same.
        return Err(limit_reached(py, &unfinished.to_string(), solution.into_any()));
    }
    Ok(solution.into_any())
}

fn run(py: Python<'_>, shared: &Shared, options: &SolveOptions) -> PyResult<Found> {
    let found = interruptible(py, |stop| {
        let mut options = options.clone();
        options.limits.stop = Some(stop);
        solve(shared.net(), shared.circuit(), &options)
    })?;
    found.map_err(|error| PyValueError::new_err(error.to_string()))
}

impl Solution {
    /// The table of all states, or why there is none.
    fn filled_table(&self, py: Python<'_>) -> PyResult<Result<&StateValues, Unfinished>> {
        if let Some(table) = self.table.get() {
            return Ok(Ok(table));
        }
        let made = interruptible(py, |stop| {
            let mut options = self.options.clone();
            options.limits.stop = Some(stop);
            state_values(self.shared.net(), self.shared.circuit(), &options)
        })?;
        let made = made.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(made.map(|made| self.table.get_or_init(|| made)))
    }

    /// What is known of a state from the table. It holds what each role can secure, which is less than an equilibrium
    /// may give it.
    fn looked_up(&self, state: &State) -> Option<Vec<Option<Fraction>>> {
        if matches!(self.found.meaning, Meaning::Equilibrium { .. }) {
            return None;
        }
        let mut row = state.state.words().to_vec();
        row.resize(row.len().max(1), 0);
        let table = self.table.get()?;
        Some(table.values(table.listing.store.find(&row)?))
    }

    /// What a state is worth to each role: from the table if there is one, or solved now.
    fn worth(&self, py: Python<'_>, state: &State) -> PyResult<Vec<Option<Fraction>>> {
        if !self.shared.is_same(&state.shared) {
            return Err(PyValueError::new_err("the state belongs to another game"));
        }
        if let Some(known) = self.looked_up(state) {
            return Ok(known);
        }
        let mut options = self.options.clone();
        options.at = Some(self.shared.circuit().fluents_of(&state.state));
        let found = run(py, &self.shared, &options)?;
        if let Some(unfinished) = found.unfinished.filter(|_| !found.is_exact()) {
            let shared = self.shared.clone();
            let partial = Py::new(py, Self { shared, found, options, table: OnceLock::new() })?;
            return Err(limit_reached(py, &unfinished.to_string(), partial.into_any()));
        }
        Ok(found.values.iter().map(|bounds| bounds.value()).collect())
    }

    /// The table of all states.
    fn whole_table(&self, py: Python<'_>) -> PyResult<&StateValues> {
        self.filled_table(py)?
            .map_err(|unfinished| limit_reached(py, &unfinished.to_string(), py.None()))
    }

    /// What each role gets from each of some states on, from the table.
    fn values_of<'py>(
        &self,
        py: Python<'py>,
        rows: &PyReadonlyArray2<'py, u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let table = self.whole_table(py)?;
        let rows = rows.as_array();
        let find = |(place, row): (usize, ArrayView1<'_, u64>)| {
            let unknown = || PyValueError::new_err(format!("state {place} cannot be reached"));
            let found = (row.len() == table.listing.store.row(StateId::from_index(0)).len())
                .then(|| table.listing.store.find(&row.to_vec()));
            found.flatten().ok_or_else(unknown)
        };
        let states: Vec<StateId> =
            rows.rows().into_iter().enumerate().map(find).collect::<PyResult<_>>()?;
        values_in(py, table, states.into_iter())
    }

    fn by_role<'py, T: IntoPyObject<'py>>(
        &self,
        py: Python<'py>,
        values: impl Iterator<Item = T>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (role, value) in values.enumerate() {
            dict.set_item(self.shared.table.name(role), value)?;
        }
        Ok(dict)
    }
}

/// A row of a table for each state; `nan` where goals are unclear.
fn values_in<'py>(
    py: Python<'py>,
    table: &StateValues,
    states: impl Iterator<Item = StateId>,
) -> PyResult<Bound<'py, PyAny>> {
    let roles = table.listing.roles;
    let values: Vec<f64> = states
        .flat_map(|state| (0..roles).map(move |role| (state, role)))
        .map(|(state, role)| table.value(state, role).map_or(f64::NAN, Fraction::as_f64))
        .collect();
    let count = values.len() / roles.max(1);
    PyArray1::from_vec(py, values).call_method1("reshape", ((count, roles),))
}

/// A fraction of Python.
fn fraction(py: Python<'_>, value: Fraction) -> PyResult<Bound<'_, PyAny>> {
    py.import("fractions")?.getattr("Fraction")?.call1((value.to_string(),))
}

#[pymethods]
impl Solution {
    /// What each role gets; `None` where only bounds are known.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let value = |bounds: &Bounds| bounds.value().map(|value| fraction(py, value)).transpose();
        let values: PyResult<Vec<_>> = self.found.values.iter().map(value).collect();
        self.by_role(py, values?.into_iter())
    }

    /// What each role gets at least and at most.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let both = |bounds: &Bounds| Ok((fraction(py, bounds.least)?, fraction(py, bounds.most)?));
        let bounds: PyResult<Vec<_>> = self.found.values.iter().map(both).collect();
        self.by_role(py, bounds?.into_iter())
    }

    /// In what sense these are the values.
    #[getter]
    fn meaning(&self) -> &'static str {
        self.found.meaning.in_words()
    }

    /// How they were found.
    #[getter]
    fn method(&self) -> &'static str {
        self.found.method.as_str()
    }

    /// Whether all values are known exactly.
    #[getter]
    fn exact(&self) -> bool {
        self.found.is_exact()
    }

    /// Whether no shorter line is as good; known of puzzles only.
    #[getter]
    fn shortest(&self) -> bool {
        self.found.shortest
    }

    /// Best play to the end, where there is such a line: one move of each role in each step.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let moves = &self.shared.net().moves;
        let names = |joint: &Vec<_>| {
            joint.iter().map(|&action| moves[action].name.to_string()).collect::<Vec<_>>()
        };
        self.found.line.iter().map(|joint| PyTuple::new(py, names(joint))).collect()
    }

    /// Nodes that were searched.
    #[getter]
    fn nodes(&self) -> u64 {
        self.found.nodes
    }

    /// What each role gets from a state on. Of many states, given as packed rows: what each role can secure, a row for
    /// each state.
    fn value<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(rows) = state.extract::<PyReadonlyArray2<'py, u64>>() {
            return self.values_of(py, &rows);
        }
        let worth = self.worth(py, state.cast::<State>()?.get())?;
        let values: PyResult<Vec<_>> = worth
            .into_iter()
            .map(|value| value.map(|value| fraction(py, value)).transpose())
            .collect();
        Ok(self.by_role(py, values?.into_iter())?.into_any())
    }

    /// The actions that keep what the role whose turn it is can get.
    fn best(&self, py: Python<'_>, state: &Bound<'_, State>) -> PyResult<Vec<usize>> {
        let state = state.get();
        let Some(mover) = state.mover(py)? else {
            return Err(PyValueError::new_err(
                "players move at the same time: there is no best action, but a mixture",
            ));
        };
        if self.shared.table.chance == Some(mover) {
            return Err(PyValueError::new_err(
                "it is the turn of chance, which has no best action",
            ));
        }
        let mut by_value: BTreeMap<usize, Fraction> = BTreeMap::new();
        for (action, child) in state.followers(py, mover)? {
            let worth = self.worth(py, &child)?[mover];
            let unknown =
                || PyRuntimeError::new_err("the value of an end depends on how its goals are read");
            by_value.insert(action, worth.ok_or_else(unknown)?);
        }
        let best = by_value.values().copied().max();
        Ok(by_value
            .into_iter()
            .filter(|(_, value)| Some(*value) == best)
            .map(|(action, _)| action)
            .collect())
    }

    /// All states that can be reached, packed, and what each role can secure there (`nan` where goals are unclear).
    fn table<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let table = self.whole_table(py)?;
        let count = table.listing.len();
        let rows = table.listing.store.rows(0..count).to_vec();
        let states = PyArray1::from_vec(py, rows).call_method1("reshape", ((count, -1),))?;
        Ok((states, values_in(py, table, table.listing.states())?))
    }

    /// How many plans are the shortest of the best, for one player: `gambol.results.BestPlans`.
    fn plans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let counted = interruptible(py, |stop| {
            let mut options = self.options.clone();
            options.limits.stop = Some(stop);
            count_plans(self.shared.net(), self.shared.circuit(), &options, &self.found)
        })?;
        let BestPlans { value, length, count } = counted.map_err(|error| match error {
            NoCount::Unfinished(_) => limit_reached(py, &error.to_string(), py.None()),
            _ => PyValueError::new_err(error.to_string()),
        })?;
        py.import("gambol.results")?.getattr("BestPlans")?.call1((value, length, count))
    }

    /// A proof of the values, as `gambol verify` reads it.
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = interruptible(py, |stop| {
            let mut options = self.options.clone();
            options.limits.stop = Some(stop);
            let made = certify(self.shared.net(), self.shared.circuit(), &options, &self.found);
            let made = made.map_err(|reason| reason.to_string())?;
            serde_json::to_vec(&made).map_err(|error| error.to_string())
        })?;
        Ok(PyBytes::new(py, &bytes.map_err(PyValueError::new_err)?))
    }

    /// Has the proof checked by the plain interpreter, and says what it proves.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.certificate(py)?;
        let certificate = serde_json::from_slice(text.as_bytes())
            .map_err(|error| PyValueError::new_err(format!("no certificate: {error}")))?;
        let accepted = interruptible(py, |stop| {
            let budget = Budget { stop: Some(stop), ..Budget::default() };
            let interpreter = Interpreter::with_budget(self.shared.game.rules(), budget)?;
            Ok(verify(&interpreter, &certificate, VerifyOptions::default()))
        })?;
        let accepted = accepted.map_err(|error: StageError| stage_error(py, &error))?;
        let accepted = accepted.map_err(|refusal| PyRuntimeError::new_err(refusal.to_string()))?;
        plain(py, &accepted)
    }

    /// The report of the program, as plain values.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &Report::of(self.shared.net(), &self.found))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("gambol.pictures")?.getattr("solution_html")?.call1((slf,))?.extract()
    }

    /// The board that best play leads to.
    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        let circuit = self.shared.circuit();
        let start = self.options.at.as_ref();
        let mut state = start.map_or_else(|| circuit.initial(), |at| circuit.state_of(at));
        if self.found.line.is_empty() {
            return None;
        }
        for joint in &self.found.line {
            let mut evaluator = self.shared.evaluator();
            state = evaluator.with_dependent_mut(|_, evaluator| evaluator.next(&state, joint));
        }
        board_svg(py, &self.shared, &state)
    }

    fn __repr__(&self) -> String {
        let roles = self.shared.net().roles.iter().map(|role| &**role).zip(&self.found.values);
        let value = |(role, bounds): (&str, &Bounds)| match bounds.value() {
            Some(value) => format!("{role} {value}"),
            None => format!("{role} {} to {}", bounds.least, bounds.most),
        };
        let values: Vec<String> = roles.map(value).collect();
        format!("<Solution of {}: {}>", self.shared.name, values.join(", "))
    }
}
