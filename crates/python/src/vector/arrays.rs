//! The arrays that an environment shares with Python: made once, written in every step, never copied.

use numpy::{Element, PyArray1, PyArrayMethods, PyReadwriteArray1, dtype};
use pyo3::prelude::*;
use pyo3::types::PySlice;

/// A flat array, and how Python sees it.
pub(crate) struct Buffer<T> {
    flat: Py<PyArray1<T>>,
    shown: Py<PyAny>,
}

impl<T: Element> Buffer<T> {
    /// Zeros in a shape; `kind` is the type of numbers that Python sees if it is another of the same size.
    pub(crate) fn zeros(py: Python<'_>, shape: &[usize], kind: Option<&str>) -> PyResult<Self> {
        let flat = aligned(py, shape.iter().product())?;
        let mut shown = flat.clone().into_any();
        if let Some(kind) = kind {
            shown = shown.call_method1("view", (kind,))?;
        }
        let shown = shown.call_method1("reshape", (shape.to_vec(),))?.unbind();
        Ok(Self { flat: flat.unbind(), shown })
    }

    /// As Python sees it.
    pub(crate) fn shown(&self, py: Python<'_>) -> Py<PyAny> {
        self.shown.clone_ref(py)
    }

    /// To be written.
    pub(crate) fn writer<'py>(&self, py: Python<'py>) -> PyResult<PyReadwriteArray1<'py, T>> {
        Ok(self.flat.bind(py).try_readwrite()?)
    }
}

/// Zeros that begin where a cache line does: JAX copies everything else.
fn aligned<T: Element>(py: Python<'_>, count: usize) -> PyResult<Bound<'_, PyArray1<T>>> {
    let bytes = count * size_of::<T>();
    let room = PyArray1::<u8>::zeros(py, [bytes + LINE], false);
    let begin = room.data().align_offset(LINE);
    let piece = room.get_item(PySlice::new(py, begin as isize, (begin + bytes) as isize, 1))?;
    Ok(piece.call_method1("view", (dtype::<T>(py),))?.cast_into()?)
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// Cuts what belongs to all games into what belongs to each block.
pub(crate) fn pieces<T>(all: &mut [T], size: usize, count: usize) -> Vec<&mut [T]> {
    match size {
        0 => (0..count).map(|_| Default::default()).collect(),
        _ => all.chunks_mut(size).collect(),
    }
}
