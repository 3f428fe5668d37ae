//! What must hold for a gate to have a value, as far as that is a conjunction.

use rustc_hash::FxHashSet;

use crate::{Gate, GateId, Net};

impl Net {
    /// The gates and the values they must have for each of some gates to have the value beside it:
    /// seen through inverters, conjunctions that must be true and disjunctions that must be false.
    /// Sorted, each once. No member of a cycle is seen through.
    pub fn conjuncts(
        &self,
        wanted: impl IntoIterator<Item = (GateId, bool)>,
    ) -> Vec<(GateId, bool)> {
        let mut open: Vec<(GateId, bool)> = wanted.into_iter().collect();
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        while let Some((gate, holds)) = open.pop() {
            if !seen.insert((gate, holds)) {
                continue;
            }
            match self.gate(gate) {
                _ if self.cycle_of(gate).is_some() => found.push((gate, holds)),
                Gate::Not(input) => open.push((input, !holds)),
                Gate::And(inputs) if holds => {
                    open.extend(inputs.iter().map(|&input| (input, true)))
                }
                Gate::Or(inputs) if !holds => {
                    open.extend(inputs.iter().map(|&input| (input, false)))
                }
                _ => found.push((gate, holds)),
            }
        }
        found.sort_unstable();
        found
    }
}
