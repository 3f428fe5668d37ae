//! All successors of a state at once: lane `i` is the `i`-th joint move.
//!
//! One sweep of the transition and one of the legality give the successors of as many joint moves as
//! there are lanes, with their termination and their legal moves. A search that wants all of them
//! gets them for the price of a few.

use std::ops::Range;

use gambol_net::MoveId;
use smallvec::SmallVec;

use crate::query::lanes::words_for;
use crate::{Evaluator, State};

/// More joint moves than this are not expanded at once.
const MOST_JOINT_MOVES: usize = 1 << 16;

/// What a joint move leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor<'a> {
    /// The state.
    pub state: &'a State,
    /// Whether the game is over in it.
    pub terminal: bool,
    /// The legal moves of all roles in it, sorted.
    pub legal: &'a [MoveId],
}

/// The successors of a state, one per joint move. The last role's move changes fastest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    roles: usize,
    joint_moves: Vec<MoveId>,
    states: Vec<State>,
    terminal: Vec<bool>,
    /// The legal moves of successor `i` are `legal[first_legal[i]..first_legal[i + 1]]`.
    legal: Vec<MoveId>,
    first_legal: Vec<u32>,
    /// Whether these are all joint moves; a state with very many is expanded in part.
    pub complete: bool,
}

impl Expansion {
    /// How many joint moves there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether some role has no legal move.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The moves that lead to a successor, one per role in the order of the roles.
    pub fn joint_move(&self, successor: usize) -> &[MoveId] {
        &self.joint_moves[successor * self.roles..(successor + 1) * self.roles]
    }

    /// What a joint move leads to.
    pub fn successor(&self, successor: usize) -> Successor<'_> {
        let (first, end) = (self.first_legal[successor], self.first_legal[successor + 1]);
        Successor {
            state: &self.states[successor],
            terminal: self.terminal[successor],
            legal: &self.legal[first as usize..end as usize],
        }
    }

    /// Joint moves with their successors.
    pub fn iter(&self) -> impl Iterator<Item = (&[MoveId], Successor<'_>)> {
        (0..self.len()).map(|number| (self.joint_move(number), self.successor(number)))
    }
}

impl Evaluator<'_> {
    /// All successors of a state. Empty if a role has no legal move; a terminal state is expanded
    /// like any other.
    pub fn expand(&mut self, state: &State) -> Expansion {
        let (joint_moves, complete) = self.joint_moves(state);
        let mut expansion = self.successors(&joint_moves, |evaluator, _| evaluator.load(state));
        (expansion.joint_moves, expansion.complete) = (joint_moves, complete);
        expansion
    }

    /// What one joint move leads to in each of some states: the moves of the first, role after role, then those
    /// of the second, and so on. They need not be legal.
    pub fn follow(&mut self, states: &[&State], joint_moves: Vec<MoveId>) -> Expansion {
        let load = |evaluator: &mut Self, lanes: Range<usize>| {
            let mut rows = std::mem::take(&mut evaluator.rows);
            rows.clear();
            rows.extend(states[lanes].iter().flat_map(|state| state.words()));
            evaluator.lanes.load_rows(&rows);
            evaluator.rows = rows;
        };
        let mut expansion = self.successors(&joint_moves, load);
        expansion.joint_moves = joint_moves;
        expansion
    }

    /// Makes joint moves, each in a lane of its own, in the states that `load` puts there.
    fn successors(
        &mut self,
        joint_moves: &[MoveId],
        mut load: impl FnMut(&mut Self, Range<usize>),
    ) -> Expansion {
        let roles = self.circuit.role_count().max(1);
        let count = joint_moves.len() / roles;
        let mut expansion = Expansion {
            roles,
            joint_moves: Vec::new(),
            states: Vec::with_capacity(count),
            terminal: Vec::with_capacity(count),
            // Mostly about as many moves are legal as were before.
            legal: Vec::with_capacity(count * (self.legal.len() + 2)),
            first_legal: Vec::with_capacity(count + 1),
            complete: true,
        };
        expansion.first_legal.push(0);
        let lanes = 64 * self.lanes.parts();
        for (first, moves) in (0..).step_by(lanes).zip(joint_moves.chunks(lanes * roles)) {
            let here = moves.len() / roles;
            load(self, first..first + here);
            self.sweep(moves, roles);
            self.read_lanes(here, &mut expansion);
        }
        expansion
    }

    fn joint_moves(&mut self, state: &State) -> (Vec<MoveId>, bool) {
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
        combinations(&by_role)
    }

    /// Makes each joint move in its lane.
    fn sweep(&mut self, joint_moves: &[MoveId], roles: usize) {
        let parts = self.lanes.parts();
        let words = self.lanes.words_mut();
        for (lane, joint_move) in joint_moves.chunks(roles).enumerate() {
            for &action in joint_move {
                words[self.single.does_slot(action) * parts + lane / 64] |= 1 << (lane % 64);
            }
        }
        self.lanes.transition();
        let words = self.lanes.words_mut();
        for &action in joint_moves {
            words[self.single.does_slot(action) * parts..][..parts].fill(0);
        }
        self.forget();
        self.lanes.legality();
    }

    /// Reads the states of the first lanes, their termination and their legal moves.
    fn read_lanes(&mut self, count: usize, expansion: &mut Expansion) {
        let (layout, parts) = (self.layout(), self.lanes.parts());
        let terminal = &self.lanes.words()[layout.terminal as usize * parts..][..parts];
        let is_terminal = |lane: usize| terminal[lane / 64] >> (lane % 64) & 1 == 1;
        expansion.terminal.extend((0..count).map(is_terminal));
        let (mut rows, fluents) = (std::mem::take(&mut self.rows), layout.fluent_slots());
        let width = words_for(fluents.len());
        rows.clear();
        rows.resize(count * width, 0);
        let of_state = self.circuit.fluent_count().div_ceil(64);
        self.lanes.read_rows(fluents, &mut rows);
        expansion
            .states
            .extend(rows.chunks_exact(width).map(|row| State::from_words(&row[..of_state])));
        self.read_legal(count, &mut rows, expansion);
        self.rows = rows;
    }

    fn read_legal(&self, count: usize, rows: &mut Vec<u64>, expansion: &mut Expansion) {
        let phase = &self.single.batch.phases[0];
        let legal = self.layout().legal as usize;
        let width = words_for(phase.moves.len());
        rows.clear();
        rows.resize(count * width, 0);
        self.lanes.read_rows(legal..legal + phase.moves.len(), rows);
        for row in rows.chunks_exact(width) {
            let start = expansion.legal.len();
            for (moves, &word) in phase.moves.chunks(64).zip(row) {
                let mut rest = word;
                while rest != 0 {
                    expansion.legal.push(MoveId::new(moves[rest.trailing_zeros() as usize]));
                    rest &= rest - 1;
                }
            }
            if !phase.always_legal.is_empty() {
                let always = phase.always_legal.iter().map(|&action| MoveId::new(action));
                expansion.legal.extend(always);
                expansion.legal[start..].sort_unstable();
            }
            expansion.first_legal.push(expansion.legal.len() as u32);
        }
    }
}

/// All combinations of one move per role, row after row, up to the limit.
fn combinations(by_role: &[&[MoveId]]) -> (Vec<MoveId>, bool) {
    let all = by_role.iter().try_fold(1usize, |product, moves| product.checked_mul(moves.len()));
    let count = all.unwrap_or(usize::MAX).min(MOST_JOINT_MOVES);
    let mut joint_moves = Vec::with_capacity(count * by_role.len());
    for number in 0..count {
        let mut rest = number;
        let first = joint_moves.len();
        for moves in by_role.iter().rev() {
            joint_moves.push(moves[rest % moves.len()]);
            rest /= moves.len();
        }
        joint_moves[first..].reverse();
    }
    (joint_moves, all == Some(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_moves_are_all_combinations() {
        let [a, b, c] = [0, 1, 2].map(MoveId::new);
        assert_eq!(combinations(&[&[a], &[b, c]]), (vec![a, b, a, c], true));
        assert_eq!(combinations(&[&[a], &[]]), (vec![], true));
    }
}
