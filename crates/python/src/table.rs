//! Roles, players and actions by number.
//!
//! A *role* is a role of the rules, numbered as they are there. A *player* is a role other than `random`, numbered
//! among the players; `random` is chance, and its number is -1, as in OpenSpiel. An *action* is a move of one role,
//! numbered from 0 in the order of the ground game: the number does not depend on the state.

use std::ops::Range;

use gambol::ground::{MoveId, RoleId};
use gambol::index::Id;
use gambol::net::Net;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;

/// The number of chance.
pub(crate) const CHANCE: i64 = -1;
/// The name of chance in the rules.
pub(crate) const RANDOM: &str = "random";

/// Who plays, and what each can do.
pub(crate) struct Table {
    /// The moves of each role.
    pub(crate) moves: Vec<Range<u32>>,
    /// The role of each player.
    pub(crate) players: Vec<usize>,
    /// The role of chance.
    pub(crate) chance: Option<usize>,
    names: Vec<String>,
}

impl Table {
    pub(crate) fn of(net: &Net) -> Self {
        let names: Vec<String> = net.roles.iter().map(|role| role.to_string()).collect();
        let chance = names.iter().position(|name| name == RANDOM);
        let moves = net.roles.ids().map(|role| net.moves_of(role)).collect();
        let players = (0..names.len()).filter(|&role| Some(role) != chance).collect();
        Self { moves, players, chance, names }
    }

    /// How many roles there are.
    pub(crate) fn roles(&self) -> usize {
        self.names.len()
    }

    /// The name of a role.
    pub(crate) fn name(&self, role: usize) -> &str {
        &self.names[role]
    }

    /// The number that Python has for a role.
    pub(crate) fn player(&self, role: usize) -> i64 {
        let place = self.players.iter().position(|&player| player == role);
        place.map_or(CHANCE, |player| player as i64)
    }

    /// The role that a player's number or a role's name means.
    pub(crate) fn role(&self, player: &Bound<'_, PyAny>) -> PyResult<usize> {
        if let Ok(name) = player.extract::<&str>() {
            let found = self.names.iter().position(|role| role == name);
            return found.ok_or_else(|| PyKeyError::new_err(format!("no role is called {name}")));
        }
        let Ok(number) = player.extract::<i64>() else {
            return Err(PyTypeError::new_err(
                "a role is given by its name or the number of a player",
            ));
        };
        let place = usize::try_from(number).ok();
        let found = match number {
            CHANCE => self.chance,
            _ => place.and_then(|player| self.players.get(player)).copied(),
        };
        found.ok_or_else(|| PyIndexError::new_err(format!("there is no player {number}")))
    }

    /// How many actions a role has.
    pub(crate) fn actions(&self, role: usize) -> usize {
        self.moves[role].len()
    }

    /// The most actions that a player has.
    pub(crate) fn most_actions(&self) -> usize {
        self.players.iter().map(|&role| self.actions(role)).max().unwrap_or(0)
    }

    /// The move of an action.
    pub(crate) fn action_move(&self, role: usize, action: usize) -> PyResult<MoveId> {
        if action >= self.actions(role) {
            let name = self.name(role);
            return Err(PyIndexError::new_err(format!("{name} has no action {action}")));
        }
        Ok(MoveId::new(self.moves[role].start + action as u32))
    }

    /// The action of a move of a role.
    pub(crate) fn action(&self, role: usize, action: MoveId) -> usize {
        (action.number() - self.moves[role].start) as usize
    }

    /// The moves of a role among some that are sorted.
    pub(crate) fn own<'a>(&self, role: usize, moves: &'a [MoveId]) -> &'a [MoveId] {
        let Range { start, end } = self.moves[role];
        let first = moves.partition_point(|action| action.number() < start);
        let last = moves.partition_point(|action| action.number() < end);
        &moves[first..last]
    }

    /// The id of a role.
    pub(crate) fn id(role: usize) -> RoleId {
        RoleId::from_index(role)
    }
}
