//! The propositional net as a machine.

use gambol_index::Id;
use gambol_net::{BaseMarking, FluentId, MoveId, Net, NetEngine, RoleId};

use super::{Machine, MachineError};
use crate::names::Names;

/// The ids of fluents by name, sorted.
pub(super) fn fluents_named(
    names: &Names,
    fluents: &[String],
) -> Result<Vec<FluentId>, MachineError> {
    let known =
        |name: &String| names.fluent(name).ok_or_else(|| MachineError::UnknownFluent(name.clone()));
    let mut fluents = fluents.iter().map(known).collect::<Result<Vec<_>, _>>()?;
    fluents.sort_unstable();
    fluents.dedup();
    Ok(fluents)
}

/// The id of a role's move by name.
pub(super) fn move_named(
    names: &Names,
    net: &Net,
    role: usize,
    name: &str,
) -> Result<MoveId, MachineError> {
    let role = RoleId::from_index(role);
    names.action(role, name).ok_or_else(|| MachineError::UnknownMove {
        role: net.roles[role].to_string(),
        name: name.to_string(),
    })
}

/// Sorts the legal moves by whose they are.
pub(super) fn by_role(net: &Net, legal: &[MoveId]) -> Vec<Vec<MoveId>> {
    let mut moves = vec![Vec::new(); net.roles.len()];
    for &action in legal {
        moves[net.moves[action].role.index()].push(action);
    }
    moves
}

/// Fluent ids are sorted by the bytes of their names, so the names come out sorted.
pub(super) fn names_of(net: &Net, fluents: &[FluentId]) -> Vec<String> {
    fluents.iter().map(|&fluent| net.fluents[fluent].to_string()).collect()
}

/// The names behind indices of [`Net::percepts`], by role.
pub(super) fn percept_names(net: &Net, percepts: &[usize]) -> Vec<Vec<String>> {
    let mut names = vec![Vec::new(); net.roles.len()];
    for percept in percepts.iter().map(|&row| &net.percepts[row]) {
        names[percept.role.index()].push(percept.name.to_string());
    }
    names.iter_mut().for_each(|names| names.sort_unstable());
    names
}

pub(super) fn check_count(net: &Net, moves: &[MoveId]) -> Result<(), MachineError> {
    let (roles, found) = (net.roles.len(), moves.len());
    if roles == found { Ok(()) } else { Err(MachineError::MoveCount { roles, found }) }
}

/// Evaluates the net one marking at a time.
pub struct NetMachine<'g> {
    engine: NetEngine<&'g Net>,
    names: Names,
}

impl<'g> NetMachine<'g> {
    /// A machine for the net.
    pub fn new(net: &'g Net) -> Self {
        Self { engine: NetEngine::new(net), names: Names::of(net) }
    }
}

impl Machine for NetMachine<'_> {
    type State = BaseMarking;
    type Move = MoveId;

    fn role_names(&self) -> Vec<String> {
        self.engine.net().roles.iter().map(ToString::to_string).collect()
    }

    fn initial(&mut self) -> Result<BaseMarking, MachineError> {
        Ok(self.engine.initial())
    }

    fn terminal(&mut self, state: &BaseMarking) -> Result<bool, MachineError> {
        Ok(self.engine.terminal(state))
    }

    fn legal(&mut self, state: &BaseMarking) -> Result<Vec<Vec<MoveId>>, MachineError> {
        let legal = self.engine.legal(state);
        Ok(by_role(self.engine.net(), &legal))
    }

    fn goals(&mut self, state: &BaseMarking) -> Result<Vec<Option<u32>>, MachineError> {
        Ok(self.engine.goals(state).into_vec())
    }

    fn next(&mut self, state: &BaseMarking, moves: &[MoveId]) -> Result<BaseMarking, MachineError> {
        check_count(self.engine.net(), moves)?;
        Ok(self.engine.next(state, moves))
    }

    fn percepts(
        &mut self,
        state: &BaseMarking,
        moves: &[MoveId],
    ) -> Result<Vec<Vec<String>>, MachineError> {
        check_count(self.engine.net(), moves)?;
        let percepts = self.engine.percepts(state, moves);
        Ok(percept_names(self.engine.net(), &percepts))
    }

    fn fluent_names(&self, state: &BaseMarking) -> Vec<String> {
        names_of(self.engine.net(), &state.fluents())
    }

    fn state_named(&mut self, fluents: &[String]) -> Result<BaseMarking, MachineError> {
        Ok(BaseMarking::of(self.engine.net(), &fluents_named(&self.names, fluents)?))
    }

    fn move_name(&self, action: &MoveId) -> String {
        self.engine.net().moves[*action].name.to_string()
    }

    fn move_named(&mut self, role: usize, name: &str) -> Result<MoveId, MachineError> {
        move_named(&self.names, self.engine.net(), role, name)
    }
}
