//! How the end of the game depends on the parts.

use gambol_net::{FluentId, Gate, GateId, Net};
use rustc_hash::FxHashSet;

use crate::decomposition::Termination;
use crate::evaluate::lanes::{LANES, holds};
use crate::evaluate::ternary::{Fixed, Ternary};
use crate::goals::joins::parts_read;
use crate::partition::Partition;
use crate::sample::outcome::PartOf;

/// Reads the end condition as a disjunction of conjunctions, as deep as it goes over several parts.
/// Only parts that depend on what is played count.
pub(crate) fn termination(net: &Net, part_of: &PartOf) -> Termination {
    if parts_read(net, [net.terminal], part_of).len() < 2 {
        return Termination::Single;
    }
    let mut found = Found::default();
    for ending in endings(net) {
        found.note(net, ending.gate, ending.value, part_of);
    }
    found.verdict()
}

/// A way to end the game: a gate with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ending {
    pub(crate) gate: GateId,
    pub(crate) value: bool,
}

/// The ways to end the game.
pub(crate) fn endings(net: &Net) -> Vec<Ending> {
    let (mut open, mut found) = (vec![(net.terminal, true)], Vec::new());
    let mut seen = FxHashSet::default();
    while let Some((gate, value)) = open.pop() {
        // Recursive gates lead back to themselves.
        if !seen.insert((gate, value)) {
            continue;
        }
        match opened(net, gate, value) {
            Opened::Any(inputs) => open.extend(inputs),
            Opened::Other => found.push(Ending { gate, value }),
        }
    }
    found
}

/// Joins parts that one way to end the game reads together. Where the score does not look at the
/// parts, but only at how long the game lasted, the end is what is played for.
pub(crate) fn join_by_end(net: &Net, part_of: &PartOf, parts: &mut Partition) {
    let mut ways: Vec<(GateId, Vec<u32>)> = endings(net)
        .into_iter()
        .map(|ending| (ending.gate, parts_read(net, [ending.gate], part_of)))
        .collect();
    ways.retain(|(_, read)| !read.is_empty());
    if let [(only, _)] = ways.as_slice() {
        // One way to end: its conditions may stay apart, each in its part.
        ways = net
            .inputs_of(*only)
            .iter()
            .map(|&input| (input, parts_read(net, [input], part_of)))
            .collect();
    }
    for (_, read) in ways {
        parts.join_all(read);
    }
}

/// The fluents each of which ends the game, whatever else holds.
pub(crate) fn ends_alone(net: &Net, fluents: &[FluentId]) -> Vec<FluentId> {
    let mut ternary = Ternary::new(net, [net.terminal], &|_| None);
    let mut ends = Vec::new();
    for chunk in fluents.chunks(LANES) {
        let trials: Vec<Fixed> = chunk
            .iter()
            .map(|&fluent| Fixed { gate: net.fluent_gate(fluent), value: true })
            .collect();
        ternary.run(&trials);
        let certain = |lane: &usize| holds(ternary.must(net.terminal), *lane);
        ends.extend((0..chunk.len()).filter(certain).map(|lane| chunk[lane]));
    }
    ends
}

#[derive(Default)]
struct Found {
    single: Vec<u32>,
    conjunctions: usize,
    mixed: bool,
}

enum Opened {
    /// One of these, each with the sign it is meant with.
    Any(Vec<(GateId, bool)>),
    Other,
}

/// A gate, or its negation, as a disjunction.
fn opened(net: &Net, gate: GateId, sign: bool) -> Opened {
    match net.gate(gate) {
        Gate::Or(inputs) if sign => {
            Opened::Any(inputs.iter().map(|&input| (input, true)).collect())
        }
        Gate::And(inputs) if !sign => {
            Opened::Any(inputs.iter().map(|&input| (input, false)).collect())
        }
        Gate::Not(input) => Opened::Any(vec![(input, !sign)]),
        _ => Opened::Other,
    }
}

impl Found {
    /// A disjunct: it reads one part, or is a conjunction of conditions each of which does.
    fn note(&mut self, net: &Net, gate: GateId, sign: bool, part_of: &PartOf) {
        let read = parts_read(net, [gate], part_of);
        match read.as_slice() {
            [] => {}
            [part] => self.single.push(*part),
            _ => {
                let conjuncts: &[GateId] = match net.gate(gate) {
                    Gate::And(inputs) if sign => inputs,
                    Gate::Or(inputs) if !sign => inputs,
                    _ => &[],
                };
                self.conjunctions += 1;
                self.mixed |= conjuncts.is_empty()
                    || conjuncts.iter().any(|&one| parts_read(net, [one], part_of).len() > 1);
            }
        }
    }

    fn verdict(mut self) -> Termination {
        self.single.sort_unstable();
        self.single.dedup();
        match (self.single.len(), self.conjunctions) {
            _ if self.mixed => Termination::Mixed,
            (_, 0) => Termination::Disjunctive,
            (0, 1) => Termination::Conjunctive,
            _ => Termination::Mixed,
        }
    }
}
