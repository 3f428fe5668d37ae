//! One game behind one interface, in plain names, whichever machine answers.

use crate::machine::{Machine, MachineError};

/// A state: the names of its fluents, sorted by bytes.
pub type State = Vec<String>;

/// A game that is asked in names. The three engines of a game give the same answers.
pub trait Engine {
    /// The players, in the order of the rules.
    fn roles(&self) -> &[String];
    /// The state at the start.
    fn initial(&mut self) -> Result<State, MachineError>;
    /// Whether the game is over.
    fn terminal(&mut self, state: &State) -> Result<bool, MachineError>;
    /// The legal moves, by role, each list sorted by bytes.
    fn legal(&mut self, state: &State) -> Result<Vec<Vec<String>>, MachineError>;
    /// What the state is worth, by role; `None` unless there is exactly one value.
    fn goals(&mut self, state: &State) -> Result<Vec<Option<u32>>, MachineError>;
    /// The state after these moves, one per role.
    fn next(&mut self, state: &State, moves: &[String]) -> Result<State, MachineError>;
    /// What each role perceives when these moves are done, sorted by bytes.
    fn percepts(
        &mut self,
        state: &State,
        moves: &[String],
    ) -> Result<Vec<Vec<String>>, MachineError>;
}

/// A machine that is asked in names.
pub struct Named<M: Machine> {
    machine: M,
    roles: Vec<String>,
    /// The last state asked about: usually the next question is about it too.
    last: Option<(State, M::State)>,
}

impl<M: Machine> Named<M> {
    /// Puts names around a machine.
    pub fn new(machine: M) -> Self {
        Self { roles: machine.role_names(), machine, last: None }
    }

    fn state(&mut self, names: &State) -> Result<M::State, MachineError> {
        if let Some((known, state)) = &self.last
            && known == names
        {
            return Ok(state.clone());
        }
        let state = self.machine.state_named(names)?;
        self.last = Some((names.clone(), state.clone()));
        Ok(state)
    }

    /// A state and the moves done in it, in the machine's own form.
    fn step(
        &mut self,
        state: &State,
        moves: &[String],
    ) -> Result<(M::State, Vec<M::Move>), MachineError> {
        let (roles, found) = (self.roles.len(), moves.len());
        if roles != found {
            return Err(MachineError::MoveCount { roles, found });
        }
        let state = self.state(state)?;
        let named = moves.iter().enumerate();
        let joint = named.map(|(role, name)| self.machine.move_named(role, name));
        Ok((state, joint.collect::<Result<_, _>>()?))
    }

    fn named(&mut self, state: M::State) -> State {
        let names = self.machine.fluent_names(&state);
        self.last = Some((names.clone(), state));
        names
    }
}

impl<M: Machine> Engine for Named<M> {
    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&mut self) -> Result<State, MachineError> {
        let state = self.machine.initial()?;
        Ok(self.named(state))
    }

    fn terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        let state = self.state(state)?;
        self.machine.terminal(&state)
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<String>>, MachineError> {
        let state = self.state(state)?;
        let legal = self.machine.legal(&state)?;
        let sorted_names = |moves: &Vec<M::Move>| {
            let mut names: Vec<String> =
                moves.iter().map(|action| self.machine.move_name(action)).collect();
            names.sort_unstable();
            names
        };
        Ok(legal.iter().map(sorted_names).collect())
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Option<u32>>, MachineError> {
        let state = self.state(state)?;
        self.machine.goals(&state)
    }

    fn next(&mut self, state: &State, moves: &[String]) -> Result<State, MachineError> {
        let (state, joint) = self.step(state, moves)?;
        let next = self.machine.next(&state, &joint)?;
        Ok(self.named(next))
    }

    fn percepts(
        &mut self,
        state: &State,
        moves: &[String],
    ) -> Result<Vec<Vec<String>>, MachineError> {
        let (state, joint) = self.step(state, moves)?;
        self.machine.percepts(&state, &joint)
    }
}
