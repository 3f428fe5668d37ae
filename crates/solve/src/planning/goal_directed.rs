//! One player, goal-directed depth-first search: a way to a wanted goal, guided by what the goal still requires.
//!
//! Children from which the goal cannot come true any more are left out. If all moves that could ever fulfil some
//! condition of the goal are legal now, the search branches on the condition with the fewest of them; otherwise the
//! child with the fewest moves is entered first. Ties are broken at random, and the search restarts from time to time
//! with other ties. A plan that is found is a proof; to find none proves nothing.
//!
//! Children from which the goal cannot come true any more are left out. If all moves that could ever
//! fulfil some condition of the goal can be made now, one of them is made next, for the condition with
//! the fewest; otherwise the child with the fewest moves is entered first. Ties are broken at
//! random, and after a while all begins anew with other ties. A way that is found is a proof; not to
//! find one proves nothing.

use gambol_analysis::Latches;
use gambol_index::IndexVec;
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, Ternary};

use crate::limits::Meter;
use crate::listing::store::Store;
use crate::planning::breadth_first::DeadMask;
use crate::planning::relaxed_reachability::{moves_that_turn, prospects};
use crate::{Dynamics, Limits};
use gambol_run::Random;

/// States of the first attempt; each attempt has a third more.
const FIRST_STATES: u64 = 400;
/// No attempt begins after this many states in all.
const MOST_NODES: u64 = 3_000_000;
/// Relaxed reachability is computed only for nets with at most this many gates.
const MOST_GATES: usize = 60_000;

/// A fluent the goal asks for: its gate, the value it must have, and the moves that can give it that.
struct Wish {
    gate: GateId,
    holds: bool,
    moves: Vec<MoveId>,
}

/// What was found.
pub(crate) struct Descent {
    pub(crate) plan: Option<Vec<u32>>,
    pub(crate) nodes: u64,
}

/// Searches for an end with a goal of `wanted`.
pub(crate) fn guided_plan(
    net: &Net,
    game: &mut impl Dynamics,
    start: &[u64],
    wanted: u32,
    (dead, latches): (&DeadMask, &Latches),
    seed: u64,
    limits: &Limits,
) -> Descent {
    let Some(goal) = net.goals.iter().find(|goal| goal.value == wanted) else {
        return Descent { plan: None, nodes: 0 };
    };
    let mut search = Guided {
        net,
        goal: goal.gate,
        wanted,
        wishes: wishes(net, goal.gate),
        dead,
        latches,
        random: Random::new(seed),
        meter: Meter::start(limits),
        nodes: 0,
    };
    let mut most = FIRST_STATES;
    let mut plan = None;
    while plan.is_none() && search.nodes < MOST_NODES && search.meter.check_time().is_ok() {
        most = most.saturating_add(most / 3);
        match search.attempt(game, start, most) {
            Attempt::Found(found) => plan = Some(found),
            Attempt::Exhausted if search.is_certain() => break,
            Attempt::Exhausted | Attempt::GivenUp => {}
        }
    }
    Descent { plan, nodes: search.nodes }
}

/// The fluents that the end and the goal ask for, as far as they form a conjunction.
fn wishes(net: &Net, goal: GateId) -> Vec<Wish> {
    let found = net.conjuncts([(goal, true), (net.terminal, true)]);
    let fluent = |&(gate, holds): &(GateId, bool)| match net.gate(gate) {
        Gate::Fluent(fluent) => Some((fluent, holds)),
        _ => None,
    };
    let fluents: Vec<(FluentId, bool)> = found.iter().filter_map(fluent).collect();
    let moves = moves_that_turn(net, &fluents);
    let wish = |((fluent, holds), moves)| Wish { gate: net.fluent_gate(fluent), holds, moves };
    fluents.into_iter().zip(moves).map(wish).collect()
}

enum Attempt {
    Found(Vec<u32>),
    Exhausted,
    GivenUp,
}

/// A state on the path: the children that are still to be entered, the next one last.
struct Step {
    children: Vec<(u32, Vec<u64>)>,
    action: u32,
}

struct Guided<'a> {
    net: &'a Net,
    goal: GateId,
    wanted: u32,
    wishes: Vec<Wish>,
    dead: &'a DeadMask,
    latches: &'a Latches,
    random: Random,
    meter: Meter,
    nodes: u64,
}

impl Guided<'_> {
    /// Whether another attempt would do the same.
    fn is_certain(&self) -> bool {
        self.wishes.is_empty()
    }

    fn attempt(&mut self, game: &mut impl Dynamics, start: &[u64], most: u64) -> Attempt {
        let mut store = Store::new(game.width());
        let mut path = vec![Step { children: vec![(0, start.to_vec())], action: 0 }];
        let first = self.nodes;
        while let Some(step) = path.last_mut() {
            let Some((action, state)) = step.children.pop() else {
                path.pop();
                continue;
            };
            if !store.insert(&state).1 {
                continue;
            }
            self.nodes += 1;
            let late = self.nodes & 0xf == 0 && self.meter.check(store.bytes()).is_err();
            if late || self.nodes - first > most {
                return Attempt::GivenUp;
            }
            let looks = game.look(&state);
            if looks.over(0) {
                if looks.goals(0)[0].value() == Some(self.wanted) {
                    let actions = path.iter().skip(1).map(|step| step.action);
                    return Attempt::Found(actions.chain([action]).collect());
                }
                continue;
            }
            let children = self.children(game, &state, looks.moves(0, 0));
            let fresh = children.into_iter().filter(|(_, row)| store.find(row).is_none());
            path.push(Step { children: fresh.collect(), action });
        }
        Attempt::Exhausted
    }

    /// The children to enter, the first one last.
    fn children(
        &mut self,
        game: &mut impl Dynamics,
        state: &[u64],
        moves: &[u32],
    ) -> Vec<(u32, Vec<u64>)> {
        let moves = self.most_urgent(state, moves);
        let rows: Vec<u64> = moves.iter().flat_map(|_| state.iter().copied()).collect();
        let next = game.step(&rows, &moves);
        let children = moves.into_iter().zip(next.chunks_exact(state.len()));
        let children: Vec<(u32, Vec<u64>)> = children
            .filter(|(_, row)| !self.dead.is_dead(row))
            .map(|(action, row)| (action, row.to_vec()))
            .collect();
        let rows: Vec<u64> = children.iter().flat_map(|(_, row)| row.iter().copied()).collect();
        let hopeless = self.hopeless(&rows, state.len());
        let looks = game.look(&rows);
        let mut order: Vec<(usize, u64, usize)> = (0..children.len())
            .filter(|&place| !hopeless[place])
            .map(|place| (looks.moves(place, 0).len(), self.random.word(), place))
            .collect();
        order.sort_unstable();
        order.into_iter().rev().map(|(_, _, place)| children[place].clone()).collect()
    }

    /// For each state whether the goal cannot be reached from it.
    fn hopeless(&self, rows: &[u64], width: usize) -> Vec<bool> {
        let count = rows.len() / width;
        if self.net.gate_count() > MOST_GATES {
            return vec![false; count];
        }
        let mut found = Vec::with_capacity(count);
        for states in rows.chunks(64 * width) {
            let values = prospects(self.net, self.latches, states, width);
            let hope = values[self.net.terminal].can_be_true & values[self.goal].can_be_true;
            found.extend((0..states.len() / width).map(|lane| hope >> lane & 1 == 0));
        }
        found
    }

    /// The moves for the wish that has the fewest, if it cannot be fulfilled by others later on; else
    /// all.
    fn most_urgent(&self, state: &[u64], moves: &[u32]) -> Vec<u32> {
        if self.wishes.is_empty() || self.net.gate_count() > MOST_GATES {
            return moves.to_vec();
        }
        let values = prospects(self.net, self.latches, state, state.len());
        let wishes = self.wishes.iter().filter(|wish| is_open(values[wish.gate]));
        let urgent = wishes.filter_map(|wish| self.now_or_never(wish, &values, moves));
        urgent.min_by_key(Vec::len).unwrap_or_else(|| moves.to_vec())
    }

    /// The moves that can change a condition, if all of them can be made now.
    fn now_or_never(
        &self,
        wish: &Wish,
        values: &IndexVec<GateId, Ternary<u64>>,
        moves: &[u32],
    ) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        for &action in &wish.moves {
            if values[self.net.legal[action]].can_be_true & 1 == 1 {
                found.push(moves.iter().copied().find(|&now| now == action.number())?);
            }
        }
        // What holds already needs no move.
        let fulfilled = match wish.holds {
            true => values[wish.gate].can_be_false & 1 == 0,
            false => values[wish.gate].can_be_true & 1 == 0,
        };
        (!found.is_empty() && !fulfilled).then_some(found)
    }
}

fn is_open(value: Ternary<u64>) -> bool {
    value.can_be_true & value.can_be_false & 1 == 1
}
