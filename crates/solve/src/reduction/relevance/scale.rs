//! What the goals that are left are worth, and what is left of them apart from that.
//!
//! If in two states the same is left but for what the goals are worth, and these values are 0, 1, 3 steps of 50
//! from 0 in the one and 0, 1, 3 steps of 25 from 10 in the other, then so are the values of the states.

use gambol_index::IndexVec;
use gambol_net::{Gate, GateId, Net, RoleId, Ternary};

use super::cover::Covers;
use super::is_open;

/// The goals of a role that can still come true are worth `least` and so many times `unit` more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scale {
    pub(crate) least: u32,
    pub(crate) unit: u32,
    pub(crate) most: u32,
}

/// What is left of the goals of a role in one lane.
pub(crate) struct Goals {
    pub(crate) scale: Scale,
    /// For each goal how many units it is worth and the gate that says when, inverted or not.
    pub(crate) when: Vec<(u32, GateId, bool)>,
}

impl Goals {
    /// `None` if no goal is left.
    pub(crate) fn of(
        net: &Net,
        covers: &Covers,
        values: &IndexVec<GateId, Ternary<u64>>,
        role: RoleId,
        lane: usize,
    ) -> Option<Self> {
        let possible = |gate: GateId| values[gate].can_be_true >> lane & 1 == 1;
        let goals = net.goals.iter().filter(|goal| goal.role == role && possible(goal.gate));
        let (least, most) = (
            goals.clone().map(|goal| goal.value).min()?,
            goals.clone().map(|goal| goal.value).max()?,
        );
        let unit = goals.clone().fold(0, |unit, goal| divisor(unit, goal.value - least)).max(1);
        let when = goals.map(|goal| {
            let (gate, inverted) = bare(net, covers, values, goal.gate, lane);
            ((goal.value - least) / unit, gate, inverted)
        });
        Some(Self { when: when.collect(), scale: Scale { least, unit, most } })
    }
}

fn divisor(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { divisor(other, one % other) }
}

/// The gate that a gate has come to be equal to, and whether inverted: where all inputs but one are
/// constant, it is the one.
fn bare(
    net: &Net,
    covers: &Covers,
    values: &IndexVec<GateId, Ternary<u64>>,
    gate: GateId,
    lane: usize,
) -> (GateId, bool) {
    let open = |gate: &GateId| is_open(values[*gate]) >> lane & 1 == 1;
    let (mut gate, mut inverted) = (gate, false);
    if !open(&gate) {
        return (GateId::new(1), false);
    }
    while covers.at(gate).is_none() {
        match net.gate(gate) {
            Gate::Not(input) => {
                inverted = !inverted;
                gate = input;
            }
            Gate::And(inputs) | Gate::Or(inputs) => {
                let mut inputs = inputs.iter().copied().filter(open);
                match (inputs.next(), inputs.next()) {
                    (Some(only), None) => gate = only,
                    _ => break,
                }
            }
            _ => break,
        }
    }
    (gate, inverted)
}
