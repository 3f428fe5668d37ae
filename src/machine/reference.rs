//! The plain interpreter as a machine.

use gambol_reference::{GroundTerm, Interpreter, State};

use super::{Machine, MachineError};

/// Evaluates the rules themselves.
pub struct ReferenceMachine {
    interpreter: Interpreter,
}

impl ReferenceMachine {
    /// A machine for the interpreter's rules.
    pub fn new(interpreter: Interpreter) -> Self {
        Self { interpreter }
    }
}

impl Machine for ReferenceMachine {
    type State = State;
    type Move = GroundTerm;

    fn role_names(&self) -> Vec<String> {
        let roles = self.interpreter.roles().iter();
        roles.map(|&role| self.interpreter.text(role)).collect()
    }

    fn initial(&mut self) -> Result<State, MachineError> {
        Ok(self.interpreter.initial()?)
    }

    fn terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        Ok(self.interpreter.terminal(state)?)
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<GroundTerm>>, MachineError> {
        Ok(self.interpreter.legal(state)?)
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Option<u32>>, MachineError> {
        Ok(self.interpreter.goal_values(state)?)
    }

    fn next(&mut self, state: &State, moves: &[GroundTerm]) -> Result<State, MachineError> {
        Ok(self.interpreter.next(state, moves)?)
    }

    fn percepts(
        &mut self,
        state: &State,
        moves: &[GroundTerm],
    ) -> Result<Vec<Vec<String>>, MachineError> {
        let percepts = self.interpreter.percepts(state, moves)?;
        Ok(percepts.iter().map(|percepts| self.interpreter.sorted_texts(percepts)).collect())
    }

    fn fluent_names(&self, state: &State) -> Vec<String> {
        self.interpreter.sorted_texts(state.fluents())
    }

    fn state_named(&mut self, fluents: &[String]) -> Result<State, MachineError> {
        Ok(self.interpreter.state_from_text(&fluents.join(" "))?)
    }

    fn move_name(&self, action: &GroundTerm) -> String {
        self.interpreter.text(*action)
    }

    fn move_named(&mut self, role: usize, name: &str) -> Result<GroundTerm, MachineError> {
        let terms = self.interpreter.terms_from_text(name)?;
        match terms.as_slice() {
            &[action] => Ok(action),
            _ => Err(MachineError::UnknownMove {
                role: self.role_names()[role].clone(),
                name: name.to_string(),
            }),
        }
    }
}
