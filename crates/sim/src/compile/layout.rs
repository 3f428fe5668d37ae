//! Which slots hold what.

use std::ops::Range;

use crate::compile::reduce::graph::Input;

/// Where everything lies. Slots 0 and 1 are the constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) fluents: u32,
    /// What is done.
    pub(crate) moves: u32,
    /// What is legal; the same slots as `moves` in playouts, where the choice replaces one by the
    /// other.
    pub(crate) legal: u32,
    /// New values of the fluents.
    pub(crate) next: u32,
    pub(crate) terminal: u32,
    pub(crate) goals: u32,
    /// The lanes whose game is over, for machine code.
    pub(crate) over: u32,
    /// Free from here on.
    pub(crate) scratch: u32,
}

/// How many there are of each kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) fluents: u32,
    /// Moves that can be done.
    pub(crate) moves: u32,
    /// Moves that can be legal.
    pub(crate) legal: u32,
    pub(crate) goals: u32,
}

impl Layout {
    /// Legality and what is done share their slots.
    pub(crate) fn shared(counts: Counts) -> Self {
        let moves = 2 + counts.fluents;
        Self::with_moves(counts, moves, moves)
    }

    /// Legality and what is done have slots of their own.
    pub(crate) fn apart(counts: Counts) -> Self {
        let moves = 2 + counts.fluents;
        Self::with_moves(counts, moves, moves + counts.moves)
    }

    fn with_moves(counts: Counts, moves: u32, legal: u32) -> Self {
        let next = legal + counts.legal;
        let terminal = next + counts.fluents;
        let goals = terminal + 1;
        let over = goals + counts.goals;
        Self { fluents: 2, moves, legal, next, terminal, goals, over, scratch: over + 1 }
    }

    /// Whether the choice replaces what is legal by what is done.
    pub(crate) fn is_shared(&self) -> bool {
        self.legal == self.moves
    }

    pub(crate) fn fluent_slots(&self) -> Range<usize> {
        self.fluents as usize..self.moves as usize
    }

    pub(crate) fn goal_slots(&self) -> Range<usize> {
        self.goals as usize..self.over as usize
    }

    /// Where an input of gates lies, given the places of the moves.
    pub(crate) fn slot_of(&self, places: &[Option<u32>], input: Input) -> u32 {
        match input {
            Input::Fluent(fluent) => self.fluents + fluent,
            // A move without a place is a constant, so that no gate reads it.
            Input::Does(action) => self.moves + places[action as usize].unwrap_or(0),
            // Variables get slots of their own in each program.
            Input::Variable(_) => crate::compile::code::ZEROS,
        }
    }
}
