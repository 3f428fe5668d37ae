//! How many best plans a puzzle has: the shortest sequences of moves to the highest goal, told apart by their moves.
//!
//! Breadth first, each state with the number of shortest ways to it. A state that comes again in the same layer adds
//! the ways of its other predecessor; one that comes again later is a detour, and no shortest plan takes it.

use gambol_index::Id;
use gambol_net::Net;
use gambol_sim::Circuit;

use crate::limits::Meter;
use crate::listing::store::{StateId, Store};
use crate::problem::{chance_role, start_of};
use crate::{CircuitDynamics, Dynamics, Limits, Solution, SolveError, SolveOptions, Unfinished};

/// `count` plans of `length` moves reach `value`; no plan reaches more, and no shorter one as much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestPlans {
    /// What they are worth.
    pub value: u32,
    /// How many moves each takes.
    pub length: u32,
    /// How many there are; `u128::MAX` stands for so many or more.
    pub count: u128,
}

impl BestPlans {
    /// Whether there is one only.
    pub fn unique(&self) -> bool {
        self.count == 1
    }
}

/// Why plans cannot be counted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoCount {
    /// Somebody else plays too.
    #[error("plans are counted for one player; this game has {0}")]
    NotAPuzzle(usize),
    /// The value is not known exactly.
    #[error(
        "the value of the puzzle is not known exactly, so it is not known which plans are best"
    )]
    NoValue,
    /// No end is worth the value.
    #[error("no plan reaches the value: play without end is worth as much")]
    NoPlan,
    /// A limit was met.
    #[error("{0}")]
    Unfinished(#[from] Unfinished),
    /// The game cannot be solved here.
    #[error("{0}")]
    Solve(#[from] SolveError),
}

/// Counts the shortest of the best plans of a puzzle that is solved.
pub fn count_plans(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
    solution: &Solution,
) -> Result<BestPlans, NoCount> {
    if net.roles.len() != 1 {
        return Err(NoCount::NotAPuzzle(net.roles.len()));
    }
    if chance_role(net).is_some() {
        return Err(NoCount::NoValue);
    }
    let value = solution.values[0].value().and_then(|value| value.whole());
    let value = value.and_then(|value| u32::try_from(value).ok()).ok_or(NoCount::NoValue)?;
    let start = start_of(net, circuit, options)?;
    let mut game = CircuitDynamics::new(net, circuit);
    let found = Counting::new(&game, &start).run(&mut game, value, &options.limits)?;
    let (length, count) = found.ok_or(NoCount::NoPlan)?;
    Ok(BestPlans { value, length, count })
}

/// States are expanded in batches of this size.
const BATCH: usize = 512;

/// A running count.
struct Counting {
    store: Store,
    /// The length of the shortest ways to each state, and how many there are.
    ways: Vec<(u32, u128)>,
}

impl Counting {
    fn new(game: &impl Dynamics, start: &[u64]) -> Self {
        let mut store = Store::new(game.width());
        store.insert(start);
        Self { store, ways: vec![(0, 1)] }
    }

    /// The length and number of the shortest ways to an end of this value.
    fn run(
        mut self,
        game: &mut impl Dynamics,
        value: u32,
        limits: &Limits,
    ) -> Result<Option<(u32, u128)>, Unfinished> {
        let meter = Meter::start(limits);
        let mut found: Option<(u32, u128)> = None;
        let mut done = 0;
        while done < self.store.len() {
            let batch = done..self.store.len().min(done + BATCH);
            let looks = game.look(self.store.rows(batch.clone()));
            let (mut rows, mut moves) = (Vec::new(), Vec::new());
            for (place, state) in batch.clone().enumerate() {
                for &action in looks.moves(place, 0) {
                    rows.extend_from_slice(self.store.row(StateId::from_index(state)));
                    moves.push(action);
                }
            }
            let next = game.step(&rows, &moves);
            let mut next = next.chunks_exact(game.width());
            // The ways to a state are all counted when its turn comes: those before it lie in layers before its own.
            for (place, state) in batch.clone().enumerate() {
                let (length, count) = self.ways[state];
                if found.is_some_and(|(shortest, _)| shortest < length) {
                    return Ok(found);
                }
                if looks.over(place) && looks.goals(place)[0].value() == Some(value) {
                    let so_far = found.map_or(0, |(_, count)| count);
                    found = Some((length, count.saturating_add(so_far)));
                }
                for row in next.by_ref().take(looks.moves(place, 0).len()) {
                    self.reach(row, length + 1, count);
                }
            }
            done = batch.end;
            meter.check(self.store.bytes() + self.ways.capacity() * size_of::<(u32, u128)>())?;
        }
        Ok(found)
    }

    fn reach(&mut self, row: &[u64], length: u32, count: u128) {
        let (state, new) = self.store.insert(row);
        if new {
            self.ways.push((length, count));
            return;
        }
        let ways = &mut self.ways[state.index()];
        if ways.0 == length {
            ways.1 = ways.1.saturating_add(count);
        }
    }
}
