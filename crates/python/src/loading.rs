//! From text to a game, and back from what was pickled.

use std::sync::Arc;
use std::time::Duration;

use gambol::ground::{FluentId, Limits};
use gambol::syntax::{Notation, ReadOptions};
use gambol::{LoadError, StageError, bundled_game, bundled_games};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{rules_error, stage_error};
use crate::game::Game;
use crate::interrupt::{Stop, interruptible};
use crate::shared::Shared;
use crate::state::State;

/// The names of the games that come with the package.
#[pyfunction]
pub(crate) fn games() -> Vec<String> {
    bundled_games().iter().map(|game| game.name().to_string()).collect()
}

/// The rules of a game that comes with the package.
#[pyfunction]
pub(crate) fn bundled<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
    let unknown = || LoadError::UnknownGame { name: name.to_string() };
    let found = bundled_game(name).ok_or_else(|| PyKeyError::new_err(unknown().to_string()))?;
    Ok(PyBytes::new(py, &found.rules()))
}

/// Reads and compiles rules.
#[pyfunction]
#[pyo3(signature = (text, name, *, notation=None, strict=false, time=None, memory_mib=None))]
pub(crate) fn read(
    py: Python<'_>,
    text: Vec<u8>,
    name: String,
    notation: Option<&str>,
    strict: bool,
    time: Option<f64>,
    memory_mib: Option<u64>,
) -> PyResult<Game> {
    let notation = notation.map_or_else(|| Ok(Notation::of(&text)), named_notation)?;
    let options = ReadOptions { syntax: Some(notation), ..ReadOptions::default() };
    let limits = limits(time, memory_mib)?;
    let made = interruptible(py, |stop| made(text.clone(), name, strict, &options, limits, stop))?;
    match made {
        Ok(shared) => Ok(Game::of(Arc::new(shared))),
        Err(Refusal::Load(error)) => Err(rules_error(py, &error, &text)),
        Err(Refusal::Stage(error)) => Err(stage_error(py, &error)),
    }
}

enum Refusal {
    Load(LoadError),
    Stage(StageError),
}

fn made(
    text: Vec<u8>,
    name: String,
    strict: bool,
    options: &ReadOptions,
    limits: Limits,
    stop: Stop,
) -> Result<Shared, Refusal> {
    let read = if strict { gambol::Game::read_strict } else { gambol::Game::read };
    let game = read(&text, options).map_err(Refusal::Load)?;
    let game = game.with_limits(Limits { stop: Some(stop), ..limits });
    Shared::new(name, text, strict, game).map_err(Refusal::Stage)
}

/// The name of a notation.
pub(crate) fn notation_name(notation: Notation) -> &'static str {
    match notation {
        Notation::Prefix => "prefix",
        Notation::Infix => "infix",
    }
}

fn named_notation(name: &str) -> PyResult<Notation> {
    match name {
        "prefix" => Ok(Notation::Prefix),
        "infix" => Ok(Notation::Infix),
        _ => Err(PyValueError::new_err(format!("{name} is no notation: prefix or infix"))),
    }
}

fn limits(time: Option<f64>, memory_mib: Option<u64>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    if let Some(time) = time {
        limits.time = Some(seconds(time)?);
    }
    limits.memory_mib = memory_mib.or(limits.memory_mib);
    Ok(limits)
}

/// A time limit.
pub(crate) fn seconds(time: f64) -> PyResult<Duration> {
    let refused = |_| PyValueError::new_err(format!("{time} is no time limit: seconds, 0 or more"));
    Duration::try_from_secs_f64(time).map_err(refused)
}

/// A game that was pickled.
#[pyfunction]
#[pyo3(name = "_restore_game")]
pub(crate) fn restore_game(
    py: Python<'_>,
    text: Vec<u8>,
    name: String,
    strict: bool,
    notation: &str,
) -> PyResult<Game> {
    read(py, text, name, Some(notation), strict, None, None)
}

/// A state that was pickled.
#[pyfunction]
#[pyo3(name = "_restore_state")]
pub(crate) fn restore_state(game: Py<Game>, fluents: Vec<u32>) -> PyResult<State> {
    let shared = game.get().shared.clone();
    let count = shared.net().fluents.len();
    if fluents.iter().any(|&fluent| fluent as usize >= count) {
        return Err(PyValueError::new_err("this state belongs to another game"));
    }
    let fluents: Vec<FluentId> = fluents.into_iter().map(FluentId::new).collect();
    Ok(State::of(game, shared.circuit().state_of(&fluents)))
}
