//! Which gates matter under given assumptions, and how many gates read them.

use super::translate::Assumptions;
use crate::compile::source::{Gate, Source};

/// What is known of each gate before it is translated.
pub(crate) struct Liveness {
    constant: Vec<Option<bool>>,
    visited: Vec<bool>,
    readers: Vec<u32>,
}

impl Liveness {
    pub(crate) fn of(source: &Source, assumptions: &Assumptions, roots: &[u32]) -> Self {
        let gates = source.gate_count();
        let mut live = Self {
            constant: constants(source, assumptions),
            visited: vec![false; gates],
            readers: vec![0; gates],
        };
        live.also_visit(source, roots);
        for gate in 0..gates as u32 {
            if live.visited[gate as usize] && live.constant[gate as usize].is_none() {
                source.inputs(gate).iter().for_each(|&input| live.readers[input as usize] += 1);
            }
        }
        roots.iter().for_each(|&root| live.readers[root as usize] += 1);
        live
    }

    /// Visits what these gates need too, without counting them as readers.
    pub(crate) fn also_visit(&mut self, source: &Source, roots: &[u32]) {
        let mut open = roots.to_vec();
        while let Some(gate) = open.pop() {
            if !std::mem::replace(&mut self.visited[gate as usize], true)
                && self.constant[gate as usize].is_none()
            {
                open.extend_from_slice(source.inputs(gate));
            }
        }
    }

    pub(crate) fn is_visited(&self, gate: u32) -> bool {
        self.visited[gate as usize]
    }

    pub(crate) fn constant(&self, gate: u32) -> Option<bool> {
        self.constant[gate as usize]
    }

    /// How many gates that matter, and roots, read a gate.
    pub(crate) fn readers(&self, gate: u32) -> u32 {
        self.readers[gate as usize]
    }
}

/// The gates whose value the assumptions decide. Inside a cycle an input that comes later is not
/// known yet, which is safe: fewer constants are found.
fn constants(source: &Source, assumptions: &Assumptions) -> Vec<Option<bool>> {
    let mut constant: Vec<Option<bool>> = vec![None; source.gate_count()];
    for gate in 0..source.gate_count() as u32 {
        let value = |&input: &u32| constant[input as usize];
        constant[gate as usize] = match source.gate(gate) {
            Gate::Constant(value) => Some(value),
            Gate::Fluent(fluent) => assumptions.fluents[fluent as usize],
            Gate::Does(action) => assumptions.does[action as usize],
            Gate::Not(input) => constant[input as usize].map(|value| !value),
            Gate::And(inputs) => decided(inputs.iter().map(value), false),
            Gate::Or(inputs) => decided(inputs.iter().map(value), true),
        };
    }
    constant
}

/// The value of a junction that one input of value `strong` decides.
fn decided(mut inputs: impl Iterator<Item = Option<bool>>, strong: bool) -> Option<bool> {
    let mut open = false;
    let found = inputs.any(|input| {
        open |= input.is_none();
        input == Some(strong)
    });
    if found {
        Some(strong)
    } else if open {
        None
    } else {
        Some(!strong)
    }
}
