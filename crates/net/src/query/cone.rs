//! The cone of some gates: all that they depend on.

use gambol_index::IndexVec;

use crate::{GateId, Net};

impl Net {
    /// The gates that some gates depend on, themselves included, in evaluation order.
    pub fn cone(&self, roots: impl IntoIterator<Item = GateId>) -> Vec<GateId> {
        let mut seen: IndexVec<GateId, bool> = IndexVec::filled(false, self.gate_count());
        let mut open: Vec<GateId> = roots.into_iter().collect();
        while let Some(gate) = open.pop() {
            if !std::mem::replace(&mut seen[gate], true) {
                open.extend(self.inputs_of(gate));
            }
        }
        self.gate_ids().filter(|&gate| seen[gate]).collect()
    }
}
