//! What is left of a game in a state: the residue.
//!
//! Some fluents keep their value from here on, whatever is done. With them as constants many gates
//! become constant too, and some fluents are read by nothing that matters any more. What is left, the
//! *residue*, are the open gates behind legality, the end and the goals, and the values of the fluents
//! among them. Two states with the same residue are worth the same, and the same moves are good in
//! both, so one may stand for the other: a board that is over tells only how it ended. Of conditions that
//! hold if all of some set hold, only the least sets that are left count, not how they were come by.

mod cover;
mod scale;

use std::sync::Arc;

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, Net, RoleId, Ternary, possible_values};
use gambol_sim::transpose;
use rustc_hash::FxHashMap;

use self::cover::{Covers, SetsId};
use self::scale::Goals;
pub(crate) use self::scale::Scale;
use crate::Limits;
use crate::facts::EveryPlayScores;
use crate::reduction::minimal_dnf::unfolded;
use gambol_analysis::Latches;

/// Lanes of a sweep.
const LANES: usize = 64;
/// How much of the memory residues may take.
const MEMORY_SHARE: u64 = 2;

/// Finds residues, and a state that stands for all with the same.
pub(crate) struct Residues {
    net: Arc<Net>,
    width: usize,
    /// Legality, the end and, if they count as they are, the goals.
    roots: Vec<GateId>,
    covers: Covers,
    /// Whose goals count, but for their scale; if nobody's, all goals count as they are.
    role: Option<RoleId>,
    /// Whether every state stands for itself.
    off: bool,
    /// Fluents that are known to keep values wherever play comes.
    latched: Option<Arc<Latches>>,
    /// For each residue, with the values of what is open, the first state it was met in.
    standing: FxHashMap<Box<[u64]>, Standing>,
    /// New residues are kept up to so many words.
    room: usize,
    all_room: usize,
}

struct Standing {
    state: Box<[u64]>,
    scale: Option<Scale>,
}

/// What the goals of the role are worth in a state and in the one that stands for it; `None` where no
/// goal is left.
pub(crate) type Scales = (Option<Scale>, Option<Scale>);

/// What is left in some states, lane by lane.
struct Left {
    values: IndexVec<GateId, Ternary<u64>>,
    /// For each lane and cover that is open the sets that are left.
    sets: Vec<Vec<(usize, SetsId)>>,
    goals: Vec<Option<Goals>>,
}

impl Residues {
    /// For a game, with a share of the memory for what is met.
    pub(crate) fn new(net: &Net, limits: &Limits) -> Self {
        Self::of(Arc::new(unfolded(net).unwrap_or_else(|| net.clone())), None, limits)
    }

    /// Every state stands for itself.
    pub(crate) fn none(net: Arc<Net>, limits: &Limits) -> Self {
        Self { off: true, ..Self::of(net, None, limits) }
    }

    /// The same, with latches that hold in all states that are given. The net is best unfolded.
    pub(crate) fn of_latched(net: Arc<Net>, latched: &Arc<Latches>, limits: &Limits) -> Self {
        Self { latched: Some(Arc::clone(latched)), ..Self::of(net, None, limits) }
    }

    /// The same, but the goals of one role only and whatever they are worth. That is right only if
    /// every play scores: what play without end is worth would not scale with the goals.
    pub(crate) fn of_role(
        net: Arc<Net>,
        role: RoleId,
        _: EveryPlayScores,
        latched: &Arc<Latches>,
        limits: &Limits,
    ) -> Self {
        Self { latched: Some(Arc::clone(latched)), ..Self::of(net, Some(role), limits) }
    }

    fn of(net: Arc<Net>, role: Option<RoleId>, limits: &Limits) -> Self {
        let room = (limits.memory_mib.saturating_mul(1 << 20) / MEMORY_SHARE / 8) as usize;
        let mut roots: Vec<GateId> = net.legal.iter().copied().collect();
        roots.push(net.terminal);
        if role.is_none() {
            roots.extend(net.goals.iter().map(|goal| goal.gate));
        }
        let width = net.fluents.len().div_ceil(64).max(1);
        Self {
            width,
            roots,
            covers: Covers::of(&net, width),
            role,
            off: false,
            latched: None,
            standing: FxHashMap::default(),
            room,
            all_room: room,
            net,
        }
    }

    /// Bytes in use, about.
    pub(crate) fn bytes(&self) -> usize {
        (self.all_room - self.room + self.covers.words()) * 8
    }

    /// Replaces states by those that stand for them, and tells what goals are worth there.
    pub(crate) fn reduce(&mut self, states: &mut [u64]) -> Vec<Scales> {
        if self.off {
            return vec![(None, None); states.len() / self.width];
        }
        let mut scales = Vec::with_capacity(states.len() / self.width);
        for some in states.chunks_mut(LANES * self.width) {
            let left = self.left(some);
            self.replace(some, &left, &mut scales);
        }
        scales
    }

    fn left(&mut self, states: &[u64]) -> Left {
        let values = lasting(&self.net, self.latched.as_deref(), self.width, states);
        let gates = || self.net.fluents.ids().map(|fluent| values[self.net.fluent_gate(fluent)]);
        let open = turned(&gates().map(is_open).collect::<Vec<_>>(), self.width);
        let sure = turned(&gates().map(sure).collect::<Vec<_>>(), self.width);
        let mut left = Left { values, sets: Vec::new(), goals: Vec::new() };
        for lane in 0..states.len() / self.width {
            let words = lane * self.width..(lane + 1) * self.width;
            let is_left = |gate: GateId| is_open(left.values[gate]) >> lane & 1 == 1;
            let sets = self.covers.left(is_left, &open[words.clone()], &sure[words]);
            left.sets.push(sets);
            left.goals.push(
                self.role
                    .and_then(|role| Goals::of(&self.net, &self.covers, &left.values, role, lane)),
            );
        }
        left
    }

    /// In which lanes gates are read by what matters.
    fn needed(&self, left: &Left) -> IndexVec<GateId, u64> {
        let mut needed: IndexVec<GateId, u64> = IndexVec::filled(0, self.net.gate_count());
        self.roots.iter().for_each(|&root| needed[root] = u64::MAX);
        for (lane, (sets, goals)) in left.sets.iter().zip(&left.goals).enumerate() {
            for fluent in sets.iter().flat_map(|&(_, sets)| self.covers.asked_for(sets)) {
                needed[self.net.fluent_gate(fluent)] |= 1 << lane;
            }
            for &(_, gate, _) in goals.iter().flat_map(|goals| &goals.when) {
                needed[gate] |= 1 << lane;
            }
        }
        self.spread(&left.values, &mut needed);
        needed
    }

    fn spread(&self, values: &IndexVec<GateId, Ternary<u64>>, needed: &mut IndexVec<GateId, u64>) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for id in self.net.gate_ids().rev() {
                let lanes = needed[id] & is_open(values[id]);
                if lanes == 0 {
                    continue;
                }
                // Gates before this one get their turn in this round, unless recursion reads forward.
                let mut need = |gate: GateId| {
                    let fresh = lanes & !needed[gate];
                    needed[gate] |= fresh;
                    changed |= fresh != 0 && gate >= id;
                };
                if let Some(cover) = self.covers.at(id) {
                    cover.rest.iter().for_each(|&gate| need(gate));
                    continue;
                }
                match self.net.gate(id) {
                    Gate::And(inputs) | Gate::Or(inputs) => {
                        inputs.iter().for_each(|&gate| need(gate));
                    }
                    Gate::Not(input) => need(input),
                    Gate::Fluent(fluent) => need(self.net.next[fluent]),
                    Gate::Constant(_) | Gate::Does(_) => {}
                }
            }
        }
    }

    fn replace(&mut self, states: &mut [u64], left: &Left, scales: &mut Vec<Scales>) {
        let (values, needed) = (&left.values, self.needed(left));
        let open = |gate: GateId| needed[gate] & is_open(values[gate]);
        let fluents: Vec<u64> =
            self.net.fluents.ids().map(|fluent| open(self.net.fluent_gate(fluent))).collect();
        let masks = turned(&fluents, self.width);
        let nexts = self.net.next.iter().map(|&gate| needed[gate] & sure(values[gate]));
        let roots = self.roots.iter().map(|&gate| sure(values[gate]));
        let all: Vec<u64> = self.net.gate_ids().map(open).chain(nexts).chain(roots).collect();
        let words = all.len().div_ceil(64);
        let keys = turned(&all, words);
        for (lane, state) in states.chunks_exact_mut(self.width).enumerate() {
            let mut key = keys[lane * words..(lane + 1) * words].to_vec();
            let mask = &masks[lane * self.width..(lane + 1) * self.width];
            key.extend(state.iter().zip(mask).map(|(word, mask)| word & mask));
            left.add_to_key(lane, &mut key);
            let scale = left.goals[lane].as_ref().map(|goals| goals.scale);
            scales.push((scale, self.stand_in(state, key, scale)));
        }
    }

    /// Replaces a state by the one that stands for it, one that was met before. Tells the scale there.
    fn stand_in(
        &mut self,
        state: &mut [u64],
        key: Vec<u64>,
        scale: Option<Scale>,
    ) -> Option<Scale> {
        let size = key.len() + self.width;
        match self.standing.get(&key[..]) {
            Some(standing) => {
                state.copy_from_slice(&standing.state);
                return standing.scale;
            }
            None if self.room > size => {
                self.room -= size;
                let standing = Standing { state: (&*state).into(), scale };
                self.standing.insert(key.into(), standing);
            }
            None => {}
        }
        scale
    }
}

impl Left {
    /// Adds the sets and goals of a lane; different ones never read the same.
    fn add_to_key(&self, lane: usize, key: &mut Vec<u64>) {
        let goals = self.goals[lane].as_ref().map_or(0, |goals| goals.when.len());
        key.push((self.sets[lane].len() as u64) << 32 | goals as u64);
        for &(number, sets) in &self.sets[lane] {
            key.push((number as u64) << 32 | u64::from(sets.number()));
        }
        for &(units, gate, inverted) in self.goals[lane].iter().flat_map(|goals| &goals.when) {
            key.push(u64::from(units) << 32 | u64::from(gate.number()) << 1 | u64::from(inverted));
        }
    }
}

fn is_open(value: Ternary<u64>) -> u64 {
    value.can_be_true & value.can_be_false
}

fn sure(value: Ternary<u64>) -> u64 {
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
fn lasting(
    net: &Net,
    latched: Option<&Latches>,
    width: usize,
    states: &[u64],
) -> IndexVec<GateId, Ternary<u64>> {
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
        let values = possible_values(net, |fluent| Ternary {
            can_be_true: truth[fluent.index()] | !kept[fluent],
            can_be_false: !truth[fluent.index()] | !kept[fluent],
        });
        let mut changed = false;
        for fluent in net.fluents.ids() {
            let Ternary { can_be_true, can_be_false } = values[net.next[fluent]];
            let holds = truth[fluent.index()];
            let stays = latched.map_or(0, |latched| {
                let lanes = |stays: bool, lanes: u64| if stays { lanes } else { 0 };
                lanes(latched.stays_true[fluent], holds)
                    | lanes(latched.stays_false[fluent], !holds)
            });
            let other = (holds & can_be_false | !holds & can_be_true) & !stays;
            changed |= kept[fluent] & other != 0;
            kept[fluent] &= !other;
        }
        if !changed {
            return values;
        }
    }
}
