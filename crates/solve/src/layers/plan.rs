//! The plan of a run: how states are coded and shared out. Made once, and the same for all who take part.

use gambol_index::Id;
use gambol_net::{FluentId, Net};
use serde::{Deserialize, Serialize};

use super::combinations::{combined, each_alone};
use super::groups::{groups, plain, timed};
use super::key_code::{KeyCode, Moment, Parts, Uncoded};
use super::layer_file::{VERSION, digest};
use super::potential::potential;
use super::sample::Sample;
use super::shelf::Shelf;
use super::symmetries::{group_fixing, image, is_group};
use crate::store_error::{Stopped, StoreError};

use crate::checkpoint::fingerprint;
use crate::circuit_dynamics::CircuitDynamics;
use crate::problem::Task;
use gambol_index::bits::ones_of_row;

/// The name of the plan on a shelf.
pub(crate) const PLAN_FILE: &str = "plan.json";
/// The partition of a key is its top bits, at least and at most so many. With more there are more even shares, with
/// fewer fewer bytes in small files.
const PARTITION_BITS: [u32; 2] = [6, 10];
/// Keys of so many bits have the least number of partitions.
const FEW_BITS: u32 = 22;
/// How often the code is made anew after a state had none, before it is made of fluents alone.
const ATTEMPTS: usize = 6;

/// What a plan says, as it stands in its file.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
struct Written {
    version: u32,
    /// Of the net and the state play begins in.
    game: u64,
    start: Vec<u64>,
    roles: Vec<String>,
    partition_bits: u32,
    /// Whether a state may come up after different numbers of steps.
    states_return: bool,
    /// Symmetries that fix the start, for each the image of each fluent. Of states that are images of one another the
    /// one with the least code is listed.
    symmetries: Vec<Vec<u32>>,
    code: Parts,
}

/// A plan.
#[derive(Clone, Debug)]
pub struct Plan {
    written: Written,
    pub(crate) code: KeyCode,
    digest: u64,
}

impl Plan {
    fn of(written: Written) -> Option<Self> {
        let code = KeyCode::new(written.code.clone())?;
        let digest = digest(&serde_json::to_vec(&written).ok()?);
        let symmetries = &written.symmetries;
        let fixed = |symmetry: &Vec<u32>| image(symmetry, &written.start) == written.start;
        let words = written.code.fluents.div_ceil(64).max(1);
        let fits = written.partition_bits < code.bits
            && written.partition_bits <= PARTITION_BITS[1]
            && written.start.len() == words
            && is_group(symmetries, written.code.fluents)
            && symmetries.iter().all(fixed);
        fits.then_some(Self { written, code, digest })
    }

    /// A plan as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Numbers, lists and text always have a form in JSON.
        serde_json::to_vec(&self.written).unwrap_or_default()
    }

    /// A plan from bytes.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, StoreError> {
        let damaged = || StoreError::Damaged(name.to_string());
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|_| damaged())?;
        if value.get("version").and_then(serde_json::Value::as_u64) != Some(VERSION.into()) {
            return Err(StoreError::Version(name.to_string()));
        }
        let written = serde_json::from_value(value).map_err(|_| damaged())?;
        Self::of(written).ok_or_else(damaged)
    }

    /// The plan that lies on a shelf.
    pub fn on(shelf: &dyn Shelf) -> Result<Self, StoreError> {
        let bytes = shelf.read(PLAN_FILE, 0..u64::MAX);
        let bytes = bytes.map_err(|error| StoreError::read(PLAN_FILE, &error))?;
        Self::from_bytes(&bytes, PLAN_FILE)
    }

    /// Puts the plan on a shelf.
    pub fn put(&self, shelf: &dyn Shelf) -> Result<(), StoreError> {
        let written = shelf.put(PLAN_FILE, &self.to_bytes());
        written.map_err(|error| StoreError::write(PLAN_FILE, &error))
    }

    /// A number that tells plans apart.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Whether a state may come up after different numbers of steps; a layer then holds what is new.
    pub fn states_return(&self) -> bool {
        self.written.states_return
    }

    /// How many bits a key has.
    pub fn bits(&self) -> u32 {
        self.code.bits
    }

    /// The names of the roles.
    pub fn roles(&self) -> &[String] {
        &self.written.roles
    }

    pub(crate) fn symmetries(&self) -> &[Vec<u32>] {
        &self.written.symmetries
    }

    /// How many states a listed one stands for at most: itself and those symmetric to it.
    pub fn symmetry(&self) -> usize {
        self.written.symmetries.len() + 1
    }

    /// The key of a state, or of the one that is listed in its place; none if it is not one of the moment or has no
    /// code.
    pub(crate) fn key(&self, state: &[u64], moment: &Moment) -> Option<u64> {
        let mut code = self.code.encode(state, moment)?;
        for symmetry in self.symmetries() {
            code = code.min(self.code.encode(&image(symmetry, state), moment)?);
        }
        Some(self.code.mix(code))
    }

    pub(crate) fn partition_bits(&self) -> u32 {
        self.written.partition_bits
    }

    /// The state play begins in.
    pub(crate) fn start(&self) -> &[u64] {
        &self.written.start
    }

    /// What the first layer has in common.
    pub(crate) fn first_moment(&self) -> Moment {
        self.code.moment(self.start(), self.start(), 0)
    }

    /// Whether the plan is one for this game and state.
    pub(crate) fn fits(&self, task: &Task<'_>) -> bool {
        self.written.game == fingerprint(task) && self.written.start == task.start
    }
}

/// Makes plans of a game, each better than the one before.
pub(crate) struct Planner {
    sample: Sample,
    /// Looked for when there is a plan to be made.
    symmetries: Option<Vec<Vec<u32>>>,
    attempts: usize,
}

impl Planner {
    /// Plays at random to see how states are best coded.
    pub(crate) fn new(task: &Task<'_>) -> Self {
        let mut game = CircuitDynamics::new(task.net, task.circuit);
        let sample = Sample::of(&mut game, task.start, task.options.seed);
        Self { sample, symmetries: None, attempts: 0 }
    }

    /// The next plan; none if the game is not one for layers: a state can come up at different steps, or states have no
    /// code of few bits. With `returning` the former is no obstacle.
    pub(crate) fn plan(&mut self, task: &Task<'_>, returning: bool) -> Option<Plan> {
        if self.sample.comes_back && !returning {
            return None;
        }
        if self.symmetries.is_none() {
            let group = match task.options.symmetry {
                true => group_fixing(task.net, task.start),
                false => Vec::new(),
            };
            // The code must have room for images as well.
            self.sample.add_images(&group);
            self.symmetries = Some(group);
        }
        self.layered(task).or_else(|| self.returning(task).filter(|_| returning))
    }

    /// A plan for states that may return: nothing follows from the step.
    fn returning(&self, task: &Task<'_>) -> Option<Plan> {
        let fluents = task.net.fluents.len();
        let tables = match self.sample.learnt() > ATTEMPTS {
            true => each_alone(&plain(fluents, |_| true)),
            false => combined(&groups(task.net, &self.sample, &[]), &self.sample),
        };
        self.written(task, KeyCode::of(fluents, Vec::new(), Vec::new(), tables)?, true)
    }

    fn layered(&mut self, task: &Task<'_>) -> Option<Plan> {
        let fluents = task.net.fluents.len();
        let alone = self.attempts >= ATTEMPTS;
        (self.attempts <= ATTEMPTS + 1).then_some(())?;
        self.attempts += 1;
        let timed = if alone { Vec::new() } else { timed(&self.sample, fluents) };
        let potential = potential(&self.sample, fluents, &timed)?;
        let tables = if alone {
            each_alone(&plain(fluents, |_| true))
        } else {
            combined(&groups(task.net, &self.sample, &timed), &self.sample)
        };
        self.written(task, KeyCode::of(fluents, timed, potential, tables)?, false)
    }

    /// A run met a state that had no code: the next plan has one for it.
    pub(crate) fn learn(&mut self, row: &[u64], depth: u32) {
        self.sample.learn(row, depth);
        for symmetry in self.symmetries.iter().flatten() {
            self.sample.add(&image(symmetry, row), depth);
        }
    }

    fn written(&self, task: &Task<'_>, code: KeyCode, states_return: bool) -> Option<Plan> {
        let [least, most] = PARTITION_BITS;
        let partition_bits = (least + code.bits.saturating_sub(FEW_BITS)).min(most);
        Plan::of(Written {
            version: VERSION,
            game: fingerprint(task),
            start: task.start.to_vec(),
            roles: task.net.roles.iter().map(|role| role.to_string()).collect(),
            partition_bits: partition_bits.min(code.bits - 1),
            states_return,
            symmetries: self.symmetries.clone().unwrap_or_default(),
            code: code.parts,
        })
    }
}

/// A state without a code, by the names of its fluents.
pub(crate) fn uncoded(net: &Net, Uncoded { row, depth }: Uncoded) -> Stopped {
    let names: Vec<String> = ones_of_row(&row)
        .map(|fluent| net.fluents[FluentId::from_index(fluent)].to_string())
        .collect();
    Stopped::Uncoded { state: names.join(" "), depth, row }
}

/// A plan whose first table has seen half of what occurs.
#[cfg(test)]
pub(crate) fn thin_plan(
    net: &Net,
    circuit: &gambol_sim::Circuit,
    options: &crate::SolveOptions,
) -> Plan {
    let start = crate::Dynamics::start(&CircuitDynamics::new(net, circuit));
    let task = Task { net, circuit, start: &start, options };
    let full = Planner::new(&task);
    let fluents = net.fluents.len();
    let timed = timed(&full.sample, fluents);
    let mut tables = combined(&groups(net, &full.sample, &timed), &full.sample);
    let (mut first, mut shift) = (0, 0);
    for group in &tables[0].groups {
        first |= group.value_in(&start).unwrap_or(0) << shift;
        shift += group.width();
    }
    let mut odd = false;
    tables[0].rows.retain(|&row| {
        odd = !odd;
        odd || row == first
    });
    let potential = potential(&full.sample, fluents, &timed).unwrap_or_default();
    let code = KeyCode::of(fluents, timed, potential, tables).map(|code| code.parts);
    Plan::of(Written {
        version: VERSION,
        game: fingerprint(&task),
        start,
        roles: Vec::new(),
        partition_bits: 2,
        states_return: false,
        symmetries: Vec::new(),
        code: code.expect("a code"),
    })
    .expect("a plan")
}
