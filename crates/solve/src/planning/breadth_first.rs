//! One player: the shortest of the best plans, breadth first.
//!
//! Each state is stored once, with the state and move it was first reached by, so that cycles do no
//! harm and the first way to a goal is a shortest one.

use gambol_index::Id;

use crate::limits::Meter;
use crate::listing::store::{StateId, Store};
use crate::planning::checkpoint::SavedSearch;
use crate::{Dynamics, Limits, Payoff, Unfinished};

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

/// What a search found.
#[derive(Clone, Debug)]
pub(crate) struct Plans {
    /// The best goal met, if any; ends with several goals, or none, in the worst reading.
    pub(crate) best: Option<u32>,
    /// The best goal met in the best reading.
    pub(crate) hope: u32,
    /// Joint moves to it, as few as possible.
    pub(crate) plan: Vec<u32>,
    /// Whether everything that is not dead was seen, or the ceiling met.
    pub(crate) complete: Result<(), Unfinished>,
    /// Whether anything may have been left out as dead.
    pub(crate) pruned: bool,
    pub(crate) nodes: u64,
    pub(crate) states: u64,
}

/// What to search for.
pub(crate) struct Wanted<'a> {
    pub(crate) start: &'a [u64],
    /// The goal at which the search ends.
    pub(crate) ceiling: u32,
    pub(crate) dead: &'a DeadMask,
    pub(crate) most_states: usize,
}

/// Searches for the best goal there is.
pub(crate) fn best_plan(
    game: &mut impl Dynamics,
    start: &[u64],
    ceiling: u32,
    limits: &Limits,
) -> Plans {
    let dead = DeadMask::default();
    let wanted = Wanted { start, ceiling, dead: &dead, most_states: usize::MAX };
    best_plan_from(game, &wanted, limits, None, &mut |_| {})
}

/// Searches for a goal or, if there is none, for the best there is; goes on from a search that was
/// kept. The watcher sees the search between any two batches of states.
pub(crate) fn best_plan_from(
    game: &mut impl Dynamics,
    wanted: &Wanted<'_>,
    limits: &Limits,
    saved: Option<&SavedSearch<'_>>,
    watcher: &mut dyn FnMut(&Search),
) -> Plans {
    let mut search = Search {
        store: Store::new(game.width()),
        parents: Vec::new(),
        best: None,
        hope: 0,
        nodes: 0,
        done: 0,
        pruned: !wanted.dead.is_empty(),
    };
    match saved {
        Some(saved) => saved.restore(&mut search),
        None => {
            search.store.insert(wanted.start);
            search.parents.push((StateId::new(0), 0));
        }
    }
    let complete = search.run(game, wanted, &Meter::start(limits), watcher);
    Plans {
        best: search.best.map(|(goal, _)| goal),
        hope: search.hope,
        plan: search.best.map(|(_, end)| search.plan(end)).unwrap_or_default(),
        complete,
        pruned: search.pruned,
        nodes: search.nodes,
        states: search.store.len() as u64,
    }
}

/// States are expanded in batches of this size.
const BATCH: usize = 512;

/// A running search.
pub(crate) struct Search {
    pub(crate) store: Store,
    /// The state each state was reached from, and the move.
    pub(crate) parents: Vec<(StateId, u32)>,
    pub(crate) best: Option<(u32, StateId)>,
    pub(crate) hope: u32,
    pub(crate) nodes: u64,
    /// The states from the first on whose successors are stored.
    pub(crate) done: usize,
    pub(crate) pruned: bool,
}

impl Search {
    fn run(
        &mut self,
        game: &mut impl Dynamics,
        wanted: &Wanted<'_>,
        meter: &Meter,
        watcher: &mut dyn FnMut(&Search),
    ) -> Result<(), Unfinished> {
        while self.done < self.store.len() {
            if self.store.len() > wanted.most_states {
                return Err(Unfinished::Memory);
            }
            let batch = self.done..self.store.len().min(self.done + BATCH);
            self.expand(game, batch.clone(), wanted.dead);
            self.done = batch.end;
            if self.best.is_some_and(|(goal, _)| goal >= wanted.ceiling) {
                return Ok(());
            }
            meter.check(self.store.bytes() + self.parents.capacity() * 8)?;
            watcher(self);
        }
        Ok(())
    }

    fn expand(&mut self, game: &mut impl Dynamics, batch: std::ops::Range<usize>, dead: &DeadMask) {
        let looks = game.look(self.store.rows(batch.clone()));
        let (mut rows, mut moves, mut from) = (Vec::new(), Vec::new(), Vec::new());
        for (place, state) in batch.map(StateId::from_index).enumerate() {
            if looks.over(place) {
                let Payoff { least, most } = looks.goals(place)[0];
                self.hope = self.hope.max(most);
                if self.best.is_none_or(|(best, _)| least > best) {
                    self.best = Some((least, state));
                }
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
