//! How large a net is.

use gambol_index::IndexVec;

use crate::{Gate, GateId, Net};

/// Counts over a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Base, input and view propositions; each legality, goal, percept and the end count as views.
    pub propositions: usize,
    /// The and-gates.
    pub and_gates: usize,
    /// The or-gates.
    pub or_gates: usize,
    /// The inverters.
    pub inverters: usize,
    /// One for each base proposition.
    pub transitions: usize,
    /// The gates if each had two inputs: `n - 1` for a gate of `n` inputs, none for an inverter.
    pub circuit_gates: usize,
    /// The most gates on any way from a proposition; a cycle counts as one gate.
    pub depth: usize,
    /// The gates that read one another.
    pub cyclic_gates: usize,
}

impl Statistics {
    /// Counts.
    pub fn of(net: &Net) -> Self {
        let views = net.views.len() + net.goals.len() + net.percepts.len() + net.legal.len() + 1;
        let mut statistics = Self {
            propositions: net.fluents.len() + net.moves.len() + views,
            transitions: net.next.len(),
            depth: depth(net),
            cyclic_gates: net.cycles.iter().map(ExactSizeIterator::len).sum(),
            ..Self::default()
        };
        net.gate_ids().for_each(|id| statistics.count(net.gate(id)));
        statistics
    }

    fn count(&mut self, gate: Gate) {
        match gate {
            Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => {}
            Gate::Not(_) => self.inverters += 1,
            Gate::And(inputs) => {
                self.and_gates += 1;
                self.circuit_gates += inputs.len().saturating_sub(1);
            }
            Gate::Or(inputs) => {
                self.or_gates += 1;
                self.circuit_gates += inputs.len().saturating_sub(1);
            }
        }
    }
}

/// The level of each gate: propositions are 0, a gate is one above its highest input, and the gates
/// of a cycle share a level.
pub(crate) fn levels(net: &Net) -> IndexVec<GateId, u32> {
    let mut levels = IndexVec::filled(0, net.gate_count());
    let mut gate = 0;
    while (gate as usize) < net.gate_count() {
        let range = match net.cycle_of(GateId::new(gate)) {
            Some(cycle) => net.cycles[cycle].clone(),
            None => gate..gate + 1,
        };
        let outside = |input: &&GateId| !range.contains(&input.number());
        let inputs = range.clone().flat_map(|id| net.inputs_of(GateId::new(id)));
        let level = inputs.filter(outside).map(|&input| levels[input] + 1).max();
        range.clone().for_each(|id| levels[GateId::new(id)] = level.unwrap_or(0));
        gate = range.end;
    }
    levels
}

fn depth(net: &Net) -> usize {
    levels(net).iter().copied().max().unwrap_or(0) as usize
}
