//! Scores that are made of one condition per part (definition 3).
//!
//! The *condition* of a part is what is left of a score without what only other parts decide. Parts are
//! separate by their scores if the score is a threshold of their conditions: all of them, any of them, or
//! at least `k` of `n`. More is always better then, and it does not matter which ones. A line of three on a
//! board is monotone as well, but no threshold of its squares, so the squares stay together; an exclusive-or
//! is not monotone. All this is asked of a solver, over all states.

use gambol_analysis::{Encoding, Frame, Lit, Proof};
use gambol_index::Id;
use gambol_net::{Gate, GateId, Net, RoleId};
use rustc_hash::FxHashMap;

use crate::decomposition::Combination;
use crate::evaluate::lanes::cone;
use crate::goals::joins::parts_read;
use crate::sample::outcome::PartOf;

/// The gate of a role's highest score.
pub(crate) fn highest(net: &Net, role: RoleId) -> Option<GateId> {
    net.goals.iter().rfind(|goal| goal.role == role).map(|goal| goal.gate)
}

/// What conditions are made of: literals of a solver, or gates of a certificate.
pub(crate) trait Logic {
    /// The value of a condition.
    type Value: Copy;

    /// A gate of the net; `None` if it cannot be told.
    fn gate(&mut self, gate: GateId) -> Option<Self::Value>;
    fn not(&mut self, input: Self::Value) -> Self::Value;
    fn all(&mut self, inputs: Vec<Self::Value>) -> Self::Value;
    fn any(&mut self, inputs: Vec<Self::Value>) -> Self::Value;
}

/// Gates of the net in a state of an encoding.
struct InState<'e, 'n> {
    encoding: &'e mut Encoding<'n>,
    state: Frame,
}

impl Logic for InState<'_, '_> {
    type Value = Lit;

    fn gate(&mut self, gate: GateId) -> Option<Lit> {
        Some(self.encoding.gate(self.state, gate))
    }

    fn not(&mut self, input: Lit) -> Lit {
        !input
    }

    fn all(&mut self, inputs: Vec<Lit>) -> Lit {
        self.encoding.and(inputs)
    }

    fn any(&mut self, inputs: Vec<Lit>) -> Lit {
        self.encoding.or(inputs)
    }
}

/// The condition of each part that a gate looks at, in a state. None if it cannot be told: recursive gates
/// that look at several parts cannot be taken apart.
pub(crate) fn conditions_of(
    net: &Net,
    encoding: &mut Encoding<'_>,
    state: Frame,
    gate: GateId,
    part_of: &PartOf,
) -> Option<Vec<(u32, Lit)>> {
    let parts = parts_read(net, [gate], part_of);
    let mut logic = InState { encoding, state };
    let condition = |part: u32| Some((part, condition_of(net, &mut logic, gate, part_of, part)?));
    parts.into_iter().map(condition).collect()
}

/// The condition of a part that a gate looks at.
pub(crate) fn condition_of<L: Logic>(
    net: &Net,
    logic: &mut L,
    gate: GateId,
    part_of: &PartOf,
    part: u32,
) -> Option<L::Value> {
    let used = cone(net, [gate]);
    let used: Vec<GateId> = net.gate_ids().filter(|gate| used[gate.index()]).collect();
    Share::of(net, &used, part_of, part).left_of(logic, gate)
}

/// Which gates look at a part, and which at others.
struct Share<'a> {
    net: &'a Net,
    used: &'a [GateId],
    own: Vec<bool>,
    others: Vec<bool>,
}

impl<'a> Share<'a> {
    fn of(net: &'a Net, used: &'a [GateId], part_of: &PartOf, part: u32) -> Self {
        let none = vec![false; net.gate_count()];
        let mut share = Self { net, used, own: none.clone(), others: none };
        // Gates come after what they read, but for recursive ones, which need another round.
        while share.sweep(part_of, part) && !net.cycles.is_empty() {}
        share
    }

    /// Hands on what gates look at; whether anything is new.
    fn sweep(&mut self, part_of: &PartOf, part: u32) -> bool {
        let mut new = false;
        for &gate in self.used {
            let inputs = self.net.inputs_of(gate).iter();
            let any = |marks: &[bool]| inputs.clone().any(|input| marks[input.index()]);
            let (own, others) = match self.net.gate(gate) {
                Gate::Fluent(fluent) => match part_of[fluent] {
                    None => (false, false),
                    Some(of) => (of == part, of != part),
                },
                _ => (any(&self.own), any(&self.others)),
            };
            new |= self.own[gate.index()] != own || self.others[gate.index()] != others;
            (self.own[gate.index()], self.others[gate.index()]) = (own, others);
        }
        new
    }

    /// What is left of a gate without what only other parts decide.
    fn left_of<L: Logic>(&self, logic: &mut L, root: GateId) -> Option<L::Value> {
        let mut left: FxHashMap<GateId, L::Value> = FxHashMap::default();
        let looks_here = |gate: &&GateId| self.own[gate.index()];
        for &gate in self.used.iter().filter(looks_here) {
            if !self.others[gate.index()] {
                continue;
            }
            if self.net.cycle_of(gate).is_some() {
                return None;
            }
            // Clocks are nobody's: what looks at nothing else stays.
            let stays = |input: &&GateId| self.own[input.index()] || !self.others[input.index()];
            let inputs = self.net.inputs_of(gate).iter().filter(stays);
            let inputs = inputs.map(|&input| match left.get(&input) {
                Some(&value) => Some(value),
                None => logic.gate(input),
            });
            let inputs: Vec<L::Value> = inputs.collect::<Option<_>>()?;
            let value = match self.net.gate(gate) {
                Gate::And(_) => logic.all(inputs),
                Gate::Not(_) => logic.not(inputs[0]),
                _ => logic.any(inputs),
            };
            left.insert(gate, value);
        }
        left.get(&root).copied().or_else(|| logic.gate(root))
    }
}

/// How a condition is made of others; and the proof of it. A form that holds everywhere says more than one
/// that holds only where `over` does: where winning ends the game, every end is won.
pub(crate) fn combination(
    encoding: &mut Encoding<'_>,
    over: &[Lit],
    whole: Lit,
    conditions: &[Lit],
    effort: u64,
) -> Option<(Combination, Proof)> {
    let number = conditions.len();
    let at_least = counts(encoding, conditions);
    let differ: Vec<Lit> = at_least.iter().map(|&least| encoding.differ(whole, least)).collect();
    let mut form = |given: &[Lit], least: usize| {
        let question: Vec<Lit> = given.iter().copied().chain([differ[least - 1]]).collect();
        let proof = encoding.prove("a score splits", &question, effort)?;
        Some((Combination::at_least(least, number), proof))
    };
    let mut leasts: Vec<usize> = [number, 1].into_iter().chain(2..number).collect();
    leasts.dedup();
    let mut any = |given: &[Lit]| leasts.iter().find_map(|&least| form(given, least));
    any(&[]).or_else(|| any(over))
}

/// For each number from 1 on: that so many conditions hold, or more.
fn counts(encoding: &mut Encoding<'_>, conditions: &[Lit]) -> Vec<Lit> {
    let mut at_least: Vec<Lit> = Vec::new();
    for &condition in conditions {
        let mut more = Vec::with_capacity(at_least.len() + 1);
        for place in 0..=at_least.len() {
            let one_more = match place {
                0 => condition,
                _ => encoding.and(vec![at_least[place - 1], condition]),
            };
            more.push(match at_least.get(place) {
                Some(&before) => encoding.or(vec![before, one_more]),
                None => one_more,
            });
        }
        at_least = more;
    }
    at_least
}
