//! Ties that play could not test.
//!
//! Exchanges tell nothing of a fluent that no playout has changed, nor of a move that was never made. Where the rules
//! lead from one part to another through such a fluent or such a move, the two are not known to be apart: a square that
//! random play does not reach is no game of its own.

use gambol_analysis::FixedFluents;
use gambol_index::{Id, IndexVec};
use gambol_net::{Gate, GateId, MoveId, Net};

use crate::sample::interventions::Observation;
use crate::sample::outcome::PartOf;

/// The parts, and what play has shown of them.
pub(crate) struct Reached<'a> {
    pub(crate) net: &'a Net,
    pub(crate) seen: &'a Observation,
    pub(crate) fixed: &'a FixedFluents,
    pub(crate) part_of: &'a PartOf,
    /// The parts that each move acts on.
    pub(crate) acts_on: &'a IndexVec<MoveId, Vec<u32>>,
    /// The stage of each part: parts of different stages may look at one another.
    pub(crate) stages: &'a [Option<u32>],
}

/// Words of all sets together; where there would be more, nothing is asked.
const MOST_WORDS: usize = 1 << 25;

impl Reached<'_> {
    /// The parts that unreached fluents and moves lead from and to.
    pub(crate) fn doubts(&self) -> Vec<(u32, u32)> {
        let mut numbers: Vec<u32> = self.part_of.iter().copied().flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let sizes = self.net.gate_count().checked_mul(numbers.len().div_ceil(64));
        if numbers.len() < 2 || sizes.is_none_or(|words| words > MOST_WORDS) {
            return Vec::new();
        }
        let doubts = Doubts::of(self, &numbers);
        let same_stage = |one: u32, other: u32| {
            let stage = |part: u32| self.stages.get(part as usize).copied().flatten();
            stage(one).is_none() || stage(other).is_none() || stage(one) == stage(other)
        };
        let nowhere: &[u32] = &[];
        let becomes = self
            .net
            .fluents
            .ids()
            .filter_map(|fluent| Some((self.part_of[fluent]?, self.net.next[fluent], nowhere)));
        let acting = self.acts_on.iter_ids().flat_map(|(action, of_move)| {
            of_move.iter().map(move |&part| (part, self.net.legal[action], of_move.as_slice()))
        });
        let mut found = Vec::new();
        for (part, gate, acts_on) in becomes.chain(acting) {
            let others = doubts.unreached.members(gate).map(|place| numbers[place]);
            // A move that acts in two parts at once may look at both.
            let tied = |other: &u32| {
                *other != part && !acts_on.contains(other) && same_stage(part, *other)
            };
            found.extend(others.filter(tied).map(|other| (part, other)));
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&(part, other)| !self.was_tested(&doubts, &numbers, part, other));
        found
    }

    /// Whether moves that were made in a part look at another, as exchanges have seen: then it is nothing new that
    /// moves do which were not made.
    fn was_tested(&self, doubts: &Doubts, numbers: &[u32], part: u32, other: u32) -> bool {
        let made = self.acts_on.iter_ids().filter(|(action, of_move)| {
            self.seen.tried[*action] > 0 && of_move.contains(&part) && !of_move.contains(&other)
        });
        let looks = |action: MoveId| {
            doubts.all.members(self.net.legal[action]).any(|place| numbers[place] == other)
        };
        made.map(|(action, _)| action).any(looks)
    }

    /// Whether a fluent may change, but was not seen to.
    fn is_unseen(&self, gate: GateId) -> bool {
        match self.net.gate(gate) {
            Gate::Fluent(fluent) => {
                !self.seen.changes[fluent] && self.fixed.value(fluent).is_none()
            }
            Gate::Does(action) => self.seen.tried[action] == 0,
            _ => false,
        }
    }
}

/// A set of parts for each gate.
#[derive(Clone)]
struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(gates: usize, parts: usize) -> Self {
        let words = parts.div_ceil(64);
        Self { words, bits: vec![0; gates * words] }
    }

    fn of(&self, gate: GateId) -> &[u64] {
        &self.bits[gate.index() * self.words..][..self.words]
    }

    fn insert(&mut self, gate: GateId, place: usize) {
        self.bits[gate.index() * self.words + place / 64] |= 1 << (place % 64);
    }

    fn members(&self, gate: GateId) -> impl Iterator<Item = usize> {
        let of = self.of(gate);
        (0..64 * self.words).filter(move |place| of[place / 64] >> (place % 64) & 1 == 1)
    }

    /// Adds the set of one gate to that of another; whether that is new.
    fn hand_on(&mut self, from: GateId, to: GateId) -> bool {
        let mut new = false;
        for place in 0..self.words {
            let more = self.bits[from.index() * self.words + place];
            new |= self.add(to, place, more);
        }
        new
    }

    fn add(&mut self, to: GateId, place: usize, more: u64) -> bool {
        let word = &mut self.bits[to.index() * self.words + place];
        let before = std::mem::replace(word, *word | more);
        before != *word
    }
}

/// What gates look at.
struct Doubts {
    /// All parts that a gate looks at, through unreached fluents and moves too.
    all: Sets,
    /// Those that it looks at only through them.
    unreached: Sets,
}

impl Doubts {
    fn of(reached: &Reached<'_>, numbers: &[u32]) -> Self {
        let (net, sets) = (reached.net, Sets::new(reached.net.gate_count(), numbers.len()));
        let place = |part: u32| numbers.binary_search(&part).unwrap_or_default();
        let mut doubts = Self { all: sets.clone(), unreached: sets };
        for (fluent, &part) in reached.part_of.iter_ids() {
            let Some(part) = part else { continue };
            let gate = net.fluent_gate(fluent);
            doubts.all.insert(gate, place(part));
            if reached.is_unseen(gate) {
                doubts.unreached.insert(gate, place(part));
            }
        }
        let makes = makes(reached, numbers);
        while doubts.sweep(reached, &makes) {}
        doubts
    }

    /// Hands on what gates look at; whether anything is new, which what is unreached may look at the next time.
    fn sweep(&mut self, reached: &Reached<'_>, makes: &Sets) -> bool {
        let net = reached.net;
        let nothing = vec![0; makes.words];
        let mut again = false;
        for gate in net.gate_ids() {
            match net.gate(gate) {
                Gate::Fluent(fluent) if reached.part_of[fluent].is_none() => {
                    if reached.is_unseen(gate) {
                        again |= self.look_behind(gate, net.next[fluent], &nothing);
                    }
                }
                Gate::Does(action) if reached.is_unseen(gate) => {
                    // A move that acts in two parts at once may look at both.
                    again |= self.look_behind(gate, net.legal[action], makes.of(gate));
                }
                _ => {
                    for &input in net.inputs_of(gate) {
                        again |= self.all.hand_on(input, gate);
                        again |= self.unreached.hand_on(input, gate);
                    }
                }
            }
        }
        again
    }

    /// What is unreached looks at what lies behind it.
    fn look_behind(&mut self, gate: GateId, behind: GateId, without: &[u64]) -> bool {
        let mut new = false;
        for (place, without) in without.iter().enumerate() {
            let more = self.all.of(behind)[place] & !without;
            new |= self.unreached.add(gate, place, more) | self.all.add(gate, place, more);
        }
        new
    }
}

/// For each gate the parts that become what they become by looking at it.
fn makes(reached: &Reached<'_>, numbers: &[u32]) -> Sets {
    let net = reached.net;
    let mut makes = Sets::new(net.gate_count(), numbers.len());
    for (fluent, &part) in reached.part_of.iter_ids() {
        let place = part.and_then(|part| numbers.binary_search(&part).ok());
        place.into_iter().for_each(|place| makes.insert(net.next[fluent], place));
    }
    let mut again = true;
    while again {
        again = false;
        for gate in net.gate_ids().rev() {
            let recursive = net.cycle_of(gate).is_some();
            for &input in net.inputs_of(gate) {
                again |= makes.hand_on(gate, input) && recursive;
            }
        }
    }
    makes
}
