//! Which part a clock belongs to, if it does not stand by itself.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net, Readers};

use crate::goals::joins::parts_read;
use crate::sample::outcome::PartOf;
use crate::variables::clock::Clock;

/// The parts that are played, and what acts on them.
pub(crate) struct Belonging<'a> {
    pub(crate) net: &'a Net,
    pub(crate) part_of: PartOf,
    /// The parts that each move acts on.
    pub(crate) acts_on: IndexVec<MoveId, Vec<u32>>,
    /// Whether some clock tells whose turn it is.
    pub(crate) turns: bool,
}

/// Whether a clock tells whose turn it is.
pub(crate) fn is_turn(net: &Net, clock: &Clock) -> bool {
    net.roles.len() > 1 && clock.comes_round
}

impl Belonging<'_> {
    /// The parts with the clocks that belong to them.
    pub(crate) fn attach(&self, clocks: &[Clock]) -> PartOf {
        let mut part_of = self.part_of.clone();
        for clock in clocks {
            if let Some(part) = self.part(clock) {
                clock.fluents.iter().for_each(|&fluent| part_of[fluent] = Some(part));
            }
        }
        part_of
    }

    /// The clocks that count as subgames of their own. A single fluent that reads and gates nothing
    /// does not.
    pub(crate) fn apart(&self, clocks: Vec<Clock>) -> Vec<Clock> {
        let matters = |clock: &Clock| {
            clock.fluents.len() > 1 || !clock.gates.is_empty() || !clock.steers.is_empty()
        };
        let stands = |clock: &Clock| self.part(clock).is_none() && matters(clock);
        clocks.into_iter().filter(stands).collect()
    }

    /// The part that a clock belongs to: the only one it gates; or, where turns are taken, the only
    /// one it steers.
    fn part(&self, clock: &Clock) -> Option<u32> {
        if is_turn(self.net, clock) {
            return None;
        }
        if let ([fluent], false) = (clock.fluents.as_slice(), clock.comes_round) {
            return self.part_beside(*fluent);
        }
        match (clock.gates.as_slice(), clock.steers.as_slice()) {
            ([part], _) => Some(*part),
            ([], [part]) if self.turns => Some(*part),
            _ => None,
        }
    }

    /// The only part that a fluent looks at, or whose fluents, or the legality of whose moves, look
    /// at it.
    fn part_beside(&self, fluent: FluentId) -> Option<u32> {
        let reached = self.reached_from(fluent);
        let reading = self.net.fluents.ids().filter(|&f| reached[self.net.next[f].index()]);
        let gated = self.net.moves.ids().filter(|&a| reached[self.net.legal[a].index()]);
        let mut parts: Vec<u32> = reading.filter_map(|fluent| self.part_of[fluent]).collect();
        parts.extend(gated.flat_map(|action| &self.acts_on[action]));
        parts.extend(parts_read(self.net, [self.net.next[fluent]], &self.part_of));
        if parts.is_empty() {
            // Nothing tells; but there may be only one part to belong to.
            parts = self.part_of.iter().copied().flatten().collect();
        }
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            [part] => Some(*part),
            _ => None,
        }
    }

    /// The gates that look at a fluent.
    fn reached_from(&self, fluent: FluentId) -> Vec<bool> {
        let readers = Readers::of(self.net);
        let mut reached = vec![false; self.net.gate_count()];
        let mut open = vec![self.net.fluent_gate(fluent)];
        while let Some(gate) = open.pop() {
            if !std::mem::replace(&mut reached[gate.index()], true) {
                open.extend(readers.of_gate(gate));
            }
        }
        reached
    }
}
