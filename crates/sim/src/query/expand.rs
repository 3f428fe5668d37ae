//! All successors of a state at once: lane `i` is the `i`-th joint move.
//!
//! One sweep of the transition and one of the legality give the successors of as many joint moves as
//! there are lanes, with their termination and their legal moves. A search that wants all of them
//! gets them for the price of a few. They stay rows of bits until one of them is asked for.

use gambol_index::bits;
use gambol_net::MoveId;
use smallvec::{SmallVec, smallvec};

use crate::engine::single::Single;
use crate::query::rows::words_for;
use crate::{Circuit, Evaluator, State};

/// More joint moves than this are not expanded at once.
const MOST_JOINT_MOVES: usize = 1 << 16;

/// What a joint move leads to.
#[derive(Clone, Copy, Debug)]
pub struct Successor<'e> {
    /// Whether the game is over.
    pub terminal: bool,
    /// The state, 64 fluents to a word.
    pub words: &'e [u64],
    legal: &'e [u64],
    single: &'e Single,
}

impl Successor<'_> {
    /// The state.
    pub fn state(&self) -> State {
        State::from_words(self.words)
    }

    /// The legal moves of all roles, sorted.
    pub fn legal(&self) -> Vec<MoveId> {
        let mut legal = Vec::new();
        self.single.batch.phases[0].append_legal(self.legal, &mut legal);
        legal
    }
}

/// The successors of a state, one per joint move. The last role's move changes fastest. It keeps its
/// memory when another state is expanded into it.
#[derive(Clone, Debug)]
pub struct Expansion<'a> {
    single: &'a Single,
    roles: usize,
    /// How many words a state takes.
    state_words: usize,
    joint_moves: Vec<MoveId>,
    /// Rows of bits, one after the other.
    states: Vec<u64>,
    legal: Vec<u64>,
    /// One bit per successor.
    terminal: Vec<u64>,
    /// Whether these are all joint moves; a state with very many is expanded in part.
    pub complete: bool,
}

impl<'a> Expansion<'a> {
    /// Room for the successors of a game's states; none yet.
    pub fn new(circuit: &'a Circuit) -> Self {
        Self {
            single: circuit.single(),
            roles: circuit.role_count().max(1),
            state_words: circuit.fluent_count().div_ceil(64),
            joint_moves: Vec::new(),
            states: Vec::new(),
            legal: Vec::new(),
            terminal: Vec::new(),
            complete: true,
        }
    }

    /// How many joint moves there are.
    pub fn len(&self) -> usize {
        self.joint_moves.len() / self.roles
    }

    /// Whether some role has no legal move.
    pub fn is_empty(&self) -> bool {
        self.joint_moves.is_empty()
    }

    /// The moves that lead to a successor, one per role in the order of the roles.
    pub fn joint_move(&self, successor: usize) -> &[MoveId] {
        &self.joint_moves[successor * self.roles..(successor + 1) * self.roles]
    }

    /// What a joint move leads to.
    pub fn successor(&self, successor: usize) -> Successor<'_> {
        let legal_words = words_for(self.single.batch.phases[0].moves.len());
        let row_words = self.state_words.max(1);
        Successor {
            terminal: bits::is_set(&self.terminal, successor),
            words: &self.states[successor * row_words..][..self.state_words],
            legal: &self.legal[successor * legal_words..][..legal_words],
            single: self.single,
        }
    }

    /// Joint moves with their successors.
    pub fn iter(&self) -> impl Iterator<Item = (&[MoveId], Successor<'_>)> {
        (0..self.len()).map(|number| (self.joint_move(number), self.successor(number)))
    }
}

impl<'a> Evaluator<'a> {
    /// All successors of a state. Empty if a role has no legal move; a terminal state is expanded
    /// like any other.
    pub fn expand(&mut self, state: &State) -> Expansion<'a> {
        let mut expansion = Expansion::new(self.circuit);
        self.expand_into(state, &mut expansion);
        expansion
    }

    /// The same into memory that is there. The expansion must be of the same circuit.
    pub fn expand_into(&mut self, state: &State, expansion: &mut Expansion<'a>) {
        assert!(std::ptr::eq(self.single, expansion.single), "an expansion of another circuit");
        expansion.states.clear();
        expansion.legal.clear();
        expansion.terminal.clear();
        expansion.complete = self.joint_moves(state, &mut expansion.joint_moves);
        let (joint_moves, roles) = (std::mem::take(&mut expansion.joint_moves), expansion.roles);
        for moves in joint_moves.chunks(64 * self.lanes.parts() * roles) {
            self.load(state);
            self.make_moves(moves, roles);
            self.read_lanes(moves.len() / roles, expansion);
        }
        expansion.joint_moves = joint_moves;
    }

    /// All joint moves, one move per role for each; says whether these are all.
    fn joint_moves(&mut self, state: &State, joint_moves: &mut Vec<MoveId>) -> bool {
        let circuit = self.circuit;
        let ends = circuit.source.moves_of.iter().map(|moves| moves.end);
        let mut legal = self.legal_moves(state);
        let mut by_role: SmallVec<[&[MoveId]; 4]> = SmallVec::new();
        for end in ends {
            let (moves, rest) =
                legal.split_at(legal.partition_point(|action| action.number() < end));
            by_role.push(moves);
            legal = rest;
        }
        combine(&by_role, joint_moves)
    }

    /// Makes each joint move in its lane.
    fn make_moves(&mut self, joint_moves: &[MoveId], roles: usize) {
        let parts = self.lanes.parts();
        let words = self.lanes.words_mut();
        for (lane, joint_move) in joint_moves.chunks_exact(roles).enumerate() {
            for &action in joint_move {
                words[self.single.does_slot(action) * parts + lane / 64] |= 1 << (lane % 64);
            }
        }
        self.lanes.transition();
        let words = self.lanes.words_mut();
        for (lane, joint_move) in joint_moves.chunks_exact(roles).enumerate() {
            for &action in joint_move {
                words[self.single.does_slot(action) * parts + lane / 64] = 0;
            }
        }
        self.forget();
        self.lanes.legality();
    }

    /// Reads the states of the first lanes, their termination and their legal moves.
    fn read_lanes(&mut self, count: usize, expansion: &mut Expansion<'a>) {
        let (layout, parts) = (self.layout(), self.lanes.parts());
        let terminal = &self.lanes.words()[layout.terminal as usize * parts..][..parts];
        expansion.terminal.extend_from_slice(&terminal[..count.div_ceil(64)]);
        let (fluents, legal) = (layout.fluent_slots(), layout.legal as usize);
        let moves = self.single.batch.phases[0].moves.len();
        let states = appended(&mut expansion.states, count * words_for(fluents.len()));
        self.lanes.read_rows(fluents, states);
        let rows = appended(&mut expansion.legal, count * words_for(moves));
        self.lanes.read_rows(legal..legal + moves, rows);
    }
}

/// New words at the end.
fn appended(words: &mut Vec<u64>, count: usize) -> &mut [u64] {
    let start = words.len();
    words.resize(start + count, 0);
    &mut words[start..]
}

/// All combinations of one move per role, row after row, up to the limit; says whether these are all.
fn combine(by_role: &[&[MoveId]], joint_moves: &mut Vec<MoveId>) -> bool {
    let all = by_role.iter().try_fold(1usize, |product, moves| product.checked_mul(moves.len()));
    let count = all.unwrap_or(usize::MAX).min(MOST_JOINT_MOVES);
    let mut places: SmallVec<[usize; 4]> = smallvec![0; by_role.len()];
    joint_moves.clear();
    for _ in 0..count {
        joint_moves.extend(by_role.iter().zip(&places).map(|(moves, &place)| moves[place]));
        for (place, moves) in places.iter_mut().zip(by_role).rev() {
            *place += 1;
            if *place < moves.len() {
                break;
            }
            *place = 0;
        }
    }
    all == Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combinations(by_role: &[&[MoveId]]) -> (Vec<MoveId>, bool) {
        let mut joint_moves = Vec::new();
        let complete = combine(by_role, &mut joint_moves);
        (joint_moves, complete)
    }

    #[test]
    fn joint_moves_are_all_combinations() {
        let [a, b, c] = [0, 1, 2].map(MoveId::new);
        assert_eq!(combinations(&[&[a], &[b, c]]), (vec![a, b, a, c], true));
        assert_eq!(combinations(&[&[b, c], &[a]]), (vec![b, a, c, a], true));
        assert_eq!(combinations(&[&[a], &[]]), (vec![], true));
    }
}
