//! Errors as exceptions. Their classes, with what they carry, are written in Python: `gambol/errors.py`.

use gambol::syntax::{Diagnosis, Source};
use gambol::{LoadError, StageError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// A diagnosis as Python sees it.
pub(crate) fn diagnosis<'py>(
    py: Python<'py>,
    diagnosis: &Diagnosis,
    source: &Source<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let place = diagnosis.span.map(|span| source.line_column(span.start));
    errors(py)?.getattr("Diagnosis")?.call1((
        diagnosis.category.as_str(),
        diagnosis.severity.as_str(),
        &diagnosis.message,
        place.map(|(line, _)| line),
        place.map(|(_, column)| column),
        &diagnosis.hint,
    ))
}

/// All diagnoses of a text.
pub(crate) fn diagnoses<'py>(
    py: Python<'py>,
    found: &[Diagnosis],
    text: &[u8],
) -> PyResult<Bound<'py, PyList>> {
    let source = Source::new(text);
    let all: PyResult<Vec<_>> = found.iter().map(|one| diagnosis(py, one, &source)).collect();
    PyList::new(py, all?)
}

/// The text is no game.
pub(crate) fn rules_error(py: Python<'_>, error: &LoadError, text: &[u8]) -> PyErr {
    let found: &[Diagnosis] = match error {
        LoadError::Invalid(found) => found,
        LoadError::UnknownGame { .. } | LoadError::File { .. } => {
            return PyValueError::new_err(error.to_string());
        }
    };
    let raised = || {
        let found = diagnoses(py, found, text)?;
        errors(py)?.getattr("RulesError")?.call1((error.to_string(), found))
    };
    raised().map_or_else(|error| error, PyErr::from_value)
}

/// A stage could not do its work.
pub(crate) fn stage_error(py: Python<'_>, error: &StageError) -> PyErr {
    if error.is_limit() {
        return limit_reached(py, &error.to_string(), py.None());
    }
    let raised = || {
        let none = PyList::empty(py);
        errors(py)?.getattr("RulesError")?.call1((error.to_string(), none))
    };
    raised().map_or_else(|error| error, PyErr::from_value)
}

/// A limit was met; this is what is finished by then.
pub(crate) fn limit_reached(py: Python<'_>, message: &str, partial: Py<PyAny>) -> PyErr {
    let raised = || errors(py)?.getattr("LimitReached")?.call1((message, partial));
    raised().map_or_else(|error| error, PyErr::from_value)
}

fn errors(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("gambol.errors")
}
