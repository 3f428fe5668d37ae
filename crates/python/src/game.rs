//! A game: immutable, picklable as its text.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use gambol::decompose::DecomposeOptions;
use gambol::ground::FluentId;
use gambol::quiz::{Kind, QuizOptions};
use gambol::solve::SolveOptions;
use gambol::syntax::print::{to_infix, to_prefix};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::decomposition::{Decomposition, decompose};
use crate::error::diagnoses;
use crate::loading::{notation_name, seconds};
use crate::net::Net;
use crate::player::{Player, player};
use crate::policy::{Policy, Wanted, regressed};
use crate::reasoning;
use crate::report;
use crate::shared::Shared;
use crate::solution::{named_choice, solved};
use crate::state::{State, board_svg};
use crate::vector::VectorEnv;

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
        Ok(self.shared.moving(py)?.as_str())
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

    /// The propositional net.
    fn net(&self) -> Net {
        Net { shared: self.shared.clone() }
    }

    /// What is proved about the game, under the keys of `gambol structure --json`.
    #[pyo3(signature = (*, time=None, seed=1))]
    fn structure<'py>(
        &self,
        py: Python<'py>,
        time: Option<f64>,
        seed: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        report::structure(py, &self.shared, time.map(seconds).transpose()?, seed)
    }

    /// Takes the game apart.
    #[pyo3(signature = (*, prove=false, playouts=5000, seed=1, at=None, time=None))]
    fn decompose(
        &self,
        py: Python<'_>,
        prove: bool,
        playouts: u64,
        seed: u64,
        at: Option<&Bound<'_, State>>,
        time: Option<f64>,
    ) -> PyResult<Decomposition> {
        let mut options = DecomposeOptions::default();
        (options.prove, options.playouts, options.seed) = (prove, playouts, seed);
        options.at = at.map(|state| self.shared.circuit().fluents_of(&state.get().state));
        options.time = time.map(seconds).transpose()?;
        decompose(py, self.shared.clone(), options)
    }

    /// What the players get when all play best. Raises `LimitReached` with what is proved if a limit is met first.
    #[pyo3(signature = (*, method="auto", at=None, strong=false, threads=1, time=None, memory_mib=None, seed=1))]
    #[allow(clippy::too_many_arguments, reason = "they are named in Python")]
    fn solve(
        &self,
        py: Python<'_>,
        method: &str,
        at: Option<&Bound<'_, State>>,
        strong: bool,
        threads: usize,
        time: Option<f64>,
        memory_mib: Option<u64>,
        seed: u64,
    ) -> PyResult<Py<PyAny>> {
        let mut options = SolveOptions::default();
        options.choice = named_choice(method)?;
        options.at = at.map(|state| self.shared.circuit().fluents_of(&state.get().state));
        (options.threads, options.seed) = (threads.max(1), seed);
        options.limits.time = time.map(seconds).transpose()?;
        options.limits.memory_mib = memory_mib.unwrap_or(options.limits.memory_mib);
        solved(py, self, options, strong)
    }

    /// Random games from the start: counts, means and lengths.
    #[pyo3(signature = (playouts=100_000, *, seed=1, threads=1, max_steps=10_000))]
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        playouts: u64,
        seed: u64,
        threads: usize,
        max_steps: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        report::simulate(py, &self.shared, playouts, seed, threads, max_steps)
    }

    /// The symmetries of the rules: for each the image of every fluent, and of every action of every role.
    #[pyo3(signature = (most=64))]
    fn symmetries<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyList>> {
        report::symmetries(py, &self.shared, most)
    }

    /// What the goals of the two players add up to in every end, if that is proved.
    fn goal_sum(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        report::goal_sum(py, &self.shared)
    }

    /// What the plain interpreter says of a state, and of what follows from one move of each role.
    #[pyo3(signature = (fluents, moves=None))]
    fn interpret<'py>(
        &self,
        py: Python<'py>,
        fluents: Vec<String>,
        moves: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        report::interpret(py, &self.shared, fluents, moves)
    }

    /// Regresses the goals: what to do in every state, as rules. Raises `LimitReached` with what is found if a limit is
    /// met first.
    #[pyo3(signature = (*, distances=false, threads=1, time=None, memory_mib=None, seed=1))]
    fn regress(
        &self,
        py: Python<'_>,
        distances: bool,
        threads: usize,
        time: Option<f64>,
        memory_mib: Option<u64>,
        seed: u64,
    ) -> PyResult<Py<Policy>> {
        let time = time.map(seconds).transpose()?;
        let limits = gambol::regress::Limits { time, memory_mib, stop: None };
        regressed(py, self, Wanted { distances, threads, seed, limits })
    }

    /// The same game in other words, shown to have the same net.
    #[pyo3(signature = (seed=1))]
    fn scramble<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        reasoning::scrambled(py, &self.shared, seed)
    }

    /// Questions with checked answers, the easiest first: dictionaries that go into JSON lines.
    #[pyo3(signature = (questions=20, *, seed=1, steps=3, kinds=None, time=10.0))]
    fn quiz<'py>(
        &self,
        py: Python<'py>,
        questions: usize,
        seed: u64,
        steps: usize,
        kinds: Option<Vec<String>>,
        time: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut options = QuizOptions { questions, seed, steps, ..QuizOptions::default() };
        options.time = seconds(time)?;
        if let Some(kinds) = kinds {
            let kinds: Result<Vec<Kind>, String> = kinds.iter().map(|kind| kind.parse()).collect();
            options.kinds = kinds.map_err(PyValueError::new_err)?;
        }
        reasoning::questions(py, &self.shared, options)
    }

    /// Someone who chooses moves. `evaluate(observations, masks) -> (values, priors)` is asked about the leaves of a
    /// round instead of playing them out.
    #[pyo3(signature = (spec="mcts", *, seed=1, evaluate=None))]
    fn player(
        &self,
        py: Python<'_>,
        spec: &str,
        seed: u64,
        evaluate: Option<Py<PyAny>>,
    ) -> PyResult<Player> {
        player(py, self, spec, seed, evaluate)
    }

    /// Many games side by side.
    #[pyo3(signature = (num_envs, **options))]
    fn vector<'py>(
        slf: &Bound<'py, Self>,
        num_envs: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().get_type::<VectorEnv>().call((slf, num_envs), options)
    }

    /// The game as one of OpenSpiel's.
    #[pyo3(signature = (**options))]
    fn to_open_spiel<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        adapted(slf, "open_spiel", (slf,), options)
    }

    /// The game as one of PettingZoo's environments.
    #[pyo3(signature = (**options))]
    fn to_pettingzoo<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        adapted(slf, "pettingzoo", (slf,), options)
    }

    /// The game as one of Gymnasium's environments: one learner against given opponents.
    #[pyo3(signature = (*arguments, **options))]
    fn to_gymnasium<'py>(
        slf: &Bound<'py, Self>,
        arguments: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all: Vec<Bound<'py, PyAny>> =
            std::iter::once(slf.clone().into_any()).chain(arguments).collect();
        adapted(slf, "gymnasium", PyTuple::new(slf.py(), all)?, options)
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("gambol.pictures")?.getattr("game_html")?.call1((slf,))?.extract()
    }

    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        board_svg(py, &self.shared, &self.shared.circuit().initial())
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
        let notation = notation_name(self.shared.notation());
        (restore, (text, &self.shared.name, self.shared.strict, notation)).into_pyobject(py)
    }
}

/// What a module of the package makes of a game.
fn adapted<'py>(
    game: &Bound<'py, Game>,
    module: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let module_name = format!("gambol.{module}");
    game.py().import(module_name)?.getattr(format!("to_{module}"))?.call(arguments, options)
}
