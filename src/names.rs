//! Fluents and moves of a net by their names.

use std::collections::HashMap;

use gambol_net::{FluentId, MoveId, Net, RoleId};

/// Names to ids.
#[derive(Debug)]
pub(crate) struct Names {
    fluents: HashMap<Box<str>, FluentId>,
    moves: HashMap<(RoleId, Box<str>), MoveId>,
}

impl Names {
    pub(crate) fn of(net: &Net) -> Self {
        let fluents = net.fluents.iter_ids().map(|(id, name)| (name.clone(), id)).collect();
        let moves =
            net.moves.iter_ids().map(|(id, action)| ((action.role, action.name.clone()), id));
        Self { fluents, moves: moves.collect() }
    }

    pub(crate) fn fluent(&self, name: &str) -> Option<FluentId> {
        self.fluents.get(name).copied()
    }

    pub(crate) fn action(&self, role: RoleId, name: &str) -> Option<MoveId> {
        self.moves.get(&(role, name.into())).copied()
    }
}
