//! One state at a time: what a search or a player asks.

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, RoleId};

use crate::programs::Programs;
use crate::word::{Plain, Word};
use crate::{Circuit, State};

/// Answers questions about single states. Owns its scratch memory: one per thread.
///
/// Answers about the state that was asked last are remembered, so asking for termination, legal
/// moves and goals in turn costs no more than it must.
pub struct Evaluator<'a> {
    pub(crate) circuit: &'a Circuit,
    pub(crate) programs: &'a Programs,
    pub(crate) slots: Vec<Plain<1>>,
    /// The state in the fluent slots.
    loaded: Option<State>,
    /// Termination and legal moves of the loaded state, if computed.
    legality: Option<(bool, Vec<MoveId>)>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator of a game.
    pub fn new(circuit: &'a Circuit) -> Self {
        let programs = circuit.single();
        let mut slots = Vec::new();
        grow(&mut slots, programs.legality.slot_count().max(programs.transition.slot_count()));
        grow(&mut slots, programs.layout.scratch as usize);
        Self { circuit, programs, slots, loaded: None, legality: None }
    }

    /// Whether the game is over.
    pub fn terminal(&mut self, state: &State) -> bool {
        self.legality(state).0
    }

    /// The legal moves of all roles, sorted.
    pub fn legal(&mut self, state: &State) -> Vec<MoveId> {
        self.legality(state).1.clone()
    }

    /// Each role's goal: its only goal value, or nothing if it has none or several.
    pub fn goals(&mut self, state: &State) -> IndexVec<RoleId, Option<u32>> {
        self.load(state);
        let program = self.programs.goals(&self.circuit.source);
        grow(&mut self.slots, program.slot_count());
        program.run(&mut self.slots);
        let mut values = IndexVec::filled((0, None), self.circuit.role_count());
        let slots = self.programs.layout.goal_slots();
        for (goal, slot) in self.circuit.goals.iter().zip(slots) {
            if self.slots[slot].any() {
                let (count, value) = &mut values[goal.role];
                *count += 1;
                *value = Some(goal.value);
            }
        }
        let only = |(count, value): (i32, Option<u32>)| value.filter(|_| count == 1);
        values.into_vec().into_iter().map(only).collect::<Vec<_>>().into()
    }

    /// The state after a joint move: one legal move per role, in any order.
    pub fn next(&mut self, state: &State, moves: &[MoveId]) -> State {
        self.load(state);
        let layout = self.programs.layout;
        self.slots[layout.moves as usize..layout.next as usize].fill(Plain::zero());
        for action in moves {
            if let Some(slot) = self.programs.slot_of_move[action.index()] {
                self.slots[slot as usize] = Plain::ones();
            }
        }
        self.programs.transition.run(&mut self.slots);
        let mut successor = state.clone();
        let words = successor.words_mut();
        for &fluent in &self.programs.changing {
            let value = self.slots[(layout.next + fluent) as usize].word() & 1;
            let (word, bit) = (fluent as usize / 64, fluent % 64);
            words[word] = words[word] & !(1 << bit) | value << bit;
        }
        successor
    }

    /// The percepts of a joint move in a state, as places in the net's list of percepts.
    pub fn percepts(&mut self, state: &State, moves: &[MoveId]) -> Vec<usize> {
        self.load(state);
        let (program, places) = self.programs.percepts(&self.circuit.source);
        grow(&mut self.slots, program.slot_count().max(places.end));
        let first = self.programs.layout.scratch as usize;
        self.slots[first..places.start].fill(Plain::zero());
        for action in moves {
            self.slots[first + action.index()] = Plain::ones();
        }
        program.run(&mut self.slots);
        places.clone().filter(|&slot| self.slots[slot].any()).map(|s| s - places.start).collect()
    }

    /// The fluent slots no longer hold the state that was asked last.
    pub(crate) fn forget(&mut self) {
        self.loaded = None;
        self.legality = None;
    }

    pub(crate) fn role_of(&self, action: MoveId) -> RoleId {
        let after = self.circuit.source.moves_of.partition_point(|m| m.end <= action.number());
        RoleId::from_index(after)
    }

    fn legality(&mut self, state: &State) -> &(bool, Vec<MoveId>) {
        self.load(state);
        if self.legality.is_none() {
            self.programs.legality.run(&mut self.slots);
            let layout = self.programs.layout;
            let terminal = self.slots[layout.terminal as usize].any();
            let slots = &self.slots[layout.moves as usize..layout.next as usize];
            let computed = self.programs.moves.iter().zip(slots);
            let legal = computed.filter(|(_, slot)| slot.any()).map(|(&action, _)| action);
            let legal = merge_sorted(legal, &self.programs.always_legal);
            self.legality = Some((terminal, legal));
        }
        self.legality.as_ref().expect("computed above")
    }

    pub(crate) fn load(&mut self, state: &State) {
        if self.loaded.as_ref() == Some(state) {
            return;
        }
        let layout = self.programs.layout;
        let slots = &mut self.slots[layout.fluent_slots()];
        for (chunk, &word) in slots.chunks_mut(64).zip(state.words()) {
            for (bit, slot) in chunk.iter_mut().enumerate() {
                *slot = if word >> bit & 1 == 1 { Plain::ones() } else { Plain::zero() };
            }
        }
        self.loaded = Some(state.clone());
        self.legality = None;
    }
}

/// Makes room, and keeps the constants in place.
fn grow(slots: &mut Vec<Plain<1>>, len: usize) {
    if slots.len() < len {
        slots.resize(len, Plain::zero());
        slots[1] = Plain::ones();
    }
}

/// The computed moves and those that are always legal, in one order.
fn merge_sorted(computed: impl Iterator<Item = u32>, always: &[u32]) -> Vec<MoveId> {
    let mut moves: Vec<MoveId> = computed.map(MoveId::new).collect();
    if !always.is_empty() {
        moves.extend(always.iter().copied().map(MoveId::new));
        moves.sort_unstable();
    }
    moves
}
