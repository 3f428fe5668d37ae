//! When a move is legal, as a conjunction: conditions that one part decides alone, and the others.

use gambol_index::IndexVec;
use gambol_net::{Gate, GateId, Net, Ternary};
use rustc_hash::FxHashSet;

use super::parts::Parts;

/// A gate and the value it must have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Condition {
    pub(crate) gate: GateId,
    pub(crate) holds: bool,
}

/// What the legality of moves asks for. All conditions must be fulfilled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Legality {
    /// Conditions that one part and the context decide, with the number of the part.
    pub(crate) own: Vec<(usize, Condition)>,
    /// Conditions that more than one part decides.
    pub(crate) shared: Vec<Condition>,
}

impl Legality {
    /// What the gate of a move asks for, where the context leaves these values open. It must be a gate
    /// that can be true.
    pub(crate) fn of(
        net: &Net,
        parts: &Parts,
        values: &IndexVec<GateId, Ternary<u64>>,
        gate: GateId,
    ) -> Self {
        let mut legality = Self::default();
        let mut seen = FxHashSet::default();
        let mut open = vec![Condition { gate, holds: true }];
        while let Some(condition) = open.pop() {
            if !is_open(values[condition.gate]) || !seen.insert(condition) {
                continue;
            }
            let same = |&gate: &GateId| Condition { gate, ..condition };
            // Of several ways one is left if the context has closed the others.
            let one_way = |inputs: &[GateId]| {
                net.cycle_of(condition.gate).is_none()
                    && inputs.iter().filter(|&&input| is_open(values[input])).count() == 1
            };
            match net.gate(condition.gate) {
                Gate::Not(gate) => open.push(Condition { gate, holds: !condition.holds }),
                Gate::And(inputs) if condition.holds || one_way(inputs) => {
                    open.extend(inputs.iter().map(same));
                }
                Gate::Or(inputs) if !condition.holds || one_way(inputs) => {
                    open.extend(inputs.iter().map(same));
                }
                _ => legality.add(condition, &readers(net, parts, values, condition.gate)),
            }
        }
        legality.tidy()
    }

    /// What several moves ask for together.
    pub(crate) fn all<'a>(moves: impl Iterator<Item = &'a Legality>) -> Self {
        let mut all = Self::default();
        for one in moves {
            all.own.extend(&one.own);
            all.shared.extend(&one.shared);
        }
        all.tidy()
    }

    fn add(&mut self, condition: Condition, parts: &[usize]) {
        match parts {
            &[part] => self.own.push((part, condition)),
            _ => self.shared.push(condition),
        }
    }

    fn tidy(mut self) -> Self {
        self.own.sort_unstable();
        self.own.dedup();
        self.shared.sort_unstable();
        self.shared.dedup();
        self
    }

    /// What it asks of a part.
    pub(crate) fn of_part(&self, part: usize) -> Vec<Condition> {
        let own = self.own.iter().filter(|(number, _)| *number == part);
        own.map(|&(_, condition)| condition).collect()
    }
}

fn is_open(value: Ternary<u64>) -> bool {
    value.can_be_true & value.can_be_false & 1 == 1
}

/// The parts a gate depends on, as far as the context leaves it open.
fn readers(
    net: &Net,
    parts: &Parts,
    values: &IndexVec<GateId, Ternary<u64>>,
    gate: GateId,
) -> Vec<usize> {
    let mut seen: FxHashSet<GateId> = FxHashSet::default();
    let (mut open, mut found) = (vec![gate], Vec::new());
    while let Some(gate) = open.pop() {
        if !is_open(values[gate]) || !seen.insert(gate) {
            continue;
        }
        match net.gate(gate) {
            Gate::Constant(_) => {}
            Gate::Fluent(fluent) => found.extend(parts.part_of(fluent)),
            // Legality does not read moves; a gate that does is nobody's own.
            Gate::Does(_) => found.extend([usize::MAX, usize::MAX - 1]),
            Gate::Not(input) => open.push(input),
            Gate::And(inputs) | Gate::Or(inputs) => open.extend(inputs),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
