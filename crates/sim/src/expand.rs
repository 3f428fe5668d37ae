//! All successors of a state at once: lane `i` is the `i`-th joint move.
//!
//! One sweep of the transition and one of the legality give the successors of up to 64 joint moves
//! with their termination and their legal moves. A search that wants all of them gets them for the
//! price of a few.

use gambol_index::Id;
use gambol_net::{MoveId, RoleId};

use crate::word::{Plain, Word};
use crate::{Evaluator, State};

/// More joint moves than this are not expanded at once.
const MOST_JOINT_MOVES: usize = 1 << 16;
const LANES: usize = 64;

/// What a joint move leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Successor {
    /// The state.
    pub state: State,
    /// Whether the game is over in it.
    pub terminal: bool,
    /// The legal moves of all roles in it, sorted.
    pub legal: Vec<MoveId>,
}

/// The successors of a state, one per joint move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    roles: usize,
    joint_moves: Vec<MoveId>,
    /// The successors, in the order of the joint moves: the last role's move changes fastest.
    pub successors: Vec<Successor>,
    /// Whether these are all joint moves; a state with very many is expanded in part.
    pub complete: bool,
}

impl Expansion {
    /// How many joint moves there are.
    pub fn len(&self) -> usize {
        self.successors.len()
    }

    /// Whether some role has no legal move.
    pub fn is_empty(&self) -> bool {
        self.successors.is_empty()
    }

    /// The moves that lead to a successor, one per role in the order of the roles.
    pub fn joint_move(&self, successor: usize) -> &[MoveId] {
        &self.joint_moves[successor * self.roles..(successor + 1) * self.roles]
    }

    /// Joint moves with their successors.
    pub fn iter(&self) -> impl Iterator<Item = (&[MoveId], &Successor)> {
        self.joint_moves.chunks(self.roles.max(1)).zip(&self.successors)
    }
}

impl Evaluator<'_> {
    /// All successors of a state. Empty if a role has no legal move; a terminal state is expanded
    /// like any other.
    pub fn expand(&mut self, state: &State) -> Expansion {
        let legal = self.legal(state);
        let roles = self.circuit.role_count();
        let by_role: Vec<Vec<MoveId>> = (0..roles)
            .map(|role| {
                let of_role = |action: &&MoveId| self.role_of(**action) == RoleId::from_index(role);
                legal.iter().filter(of_role).copied().collect()
            })
            .collect();
        let (joint_moves, complete) = joint_moves(&by_role);
        let mut successors = Vec::with_capacity(joint_moves.len() / roles.max(1));
        for lanes in joint_moves.chunks((LANES * roles).max(1)) {
            self.sweep(state, lanes, roles, &mut successors);
        }
        Expansion { roles, joint_moves, successors, complete }
    }

    /// The successors of up to 64 joint moves.
    fn sweep(
        &mut self,
        state: &State,
        joint_moves: &[MoveId],
        roles: usize,
        successors: &mut Vec<Successor>,
    ) {
        self.load(state);
        let programs = self.programs;
        let layout = programs.layout;
        self.slots[layout.moves as usize..layout.next as usize].fill(Plain::zero());
        for (lane, joint_move) in joint_moves.chunks(roles).enumerate() {
            for action in joint_move {
                if let Some(slot) = programs.slot_of_move[action.index()] {
                    let word = &mut self.slots[slot as usize];
                    *word = word.or(Plain::from_word(1 << lane));
                }
            }
        }
        programs.transition.run(&mut self.slots);
        for &fluent in &programs.changing {
            self.slots[(layout.fluents + fluent) as usize] =
                self.slots[(layout.next + fluent) as usize];
        }
        self.forget();
        programs.legality.run(&mut self.slots);
        self.read_lanes(joint_moves.len() / roles, successors);
    }

    fn read_lanes(&self, lanes: usize, successors: &mut Vec<Successor>) {
        let layout = self.programs.layout;
        let first = successors.len();
        let terminal = self.slots[layout.terminal as usize].word();
        successors.extend((0..lanes).map(|lane| Successor {
            state: State::empty(self.circuit.fluent_count()),
            terminal: terminal >> lane & 1 == 1,
            legal: Vec::new(),
        }));
        let new = &mut successors[first..];
        for (place, words) in self.slots[layout.fluent_slots()].chunks(LANES).enumerate() {
            for (successor, word) in new.iter_mut().zip(transposed(words)) {
                successor.state.words_mut()[place] = word;
            }
        }
        let slots = &self.slots[layout.moves as usize..layout.next as usize];
        for (moves, words) in self.programs.moves.chunks(LANES).zip(slots.chunks(LANES)) {
            for (successor, word) in new.iter_mut().zip(transposed(words)) {
                let mut rest = word;
                while rest != 0 {
                    successor.legal.push(MoveId::new(moves[rest.trailing_zeros() as usize]));
                    rest &= rest - 1;
                }
            }
        }
        let always = self.programs.always_legal.iter().map(|&action| MoveId::new(action));
        if !self.programs.always_legal.is_empty() {
            for successor in new {
                successor.legal.extend(always.clone());
                successor.legal.sort_unstable();
            }
        }
    }
}

/// All combinations of one move per role, row after row, up to the limit.
fn joint_moves(by_role: &[Vec<MoveId>]) -> (Vec<MoveId>, bool) {
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

/// Row `i` of the result holds bit `i` of every row given (Warren, *Hacker's Delight*).
fn transposed(rows: &[Plain<1>]) -> [u64; LANES] {
    let mut square = [0u64; LANES];
    for (row, word) in square.iter_mut().zip(rows) {
        *row = word.word();
    }
    let mut half = LANES / 2;
    let mut mask = u64::MAX >> half;
    while half > 0 {
        let mut row = 0;
        while row < LANES {
            let swapped = (square[row] >> half ^ square[row + half]) & mask;
            square[row] ^= swapped << half;
            square[row + half] ^= swapped;
            row = (row + half + 1) & !half;
        }
        half /= 2;
        mask ^= mask << half;
    }
    square
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_swaps_rows_and_lanes() {
        let mut mixer = 5;
        let rows: Vec<u64> = (0..50).map(|_| crate::random::split_mix(&mut mixer)).collect();
        let words: Vec<Plain<1>> = rows.iter().map(|&row| Plain::from_word(row)).collect();
        let square = transposed(&words);
        for (lane, word) in square.iter().enumerate() {
            for (row, original) in rows.iter().enumerate() {
                assert_eq!(word >> row & 1, original >> lane & 1);
            }
            assert_eq!(word >> 50, 0);
        }
    }

    #[test]
    fn joint_moves_are_all_combinations() {
        let [a, b, c] = [0, 1, 2].map(MoveId::new);
        assert_eq!(joint_moves(&[vec![a], vec![b, c]]), (vec![a, b, a, c], true));
        assert_eq!(joint_moves(&[vec![a], vec![]]), (vec![], true));
    }
}
