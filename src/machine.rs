//! A game as a machine that is asked about one state at a time.
//!
//! Interpreter, net and circuit are three machines for the same game. Each has its own states and
//! moves; names translate between them.

mod circuit;
mod net;
mod reference;

pub use circuit::CircuitMachine;
pub use net::NetMachine;
pub use reference::ReferenceMachine;

use gambol_reference::ReferenceError;

/// One of the three ways to run a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EngineKind {
    /// The plain interpreter of the rules.
    Reference,
    /// The propositional net, one marking at a time.
    Net,
    /// The compiled circuit.
    Circuit,
}

impl EngineKind {
    /// All three, the judge first.
    pub const ALL: [EngineKind; 3] = [Self::Reference, Self::Net, Self::Circuit];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Net => "net",
            Self::Circuit => "circuit",
        }
    }
}

/// Why a machine has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MachineError {
    /// The interpreter could not answer.
    #[error("{0}")]
    Reference(#[from] ReferenceError),
    /// No such fluent can become true.
    #[error(
        "{0} is not a fluent of this game; `gambol ground` counts them, `gambol step` shows some"
    )]
    UnknownFluent(String),
    /// No such move can become legal.
    #[error("{name} is not a move of {role}; `gambol step` lists the legal ones")]
    UnknownMove {
        /// Whose move.
        role: String,
        /// The move.
        name: String,
    },
    /// Not one move per role.
    #[error("{found} moves for {roles} roles; give one per role, in the order of the rules")]
    MoveCount {
        /// The number of roles.
        roles: usize,
        /// The number of moves.
        found: usize,
    },
}

/// What every machine can say.
pub trait Machine {
    /// A state in the machine's own form.
    type State: Clone + Eq;
    /// A move in the machine's own form.
    type Move: Clone;

    /// The names of the players, in the order of the rules.
    fn role_names(&self) -> Vec<String>;
    /// The state at the start.
    fn initial(&mut self) -> Result<Self::State, MachineError>;
    /// Whether the game is over.
    fn terminal(&mut self, state: &Self::State) -> Result<bool, MachineError>;
    /// The legal moves, by role.
    fn legal(&mut self, state: &Self::State) -> Result<Vec<Vec<Self::Move>>, MachineError>;
    /// What the state is worth, by role; `None` unless there is exactly one value.
    fn goals(&mut self, state: &Self::State) -> Result<Vec<Option<u32>>, MachineError>;
    /// The state after these moves, one per role.
    fn next(
        &mut self,
        state: &Self::State,
        moves: &[Self::Move],
    ) -> Result<Self::State, MachineError>;
    /// What each role perceives when these moves are done, by name, sorted by bytes.
    fn percepts(
        &mut self,
        state: &Self::State,
        moves: &[Self::Move],
    ) -> Result<Vec<Vec<String>>, MachineError>;

    /// The names of the fluents that are true, sorted by bytes.
    fn fluent_names(&self, state: &Self::State) -> Vec<String>;
    /// The state in which exactly these fluents are true.
    fn state_named(&mut self, fluents: &[String]) -> Result<Self::State, MachineError>;
    /// The name of a move.
    fn move_name(&self, action: &Self::Move) -> String;
    /// The move of this role with this name.
    fn move_named(&mut self, role: usize, name: &str) -> Result<Self::Move, MachineError>;
}
