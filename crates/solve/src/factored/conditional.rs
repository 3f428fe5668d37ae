//! Parts that come into being: a game that falls apart once a [cut](super::cuts) is made.
//!
//! The parts of each cut are reduced once. From the moment a cut is made, a state is the blocks of its
//! parts; before that, and where a part is in a state that its table does not have, it is itself. That is
//! exact because what is left of a net gives the same answers wherever the fixed fluents have their
//! values, whether or not play could have come there from the start with the cut written into it.

use std::time::Instant;

use super::cuts::{Cut, cuts};
use super::opposed::opposed;
use super::quotient::Quotient;
use super::watched::Watched;
use super::{NotFactored, lift, one_role, quotient, several};
use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::Meter;
use crate::solve::Task;
use crate::{Dynamics, Limits, Looks, Method, Observer, Solution};

/// Solves a game in which parts come into being.
pub(crate) fn conditional(
    task: &Task<'_>,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Result<Solution, NotFactored> {
    let started = Instant::now();
    let cuts = cuts(task, &Meter::start(limits));
    let mut game = Conditional::new(task, &cuts, limits, observer);
    if game.cuts.is_empty() {
        return Err(NotFactored::Whole);
    }
    let start = game.row_of(task.start);
    let count = game.cuts.len();
    let left = limits.left(started);
    let mut watched = Watched::new(&mut game, observer);
    let mut solution = match task.net.roles.len() {
        1 => one_role(task, &mut watched, &start, &left)?,
        _ => match opposed(task, &mut watched, &start, &left) {
            // Not a game of that kind: all its states are listed.
            Err(NotFactored::Value) => several(task, &mut watched, &start, &limits.left(started))?,
            found => found?,
        },
    };
    solution.line = lift(&mut game, task.start, start, &solution.line);
    solution.method = Method::Factored;
    solution.notes.push(format!(
        "the game falls into parts once one of {count} sets of fluents is fixed; from then on it was solved part by part"
    ));
    Ok(solution)
}

/// The game before and after the cuts. A row is 0 and a state, or the number of a cut and a row of its
/// quotient.
pub(super) struct Conditional<'a> {
    game: CircuitDynamics<'a>,
    cuts: Vec<Quotient<'a>>,
    start: &'a [u64],
    words: usize,
    width: usize,
}

impl<'a> Conditional<'a> {
    fn new(task: &Task<'a>, cuts: &'a [Cut], limits: &Limits, observer: &mut dyn Observer) -> Self {
        let reduced = |cut: &'a Cut| {
            let task = Task { net: &cut.net, start: &cut.start, ..*task };
            quotient(&task, &cut.parts, limits, observer).ok()
        };
        let cuts: Vec<Quotient<'a>> = cuts.iter().filter_map(reduced).collect();
        let words = task.start.len();
        let longest = cuts.iter().map(Dynamics::width).max().unwrap_or(0);
        let game = CircuitDynamics::new(task.net, task.circuit);
        Self { game, cuts, start: task.start, words, width: 1 + words.max(longest) }
    }

    /// A state before or after a cut.
    fn row_of(&self, state: &[u64]) -> Vec<u64> {
        let mut cuts = self.cuts.iter().enumerate();
        let entry =
            cuts.find_map(|(cut, game)| Some(self.tagged(cut as u64 + 1, &game.entry(state)?)));
        entry.unwrap_or_else(|| self.tagged(0, state))
    }

    fn tagged(&self, tag: u64, words: &[u64]) -> Vec<u64> {
        let mut row = vec![tag];
        row.extend_from_slice(words);
        row.resize(self.width, 0);
        row
    }

    fn representatives(&self, rows: &[u64]) -> Vec<u64> {
        let state = |row: &[u64]| match row[0] {
            0 => row[1..=self.words].to_vec(),
            cut => self.cuts[cut as usize - 1].representative(&row[1..]),
        };
        rows.chunks_exact(self.width).flat_map(state).collect()
    }
}

/// A game made of blocks of states of another.
pub(super) trait Blocks: Dynamics {
    /// The game it is made of.
    type Whole: Dynamics;
    fn whole(&mut self) -> &mut Self::Whole;
    /// The row of the state that follows a row.
    fn row_after(&self, next: &[u64], before: &[u64]) -> Vec<u64>;
}

impl<'a> Blocks for Conditional<'a> {
    type Whole = CircuitDynamics<'a>;

    fn whole(&mut self) -> &mut Self::Whole {
        &mut self.game
    }

    fn row_after(&self, next: &[u64], before: &[u64]) -> Vec<u64> {
        match before[0] {
            0 => self.row_of(next),
            tag => self.tagged(tag, &self.cuts[tag as usize - 1].row_after(next, &before[1..])),
        }
    }
}

impl Dynamics for Conditional<'_> {
    fn roles(&self) -> usize {
        self.game.roles()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn start(&self) -> Vec<u64> {
        self.row_of(self.start)
    }

    fn look(&mut self, states: &[u64]) -> Looks {
        let states = self.representatives(states);
        self.game.look(&states)
    }

    fn step(&mut self, states: &[u64], joint_moves: &[u32]) -> Vec<u64> {
        let next = self.game.step(&self.representatives(states), joint_moves);
        let rows = next.chunks_exact(self.words).zip(states.chunks_exact(self.width));
        rows.flat_map(|(next, before)| self.row_after(next, before)).collect()
    }
}
