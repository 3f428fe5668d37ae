//! A game taken apart.

use std::sync::Arc;

use gambol::decompose::{
    DecomposeOptions, Decomposition as Found, SubgameId, finite_subgame_net, matrix_svg, write_gdl,
};
use gambol::index::Id;
use gambol::report::{Decomposition as Report, names, summary};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::error::stage_error;
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::loading::read;
use crate::report::plain;
use crate::shared::Shared;

/// The parts of a game, and how it is put together from them.
#[pyclass(frozen, module = "gambol")]
pub(crate) struct Decomposition {
    shared: Arc<Shared>,
    found: Arc<Found>,
}

/// Takes a game apart.
pub(crate) fn decompose(
    py: Python<'_>,
    shared: Arc<Shared>,
    mut options: DecomposeOptions,
) -> PyResult<Decomposition> {
    let found = interruptible(py, |stop| {
        options.stop = Some(stop);
        shared.game.subgames_with(&options, &mut |_| {})
    })?;
    let found = found.map_err(|error| stage_error(py, &error))?;
    Ok(Decomposition { shared, found })
}

#[pymethods]
impl Decomposition {
    /// The fluents of each part, those that are played first.
    #[getter]
    fn parts(&self) -> Vec<Vec<String>> {
        self.found.subgames.iter().map(|part| names(self.shared.net(), &part.fluents)).collect()
    }

    /// What the cut rests on: `proved`, `sampled` or `assumed`.
    #[getter]
    fn basis(&self) -> &'static str {
        let all = self.found.subgames.iter().map(|part| part.basis);
        all.reduce(|one, other| one.and(other)).map_or("assumed", |basis| basis.as_str())
    }

    /// How the parts are put together.
    #[getter]
    fn composition(&self) -> &'static str {
        self.found.composition.as_str()
    }

    /// A part as a game of its own.
    fn subgame(&self, py: Python<'_>, part: usize) -> PyResult<Game> {
        if part >= self.found.subgames.len() {
            let count = self.found.subgames.len();
            return Err(PyIndexError::new_err(format!("there are {count} parts, numbered from 0")));
        }
        let id = SubgameId::from_index(part);
        let net = finite_subgame_net(self.shared.net(), &self.found, id)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let name = format!("{}-{part}", self.shared.name);
        read(py, write_gdl(&net).into_bytes(), name, None, false, None, None)
    }

    /// Everything that is known of the parts, as plain values.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &Report::of(self.shared.net(), &self.found))
    }

    fn __len__(&self) -> usize {
        self.found.subgames.len()
    }

    fn __str__(&self) -> String {
        summary(&self.found)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Decomposition of {}: {} parts, {}>",
            self.shared.name,
            self.__len__(),
            self.basis()
        )
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("gambol.pictures")?.getattr("parts_html")?.call1((slf,))?.extract()
    }

    fn _repr_svg_(&self) -> String {
        matrix_svg(self.shared.net(), &self.found, &self.shared.name)
    }
}
