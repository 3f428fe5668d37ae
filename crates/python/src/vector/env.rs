//! The environment as Python has it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use numpy::{
    PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray2, PyReadonlyArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::game::Game;
use crate::owned::OwnedSweep;
use crate::shared::Shared;
use crate::vector::arrays::{Buffer, pieces};
use crate::vector::bits::{ones, rows_of, words_for};
use crate::vector::block::{Autoreset, Block, Illegal, Terms};
use crate::vector::plan::Plan;
use crate::vector::planes::Planes;
use crate::vector::view::{Observation, View};

/// More threads than this are of no use.
const MOST_THREADS: usize = 256;

/// Many games side by side.
#[pyclass(frozen, module = "gambol")]
pub(crate) struct VectorEnv {
    game: Py<Game>,
    plan: Plan,
    terms: Terms,
    observation: Observation,
    shows_packed: bool,
    num_envs: usize,
    games: Mutex<Games>,
    states: Buffer<u8>,
    packed: Buffer<u64>,
    mask: Buffer<u8>,
    player: Buffer<u8>,
    rewards: Buffer<f32>,
    terminated: Buffer<u8>,
    truncated: Buffer<u8>,
    actions: Buffer<i32>,
}

/// What changes.
struct Games {
    blocks: Vec<Block>,
    sweeps: Vec<OwnedSweep>,
    /// The masks, packed.
    legal: Vec<u64>,
}

/// The results of a step, as Gymnasium has them.
type Step<'py> = (Py<PyAny>, Py<PyAny>, Py<PyAny>, Py<PyAny>, Bound<'py, PyDict>);

impl VectorEnv {
    fn games(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self, py: Python<'_>) -> Py<PyAny> {
        if self.shows_packed { self.packed.shown(py) } else { self.states.shown(py) }
    }

    /// Does something with each block and its part of the arrays, on all threads.
    fn each(
        &self,
        py: Python<'_>,
        work: impl Fn(usize, &mut Block, &mut OwnedSweep, &mut View<'_>) + Send + Sync,
    ) -> PyResult<()> {
        let mut states = self.states.writer(py)?;
        let mut packed = self.packed.writer(py)?;
        let (mut mask, mut player) = (self.mask.writer(py)?, self.player.writer(py)?);
        let (mut rewards, mut terminated) = (self.rewards.writer(py)?, self.terminated.writer(py)?);
        let mut truncated = self.truncated.writer(py)?;
        let all = View {
            observation: states.as_slice_mut()?,
            packed: packed.as_slice_mut()?,
            mask: mask.as_slice_mut()?,
            legal: &mut [],
            player: player.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
        };
        py.detach(|| {
            let mut games = self.games();
            let Games { blocks, sweeps, legal } = &mut *games;
            let views = self.views(View { legal, ..all }, blocks.len());
            let share = blocks.len().div_ceil(sweeps.len());
            let mut shares: Vec<Vec<(usize, &mut Block, View<'_>)>> = Vec::new();
            for (number, (block, view)) in blocks.iter_mut().zip(views).enumerate() {
                if number % share == 0 {
                    shares.push(Vec::with_capacity(share));
                }
                shares
                    .last_mut()
                    .expect("the first number begins a share")
                    .push((number, block, view));
            }
            let run = |share: Vec<(usize, &mut Block, View<'_>)>, sweep: &mut OwnedSweep| {
                share
                    .into_iter()
                    .for_each(|(number, block, mut view)| work(number, block, sweep, &mut view));
            };
            let mut pairs = shares.into_iter().zip(sweeps);
            let first = pairs.next();
            thread::scope(|scope| {
                pairs.for_each(|(share, sweep)| drop(scope.spawn(|| run(share, sweep))));
                first.into_iter().for_each(|(share, sweep)| run(share, sweep));
            });
        });
        Ok(())
    }

    fn views<'a>(&self, all: View<'a>, count: usize) -> Vec<View<'a>> {
        let (plan, lanes) = (&self.plan, self.plan.lanes());
        let (masks, actions) = (plan.masks(), plan.actions);
        let packed = if self.shows_packed { words_for(plan.fluents) } else { 0 };
        let mut states =
            pieces(all.observation, lanes * self.observation.len(plan), count).into_iter();
        let mut packed = pieces(all.packed, lanes * packed, count).into_iter();
        let mut mask = pieces(all.mask, lanes * masks * actions, count).into_iter();
        let mut legal = pieces(all.legal, lanes * masks * words_for(actions), count).into_iter();
        let mut player = pieces(all.player, lanes, count).into_iter();
        let mut rewards = pieces(all.rewards, lanes * plan.players.len(), count).into_iter();
        let mut terminated = pieces(all.terminated, lanes, count).into_iter();
        let mut truncated = pieces(all.truncated, lanes, count).into_iter();
        (0..count)
            .map(|_| View {
                observation: states.next().unwrap_or_default(),
                packed: packed.next().unwrap_or_default(),
                mask: mask.next().unwrap_or_default(),
                legal: legal.next().unwrap_or_default(),
                player: player.next().unwrap_or_default(),
                rewards: rewards.next().unwrap_or_default(),
                terminated: terminated.next().unwrap_or_default(),
                truncated: truncated.next().unwrap_or_default(),
            })
            .collect()
    }

    /// The actions of a block.
    fn actions_of<'a>(&self, actions: &'a [i32], number: usize) -> &'a [i32] {
        let size = self.plan.lanes() * self.plan.masks();
        &actions[number * size..actions.len().min((number + 1) * size)]
    }

    /// Refuses everything if one action is not legal.
    fn refuse_illegal(&self, actions: &[i32]) -> PyResult<()> {
        let games = self.games();
        let (plan, size) =
            (&self.plan, self.plan.lanes() * self.plan.masks() * words_for(self.plan.actions));
        for (number, (block, legal)) in
            games.blocks.iter().zip(games.legal.chunks(size)).enumerate()
        {
            let bad = block.illegal(plan, self.actions_of(actions, number), legal);
            let first = bad
                .iter()
                .enumerate()
                .find_map(|(word, &bits)| Some(64 * word + ones(bits).next()?));
            if let Some(lane) = first {
                let env = number * plan.lanes() + lane;
                let given = &actions[env * plan.masks()..(env + 1) * plan.masks()];
                let message =
                    format!("game {env}: {given:?} is not legal there; no game was changed");
                return Err(PyValueError::new_err(message));
            }
        }
        Ok(())
    }

    /// The states in which games ended in this step, and which games.
    fn finals<'py>(&self, py: Python<'py>, info: &Bound<'py, PyDict>) -> PyResult<()> {
        let (plan, width) = (&self.plan, words_for(self.plan.fluents));
        let (mut rows, mut envs) = (Vec::new(), Vec::new());
        let mut square = vec![0; 64 * width];
        for (number, block) in self.games().blocks.iter().enumerate() {
            for (word, &ended) in block.ended.iter().enumerate().filter(|(_, ended)| **ended != 0) {
                rows_of(&block.last_fluents, plan.parts, word, &mut square);
                for bit in ones(ended).filter(|bit| 64 * word + bit < block.count) {
                    envs.push((number * plan.lanes() + 64 * word + bit) as i64);
                    rows.extend(square[bit * width..(bit + 1) * width].iter().copied());
                }
            }
        }
        let count = envs.len();
        info.set_item("final_env", PyArray1::from_vec(py, envs))?;
        let states = if self.shows_packed {
            PyArray1::from_vec(py, rows).into_any().call_method1("reshape", ((count, width),))?
        } else {
            let mut bytes = vec![0; count * self.observation.len(plan)];
            self.observation.write(plan, &rows, width, &mut bytes);
            let mut shape = self.shown(py).getattr(py, "shape")?.extract::<Vec<usize>>(py)?;
            shape[0] = count;
            PyArray1::from_vec(py, bytes).into_any().call_method1("reshape", (shape,))?
        };
        info.set_item("final_obs", states)
    }
}

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (
        game, num_envs, *, seed=1, threads=1, observation="fluents", autoreset="same-step", illegal="raise",
        max_steps=None, final_obs=true
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are named in Python")]
    fn new(
        py: Python<'_>,
        game: Py<Game>,
        num_envs: usize,
        seed: u64,
        threads: usize,
        observation: &str,
        autoreset: &str,
        illegal: &str,
        max_steps: Option<u32>,
        final_obs: bool,
    ) -> PyResult<Self> {
        let shared = game.get().shared.clone();
        if num_envs == 0 {
            return Err(PyValueError::new_err("an environment holds one game at least"));
        }
        let plan = Plan::of(py, &shared)?;
        let terms = Terms {
            autoreset: named_autoreset(autoreset)?,
            illegal: named_illegal(illegal)?,
            max_steps,
            final_observations: final_obs && observation != "none",
        };
        let shown = named_observation(observation, py, &shared)?;
        let shows_packed = observation == "packed";
        let blocks = num_envs.div_ceil(plan.lanes());
        let block = |number: usize| {
            let count = (num_envs - number * plan.lanes()).min(plan.lanes());
            Block::new(&plan, count, seed, number as u64)
        };
        let games = Games {
            blocks: (0..blocks).map(block).collect(),
            sweeps: (0..threads.clamp(1, MOST_THREADS.min(blocks)))
                .map(|_| OwnedSweep::of(&shared.game))
                .collect(),
            legal: vec![0; num_envs * plan.masks() * words_for(plan.actions)],
        };
        let mut shape = vec![num_envs];
        match &shown {
            Observation::Fluents => shape.push(plan.fluents),
            Observation::Board(planes) => shape.extend(planes.shape),
            Observation::Hidden => shape.push(0),
        }
        let (masks, players, actions) = (plan.masks(), plan.players.len(), plan.actions);
        let in_turn = plan.markers.is_some();
        let of_masks = if in_turn { vec![num_envs] } else { vec![num_envs, masks] };
        let of_actions: Vec<usize> = of_masks.iter().copied().chain([actions]).collect();
        let words = if shows_packed { words_for(plan.fluents) } else { 0 };
        let env = Self {
            states: Buffer::zeros(py, &shape, None)?,
            packed: Buffer::zeros(py, &[num_envs, words], None)?,
            mask: Buffer::zeros(py, &of_actions, Some("bool"))?,
            player: Buffer::zeros(py, &[num_envs], Some("int8"))?,
            rewards: Buffer::zeros(py, &[num_envs, players], None)?,
            terminated: Buffer::zeros(py, &[num_envs], Some("bool"))?,
            truncated: Buffer::zeros(py, &[num_envs], Some("bool"))?,
            actions: Buffer::zeros(py, &of_masks, None)?,
            games: Mutex::new(games),
            observation: shown,
            num_envs,
            shows_packed,
            terms,
            plan,
            game,
        };
        env.each(py, |_, block, _, view| view.write(&env.plan, block, &env.observation))?;
        Ok(env)
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// How many games.
    #[getter]
    fn num_envs(&self) -> usize {
        self.num_envs
    }

    /// How many players each has.
    #[getter]
    fn num_players(&self) -> usize {
        self.plan.players.len()
    }

    /// The most actions of a player.
    #[getter]
    fn num_actions(&self) -> usize {
        self.plan.actions
    }

    /// Whose turn it is: -1 chance, -2 all at once, -4 nobody's.
    #[getter]
    fn current_player(&self, py: Python<'_>) -> Py<PyAny> {
        self.player.shown(py)
    }

    /// The states.
    #[getter]
    fn observation(&self, py: Python<'_>) -> Py<PyAny> {
        self.shown(py)
    }

    /// What each plane of a board shows.
    #[getter]
    fn plane_names(&self) -> Vec<String> {
        match &self.observation {
            Observation::Board(planes) => planes.names.clone(),
            Observation::Fluents | Observation::Hidden => Vec::new(),
        }
    }

    /// The legal actions of whose turn it is, or of each player.
    #[getter]
    fn legal_action_mask(&self, py: Python<'_>) -> Py<PyAny> {
        self.mask.shown(py)
    }

    /// What the players got in the last step.
    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyAny> {
        self.rewards.shown(py)
    }

    /// The games that came to their end in the last step.
    #[getter]
    fn terminated(&self, py: Python<'_>) -> Py<PyAny> {
        self.terminated.shown(py)
    }

    /// The games that were cut off, or in which a player had no move.
    #[getter]
    fn truncated(&self, py: Python<'_>) -> Py<PyAny> {
        self.truncated.shown(py)
    }

    /// Begins all games anew.
    #[pyo3(signature = (*, seed=None, options=None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Option<u64>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Py<PyAny>, Bound<'py, PyDict>)> {
        let _ = options;
        self.each(py, |number, block, _, view| {
            block.reset(&self.plan, seed, number as u64);
            view.rewards.fill(0.0);
            view.write(&self.plan, block, &self.observation);
        })?;
        Ok((self.shown(py), PyDict::new(py)))
    }

    /// Makes one move in each game.
    fn step<'py>(&self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Step<'py>> {
        let (plan, terms) = (&self.plan, &self.terms);
        let actions = whole_numbers(actions)?;
        if actions.shape().first() != Some(&self.num_envs)
            || actions.len() != self.num_envs * plan.masks()
        {
            let message =
                format!("actions of shape {:?} for {} games", actions.shape(), self.num_envs);
            return Err(PyValueError::new_err(message));
        }
        let given = actions.as_slice()?;
        if terms.illegal == Illegal::Raise {
            self.refuse_illegal(given)?;
        }
        self.each(py, |number, block, sweep, view| {
            let actions = self.actions_of(given, number);
            let bad = match terms.illegal {
                Illegal::Terminate => block.illegal(plan, actions, view.legal),
                Illegal::Raise | Illegal::Unchecked => vec![0; plan.parts],
            };
            sweep.with_dependent_mut(|_, sweep| {
                block.step(plan, sweep, terms, actions, &bad);
                view.write_rewards(plan, block, sweep, &bad);
            });
            view.write(plan, block, &self.observation);
        })?;
        let info = PyDict::new(py);
        if terms.final_observations && terms.autoreset == Autoreset::SameStep {
            self.finals(py, &info)?;
        }
        Ok((
            self.shown(py),
            self.rewards.shown(py),
            self.terminated.shown(py),
            self.truncated.shown(py),
            info,
        ))
    }

    /// A legal action for each game, each as likely as the others.
    fn sample(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut actions = self.actions.writer(py)?;
        let actions = actions.as_slice_mut()?;
        py.detach(|| {
            let mut games = self.games();
            let Games { blocks, legal, .. } = &mut *games;
            let (width, size) =
                (words_for(self.plan.actions), self.plan.lanes() * self.plan.masks());
            for ((block, legal), actions) in
                blocks.iter_mut().zip(legal.chunks(size * width)).zip(actions.chunks_mut(size))
            {
                for (row, action) in legal.chunks_exact(width).zip(actions) {
                    *action = block.samples.draw(row).unwrap_or(0) as i32;
                }
            }
        });
        Ok(self.actions.shown(py))
    }

    /// The states, packed: 64 fluents to a word.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let width = words_for(self.plan.fluents);
        let mut rows = Vec::with_capacity(self.num_envs * width);
        let mut square = vec![0; 64 * width];
        for block in &self.games().blocks {
            for word in 0..block.count.div_ceil(64) {
                rows_of(&block.fluents, self.plan.parts, word, &mut square);
                rows.extend_from_slice(&square[..(block.count - 64 * word).min(64) * width]);
            }
        }
        PyArray1::from_vec(py, rows).into_any().call_method1("reshape", ((self.num_envs, width),))
    }

    /// Puts games into these states. Games that are over there wait for their reset.
    fn set_states(&self, py: Python<'_>, states: PyReadonlyArray2<'_, u64>) -> PyResult<()> {
        let width = words_for(self.plan.fluents);
        if states.shape() != [self.num_envs, width] {
            let message =
                format!("states of shape {:?}, not {:?}", states.shape(), [self.num_envs, width]);
            return Err(PyValueError::new_err(message));
        }
        let rows = states.as_slice()?;
        let beyond = match self.plan.fluents % 64 {
            0 if self.plan.fluents > 0 => 0,
            used => u64::MAX << used,
        };
        if rows.chunks_exact(width).any(|row| row[width - 1] & beyond != 0) {
            return Err(PyValueError::new_err("these words are no states of this game"));
        }
        self.each(py, |number, block, sweep, view| {
            let first = number * self.plan.lanes() * width;
            let rows = &rows[first..first + block.count * width];
            sweep.with_dependent_mut(|_, sweep| block.set_states(&self.plan, sweep, rows));
            view.rewards.fill(0.0);
            view.write(&self.plan, block, &self.observation);
        })
    }

    fn __repr__(&self) -> String {
        format!("<VectorEnv: {} games of {}>", self.num_envs, self.game.get().shared.name)
    }
}

/// Actions as an array in one piece, which is copied only if it must be. What does not fit into 32 bits is no action
/// and must not become one.
fn whole_numbers<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, i32>> {
    let ready = given.cast::<PyArrayDyn<i32>>().ok().filter(|array| array.is_c_contiguous());
    if let Some(array) = ready {
        return Ok(array.try_readonly()?);
    }
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (given,))?;
    if !matches!(array.getattr("dtype")?.getattr("kind")?.extract()?, 'i' | 'u') {
        let kind = array.getattr("dtype")?;
        return Err(PyTypeError::new_err(format!("actions are whole numbers, not {kind}")));
    }
    let limits = numpy.call_method1("iinfo", ("int32",))?;
    // Of unsigned numbers those that are too large are negative as 64 bits.
    let signed = array.call_method1("astype", ("int64",))?;
    let fitting = signed.call_method1("clip", (limits.getattr("min")?, limits.getattr("max")?))?;
    let array = numpy.call_method1("ascontiguousarray", (fitting, "int32"))?;
    Ok(array.cast::<PyArrayDyn<i32>>()?.try_readonly()?)
}

fn named_autoreset(name: &str) -> PyResult<Autoreset> {
    match name {
        "same-step" => Ok(Autoreset::SameStep),
        "next-step" => Ok(Autoreset::NextStep),
        "disabled" => Ok(Autoreset::Disabled),
        _ => Err(unknown("autoreset", name, "same-step, next-step or disabled")),
    }
}

fn named_illegal(name: &str) -> PyResult<Illegal> {
    match name {
        "raise" => Ok(Illegal::Raise),
        "terminate" => Ok(Illegal::Terminate),
        "unchecked" => Ok(Illegal::Unchecked),
        _ => Err(unknown("illegal", name, "raise, terminate or unchecked")),
    }
}

fn named_observation(name: &str, py: Python<'_>, shared: &Shared) -> PyResult<Observation> {
    match name {
        "fluents" => Ok(Observation::Fluents),
        "packed" | "none" => Ok(Observation::Hidden),
        "board" => {
            let planes = Planes::of(shared.boards(py), shared.net().fluents.as_slice());
            let none = || PyValueError::new_err(format!("{} has no board", shared.name));
            planes.map(Observation::Board).ok_or_else(none)
        }
        _ => Err(unknown("observation", name, "fluents, board, packed or none")),
    }
}

fn unknown(option: &str, name: &str, known: &str) -> PyErr {
    PyValueError::new_err(format!("{option} is {known}, not {name}"))
}
