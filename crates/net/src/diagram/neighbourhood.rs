//! The gates around a proposition: what it reads, what reads it, step by step until the page is full.

use gambol_index::{Id, IndexVec};

use crate::{Gate, GateId, Net, Readers};

/// The most gates that are shown.
const MOST: usize = 48;
/// A proposition that everything reads would fill the page with its readers.
const MOST_READERS: usize = 8;
/// The most steps from the middle.
const FARTHEST: usize = 4;

/// Which gates to show. A base proposition represents its transition too.
pub(super) fn neighbourhood(net: &Net, middle: GateId) -> IndexVec<GateId, bool> {
    let readers = Readers::of(net);
    let mut shown = IndexVec::filled(false, net.gate_count());
    let mut edge = vec![middle];
    if let Gate::Fluent(fluent) = net.gate(middle) {
        edge.push(net.next[fluent]);
    }
    if let Gate::Does(action) = net.gate(middle) {
        edge.push(net.legal[action]);
    }
    edge.iter().for_each(|&gate| shown[gate] = true);
    let mut count = edge.len();
    for _ in 0..FARTHEST {
        let mut next = Vec::new();
        for &gate in &edge {
            // What a gate means lies in what it reads: that comes first.
            let reading = readers.of_gate(gate).iter().take(MOST_READERS);
            for &other in net.inputs_of(gate).iter().chain(reading) {
                if count < MOST && !std::mem::replace(&mut shown[other], true) {
                    count += 1;
                    next.push(other);
                }
            }
        }
        edge = next;
    }
    shown
}

impl Net {
    /// Whether a gate reads something that is not shown.
    pub(super) fn reads_hidden(&self, gate: GateId, shown: &IndexVec<GateId, bool>) -> bool {
        let hidden =
            |input: &GateId| !shown[*input] && !matches!(self.gate(*input), Gate::Constant(_));
        gate.index() < shown.len() && self.inputs_of(gate).iter().any(hidden)
    }
}
