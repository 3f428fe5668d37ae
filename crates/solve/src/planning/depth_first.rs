//! One player, depth first: some way to a wanted goal, not a shortest one.
//!
//! Puzzles that are solved by long plans (tours, peg jumping, placing pieces) have their goals at depths that
//! breadth-first search does not reach. Each state is entered once.
//!
//! Puzzles that are solved by going on and on (tours, peg jumping, placing pieces) have their goals
//! deep down, where breadth-first search does not come. Each state is entered once.

use crate::limits::Meter;
use crate::listing::store::Store;
use crate::planning::breadth_first::{Plans, Wanted};
use crate::{Dynamics, Limits, Payoff, Unfinished};

/// Which child is entered first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// In the order of the moves.
    Plain,
    /// The one with the fewest moves: what would be hard to reach later comes first.
    FewestMoves,
}

/// Searches for a goal.
pub(crate) fn deep_plan(
    game: &mut impl Dynamics,
    wanted: &Wanted<'_>,
    order: Order,
    limits: &Limits,
) -> Plans {
    let mut search = Search {
        meter: Meter::start(limits),
        store: Store::new(game.width()),
        path: Vec::new(),
        best: None,
        hope: 0,
        nodes: 0,
    };
    let complete = search.run(game, wanted, order);
    let (best, plan) = search.best.map_or((None, Vec::new()), |(best, plan)| (Some(best), plan));
    let (nodes, states) = (search.nodes, search.store.len() as u64);
    let hope = search.hope;
    Plans { best, hope, plan, complete, pruned: !wanted.dead.is_empty(), nodes, states }
}

/// A state on the path: the children that are still to be entered, the next one last.
struct Step {
    children: Vec<(u32, Vec<u64>)>,
    action: u32,
}

struct Search {
    meter: Meter,
    store: Store,
    path: Vec<Step>,
    best: Option<(u32, Vec<u32>)>,
    hope: u32,
    nodes: u64,
}

impl Search {
    fn run(
        &mut self,
        game: &mut impl Dynamics,
        wanted: &Wanted<'_>,
        order: Order,
    ) -> Result<(), Unfinished> {
        self.enter(game, wanted, (0, wanted.start.to_vec()), order);
        while let Some(step) = self.path.last_mut() {
            match step.children.pop() {
                Some(child) => self.enter(game, wanted, child, order),
                None => {
                    self.path.pop();
                }
            }
            if self.best.as_ref().is_some_and(|(best, _)| *best >= wanted.ceiling) {
                return Ok(());
            }
            if self.store.len() > wanted.most_states {
                return Err(Unfinished::Memory);
            }
            if self.nodes & 0xff == 0 {
                self.meter.check(self.store.bytes())?;
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        game: &mut impl Dynamics,
        wanted: &Wanted<'_>,
        (action, state): (u32, Vec<u64>),
        order: Order,
    ) {
        if !self.store.insert(&state).1 {
            return;
        }
        self.nodes += 1;
        let looks = game.look(&state);
        self.path.push(Step { children: Vec::new(), action });
        if looks.over(0) {
            let Payoff { least, most } = looks.goals(0)[0];
            self.hope = self.hope.max(most);
            if self.best.as_ref().is_none_or(|(best, _)| least > *best) {
                let plan = self.path.iter().skip(1).map(|step| step.action).collect();
                self.best = Some((least, plan));
            }
            return;
        }
        let moves = looks.moves(0, 0);
        let rows: Vec<u64> = moves.iter().flat_map(|_| state.iter().copied()).collect();
        let next = game.step(&rows, moves);
        let alive = moves.iter().copied().zip(next.chunks_exact(game.width()));
        let mut children: Vec<(u32, Vec<u64>)> = alive
            .filter(|(_, row)| !wanted.dead.is_dead(row) && self.store.find(row).is_none())
            .map(|(action, row)| (action, row.to_vec()))
            .collect();
        if order == Order::FewestMoves {
            let rows: Vec<u64> = children.iter().flat_map(|(_, row)| row.iter().copied()).collect();
            let looks = game.look(&rows);
            let mut places: Vec<usize> = (0..children.len()).collect();
            // The last is entered first; ends come before all.
            places.sort_by_key(|&place| std::cmp::Reverse(looks.moves(place, 0).len()));
            children = places.into_iter().map(|place| children[place].clone()).collect();
        } else {
            children.reverse();
        }
        if let Some(step) = self.path.last_mut() {
            step.children = children;
        }
    }
}
