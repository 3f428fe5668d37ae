//! What can never happen again: fluents that stay as they are, and fluents that kill others.
//!
//! Found from the net alone, without regard to what can be reached, so it holds in every state.

use gambol_index::IndexVec;
use gambol_net::{FluentId, Net};

use super::ternary::{Possible, UNKNOWN, possible_values};

/// The fluents that keep a value, and what keeps others from becoming true.
#[derive(Clone, Debug)]
pub(crate) struct Lifelines {
    /// Once true it stays true.
    pub(crate) stays_true: IndexVec<FluentId, bool>,
    /// Once false it stays false.
    pub(crate) stays_false: IndexVec<FluentId, bool>,
    /// For each fluent the literals that, while it is false, keep it false for good.
    pub(crate) killers: IndexVec<FluentId, Vec<(FluentId, bool)>>,
}

/// Larger games are not asked about all pairs of fluents.
const MOST_FLUENTS: usize = 700;
/// Gates times questions; beyond it pairs are not asked about.
const MOST_WORK: usize = 2_000_000_000;

impl Lifelines {
    pub(crate) fn of(net: &Net) -> Self {
        let count = net.fluents.len();
        let mut lines = Self {
            stays_true: IndexVec::filled(false, count),
            stays_false: IndexVec::filled(false, count),
            killers: IndexVec::filled(Vec::new(), count),
        };
        let all: Vec<FluentId> = net.fluents.ids().collect();
        for holds in [true, false] {
            for some in all.chunks(64) {
                let known: Vec<Vec<(FluentId, bool)>> =
                    some.iter().map(|&fluent| vec![(fluent, holds)]).collect();
                let kept = keeps(net, some, &known, holds);
                for (lane, &fluent) in some.iter().enumerate() {
                    let side = if holds { &mut lines.stays_true } else { &mut lines.stays_false };
                    side[fluent] = kept >> lane & 1 == 1;
                }
            }
        }
        let latches = lines.latches();
        if count <= MOST_FLUENTS && latches.len() * count / 64 * net.gate_count() <= MOST_WORK {
            lines.find_killers(net, &latches);
        }
        lines
    }

    fn latches(&self) -> Vec<(FluentId, bool)> {
        let on = self.stays_true.ids().filter(|&fluent| self.stays_true[fluent]);
        let off = self.stays_false.ids().filter(|&fluent| self.stays_false[fluent]);
        on.map(|fluent| (fluent, true)).chain(off.map(|fluent| (fluent, false))).collect()
    }

    fn find_killers(&mut self, net: &Net, latches: &[(FluentId, bool)]) {
        let all: Vec<FluentId> = net.fluents.ids().collect();
        for &latch in latches {
            for some in all.chunks(64) {
                let known: Vec<Vec<(FluentId, bool)>> =
                    some.iter().map(|&fluent| vec![(fluent, false), latch]).collect();
                let kept = keeps(net, some, &known, false);
                for (lane, &fluent) in some.iter().enumerate() {
                    let dead_anyway = self.stays_false[fluent] || fluent == latch.0;
                    if kept >> lane & 1 == 1 && !dead_anyway {
                        self.killers[fluent].push(latch);
                    }
                }
            }
        }
    }
}

/// In which lanes the lane's fluent has the value after the step whatever is done, given what is
/// known in the lane.
fn keeps(net: &Net, fluents: &[FluentId], known: &[Vec<(FluentId, bool)>], holds: bool) -> u64 {
    let mut given: IndexVec<FluentId, Possible> = IndexVec::filled(UNKNOWN, net.fluents.len());
    for (lane, known) in known.iter().enumerate() {
        for &(fluent, value) in known {
            let side = &mut given[fluent];
            let side = if value { &mut side.can_be_false } else { &mut side.can_be_true };
            *side &= !(1 << lane);
        }
    }
    let values = possible_values(net, |fluent| given[fluent]);
    let mut kept = 0;
    for (lane, &fluent) in fluents.iter().enumerate() {
        let next = values[net.next[fluent]];
        let other = if holds { next.can_be_false } else { next.can_be_true };
        kept |= (!other >> lane & 1) << lane;
    }
    kept
}
