//! What is left of a game in a state: the residue.
//!
//! Some fluents keep their value from here on, whatever is done. With them as constants many gates
//! become constant too, and some fluents are read by nothing that matters any more. What is left, the
//! *residue*, are the open gates behind legality, the end and the goals, and the values of the fluents
//! among them. Two states with the same residue are worth the same, and the same moves are good in
//! both, so one may stand for the other: a board that is over tells only how it ended.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, Net, RoleId};
use gambol_sim::transpose;
use rustc_hash::FxHashMap;

use crate::Limits;
use crate::alpha_beta::ternary::{Possible, possible_values};

/// Lanes of a sweep.
const LANES: usize = 64;
/// How much of the memory residues may take.
const MEMORY_SHARE: u64 = 4;

/// Finds residues, and a state that stands for all with the same.
pub(crate) struct Residues<'a> {
    net: &'a Net,
    width: usize,
    /// Legality, the end and the goals.
    roots: Vec<GateId>,
    /// For each residue the first state it was met in.
    standing: FxHashMap<Box<[u64]>, Box<[u64]>>,
    /// New residues are kept up to so many words.
    room: usize,
    all_room: usize,
}

/// What the rest of play can still bring to each role, for some states.
pub(crate) struct Prospects {
    roles: usize,
    only: Vec<Option<u32>>,
}

impl Prospects {
    /// The only goal value that can still come true for a role.
    pub(crate) fn only_goal(&self, state: usize, role: usize) -> Option<u32> {
        self.only[state * self.roles + role]
    }
}

impl<'a> Residues<'a> {
    /// For a game, with a share of the memory for what is met.
    pub(crate) fn new(net: &'a Net, limits: &Limits) -> Self {
        let room = (limits.memory_mib.saturating_mul(1 << 20) / MEMORY_SHARE / 8) as usize;
        let mut roots: Vec<GateId> = net.legal.iter().copied().collect();
        roots.push(net.terminal);
        roots.extend(net.goals.iter().map(|goal| goal.gate));
        Self {
            net,
            width: net.fluents.len().div_ceil(64).max(1),
            roots,
            standing: FxHashMap::default(),
            room,
            all_room: room,
        }
    }

    /// Bytes in use, about.
    pub(crate) fn bytes(&self) -> usize {
        (self.all_room - self.room) * 8
    }

    /// Replaces states by those that stand for them, and tells what can still come of them.
    pub(crate) fn reduce(&mut self, states: &mut [u64]) -> Prospects {
        let roles = self.net.roles.len();
        let mut prospects = Prospects { roles, only: Vec::new() };
        for some in states.chunks_mut(LANES * self.width) {
            let values = lasting(self.net, self.width, some);
            let needed = needed(self.net, &self.roots, &values);
            self.replace(some, &values, &needed);
            for lane in 0..some.len() / self.width {
                let only =
                    self.net.roles.ids().map(|role| only_goal(self.net, &values, role, lane));
                prospects.only.extend(only);
            }
        }
        prospects
    }

    fn replace(
        &mut self,
        states: &mut [u64],
        values: &IndexVec<GateId, Possible>,
        needed: &IndexVec<GateId, u64>,
    ) {
        let open = |gate: GateId| needed[gate] & is_open(values[gate]);
        let fluents: Vec<u64> =
            self.net.fluents.ids().map(|fluent| open(self.net.fluent_gate(fluent))).collect();
        let masks = turned(&fluents, self.width);
        let nexts = self.net.next.iter().map(|&gate| needed[gate] & sure(values[gate]));
        let roots = self.roots.iter().map(|&gate| sure(values[gate]));
        let all = self.net.gate_ids().map(open).chain(nexts).chain(roots);
        let all: Vec<u64> = all.collect();
        let words = all.len().div_ceil(64);
        let keys = turned(&all, words);
        for (lane, state) in states.chunks_exact_mut(self.width).enumerate() {
            let key = &keys[lane * words..(lane + 1) * words];
            let mask = &masks[lane * self.width..(lane + 1) * self.width];
            match self.standing.get(key) {
                Some(standing) => {
                    for ((word, &other), &own) in state.iter_mut().zip(standing).zip(mask) {
                        *word = *word & own | other & !own;
                    }
                }
                None if self.room > words + self.width => {
                    self.room -= words + self.width;
                    self.standing.insert(key.into(), (&*state).into());
                }
                None => {}
            }
        }
    }
}

fn is_open(value: Possible) -> u64 {
    value.can_be_true & value.can_be_false
}

fn sure(value: Possible) -> u64 {
    value.can_be_true & !value.can_be_false
}

/// Rows of lanes as lanes of rows, so many words each.
fn turned(rows: &[u64], words: usize) -> Vec<u64> {
    let mut lanes = vec![0; LANES * words];
    for (word, rows) in rows.chunks(64).enumerate() {
        let mut square = [0; 64];
        square[..rows.len()].copy_from_slice(rows);
        transpose(&mut square);
        for (lane, bits) in square.into_iter().enumerate() {
            lanes[lane * words + word] = bits;
        }
    }
    lanes
}

/// What follows for all gates from the fluents that keep their values for good: a fluent is taken to
/// do so as long as nothing that can still happen to the others changes it.
fn lasting(net: &Net, width: usize, states: &[u64]) -> IndexVec<GateId, Possible> {
    let truth: Vec<u64> = (0..width)
        .flat_map(|word| {
            let mut square = [0; 64];
            let words = states.chunks_exact(width).map(|state| state[word]);
            square.iter_mut().zip(words).for_each(|(row, bits)| *row = bits);
            transpose(&mut square);
            square
        })
        .collect();
    let mut kept: IndexVec<FluentId, u64> = IndexVec::filled(u64::MAX, net.fluents.len());
    loop {
        let values = possible_values(net, |fluent| Possible {
            can_be_true: truth[fluent.index()] | !kept[fluent],
            can_be_false: !truth[fluent.index()] | !kept[fluent],
        });
        let mut changed = false;
        for fluent in net.fluents.ids() {
            let Possible { can_be_true, can_be_false } = values[net.next[fluent]];
            let holds = truth[fluent.index()];
            let other = holds & can_be_false | !holds & can_be_true;
            changed |= kept[fluent] & other != 0;
            kept[fluent] &= !other;
        }
        if !changed {
            return values;
        }
    }
}

/// In which lanes gates are read by what matters.
fn needed(
    net: &Net,
    roots: &[GateId],
    values: &IndexVec<GateId, Possible>,
) -> IndexVec<GateId, u64> {
    let mut needed: IndexVec<GateId, u64> = IndexVec::filled(0, net.gate_count());
    roots.iter().for_each(|&root| needed[root] = u64::MAX);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for id in net.gate_ids().rev() {
            let lanes = needed[id] & is_open(values[id]);
            // Gates before this one get their turn in this round, unless recursion reads forward.
            let mut need = |gate: GateId| {
                let fresh = lanes & !needed[gate];
                needed[gate] |= fresh;
                changed |= fresh != 0 && gate >= id;
            };
            match net.gate(id) {
                Gate::And(inputs) | Gate::Or(inputs) => inputs.iter().for_each(|&gate| need(gate)),
                Gate::Not(input) => need(input),
                Gate::Fluent(fluent) => need(net.next[fluent]),
                Gate::Constant(_) | Gate::Does(_) => {}
            }
        }
    }
    needed
}

/// The goal of a role that can come true in a lane, if it is only one.
fn only_goal(
    net: &Net,
    values: &IndexVec<GateId, Possible>,
    role: RoleId,
    lane: usize,
) -> Option<u32> {
    let can = |gate: GateId| values[gate].can_be_true >> lane & 1 == 1;
    let mut goals = net.goals.iter().filter(|goal| goal.role == role && can(goal.gate));
    let first = goals.next()?.value;
    goals.next().is_none().then_some(first)
}
