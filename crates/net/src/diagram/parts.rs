//! Which part of a game a gate belongs to.

use gambol_index::Id;

use super::PartColours;
use crate::{Gate, Net};

/// The part that a gate belongs to: the only one that it reads.
pub(super) fn parts_of_gates(net: &Net, parts: &PartColours) -> Vec<Option<u32>> {
    let mut seen: Vec<Reading> = vec![Reading::Nothing; net.gate_count()];
    for id in net.gate_ids() {
        let inputs = net.inputs_of(id).iter();
        let one = |part: Option<&Option<u32>>| part.copied().flatten().map(Reading::One);
        seen[id.index()] = match net.gate(id) {
            Gate::Fluent(fluent) => one(parts.fluents.get(fluent)).unwrap_or_default(),
            Gate::Does(action) => one(parts.moves.get(action)).unwrap_or_default(),
            // Inputs that come later, in recursive rules, have not been looked at: they do not count.
            _ => inputs.fold(Reading::Nothing, |all, input| all.and(seen[input.index()])),
        };
    }
    let part = |reading| if let Reading::One(part) = reading { Some(part) } else { None };
    seen.into_iter().map(part).collect()
}

/// Which parts a gate reads.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Reading {
    #[default]
    Nothing,
    One(u32),
    Several,
}

impl Reading {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, reading) | (reading, Self::Nothing) => reading,
            (Self::One(a), Self::One(b)) if a == b => self,
            _ => Self::Several,
        }
    }
}
