//! The propositional net of a game.

use std::sync::Arc;

use gambol::index::Id;
use gambol::net::{Gate, Marking, NetEngine, PictureOptions, Statistics, dot, svg_with};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::report::picture_html;
use crate::shared::Shared;
use crate::state::State;

/// A propositional net.
#[pyclass(frozen, module = "gambol")]
pub(crate) struct Net {
    pub(crate) shared: Arc<Shared>,
}

#[pymethods]
impl Net {
    /// How many propositions, gates and transitions there are.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = Statistics::of(self.shared.net());
        let counts = PyDict::new(py);
        for (name, count) in [
            ("propositions", found.propositions),
            ("and_gates", found.and_gates),
            ("or_gates", found.or_gates),
            ("inverters", found.inverters),
            ("transitions", found.transitions),
            ("circuit_gates", found.circuit_gates),
            ("depth", found.depth),
        ] {
            counts.set_item(name, count)?;
        }
        Ok(counts)
    }

    /// Every gate: what it is, its name if it is a proposition, and the gates it reads.
    fn gates(&self) -> Vec<(&'static str, Option<String>, Vec<usize>)> {
        let net = self.shared.net();
        let gate = |id| match net.gate(id) {
            Gate::Constant(value) => ("constant", Some(value.to_string()), Vec::new()),
            Gate::Fluent(fluent) => ("fluent", Some(net.fluents[fluent].to_string()), Vec::new()),
            Gate::Does(action) => ("move", Some(net.moves[action].name.to_string()), Vec::new()),
            Gate::And(inputs) => ("and", None, inputs.iter().map(|input| input.index()).collect()),
            Gate::Or(inputs) => ("or", None, inputs.iter().map(|input| input.index()).collect()),
            Gate::Not(input) => ("not", None, vec![input.index()]),
        };
        net.gate_ids().map(gate).collect()
    }

    /// The gate that each fluent takes its next value from.
    fn transitions(&self) -> Vec<usize> {
        self.shared.net().next.iter().map(|gate| gate.index()).collect()
    }

    /// Role, name and legality gate of each move.
    fn moves(&self) -> Vec<(&str, &str, usize)> {
        let net = self.shared.net();
        let moves = net.moves.iter().zip(net.legal.iter());
        moves
            .map(|(action, legal)| (&*net.roles[action.role], &*action.name, legal.index()))
            .collect()
    }

    /// The gate that says when the game is over.
    fn terminal(&self) -> usize {
        self.shared.net().terminal.index()
    }

    /// Role, value and gate of each goal.
    fn goals(&self) -> Vec<(&str, u32, usize)> {
        let net = self.shared.net();
        net.goals
            .iter()
            .map(|goal| (&*net.roles[goal.role], goal.value, goal.gate.index()))
            .collect()
    }

    /// Whether some gates read one another: recursive rules that could not be unrolled.
    fn is_cyclic(&self) -> bool {
        !self.shared.net().cycles.is_empty()
    }

    /// A graph of networkx: gates with their `kind` and `name`, edges from inputs to readers.
    fn to_networkx<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("gambol.networkx")?.getattr("to_networkx")?.call1((slf,))
    }

    /// Graphviz text.
    fn to_dot(&self) -> String {
        dot(self.shared.net())
    }

    /// A picture; what is true in a state is filled.
    #[pyo3(signature = (state=None))]
    fn to_svg(&self, state: Option<&Bound<'_, State>>) -> String {
        let net = self.shared.net();
        let marking: Option<Marking> =
            state.map(|state| NetEngine::new(net).marking(&state.get().marking(), &[]));
        let options = PictureOptions {
            marking: marking.as_ref(),
            title: Some(&self.shared.name),
            ..PictureOptions::default()
        };
        svg_with(net, &options)
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<Option<String>> {
        picture_html(slf.as_any())
    }

    fn _repr_svg_(&self) -> String {
        self.to_svg(None)
    }

    fn __repr__(&self) -> String {
        format!("<Net of {}: {} gates>", self.shared.name, self.shared.net().gate_count())
    }
}
