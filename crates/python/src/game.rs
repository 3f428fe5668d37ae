//! A game: immutable, picklable as its text.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use gambol::ground::FluentId;
use gambol::syntax::print::{to_infix, to_prefix};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::error::diagnoses;
use crate::mover::Moving;
use crate::shared::Shared;
use crate::state::State;

/// A game, read and compiled.
#[pyclass(frozen, module = "gambol")]
pub(crate) struct Game {
    pub(crate) shared: Arc<Shared>,
}

impl Game {
    pub(crate) fn of(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The action of a role that has this name.
    pub(crate) fn named_action(&self, role: usize, name: &str) -> PyResult<usize> {
        let table = &self.shared.table;
        let names = table.moves[role]
            .clone()
            .map(|action| &*self.shared.net().moves.as_slice()[action as usize].name);
        let found = names.zip(0..).find(|(other, _)| *other == name);
        let unknown = || PyKeyError::new_err(format!("{} has no move {name}", table.name(role)));
        found.map(|(_, action)| action).ok_or_else(unknown)
    }

    fn fluent(&self, name: &str) -> PyResult<FluentId> {
        let net = self.shared.net();
        let found = net.fluents.ids().find(|&fluent| *net.fluents[fluent] == *name);
        found.ok_or_else(|| PyKeyError::new_err(format!("{name} is not a fluent of this game")))
    }

    fn fluents_of_words(&self, words: &[u64]) -> PyResult<Vec<FluentId>> {
        let count = self.shared.net().fluents.len();
        let ones = words.iter().enumerate().flat_map(|(place, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * place + bit)
        });
        let fluents: Vec<usize> = ones.collect();
        if words.len() != count.div_ceil(64) || fluents.iter().any(|&fluent| fluent >= count) {
            return Err(PyValueError::new_err("these words are no state of this game"));
        }
        Ok(fluents.into_iter().map(gambol::index::Id::from_index).collect())
    }

    fn fluents_of(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<FluentId>> {
        if let Ok(words) = given.extract::<PyReadonlyArray1<'_, u64>>() {
            return self.fluents_of_words(words.as_slice()?);
        }
        if let Ok(bits) = given.extract::<PyReadonlyArray1<'_, bool>>() {
            let bits = bits.as_slice()?;
            let ids = self.shared.net().fluents.ids();
            if bits.len() != ids.len() {
                return Err(PyValueError::new_err(format!(
                    "{} bits for {} fluents",
                    bits.len(),
                    ids.len()
                )));
            }
            return Ok(ids.zip(bits).filter(|(_, bit)| **bit).map(|(fluent, _)| fluent).collect());
        }
        let names: Vec<String> = given.extract()?;
        names.iter().map(|name| self.fluent(name)).collect()
    }
}

#[pymethods]
impl Game {
    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        &self.shared.name
    }

    /// The roles of the rules, chance among them.
    #[getter]
    fn roles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, (0..self.shared.table.roles()).map(|role| self.shared.table.name(role)))
    }

    /// The roles that are players: all but `random`.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let table = &self.shared.table;
        PyTuple::new(py, table.players.iter().map(|&role| table.name(role)))
    }

    /// The fluents, in the order of observations.
    #[getter]
    fn fluents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.shared.net().fluents.iter().map(|name| &**name).collect::<Vec<_>>())
    }

    /// What was found while reading.
    #[getter]
    fn diagnoses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        diagnoses(py, self.shared.game.diagnoses(), &self.shared.text)
    }

    /// `single`, `sequential` (proved) or `simultaneous`.
    #[getter]
    fn dynamics(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(match self.shared.moving(py)? {
            Moving::Single => "single",
            Moving::Sequential(_) => "sequential",
            Moving::Simultaneous => "simultaneous",
        })
    }

    /// Whether one of the roles is `random`.
    #[getter]
    fn has_chance(&self) -> bool {
        self.shared.table.chance.is_some()
    }

    /// Whether players perceive less than the whole state.
    #[getter]
    fn has_hidden_information(&self) -> bool {
        !self.shared.net().percepts.is_empty()
    }

    /// How many players there are.
    fn num_players(&self) -> usize {
        self.shared.table.players.len()
    }

    /// How many actions a role has; the most that a player has if none is named.
    #[pyo3(signature = (role=None))]
    fn num_actions(&self, role: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        let table = &self.shared.table;
        role.map_or(Ok(table.most_actions()), |role| Ok(table.actions(table.role(role)?)))
    }

    /// The most actions that a player has.
    fn num_distinct_actions(&self) -> usize {
        self.shared.table.most_actions()
    }

    /// The move behind an action, as a term of the rules.
    fn action_name(&self, role: &Bound<'_, PyAny>, action: usize) -> PyResult<String> {
        let table = &self.shared.table;
        let action = table.action_move(table.role(role)?, action)?;
        Ok(self.shared.net().moves[action].name.to_string())
    }

    /// The action behind a move.
    fn action_id(&self, role: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
        self.named_action(self.shared.table.role(role)?, name)
    }

    /// The smallest and the largest goal of a player in the rules.
    fn goal_range(&self, role: &Bound<'_, PyAny>) -> PyResult<(u32, u32)> {
        let role = crate::table::Table::id(self.shared.table.role(role)?);
        let goals =
            self.shared.net().goals.iter().filter(|goal| goal.role == role).map(|goal| goal.value);
        Ok((goals.clone().min().unwrap_or(0), goals.max().unwrap_or(0)))
    }

    /// The state at the start.
    fn initial(slf: Bound<'_, Self>) -> State {
        let state = slf.get().shared.circuit().initial();
        State::of(slf.unbind(), state)
    }

    /// The state at the start, under OpenSpiel's name.
    fn new_initial_state(slf: Bound<'_, Self>) -> State {
        Self::initial(slf)
    }

    /// The state in which exactly these fluents are true: names, a mask, or packed words.
    fn state(slf: Bound<'_, Self>, fluents: &Bound<'_, PyAny>) -> PyResult<State> {
        let game = slf.get();
        let state = game.shared.circuit().state_of(&game.fluents_of(fluents)?);
        Ok(State::of(slf.unbind(), state))
    }

    /// The rules, printed.
    #[pyo3(signature = (notation="prefix"))]
    fn to_text(&self, notation: &str) -> PyResult<String> {
        match notation {
            "prefix" => Ok(to_prefix(self.shared.game.rules())),
            "infix" => Ok(to_infix(self.shared.game.rules())),
            _ => Err(PyValueError::new_err(format!("{notation} is no notation: prefix or infix"))),
        }
    }

    fn __repr__(&self) -> String {
        let net = self.shared.net();
        let roles: Vec<&str> = net.roles.iter().map(|role| &**role).collect();
        let (fluents, moves) = (net.fluents.len(), net.moves.len());
        format!(
            "<Game {}: {}; {fluents} fluents, {moves} moves>",
            self.shared.name,
            roles.join(", ")
        )
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.shared.text.hash(&mut hasher);
        hasher.finish()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Game>().is_ok_and(|other| self.shared.is_same(&other.get().shared))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("gambol._gambol")?.getattr("_restore_game")?;
        let text = PyBytes::new(py, &self.shared.text);
        (restore, (text, &self.shared.name, self.shared.strict)).into_pyobject(py)
    }
}
