//! Games as tests for reasoning machines: in other words, and as questions.

use std::sync::Arc;

use gambol::ground::Limits;
use gambol::quiz::{QuizError, QuizOptions, quiz};
use gambol::{ScrambleError, Scrambled, scramble_within};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::error::{rules_error, stage_error};
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::report::plain;
use crate::shared::Shared;

/// The game in other words, as `gambol.results.Scrambled`.
pub(crate) fn scrambled<'py>(
    py: Python<'py>,
    shared: &Shared,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let made = interruptible(py, |stop| {
        let limits = Limits { stop: Some(stop), ..shared.game.limits().clone() };
        let Scrambled { game, text, names } = scramble_within(&shared.game, seed, limits)?;
        // Its name would tell what it is.
        let (name, text) = (format!("scrambled-{seed}"), text.into_bytes());
        Ok((Shared::new(name, text, false, game)?, names))
    })?;
    let (other, names) = made.map_err(|error| match error {
        ScrambleError::Stage(error) => stage_error(py, &error),
        ScrambleError::Load(error) => rules_error(py, &error, &[]),
        ScrambleError::NotIsomorphic(_) => PyRuntimeError::new_err(error.to_string()),
    })?;
    let game = Game::of(Arc::new(other));
    py.import("gambol.results")?.getattr("Scrambled")?.call1((game, names))
}

/// Questions with their answers.
pub(crate) fn questions<'py>(
    py: Python<'py>,
    shared: &Shared,
    options: QuizOptions,
) -> PyResult<Bound<'py, PyAny>> {
    let asked = interruptible(py, |stop| {
        let options = QuizOptions { stop: Some(stop), ..options };
        quiz(&shared.game, &shared.name, &options)
    })?;
    let asked = asked.map_err(|error| match error {
        QuizError::Stage(error) => stage_error(py, &error),
        QuizError::HiddenInformation | QuizError::NothingToAsk(_) => {
            PyValueError::new_err(error.to_string())
        }
        QuizError::Disagreement | QuizError::Stopped => PyRuntimeError::new_err(error.to_string()),
    })?;
    plain(py, &asked)
}
