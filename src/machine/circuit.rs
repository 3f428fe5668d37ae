//! The compiled circuit as a machine.

use gambol_net::{MoveId, Net};
use gambol_sim::{Circuit, Evaluator, State};

use super::net::{by_role, check_count, fluents_named, move_named, names_of, percept_names};
use super::{Machine, MachineError};
use crate::names::Names;

/// Runs the circuit one state at a time.
pub struct CircuitMachine<'g> {
    net: &'g Net,
    circuit: &'g Circuit,
    evaluator: Evaluator<'g>,
    names: Names,
}

impl<'g> CircuitMachine<'g> {
    /// A machine for a circuit and the net it was made from.
    pub fn new(net: &'g Net, circuit: &'g Circuit) -> Self {
        Self { net, circuit, evaluator: Evaluator::new(circuit), names: Names::of(net) }
    }
}

impl Machine for CircuitMachine<'_> {
    type State = State;
    type Move = MoveId;

    fn role_names(&self) -> Vec<String> {
        self.net.roles.iter().map(ToString::to_string).collect()
    }

    fn initial(&mut self) -> Result<State, MachineError> {
        Ok(self.circuit.initial())
    }

    fn terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        Ok(self.evaluator.terminal(state))
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<MoveId>>, MachineError> {
        Ok(by_role(self.net, &self.evaluator.legal(state)))
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Option<u32>>, MachineError> {
        Ok(self.evaluator.goals(state).into_vec())
    }

    fn next(&mut self, state: &State, moves: &[MoveId]) -> Result<State, MachineError> {
        check_count(self.net, moves)?;
        Ok(self.evaluator.next(state, moves))
    }

    fn percepts(
        &mut self,
        state: &State,
        moves: &[MoveId],
    ) -> Result<Vec<Vec<String>>, MachineError> {
        check_count(self.net, moves)?;
        Ok(percept_names(self.net, &self.evaluator.percepts(state, moves)))
    }

    fn fluent_names(&self, state: &State) -> Vec<String> {
        names_of(self.net, &self.circuit.fluents_of(state))
    }

    fn state_named(&mut self, fluents: &[String]) -> Result<State, MachineError> {
        Ok(self.circuit.state_of(&fluents_named(&self.names, fluents)?))
    }

    fn move_name(&self, action: &MoveId) -> String {
        self.net.moves[*action].name.to_string()
    }

    fn move_named(&mut self, role: usize, name: &str) -> Result<MoveId, MachineError> {
        move_named(&self.names, self.net, role, name)
    }
}
