//! A state of a game: immutable, hashable, picklable; its methods have OpenSpiel's names.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use gambol::board::{BoardStyle, draw, svg};
use gambol::ground::{FluentId, MoveId};
use gambol::index::Id;
use gambol::net::BaseMarking;
use gambol::sim::{self, Rollouts, Start};
use numpy::{PyArray1, PyArrayMethods, ToPyArray};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;

use crate::game::Game;
use crate::interrupt::interruptible;
use crate::report::picture_html;
use crate::shared::Shared;
use crate::table::{CHANCE, Table};

/// The number of a state in which all move at once, and of one in which nobody does.
const SIMULTANEOUS: i64 = -2;
const TERMINAL: i64 = -4;
/// Random games are cut off after so many steps.
const MOST_STEPS: u32 = 10_000;
/// Random games that are played between two looks for a signal.
const SOME_PLAYOUTS: u32 = 1 << 14;

type Joint = SmallVec<[MoveId; 4]>;

/// A state of a game.
#[pyclass(frozen, module = "gambol")]
pub(crate) struct State {
    game: Py<Game>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) state: sim::State,
    seen: OnceLock<Seen>,
}

/// What a state shows at a glance.
struct Seen {
    terminal: bool,
    legal: Box<[MoveId]>,
}

/// Whether a fluent is true.
pub(crate) fn holds(state: &sim::State, fluent: FluentId) -> bool {
    let word = state.words().get(fluent.index() / 64);
    word.is_some_and(|word| word >> (fluent.index() % 64) & 1 == 1)
}

/// The board in a state, if the game has one.
pub(crate) fn board_svg(py: Python<'_>, shared: &Shared, state: &sim::State) -> Option<String> {
    let boards = shared.boards(py);
    let marking = BaseMarking::of(shared.net(), &shared.circuit().fluents_of(state));
    let style = BoardStyle { standalone: true, ..BoardStyle::default() };
    (!boards.boards.is_empty()).then(|| svg(boards, &marking, &style))
}

impl State {
    pub(crate) fn of(game: Py<Game>, state: sim::State) -> Self {
        let shared = game.get().shared.clone();
        Self { game, shared, state, seen: OnceLock::new() }
    }

    fn after(&self, py: Python<'_>, state: sim::State) -> Self {
        let (game, shared) = (self.game.clone_ref(py), self.shared.clone());
        Self { game, shared, state, seen: OnceLock::new() }
    }

    pub(crate) fn owner(&self) -> &Game {
        self.game.get()
    }

    /// Whether the game is over.
    pub(crate) fn over(&self) -> bool {
        self.seen().terminal
    }

    fn table(&self) -> &Table {
        &self.shared.table
    }

    fn seen(&self) -> &Seen {
        self.seen.get_or_init(|| {
            self.shared.evaluator().with_dependent_mut(|_, evaluator| Seen {
                terminal: evaluator.terminal(&self.state),
                legal: evaluator.legal_moves(&self.state).into(),
            })
        })
    }

    /// The legal moves of a role. When the game is over there are none, whatever the rules say.
    fn own(&self, role: usize) -> &[MoveId] {
        let seen = self.seen();
        if seen.terminal { &[] } else { self.table().own(role, &seen.legal) }
    }

    /// Whose turn it is, if it is the turn of one role.
    pub(crate) fn mover(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        let mover = self.shared.moving(py)?.mover(|fluent| holds(&self.state, fluent));
        Ok(mover.map(Id::index))
    }

    /// The role that is meant; whose turn it is if none is named.
    pub(crate) fn meant(&self, role: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<usize> {
        match role {
            Some(role) => self.table().role(role),
            None => self.mover(py)?.ok_or_else(|| {
                PyValueError::new_err("the players move at the same time: name one of them")
            }),
        }
    }

    pub(crate) fn marking(&self) -> BaseMarking {
        self.state.clone()
    }

    fn goals_by_role(&self) -> Vec<Option<u32>> {
        let goals =
            self.shared.evaluator().with_dependent_mut(|_, evaluator| evaluator.goals(&self.state));
        goals.into_vec()
    }

    /// The joint move that one action stands for: the others have no choice.
    fn with_one(&self, role: usize, action: usize) -> PyResult<Joint> {
        let chosen = self.table().action_move(role, action)?;
        let of_role = |other: usize| match other == role {
            true => self.legal(role, chosen),
            false => self.forced(other),
        };
        (0..self.table().roles()).map(of_role).collect()
    }

    fn legal(&self, role: usize, action: MoveId) -> PyResult<MoveId> {
        if self.own(role).binary_search(&action).is_ok() {
            return Ok(action);
        }
        let (name, who) = (&self.shared.net().moves[action].name, self.table().name(role));
        Err(PyValueError::new_err(format!("{name} is not a legal move of {who} here")))
    }

    fn forced(&self, role: usize) -> PyResult<MoveId> {
        match self.own(role) {
            [only] => Ok(*only),
            [] => Err(PyValueError::new_err(format!(
                "{} has no legal move here",
                self.table().name(role)
            ))),
            _ => {
                let who = self.table().name(role);
                let message = format!("{who} has a choice here: give one action for each role");
                Err(PyValueError::new_err(message))
            }
        }
    }

    /// One action for each role, or for each player where chance has no choice.
    fn with_all(&self, actions: &[usize]) -> PyResult<Joint> {
        let table = self.table();
        let roles: SmallVec<[usize; 4]> = match actions.len() {
            count if count == table.roles() => (0..count).collect(),
            count if count == table.players.len() => table.players.iter().copied().collect(),
            count => {
                let message = format!("{count} actions for {} roles", table.roles());
                return Err(PyValueError::new_err(message));
            }
        };
        let mut joint = Joint::new();
        for role in 0..table.roles() {
            joint.push(match roles.iter().position(|&given| given == role) {
                Some(place) => self.legal(role, table.action_move(role, actions[place])?)?,
                None => self.forced(role)?,
            });
        }
        Ok(joint)
    }

    fn joint(&self, action: &Bound<'_, PyAny>) -> PyResult<Joint> {
        if self.seen().terminal {
            return Err(PyValueError::new_err("the game is over"));
        }
        if let Ok(one) = action.extract::<usize>() {
            return self.with_one(self.meant(None, action.py())?, one);
        }
        match action.extract::<Vec<usize>>() {
            Ok(all) => self.with_all(&all),
            Err(_) => {
                Err(PyTypeError::new_err("an action is a number, or one number for each role"))
            }
        }
    }

    /// The states after each action of the role whose turn it is.
    pub(crate) fn followers(&self, py: Python<'_>, role: usize) -> PyResult<Vec<(usize, Self)>> {
        let after = |&action: &MoveId| {
            let action = self.table().action(role, action);
            let joint = self.with_one(role, action)?;
            let next = self
                .shared
                .evaluator()
                .with_dependent_mut(|_, evaluator| evaluator.next(&self.state, &joint));
            Ok((action, self.after(py, next)))
        };
        self.own(role).iter().map(after).collect()
    }

    fn refuse_hidden_information(&self) -> PyResult<()> {
        if self.shared.net().percepts.is_empty() {
            return Ok(());
        }
        let message = "what a player knows of this game depends on what it has perceived, and a state does not tell";
        Err(PyValueError::new_err(message))
    }

    pub(crate) fn fluent_names(&self) -> impl Iterator<Item = &str> {
        let net = self.shared.net();
        self.shared
            .circuit()
            .fluents_of(&self.state)
            .into_iter()
            .map(|fluent| &*net.fluents[fluent])
    }
}

#[pymethods]
impl State {
    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// Whose turn it is: a player's number, -1 for chance, -2 if players move at once, -4 at the end.
    fn current_player(&self, py: Python<'_>) -> PyResult<i64> {
        if self.seen().terminal {
            return Ok(TERMINAL);
        }
        Ok(self.mover(py)?.map_or(SIMULTANEOUS, |role| self.table().player(role)))
    }

    /// Whether chance has the choice.
    fn is_chance_node(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.current_player(py)? == CHANCE)
    }

    /// Whether all players move at once.
    fn is_simultaneous_node(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.current_player(py)? == SIMULTANEOUS)
    }

    /// Whether the game is over.
    fn is_terminal(&self) -> bool {
        self.seen().terminal
    }

    /// The legal actions of a role, sorted; of the role whose turn it is if none is named.
    #[pyo3(signature = (role=None))]
    fn legal_actions(
        &self,
        py: Python<'_>,
        role: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<usize>> {
        let role = self.meant(role, py)?;
        Ok(self.own(role).iter().map(|&action| self.table().action(role, action)).collect())
    }

    /// The same as a mask over all actions of the role.
    #[pyo3(signature = (role=None))]
    fn legal_actions_mask<'py>(
        &self,
        py: Python<'py>,
        role: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let role = self.meant(role, py)?;
        let mut mask = vec![false; self.table().actions(role)];
        for &action in self.own(role) {
            mask[self.table().action(role, action)] = true;
        }
        Ok(PyArray1::from_vec(py, mask))
    }

    /// What chance may do, each with its probability.
    fn chance_outcomes(&self) -> Vec<(usize, f64)> {
        let Some(role) = self.table().chance else { return Vec::new() };
        let own = self.own(role);
        let share = 1.0 / own.len() as f64;
        own.iter().map(|&action| (self.table().action(role, action), share)).collect()
    }

    /// The name of an action.
    #[pyo3(signature = (role, action=None))]
    fn action_to_string(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        action: Option<usize>,
    ) -> PyResult<String> {
        let (role, action) = match action {
            Some(action) => (self.table().role(role)?, action),
            None => (self.meant(None, py)?, role.extract()?),
        };
        let action = self.table().action_move(role, action)?;
        Ok(self.shared.net().moves[action].name.to_string())
    }

    /// The action of a role that has this name.
    #[pyo3(signature = (role, name=None))]
    fn string_to_action(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        name: Option<&str>,
    ) -> PyResult<usize> {
        match name {
            Some(name) => self.game.get().named_action(self.table().role(role)?, name),
            None => self.game.get().named_action(self.meant(None, py)?, role.extract()?),
        }
    }

    /// The state after an action of the role whose turn it is, or after one action of each role.
    fn child(&self, py: Python<'_>, action: &Bound<'_, PyAny>) -> PyResult<Self> {
        let joint = self.joint(action)?;
        let next = self
            .shared
            .evaluator()
            .with_dependent_mut(|_, evaluator| evaluator.next(&self.state, &joint));
        Ok(self.after(py, next))
    }

    /// All that can follow: one action of each role, and the state they lead to.
    fn children<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyTuple>, Self)>> {
        if self.seen().terminal {
            return Ok(Vec::new());
        }
        self.shared.evaluator().with_dependent_mut(|_, evaluator| {
            let expansion = evaluator.expand(&self.state);
            if !expansion.complete {
                return Err(PyRuntimeError::new_err("this state has too many joint moves to list"));
            }
            let mut children = Vec::with_capacity(expansion.len());
            for (joint, successor) in expansion.iter() {
                let action = |(role, &action)| self.table().action(role, action);
                let actions: Vec<_> = joint.iter().enumerate().map(action).collect();
                let child = self.after(py, successor.state());
                let (terminal, legal) = (successor.terminal, successor.legal().into());
                child.seen.get_or_init(|| Seen { terminal, legal });
                children.push((PyTuple::new(py, actions)?, child));
            }
            Ok(children)
        })
    }

    /// What each player gets: its goal at the end, 0 before and where it has none or several.
    fn returns(&self) -> Vec<f64> {
        let goals = if self.seen().terminal { self.goals_by_role() } else { Vec::new() };
        let goal = |&role: &usize| goals.get(role).copied().flatten().map_or(0.0, f64::from);
        self.table().players.iter().map(goal).collect()
    }

    /// The same as `returns`: goals are given once, at the end.
    fn rewards(&self) -> Vec<f64> {
        self.returns()
    }

    /// The goal of each player as the rules give it in this state; `None` if there is none or several.
    fn goals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let goals = self.goals_by_role();
        PyTuple::new(py, self.table().players.iter().map(|&role| goals[role]))
    }

    /// The mean goal of each player in random games from here.
    #[pyo3(signature = (playouts, *, seed=1))]
    fn rollouts<'py>(
        &self,
        py: Python<'py>,
        playouts: u32,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        if self.seen().terminal {
            return Ok(self
                .returns()
                .iter()
                .map(|&goal| goal as f32)
                .collect::<Vec<_>>()
                .to_pyarray(py));
        }
        let (games, goals) = interruptible(py, |stop| {
            let mut rollouts = Rollouts::new(self.shared.circuit(), seed, MOST_STEPS);
            let (mut games, mut sums) = (0, vec![0; self.table().roles()]);
            let mut left = playouts;
            while left > 0 && !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let some = left.min(SOME_PLAYOUTS);
                left -= some;
                for returns in rollouts.run(&[Start { state: &self.state, playouts: some }]) {
                    games += u64::from(returns.playouts);
                    sums.iter_mut().zip(returns.goals.iter()).for_each(|(sum, goal)| *sum += goal);
                }
            }
            (games, sums)
        })?;
        let mean = |&role: &usize| {
            if games == 0 { f32::NAN } else { (goals[role] as f64 / games as f64) as f32 }
        };
        Ok(PyArray1::from_vec(py, self.table().players.iter().map(mean).collect()))
    }

    /// The fluents that are true.
    fn r#true(&self) -> Vec<&str> {
        self.fluent_names().collect()
    }

    /// Whether each fluent is true.
    fn bits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mut bits = vec![false; self.shared.net().fluents.len()];
        for fluent in self.shared.circuit().fluents_of(&self.state) {
            bits[fluent.index()] = true;
        }
        PyArray1::from_vec(py, bits)
    }

    /// The fluents packed, 64 to a word: a row as `VectorEnv.states` has them.
    fn words<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.state.words().to_pyarray(py)
    }

    /// What a player sees, as numbers: all fluents, since nothing is hidden.
    #[pyo3(signature = (player=None))]
    fn observation_tensor<'py>(
        &self,
        py: Python<'py>,
        player: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        player.map(|player| self.table().role(player)).transpose()?;
        self.refuse_hidden_information()?;
        let bits = self.bits(py);
        let bits = bits.try_readonly()?;
        Ok(PyArray1::from_iter(py, bits.as_slice()?.iter().map(|&bit| f32::from(u8::from(bit)))))
    }

    /// What a player sees, as text.
    #[pyo3(signature = (player=None))]
    fn observation_string(&self, player: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        player.map(|player| self.table().role(player)).transpose()?;
        self.refuse_hidden_information()?;
        Ok(self.fluent_names().collect::<Vec<_>>().join(" "))
    }

    /// What a player knows, as text: the same as what it sees, since nothing is hidden.
    #[pyo3(signature = (player=None))]
    fn information_state_string(&self, player: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        self.observation_string(player)
    }

    /// The state as plain values, as they go into JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("game", &self.shared.name)?;
        dict.set_item("fluents", self.r#true())?;
        dict.set_item("terminal", self.is_terminal())?;
        let (legal, goals) = (PyDict::new(py), PyDict::new(py));
        for (role, goal) in self.goals_by_role().into_iter().enumerate() {
            let names = self.own(role).iter().map(|&action| &*self.shared.net().moves[action].name);
            legal.set_item(self.table().name(role), names.collect::<Vec<_>>())?;
            goals.set_item(self.table().name(role), goal)?;
        }
        dict.set_item("legal", legal)?;
        dict.set_item("goals", goals)?;
        Ok(dict)
    }

    fn __str__(&self, py: Python<'_>) -> String {
        draw(self.shared.net(), self.shared.boards(py), &self.marking())
    }

    fn __repr__(&self) -> String {
        format!(
            "<State of {}: {}>",
            self.shared.name,
            self.fluent_names().collect::<Vec<_>>().join(" ")
        )
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<Option<String>> {
        picture_html(slf.as_any())
    }

    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        board_svg(py, &self.shared, &self.state)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        hasher.finish()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<State>() else { return false };
        let other = other.get();
        self.state == other.state && self.shared.is_same(&other.shared)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("gambol._gambol")?.getattr("_restore_state")?;
        let fluents: Vec<u32> = self
            .shared
            .circuit()
            .fluents_of(&self.state)
            .into_iter()
            .map(FluentId::number)
            .collect();
        (restore, (self.game.clone_ref(py), fluents)).into_pyobject(py)
    }
}
