//! A sample of play: states that came up at random, each with the step it came up at.
//!
//! It suggests how to code states. Nothing is true because the sample shows it: what is read off it is
//! checked whenever a state is coded.

use gambol_index::Id;

use super::symmetries::image;
use crate::Dynamics;
use crate::listing::store::{StateId, Store};
use gambol_run::Random;

/// How many games are played side by side.
const SIDE_BY_SIDE: usize = 256;
/// No more states are collected than this.
const STATES: usize = 50_000;
/// No more steps are made than this, whatever comes up.
const STEPS: usize = 100_000;
/// Where fewer than one of so many steps leads to a new state, nearly all that play at random shows has been seen.
const WORTH_WHILE: usize = 32;

/// So many states at the end count in any case: among them are those that were found out by a run.
pub(crate) const LATEST: usize = 64;

/// States, each once.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    states: Store,
    depths: Vec<u32>,
    /// Whether a state came up at two different steps.
    pub(crate) comes_back: bool,
    learnt: usize,
}

impl Sample {
    /// Plays from a state on.
    pub(crate) fn of(game: &mut impl Dynamics, start: &[u64], seed: u64) -> Self {
        let states = Store::new(game.width());
        let mut sample = Self { states, depths: Vec::new(), comes_back: false, learnt: 0 };
        let (mut random, mut steps) = (Random::new(seed), 0);
        while sample.len() < STATES && steps < STEPS {
            let known = sample.len();
            let made = sample.play(game, start, &mut random);
            steps += made;
            if (sample.len() - known) * WORTH_WHILE < made {
                break;
            }
        }
        sample
    }

    /// Plays some games to their ends; how many steps were made.
    fn play(&mut self, game: &mut impl Dynamics, start: &[u64], random: &mut Random) -> usize {
        let (mut at, mut steps) = (start.repeat(SIDE_BY_SIDE), 0);
        let mut depth = 0;
        while !at.is_empty() && self.len() < STATES && steps < STEPS {
            at.chunks_exact(game.width()).for_each(|row| self.add(row, depth));
            at = random_successors(game, &at, random);
            steps += at.len() / game.width();
            depth += 1;
        }
        // At least one step is counted, so that a game that is over at once comes to an end here.
        steps.max(SIDE_BY_SIDE)
    }

    /// Adds a state that comes up after so many steps.
    pub(crate) fn add(&mut self, row: &[u64], depth: u32) {
        let (state, new) = self.states.insert(row);
        if new {
            self.depths.push(depth);
        } else if self.depths[state.index()] != depth {
            self.comes_back = true;
        }
    }

    /// Adds the images of all states, as far as there is room; images come up after as many steps.
    pub(crate) fn add_images(&mut self, symmetries: &[Vec<u32>]) {
        let originals = (STATES / symmetries.len().max(1)).min(self.len());
        for place in 0..originals {
            for symmetry in symmetries {
                let image = image(symmetry, self.row(place));
                self.add(&image, self.depths[place]);
            }
        }
    }

    /// Adds a state that a run came upon.
    pub(crate) fn learn(&mut self, row: &[u64], depth: u32) {
        self.learnt += 1;
        self.add(row, depth);
    }

    /// How many states were added by runs.
    pub(crate) fn learnt(&self) -> usize {
        self.learnt
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.depths.len()
    }

    /// A state.
    pub(crate) fn row(&self, place: usize) -> &[u64] {
        self.states.row(StateId::from_index(place))
    }

    /// The step it came up at.
    pub(crate) fn depth(&self, place: usize) -> usize {
        self.depths[place] as usize
    }

    /// Whether a fluent is true in a state.
    pub(crate) fn holds(&self, place: usize, fluent: u32) -> bool {
        holds(self.row(place), fluent)
    }

    /// All states with their steps.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u64], usize)> {
        (0..self.len()).map(|place| (self.row(place), self.depth(place)))
    }
}

/// Whether a fluent is true in a row.
pub(crate) fn holds(row: &[u64], fluent: u32) -> bool {
    row[fluent as usize / 64] >> (fluent % 64) & 1 == 1
}

/// A random successor of each state that has one.
fn random_successors(game: &mut impl Dynamics, states: &[u64], random: &mut Random) -> Vec<u64> {
    let looks = game.look(states);
    let (mut rows, mut joint) = (Vec::new(), Vec::new());
    for (place, row) in states.chunks_exact(game.width()).enumerate() {
        let count = looks.joint_count(place);
        if count > 0 {
            rows.extend_from_slice(row);
            looks.joint_move(place, random.below(count), &mut joint);
        }
    }
    if rows.is_empty() { rows } else { game.step(&rows, &joint) }
}
