//! Conditions on states, spelt out gate by gate, so that nothing of a net need be believed.

use std::ops::Not;

use serde::{Deserialize, Serialize};

/// A gate of a [`Condition`]. It looks at gates before it, by their places.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Gate<F = String> {
    /// A fluent is true.
    Fluent(F),
    /// The gate does not hold.
    Not(usize),
    /// All of the gates hold.
    All(Vec<usize>),
    /// One of the gates holds.
    Any(Vec<usize>),
}

/// What must hold in a state: its last gate.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(transparent)]
pub struct Condition<F = String> {
    /// The gates.
    pub gates: Vec<Gate<F>>,
}

impl<F> Gate<F> {
    fn inputs(&self) -> &[usize] {
        match self {
            Self::Fluent(_) => &[],
            Self::Not(input) => std::slice::from_ref(input),
            Self::All(inputs) | Self::Any(inputs) => inputs,
        }
    }
}

impl<F> Condition<F> {
    /// Whether there is a gate, and each looks at gates before it.
    pub(crate) fn is_well_formed(&self) -> bool {
        let mut gates = self.gates.iter().enumerate();
        let looks_back =
            |(place, gate): (usize, &Gate<F>)| gate.inputs().iter().all(|&i| i < place);
        !self.gates.is_empty() && gates.all(looks_back)
    }

    /// The fluents that it looks at.
    pub(crate) fn fluents(&self) -> impl Iterator<Item = &F> {
        self.gates.iter().filter_map(|gate| match gate {
            Gate::Fluent(fluent) => Some(fluent),
            _ => None,
        })
    }

    /// The same about fluents that are named otherwise.
    pub(crate) fn renamed<G, E>(
        &self,
        mut name: impl FnMut(&F) -> Result<G, E>,
    ) -> Result<Condition<G>, E> {
        let mut gate = |gate: &Gate<F>| {
            Ok(match gate {
                Gate::Fluent(fluent) => Gate::Fluent(name(fluent)?),
                Gate::Not(input) => Gate::Not(*input),
                Gate::All(inputs) => Gate::All(inputs.clone()),
                Gate::Any(inputs) => Gate::Any(inputs.clone()),
            })
        };
        let gates: Result<Vec<Gate<G>>, E> = self.gates.iter().map(&mut gate).collect();
        Ok(Condition { gates: gates? })
    }

    /// Its value by those of the fluents; `junction` is told whether all of some values are asked for, or any. The
    /// condition is well formed.
    pub(crate) fn value<T: Copy + Not<Output = T>>(
        &self,
        fluent: &dyn Fn(&F) -> T,
        junction: &mut dyn FnMut(bool, &[T]) -> T,
    ) -> T {
        let mut values: Vec<T> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            let inputs: Vec<T> = gate.inputs().iter().map(|&input| values[input]).collect();
            values.push(match gate {
                Gate::Fluent(name) => fluent(name),
                Gate::Not(_) => !inputs[0],
                Gate::All(_) => junction(true, &inputs),
                Gate::Any(_) => junction(false, &inputs),
            });
        }
        values[values.len() - 1]
    }

    /// Whether it holds where these fluents have these values.
    pub(crate) fn holds(&self, fluent: &dyn Fn(&F) -> bool) -> bool {
        self.value(fluent, &mut |all, values| match all {
            true => values.iter().all(|&value| value),
            false => values.iter().any(|&value| value),
        })
    }
}
