//! A position: a game and one of its states, as a value.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, RoleId};
use gambol_sim::{Evaluator, State};

use crate::error::closest;
use crate::{Game, PositionError, StageError, terms};

/// A state of a game. It owns what it needs, never changes, and can be sent to other threads.
///
/// Two positions are equal if they are the same state of the same game.
///
/// ```
/// use gambol::Game;
///
/// let game = Game::bundled("tic-tac-toe")?;
/// let start = game.start()?;
/// let next = start.play(["(put 2 2)", "wait"])?;
/// assert!(next.holds("(cell 2 2 x)")? && !next.is_terminal());
/// assert_eq!(next.legal("oplayer")?.len(), 8);
/// assert_eq!(game.state(&next.to_string())?, next);
///
/// let error = start.play(["(put 4 2)", "wait"]).unwrap_err();
/// assert!(error.to_string().starts_with("(put 4 2) is no move of xplayer; did you mean (put"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Position {
    game: Game,
    state: State,
    look: OnceLock<Arc<Look>>,
}

/// What the circuit says about one state.
#[derive(Debug)]
struct Look {
    terminal: bool,
    legal: IndexVec<RoleId, Vec<MoveId>>,
    goals: IndexVec<RoleId, Option<u32>>,
}

/// A move of one role. Its [`Display`](fmt::Display) form is the term of the rules, as in `(put 2 2)`.
#[derive(Clone)]
pub struct Move {
    game: Game,
    id: MoveId,
}

impl Game {
    /// The position at the start.
    pub fn start(&self) -> Result<Position, StageError> {
        self.net()?;
        let state = self.circuit()?.initial();
        Ok(Position::new(self.clone(), state))
    }

    /// The position in which exactly these fluents are true, as in `(cell 1 1 x) (control o)`.
    pub fn state(&self, text: &str) -> Result<Position, PositionError> {
        let names = terms(text, self.read_options())?;
        let fluents = names.iter().map(|name| self.fluent(name));
        let fluents = fluents.collect::<Result<Vec<_>, _>>()?;
        let state = self.circuit()?.state_of(&fluents);
        Ok(Position::new(self.clone(), state))
    }
}

impl Position {
    /// The caller has seen that the circuit and its net exist.
    pub(crate) fn new(game: Game, state: State) -> Self {
        Self { game, state, look: OnceLock::new() }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The state in the form of the circuit.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The ids of the fluents that are true, ascending.
    pub fn fluent_ids(&self) -> Vec<FluentId> {
        self.game.known_circuit().fluents_of(&self.state)
    }

    /// The names of the fluents that are true, sorted by bytes.
    pub fn fluents(&self) -> Vec<&str> {
        let names = &self.game.known_net().fluents;
        self.fluent_ids().into_iter().map(|fluent| &*names[fluent]).collect()
    }

    /// Whether a fluent is true.
    pub fn holds(&self, fluent: &str) -> Result<bool, PositionError> {
        let fluent = self.game.fluent(fluent)?;
        Ok(self.fluent_ids().binary_search(&fluent).is_ok())
    }

    /// Whether the game is over.
    pub fn is_terminal(&self) -> bool {
        self.look().terminal
    }

    /// The legal moves of a role, in the order of their names.
    pub fn legal(&self, role: &str) -> Result<Vec<Move>, PositionError> {
        let role = self.game.role(role)?;
        let legal = self.look().legal[role].iter();
        Ok(legal.map(|&id| Move { game: self.game.clone(), id }).collect())
    }

    /// What the state is worth to a role; `None` unless there is exactly one value.
    pub fn goal(&self, role: &str) -> Result<Option<u32>, PositionError> {
        Ok(self.look().goals[self.game.role(role)?])
    }

    /// What the state is worth, by role, in the order of the rules.
    pub fn goals(&self) -> &[Option<u32>] {
        self.look().goals.as_slice()
    }

    /// The position after these moves, one per role in the order of the rules: terms, or [`Move`]s.
    pub fn play<M: AsRef<str>>(
        &self,
        moves: impl IntoIterator<Item = M>,
    ) -> Result<Position, PositionError> {
        let moves: Vec<M> = moves.into_iter().collect();
        let (roles, found) = (self.game.known_net().roles.len(), moves.len());
        if roles != found {
            return Err(PositionError::MoveCount { roles, found });
        }
        if self.is_terminal() {
            return Err(PositionError::Over);
        }
        let named = moves.iter().enumerate();
        let joint = named.map(|(role, name)| self.legal_move(RoleId::from_index(role), name));
        let joint = joint.collect::<Result<Vec<_>, _>>()?;
        let state = Evaluator::new(self.game.known_circuit()).next(&self.state, &joint);
        Ok(Self::new(self.game.clone(), state))
    }

    /// The move of this name, if it is legal.
    fn legal_move(&self, role: RoleId, name: &impl AsRef<str>) -> Result<MoveId, PositionError> {
        let action = self.game.action(role, name.as_ref())?;
        let net = self.game.known_net();
        let legal = &self.look().legal[role];
        if legal.contains(&action) {
            return Ok(action);
        }
        let name_of = |action: &MoveId| net.moves[*action].name.to_string();
        Err(PositionError::IllegalMove {
            role: net.roles[role].to_string(),
            name: name_of(&action),
            legal: legal.iter().map(name_of).collect(),
        })
    }

    fn look(&self) -> &Look {
        self.look.get_or_init(|| {
            let mut evaluator = Evaluator::new(self.game.known_circuit());
            let net = self.game.known_net();
            let terminal = evaluator.terminal(&self.state);
            let mut legal = IndexVec::filled(Vec::new(), net.roles.len());
            for action in evaluator.legal(&self.state) {
                legal[net.moves[action].role].push(action);
            }
            Arc::new(Look { terminal, legal, goals: evaluator.goals(&self.state) })
        })
    }
}

/// The questions of names that a position asks its game.
impl Game {
    /// The role of this name.
    pub(crate) fn role(&self, name: &str) -> Result<RoleId, PositionError> {
        let roles = &self.net()?.roles;
        let found = roles.iter_ids().find(|(_, role)| &***role == name);
        found.map(|(id, _)| id).ok_or_else(|| PositionError::UnknownRole {
            name: name.to_string(),
            roles: roles.iter().map(ToString::to_string).collect(),
        })
    }

    /// The fluent of this name, as people write it.
    pub(crate) fn fluent(&self, text: &str) -> Result<FluentId, PositionError> {
        let net = self.net()?;
        if let Some(known) = self.names()?.fluent(text) {
            return Ok(known);
        }
        let name = self.one_term(text)?;
        self.names()?.fluent(&name).ok_or_else(|| PositionError::UnknownFluent {
            close: closest(&name, net.fluents.iter().map(|fluent| &**fluent)),
            name,
        })
    }

    /// The move of this role and name, as people write it.
    pub(crate) fn action(&self, role: RoleId, text: &str) -> Result<MoveId, PositionError> {
        let net = self.net()?;
        if let Some(known) = self.names()?.action(role, text) {
            return Ok(known);
        }
        let name = self.one_term(text)?;
        let of_role = || net.moves.iter().filter(|action| action.role == role);
        self.names()?.action(role, &name).ok_or_else(|| PositionError::UnknownMove {
            role: net.roles[role].to_string(),
            close: closest(&name, of_role().map(|action| &*action.name)),
            name,
        })
    }

    /// A text that should be one term, in the form of the net; otherwise the text itself, to be refused.
    fn one_term(&self, text: &str) -> Result<String, PositionError> {
        let mut found = terms(text, self.read_options())?;
        Ok(if found.len() == 1 { found.remove(0) } else { text.to_string() })
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state && self.game.is_same(&other.game)
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

/// The fluents that are true; [`Game::state`] reads it back.
impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.fluents().join(" "))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Position({self})")
    }
}

impl Move {
    pub(crate) fn new(game: Game, id: MoveId) -> Self {
        Self { game, id }
    }

    /// Its id in the net.
    pub fn id(&self) -> MoveId {
        self.id
    }

    /// Whose move it is.
    pub fn role(&self) -> &str {
        let net = self.game.known_net();
        &net.roles[net.moves[self.id].role]
    }

    /// Its term.
    pub fn as_str(&self) -> &str {
        &self.game.known_net().moves[self.id].name
    }
}

impl AsRef<str> for Move {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Move {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.game.is_same(&other.game)
    }
}

impl Eq for Move {}

impl Hash for Move {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.id.hash(hasher);
    }
}

impl fmt::Display for Move {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Move({self})")
    }
}
