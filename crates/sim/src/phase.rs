//! One phase of a game, reduced to gates.

use std::ops::Range;

use crate::reduce::binary::Gates;
use crate::reduce::gates_for;
use crate::reduce::literal::Literal;
use crate::reduce::translate::{Assumptions, Translation, translate, translate_state};
use crate::source::Source;

/// Gates for one phase.
///
/// A move that cannot be legal in the phase is left out. A role with one move left does it, so the
/// move is a constant; its legality is still computed, unless it is a constant too, because a role
/// without a legal move is stuck.
pub(crate) struct PhaseGates {
    /// Termination, then the legality of [`Self::moves`].
    pub(crate) legality: Gates,
    /// The new values of [`Self::changing`].
    pub(crate) transition: Gates,
    /// The fluents that do not just keep their value, ascending.
    pub(crate) changing: Vec<u32>,
    /// The moves whose legality is computed, ascending.
    pub(crate) moves: Vec<u32>,
    /// Moves that are always legal and the only ones of their role, ascending.
    pub(crate) always_legal: Vec<u32>,
    /// Which of [`Self::moves`] belong to each role that has something to choose or can be stuck.
    pub(crate) choices: Vec<Range<usize>>,
}

/// Nets with more gates are not compiled twice to see which way is smaller.
const LARGE: usize = 400_000;

impl PhaseGates {
    pub(crate) fn of(source: &Source, known: &[Option<bool>]) -> Self {
        let mut assumptions = Assumptions::none(source);
        assumptions.fluents = known.to_vec();
        let state = translate_state(source, &assumptions);
        assumptions.does = forced_moves(source, &state.legal);
        let plain = Candidate::of(source, &assumptions);
        let best = if source.gate_count() > LARGE {
            plain
        } else {
            assumptions.done_is_legal = true;
            plain.smaller(Candidate::of(source, &assumptions))
        };
        Self::from_candidate(source, &assumptions, best)
    }

    fn from_candidate(source: &Source, assumptions: &Assumptions, best: Candidate) -> Self {
        let Candidate { translation, transition, changing } = best;
        let mut moves = Vec::new();
        let (mut choices, mut always_legal) = (Vec::new(), Vec::new());
        for range in &source.moves_of {
            let first = moves.len();
            let can_be_legal = |&m: &u32| assumptions.does[m as usize] != Some(false);
            moves.extend(range.clone().filter(can_be_legal));
            match moves[first..] {
                [only] if translation.legal[only as usize] == Literal::TRUE => {
                    always_legal.extend(moves.pop());
                }
                _ => choices.push(first..moves.len()),
            }
        }
        let mut outputs = vec![translation.terminal];
        outputs.extend(moves.iter().map(|&action| translation.legal[action as usize]));
        let legality = gates_for(&translation, &outputs);
        Self { legality, transition, changing, moves, always_legal, choices }
    }

    /// The place of each move among [`Self::moves`].
    pub(crate) fn place_of_moves(&self, source: &Source) -> Vec<Option<u32>> {
        let mut place = vec![None; source.move_count()];
        for (index, &action) in self.moves.iter().enumerate() {
            place[action as usize] = Some(index as u32);
        }
        place
    }
}

/// Goals, which are asked in any phase.
pub(crate) fn goal_gates(source: &Source) -> Gates {
    let translation = translate_state(source, &Assumptions::none(source));
    gates_for(&translation, &translation.goals)
}

/// Percepts, which depend on the state and the moves.
pub(crate) fn percept_gates(source: &Source) -> Gates {
    let translation = translate(source, &Assumptions::none(source));
    gates_for(&translation, &translation.percepts)
}

/// Moves that are never legal are never done; a role's only other move always is.
fn forced_moves(source: &Source, legal: &[Literal]) -> Vec<Option<bool>> {
    let mut does: Vec<Option<bool>> =
        legal.iter().map(|&legal| (legal == Literal::FALSE).then_some(false)).collect();
    for range in &source.moves_of {
        let mut live = range.clone().filter(|&action| does[action as usize].is_none());
        if let (Some(only), None) = (live.next(), live.next()) {
            does[only as usize] = Some(true);
        }
    }
    does
}

/// One way to compile the transitions.
struct Candidate {
    translation: Translation,
    transition: Gates,
    changing: Vec<u32>,
}

impl Candidate {
    fn of(source: &Source, assumptions: &Assumptions) -> Self {
        let translation = translate(source, assumptions);
        let keeps = |fluent: u32| {
            let next = translation.next[fluent as usize];
            match assumptions.fluents[fluent as usize] {
                Some(value) => next == Literal::constant(value),
                None => next == translation.graph.inputs.fluent(fluent),
            }
        };
        let fluents = 0..source.fluent_count() as u32;
        let changing: Vec<u32> = fluents.filter(|&fluent| !keeps(fluent)).collect();
        let outputs: Vec<Literal> =
            changing.iter().map(|&fluent| translation.next[fluent as usize]).collect();
        let transition = gates_for(&translation, &outputs);
        Self { translation, transition, changing }
    }

    fn smaller(self, other: Self) -> Self {
        if other.transition.gates.len() < self.transition.gates.len() { other } else { self }
    }
}
