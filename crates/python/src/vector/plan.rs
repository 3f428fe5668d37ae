//! What lies where: the slots of the circuit, the moves of the roles, whose turn it is.

use std::ops::Range;

use gambol::Moving;
use gambol::ground::MoveId;
use gambol::index::Id;
use gambol::sim::{Evaluator, Slots, Sweep};
use pyo3::prelude::*;

use crate::shared::Shared;

/// When a move is legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Legality {
    /// As this slot says.
    Slot(usize),
    /// In every state.
    Always,
    /// In none.
    Never,
}

/// How a block of games is run.
pub(crate) struct Plan {
    /// Words of a slice.
    pub(crate) parts: usize,
    pub(crate) slots: Slots,
    pub(crate) fluents: usize,
    /// For each move when it is legal.
    pub(crate) legality: Vec<Legality>,
    /// The moves of each role.
    pub(crate) moves: Vec<Range<usize>>,
    /// The role of each player.
    pub(crate) players: Vec<usize>,
    pub(crate) chance: Option<usize>,
    /// Fluent and role of each turn marker; `None` if players move at once.
    pub(crate) markers: Option<Vec<(usize, usize)>>,
    /// The most actions of a player.
    pub(crate) actions: usize,
    /// The fluents that are true at the start.
    pub(crate) initial: Vec<bool>,
    /// The moves that are legal at the start.
    pub(crate) initial_legal: Vec<bool>,
    /// Role and value of each goal.
    pub(crate) goals: Vec<(usize, u32)>,
}

impl Plan {
    pub(crate) fn of(py: Python<'_>, shared: &Shared) -> PyResult<Self> {
        let (net, circuit, table) = (shared.net(), shared.circuit(), &shared.table);
        let markers = match shared.moving(py)? {
            Moving::Single => Some(Vec::new()),
            Moving::Simultaneous => None,
            Moving::Sequential(markers) => {
                Some(markers.iter().map(|one| (one.fluent.index(), one.role.index())).collect())
            }
        };
        let sweep = Sweep::new(circuit);
        let mut evaluator = Evaluator::new(circuit);
        let (start, mut initial_legal) = (circuit.initial(), vec![false; net.moves.len()]);
        evaluator
            .legal_moves(&start)
            .iter()
            .for_each(|action| initial_legal[action.index()] = true);
        let mut initial = vec![false; net.fluents.len()];
        net.initial.iter().for_each(|fluent| initial[fluent.index()] = true);
        Ok(Self {
            parts: sweep.parts(),
            slots: sweep.slots(),
            fluents: net.fluents.len(),
            legality: legality(&sweep, net.moves.len()),
            moves: table
                .moves
                .iter()
                .map(|moves| moves.start as usize..moves.end as usize)
                .collect(),
            players: table.players.clone(),
            chance: table.chance,
            markers,
            actions: table.most_actions(),
            initial,
            initial_legal,
            goals: circuit.goals().iter().map(|goal| (goal.role.index(), goal.value)).collect(),
        })
    }

    /// Games of a block.
    pub(crate) fn lanes(&self) -> usize {
        64 * self.parts
    }

    /// Masks of a game: one for the player whose turn it is, or one for each.
    pub(crate) fn masks(&self) -> usize {
        if self.markers.is_some() { 1 } else { self.players.len() }
    }
}

fn legality(sweep: &Sweep<'_>, moves: usize) -> Vec<Legality> {
    let mut legality = vec![Legality::Never; moves];
    for (place, &action) in sweep.computed_moves().iter().enumerate() {
        legality[MoveId::new(action).index()] = Legality::Slot(sweep.slots().legal + place);
    }
    for &action in sweep.always_legal() {
        legality[MoveId::new(action).index()] = Legality::Always;
    }
    legality
}
