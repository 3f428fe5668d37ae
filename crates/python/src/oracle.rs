//! A function of Python as the oracle of a search: it is called with the leaves of a round.

use std::sync::{Arc, Mutex, PoisonError};

use gambol::Moving;
use gambol::index::Id;
use gambol::play::{Answered, Asked, Oracle};
use gambol::sim::State;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::shared::Shared;
use crate::state::holds;

/// `evaluate(observations, masks) -> (values, priors)`.
pub(crate) struct Evaluate {
    shared: Arc<Shared>,
    moving: Moving,
    function: Py<PyAny>,
    /// What it raised.
    error: Mutex<Option<PyErr>>,
}

impl Evaluate {
    pub(crate) fn new(py: Python<'_>, shared: Arc<Shared>, function: Py<PyAny>) -> PyResult<Self> {
        let moving = shared.moving(py)?.clone();
        Ok(Self { shared, moving, function, error: Mutex::new(None) })
    }

    /// What the function raised, if it did.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The roles that have a mask in a state: the one whose turn it is, or all players.
    fn masked(&self, state: &State) -> Vec<usize> {
        match self.moving.mover(|fluent| holds(state, fluent)) {
            Some(role) => vec![role.index()],
            None => self.shared.table.players.clone(),
        }
    }

    fn ask(&self, py: Python<'_>, asked: &[Asked]) -> PyResult<Vec<Answered>> {
        let table = &self.shared.table;
        let (fluents, actions) = (self.shared.net().fluents.len(), table.most_actions());
        let masked: Vec<Vec<usize>> = asked.iter().map(|one| self.masked(&one.state)).collect();
        let masks = masked.first().map_or(1, Vec::len);
        let mut observations = vec![0u8; asked.len() * fluents];
        let mut legal = vec![false; asked.len() * masks * actions];
        for (place, one) in asked.iter().enumerate() {
            for fluent in self.shared.circuit().fluents_of(&one.state) {
                observations[place * fluents + fluent.index()] = 1;
            }
            for (row, &role) in (place * masks..).zip(&masked[place]) {
                for &action in table.own(role, &one.legal) {
                    let bit = table.action(role, action);
                    // Chance may have more moves than any player; nobody is asked about those.
                    if bit < actions {
                        legal[row * actions + bit] = true;
                    }
                }
            }
        }
        let shape = match self.moving {
            Moving::Simultaneous => vec![asked.len(), masks, actions],
            _ => vec![asked.len(), actions],
        };
        let observations = PyArray1::from_vec(py, observations)
            .call_method1("reshape", ((asked.len(), fluents),))?;
        let legal = PyArray1::from_vec(py, legal).call_method1("reshape", (shape.clone(),))?;
        let said = self.function.bind(py).call1((observations, legal))?;
        let (values, priors): (Bound<'_, PyAny>, Bound<'_, PyAny>) = said.extract()?;
        let values = floats(py, &values, &[asked.len(), table.players.len()], "values")?;
        let priors = floats(py, &priors, &shape, "priors")?;
        let answer = |(place, one): (usize, &Asked)| {
            let mut goals = vec![0.0; table.roles()];
            for (&role, &value) in table.players.iter().zip(&values[place * table.players.len()..])
            {
                goals[role] = value;
            }
            let prior = |&action: &_| {
                let role = self.shared.net().moves[action].role.index();
                let row = masked[place].iter().position(|&masked| masked == role);
                let bit = table.action(role, action);
                match row.filter(|_| bit < actions) {
                    Some(row) => priors[(place * masks + row) * actions + bit],
                    None => 1.0,
                }
            };
            Answered { goals, priors: one.legal.iter().map(prior).collect() }
        };
        Ok(asked.iter().enumerate().map(answer).collect())
    }
}

/// An array of finite numbers of this shape.
fn floats(
    py: Python<'_>,
    given: &Bound<'_, PyAny>,
    shape: &[usize],
    name: &str,
) -> PyResult<Vec<f32>> {
    let array = py.import("numpy")?.call_method1("ascontiguousarray", (given, "float32"))?;
    let array = array.cast::<PyArrayDyn<f32>>()?;
    if array.shape() != shape {
        let (found, wanted) = (array.shape(), shape);
        let message = format!("evaluate gave {name} of shape {found:?}, not {wanted:?}");
        return Err(PyValueError::new_err(message));
    }
    let numbers = array.try_readonly()?.as_slice()?.to_vec();
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(numbers),
        false => Err(PyValueError::new_err(format!("evaluate gave {name} that are no numbers"))),
    }
}

impl Oracle for Evaluate {
    fn consult(&self, asked: &[Asked]) -> Option<Vec<Answered>> {
        Python::attach(|py| match self.ask(py, asked) {
            Ok(answers) => Some(answers),
            Err(error) => {
                *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                None
            }
        })
    }
}
