//! One player: the shortest of the best plans, breadth first.
//!
//! Each state is stored once, with the state and move it was first reached by, so that cycles do no
//! harm and the first way to a goal is a shortest one.

use gambol_index::Id;

use crate::limits::Meter;
use crate::store::{StateId, Store};
use crate::{Dynamics, Limits, Unfinished};

/// States that cannot lead to the wanted goal, told by single fluents.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadMask {
    /// A state with one of these fluents is dead.
    pub(crate) when_true: Vec<u64>,
    /// A state without one of these is dead.
    pub(crate) when_false: Vec<u64>,
}

impl DeadMask {
    /// Whether no state is dead.
    pub(crate) fn is_empty(&self) -> bool {
        self.when_true.iter().chain(&self.when_false).all(|&word| word == 0)
    }

    /// Whether a state cannot lead to the goal.
    pub(crate) fn is_dead(&self, state: &[u64]) -> bool {
        let with = |(&word, &mask): (&u64, &u64)| word & mask != 0;
        let without = |(&word, &mask): (&u64, &u64)| !word & mask != 0;
        state.iter().zip(&self.when_true).any(with)
            || state.iter().zip(&self.when_false).any(without)
    }
}

/// What a breadth-first search found.
#[derive(Clone, Debug)]
pub(crate) struct Plans {
    /// The best goal met, if any.
    pub(crate) best: Option<u32>,
    /// Joint moves to it, as few as possible.
    pub(crate) plan: Vec<u32>,
    /// Whether everything that is not dead was seen, or the ceiling met.
    pub(crate) complete: Result<(), Unfinished>,
    pub(crate) nodes: u64,
    pub(crate) states: u64,
}

/// Searches for a goal of `ceiling` or, if there is none, for the best there is.
pub(crate) fn best_plan(
    game: &mut impl Dynamics,
    start: &[u64],
    ceiling: u32,
    dead: &DeadMask,
    most_states: usize,
    limits: &Limits,
) -> Plans {
    let mut search = Search {
        meter: Meter::start(limits),
        store: Store::new(game.width()),
        parents: Vec::new(),
        best: None,
        nodes: 0,
        most_states,
    };
    let complete = search.run(game, start, ceiling, dead);
    Plans {
        best: search.best.map(|(goal, _)| goal),
        plan: search.best.map(|(_, end)| search.plan(end)).unwrap_or_default(),
        complete,
        nodes: search.nodes,
        states: search.store.len() as u64,
    }
}

/// States are expanded in batches of this size.
const BATCH: usize = 512;

struct Search {
    meter: Meter,
    store: Store,
    /// The state each state was reached from, and the move.
    parents: Vec<(StateId, u32)>,
    best: Option<(u32, StateId)>,
    nodes: u64,
    most_states: usize,
}

impl Search {
    fn run(
        &mut self,
        game: &mut impl Dynamics,
        start: &[u64],
        ceiling: u32,
        dead: &DeadMask,
    ) -> Result<(), Unfinished> {
        self.store.insert(start);
        self.parents.push((StateId::new(0), 0));
        let mut done = 0;
        while done < self.store.len() {
            let batch = done..self.store.len().min(done + BATCH);
            self.expand(game, batch.clone(), dead);
            done = batch.end;
            if self.best.is_some_and(|(goal, _)| goal >= ceiling) {
                return Ok(());
            }
            if self.store.len() > self.most_states {
                return Err(Unfinished::Memory);
            }
            self.meter.check(self.store.bytes() + self.parents.capacity() * 8)?;
        }
        Ok(())
    }

    fn expand(&mut self, game: &mut impl Dynamics, batch: std::ops::Range<usize>, dead: &DeadMask) {
        let looks = game.look(self.store.rows(batch.clone()));
        let (mut rows, mut moves, mut from) = (Vec::new(), Vec::new(), Vec::new());
        for (place, state) in batch.map(StateId::from_index).enumerate() {
            if let Some(goal) = looks.over(place).then(|| looks.goals(place)[0]).flatten()
                && self.best.is_none_or(|(best, _)| goal > best)
            {
                self.best = Some((goal, state));
            }
            for &action in looks.moves(place, 0) {
                rows.extend_from_slice(self.store.row(state));
                moves.push(action);
                from.push(state);
            }
        }
        self.nodes += looks.len() as u64;
        let next = game.step(&rows, &moves);
        for ((row, action), from) in next.chunks_exact(game.width()).zip(moves).zip(from) {
            if !dead.is_dead(row) && self.store.insert(row).1 {
                self.parents.push((from, action));
            }
        }
    }

    fn plan(&self, end: StateId) -> Vec<u32> {
        let mut plan = Vec::new();
        let mut state = end;
        while state.index() > 0 {
            let (from, action) = self.parents[state.index()];
            plan.push(action);
            state = from;
        }
        plan.reverse();
        plan
    }
}
