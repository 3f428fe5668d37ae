//! One state at a time, for searches and players.

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, RoleId};

use crate::compile::layout::Layout;
use crate::engine::single::Single;
use crate::engine::word::{Plain, Word};
use crate::engine::{Code, Width};
use crate::query::lanes::{Lanes, lanes_for};
use crate::query::rows::words_for;
use crate::{Circuit, State};

/// Answers questions about single states. Owns its scratch memory: one per thread.
///
/// Answers about the state that was asked last are remembered, so asking for termination, legal
/// moves and goals in turn costs no more than it must, and neither does a successor.
pub struct Evaluator<'a> {
    pub(crate) circuit: &'a Circuit,
    pub(crate) single: &'a Single,
    pub(crate) lanes: Box<dyn Lanes + Send + 'a>,
    /// The state in every lane, if it is the same.
    loaded: Option<State>,
    /// Whether termination and legal moves of the loaded state are computed.
    is_known: bool,
    terminal: bool,
    pub(crate) legal: Vec<MoveId>,
    percept_slots: Vec<Plain<1>>,
    /// Room for a row of bits.
    rows: Vec<u64>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator of a game.
    pub fn new(circuit: &'a Circuit) -> Self {
        Self::with_code(circuit, circuit.options.code)
    }

    /// An evaluator that is run in a certain way.
    pub fn with_code(circuit: &'a Circuit, code: Code) -> Self {
        let single = circuit.single();
        Self {
            circuit,
            single,
            // Few states have more joint moves than that.
            lanes: lanes_for(single, code, Width::W256),
            loaded: None,
            is_known: false,
            terminal: false,
            legal: Vec::new(),
            percept_slots: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Whether the game is over.
    pub fn terminal(&mut self, state: &State) -> bool {
        self.look(state);
        self.terminal
    }

    /// The legal moves of all roles, sorted.
    pub fn legal(&mut self, state: &State) -> Vec<MoveId> {
        self.legal_moves(state).to_vec()
    }

    /// The legal moves of all roles, sorted, without a copy.
    pub fn legal_moves(&mut self, state: &State) -> &[MoveId] {
        self.look(state);
        &self.legal
    }

    /// Each role's goal: its only goal value, or `None` if it has none or several.
    pub fn goals(&mut self, state: &State) -> IndexVec<RoleId, Option<u32>> {
        self.load(state);
        self.lanes.goals();
        let mut values = IndexVec::filled((0, None), self.circuit.role_count());
        for (goal, slot) in self.circuit.goals.iter().zip(self.layout().goal_slots()) {
            if self.is_set(slot) {
                let (count, value) = &mut values[goal.role];
                *count += 1;
                *value = Some(goal.value);
            }
        }
        let only = |(count, value): (i32, Option<u32>)| value.filter(|_| count == 1);
        values.into_vec().into_iter().map(only).collect::<Vec<_>>().into()
    }

    /// The state after a joint move: one move per role, in any order. They need not be legal.
    pub fn next(&mut self, state: &State, moves: &[MoveId]) -> State {
        self.load(state);
        self.set_moves(moves, u64::MAX);
        self.lanes.transition();
        self.set_moves(moves, 0);
        let successor = self.first_lane();
        // Every lane made the move, so the successor need not be loaded when it is asked about.
        self.loaded.get_or_insert_with(|| successor.clone()).clone_from(&successor);
        self.is_known = false;
        successor
    }

    /// The percepts of a joint move in a state, as places in the net's list of percepts.
    pub fn percepts(&mut self, state: &State, moves: &[MoveId]) -> Vec<usize> {
        let program = self.single.percepts(&self.circuit.source);
        let slots = &mut self.percept_slots;
        slots.clear();
        slots
            .resize(program.table.slot_count().max(program.layout.scratch as usize), Plain::zero());
        slots[1] = Plain::ones();
        for fluent in state.ones() {
            slots[program.layout.fluents as usize + fluent] = Plain::ones();
        }
        for action in moves {
            slots[program.layout.moves as usize + action.index()] = Plain::ones();
        }
        program.table.run(slots);
        let perceived = program.slots.clone().filter(|&slot| slots[slot].any());
        perceived.map(|slot| slot - program.slots.start).collect()
    }

    pub(crate) fn layout(&self) -> Layout {
        self.single.batch.layout
    }

    /// The state in the first lane.
    fn first_lane(&self) -> State {
        let mut state = State::empty(self.circuit.fluent_count());
        if !state.words().is_empty() {
            self.lanes.read_rows(self.layout().fluent_slots(), state.words_mut());
        }
        state
    }

    /// Whether a slot is set in the first lane.
    #[inline]
    fn is_set(&self, slot: usize) -> bool {
        self.lanes.words()[slot * self.lanes.parts()] & 1 == 1
    }

    /// Writes a word to all parts of the slots of moves.
    fn set_moves(&mut self, moves: &[MoveId], word: u64) {
        let parts = self.lanes.parts();
        let words = self.lanes.words_mut();
        for action in moves {
            words[self.single.does_slot(*action) * parts..][..parts].fill(word);
        }
    }

    /// Computes termination and legal moves, unless they are known.
    fn look(&mut self, state: &State) {
        self.load(state);
        if self.is_known {
            return;
        }
        self.is_known = true;
        self.lanes.legality();
        self.terminal = self.is_set(self.layout().terminal as usize);
        let phase = &self.single.batch.phases[0];
        let first = self.layout().legal as usize;
        self.rows.clear();
        self.rows.resize(words_for(phase.moves.len()), 0);
        self.lanes.read_rows(first..first + phase.moves.len(), &mut self.rows);
        self.legal.clear();
        phase.append_legal(&self.rows, &mut self.legal);
    }

    pub(crate) fn load(&mut self, state: &State) {
        match &mut self.loaded {
            Some(loaded) if loaded == state => return,
            Some(loaded) => {
                self.lanes.load_after(loaded.words(), state.words());
                loaded.clone_from(state);
            }
            None => {
                self.lanes.load(state.words());
                self.loaded = Some(state.clone());
            }
        }
        self.is_known = false;
    }

    /// The lanes no longer hold the state that was asked last.
    pub(crate) fn forget(&mut self) {
        self.loaded = None;
        self.is_known = false;
    }
}
