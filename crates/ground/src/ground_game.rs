//! A ground game: the rules with every variable gone.
//!
//! What the rules say about a state and a joint move is one and/or graph, [`Formulas`]; the roots
//! say which formula each `next`, `legal`, `goal` and `terminal` is.

use std::sync::Arc;

use gambol_index::IndexVec;

use crate::formulas::{Formulas, Signal};
use crate::ids::{FluentId, MoveId, RoleId};
use crate::names::{AtomName, Names};

/// A move of a role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Who does it.
    pub role: RoleId,
    /// The term, as GDL text.
    pub name: Box<str>,
}

/// `(goal role value)` holds if the formula does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// Whose goal.
    pub role: RoleId,
    /// How much it is worth.
    pub value: u32,
    /// When.
    pub when: Signal,
}

/// `(sees role percept)` holds if the formula does (GDL-II).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Percept {
    /// Who perceives.
    pub role: RoleId,
    /// What, as GDL text.
    pub name: Box<str>,
    /// When.
    pub when: Signal,
}

/// An atom of a derived relation, and the formula that it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The atom; [`GroundGame::names`] spells it out.
    pub atom: AtomName,
    /// When it holds.
    pub when: Signal,
}

/// A game without variables.
#[derive(Clone, Debug)]
pub struct GroundGame {
    /// The players, by name.
    pub roles: IndexVec<RoleId, Box<str>>,
    /// The fluents, as GDL text, sorted by bytes.
    pub fluents: IndexVec<FluentId, Box<str>>,
    /// The moves, sorted by role and then by the bytes of their text.
    pub moves: IndexVec<MoveId, Move>,
    /// The fluents that are true at the start, sorted.
    pub initial: Vec<FluentId>,
    /// The graph that the signals below point into.
    pub formulas: Formulas,
    /// What makes each fluent true in the following state. Reads fluents and moves.
    pub next: IndexVec<FluentId, Signal>,
    /// When each move is legal. Reads fluents only.
    pub legal: IndexVec<MoveId, Signal>,
    /// When the game is over. Reads fluents only.
    pub terminal: Signal,
    /// The goal values, sorted by role and value. Read fluents only.
    pub goals: Vec<Goal>,
    /// What the roles perceive. Reads fluents and moves.
    pub percepts: Vec<Percept>,
    /// The other derived atoms, for people to look at.
    pub views: Vec<View>,
    /// How the atoms of `views` are spelt.
    pub names: Arc<Names>,
}
