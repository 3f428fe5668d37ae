//! All of a net but its gates: the propositions, and which wire each of them is.

use std::sync::Arc;

use gambol_index::IndexVec;

use crate::draft::Wire;
use crate::{AtomName, FluentId, GateId, Move, MoveId, Names, Net, NetError, RoleId};

/// The frame that a draft's gates are hung into.
pub(crate) struct Frame {
    pub(crate) roles: IndexVec<RoleId, Box<str>>,
    pub(crate) fluents: IndexVec<FluentId, Box<str>>,
    pub(crate) moves: IndexVec<MoveId, Move>,
    pub(crate) initial: Vec<FluentId>,
    pub(crate) next: IndexVec<FluentId, Wire>,
    pub(crate) legal: IndexVec<MoveId, Wire>,
    pub(crate) terminal: Wire,
    pub(crate) goals: Vec<(RoleId, u32, Wire)>,
    pub(crate) percepts: Vec<(RoleId, Box<str>, Wire)>,
    pub(crate) views: Vec<(AtomName, Wire)>,
    pub(crate) names: Arc<Names>,
}

impl Frame {
    /// The frame of a net whose gates were copied to wires.
    pub(crate) fn of(net: &Net, wire: impl Fn(GateId) -> Wire) -> Self {
        let goals = net.goals.iter().map(|goal| (goal.role, goal.value, wire(goal.gate)));
        let percepts = net.percepts.iter();
        let percepts = percepts.map(|seen| (seen.role, seen.name.clone(), wire(seen.gate)));
        let views = net.views.iter().map(|view| (view.atom.clone(), wire(view.gate)));
        Self {
            roles: net.roles.clone(),
            fluents: net.fluents.clone(),
            moves: net.moves.clone(),
            initial: net.initial.clone(),
            next: net.next.iter().map(|&gate| wire(gate)).collect(),
            legal: net.legal.iter().map(|&gate| wire(gate)).collect(),
            terminal: wire(net.terminal),
            goals: goals.collect(),
            percepts: percepts.collect(),
            views: views.collect(),
            names: Arc::clone(&net.names),
        }
    }

    /// Every wire that is read from outside the gates.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Wire> {
        let transitions = self.next.iter().chain(&self.legal).copied();
        let goals = self.goals.iter().map(|&(_, _, wire)| wire);
        let percepts = self.percepts.iter().map(|&(_, _, wire)| wire);
        let views = self.views.iter().map(|&(_, wire)| wire);
        transitions.chain([self.terminal]).chain(goals).chain(percepts).chain(views)
    }

    /// [`Net::moves_of`] needs the moves of a role to stand together.
    pub(crate) fn check_moves(&self) -> Result<(), NetError> {
        let pairs = self.moves.as_slice().windows(2);
        match pairs.into_iter().find(|pair| pair[1].role < pair[0].role) {
            Some(pair) => Err(NetError::ScatteredMoves { name: pair[1].name.to_string() }),
            None => Ok(()),
        }
    }
}
