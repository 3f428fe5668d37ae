//! The problem that all solvers are given: a game, the state to solve it from, and how.

use std::sync::Arc;
use std::time::Duration;

use gambol_analysis::{Budget, Shape, ShapeOptions, shape};
use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net};
use gambol_sim::Circuit;

use crate::shortcuts::Shortcuts;
use crate::{Limits, SolveError};

/// Which way to solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choice {
    /// Whatever fits the game.
    #[default]
    Auto,
    /// List all states.
    Listing,
    /// Search from the start: breadth first for one player, alpha-beta for two.
    Search,
    /// By proof numbers, for two players.
    ProofNumber,
    /// By satisfiability, for one player.
    Satisfiability,
    /// Part by part.
    Factored,
    /// Phase by phase, the last one first.
    Phased,
}

/// How to solve.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SolveOptions {
    /// From this state on; from the start if nothing is said.
    pub at: Option<Vec<FluentId>>,
    /// Which way.
    pub choice: Choice,
    /// Whether to use what is proved about the game to leave out states.
    pub pruning: bool,
    /// What it may cost.
    pub limits: Limits,
    /// Whether to solve part by part what falls into parts.
    pub factoring: bool,
    /// Whether strong solutions list one of the states that are symmetric to one another, by a symmetry that fixes the
    /// start.
    pub symmetry: bool,
    /// Which short cuts are taken.
    pub shortcuts: Shortcuts,
    /// Which fluents seem to belong together, if that is known already; nothing need be true of it.
    pub parts: Option<Vec<Vec<FluentId>>>,
    /// What is proved about the game, if that is known already. It must be of this net.
    pub shape: Option<Arc<Shape>>,
    /// For the trials in which weights are found.
    pub seed: u64,
    /// How many threads may search.
    pub threads: usize,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self {
            at: None,
            choice: Choice::Auto,
            pruning: true,
            factoring: true,
            symmetry: false,
            shortcuts: Shortcuts::default(),
            parts: None,
            shape: None,
            limits: Limits::default(),
            seed: 1,
            threads: 1,
        }
    }
}

/// One setting after another: `SolveOptions::default().method(Choice::Listing).seconds(10.0)`.
impl SolveOptions {
    /// From this state on, as its true fluents.
    pub fn from_state(mut self, fluents: Vec<FluentId>) -> Self {
        self.at = Some(fluents);
        self
    }

    /// By this method.
    pub fn method(mut self, choice: Choice) -> Self {
        self.choice = choice;
        self
    }

    /// For no longer than this. A time that no clock can count is no limit.
    pub fn seconds(mut self, seconds: f64) -> Self {
        self.limits.time = Duration::try_from_secs_f64(seconds).ok();
        self
    }

    /// With tables no larger than this.
    pub fn memory_mib(mut self, memory_mib: u64) -> Self {
        self.limits.memory_mib = memory_mib;
        self
    }

    /// By so many threads.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
}

/// A game and the state to solve it from.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) net: &'a Net,
    pub(crate) circuit: &'a Circuit,
    pub(crate) start: &'a [u64],
    pub(crate) options: &'a SolveOptions,
}

/// The role that moves at random, each of its moves as likely as the others.
pub(crate) fn chance_role(net: &Net) -> Option<usize> {
    net.roles.iter().position(|role| &**role == "random")
}

/// The most time for what is proved in advance, and its share of the time if there is a limit.
const PROOFS: Duration = Duration::from_secs(4);
const PROOFS_SHARE: f64 = 0.1;

impl Task<'_> {
    /// What is proved about the states that play comes to: as it was handed over, or found now. None
    /// if nothing is to be left out, or play begins elsewhere, where it need not hold.
    pub(crate) fn shape(&self, limits: &Limits) -> Option<Arc<Shape>> {
        if !self.options.pruning || self.options.at.is_some() {
            return None;
        }
        if let Some(shape) = &self.options.shape {
            return Some(Arc::clone(shape));
        }
        let mut options = ShapeOptions::default();
        options.inhibitors = false;
        options.seed = self.options.seed;
        options.budget = proof_budget(limits);
        Some(Arc::new(shape(self.net, &options)))
    }
}

/// What proofs may cost.
pub(crate) fn proof_budget(limits: &Limits) -> Budget {
    let share = |time: Duration| time.mul_f64(PROOFS_SHARE).min(PROOFS);
    Budget { time: Some(limits.time.map_or(PROOFS, share)), stop: limits.stop.clone() }
}

/// The state to solve from, in words.
pub(crate) fn start_of(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Vec<u64>, SolveError> {
    let mut start = match &options.at {
        None => circuit.initial(),
        Some(fluents) if fluents.iter().all(|fluent| fluent.index() < net.fluents.len()) => {
            circuit.state_of(fluents)
        }
        Some(_) => return Err(SolveError::State),
    }
    .words()
    .to_vec();
    start.resize(net.fluents.len().div_ceil(64).max(1), 0);
    Ok(start)
}

/// Joint moves by their numbers, `roles` in a row.
pub(crate) fn joint_moves(moves: &[u32], roles: usize) -> Vec<Vec<MoveId>> {
    let joint = |joint: &[u32]| joint.iter().map(|&action| MoveId::new(action)).collect();
    moves.chunks(roles).map(joint).collect()
}
