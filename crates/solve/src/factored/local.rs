//! A part by itself: the states it can be in, and what each joint move does to it.

use gambol_index::Id;
use gambol_net::{FluentId, GateId, MoveId, Net};
use rustc_hash::FxHashMap;

use super::context::Orbit;
use super::gate_sweep::GateSweep;
use super::parts::Parts;
use super::support::Supports;
use crate::limits::Meter;
use crate::store::{StateId, Store};

/// A part is given up beyond so many states, or states times moves.
const MOST_STATES: usize = 300_000;
const MOST_CELLS: usize = 30_000_000;

/// No state: the move is not legal there.
pub(crate) const NONE: u32 = u32::MAX;

/// The states of a part and its moves, moment by moment.
pub(crate) struct Local {
    pub(crate) fluents: Vec<FluentId>,
    /// Rows of bits, one per fluent of the part.
    pub(crate) store: Store,
    /// For each moment the distinct effects of its joint moves: for each state the one that follows.
    pub(crate) columns: Vec<Vec<Vec<u32>>>,
    /// For each moment and joint move the number of its effect.
    pub(crate) column_of: Vec<Vec<usize>>,
}

/// Lists a part. A joint move whose legality the part alone decides is made only where it is legal.
pub(crate) fn list_part(
    net: &Net,
    supports: &Supports,
    orbit: &Orbit,
    (parts, fluents): (&Parts, &[FluentId]),
    start: &[u64],
    meter: &Meter,
) -> Option<Local> {
    let width = fluents.len().div_ceil(64).max(1);
    let mut store = Store::new(width);
    store.insert(&project(start, fluents));
    let labels: usize = orbit.moments.iter().map(|moment| moment.joint_moves.len()).sum();
    // Row after row: for each state its successors under all joint moves of all moments.
    let mut rows: Vec<u32> = Vec::new();
    let mut worker = Worker { net, sweep: GateSweep::new(net), fluents, width };
    let mut done = 0;
    while done < store.len() {
        let count = store.len();
        if count > MOST_STATES || count * labels > MOST_CELLS || meter.check_time().is_err() {
            return None;
        }
        let batch = done..count.min(done + 64);
        rows.resize(batch.end * labels, NONE);
        let mut label = 0;
        for moment in &orbit.moments {
            for joint in &moment.joint_moves {
                let legal = own_legality(net, supports, parts, fluents, joint);
                let states = store.rows(batch.clone()).to_vec();
                let next = worker.step(&states, &moment.context, joint, &legal);
                for (state, next) in batch.clone().zip(next) {
                    if let Some(next) = next {
                        rows[state * labels + label] = store.insert(&next).0.number();
                    }
                }
                label += 1;
            }
        }
        done = batch.end;
    }
    let (columns, column_of) = distinct_columns(orbit, &rows, labels);
    Some(Local { fluents: fluents.to_vec(), store, columns, column_of })
}

/// The legality of the moves of a joint move, as far as the part and the context decide it.
fn own_legality(
    net: &Net,
    supports: &Supports,
    parts: &Parts,
    fluents: &[FluentId],
    joint: &[MoveId],
) -> Vec<GateId> {
    let known = |fluent: FluentId| {
        fluents.binary_search(&fluent).is_ok() || parts.context.binary_search(&fluent).is_ok()
    };
    let is_own = |gate: &GateId| supports.fluents(*gate).all(known);
    joint.iter().map(|&action| net.legal[action]).filter(is_own).collect()
}

struct Worker<'a> {
    net: &'a Net,
    sweep: GateSweep<'a>,
    fluents: &'a [FluentId],
    width: usize,
}

impl Worker<'_> {
    /// What follows up to 64 states, where the moves can be legal.
    fn step(
        &mut self,
        states: &[u64],
        context: &[FluentId],
        joint: &[MoveId],
        legal: &[GateId],
    ) -> Vec<Option<Vec<u64>>> {
        let count = states.len() / self.width;
        self.load(states, context);
        joint.iter().for_each(|&action| self.sweep.set_move(action, u64::MAX));
        self.sweep.run();
        joint.iter().for_each(|&action| self.sweep.set_move(action, 0));
        let allowed = legal.iter().fold(u64::MAX, |all, &gate| all & self.sweep.value(gate));
        (0..count)
            .map(|lane| {
                (allowed >> lane & 1 == 1).then(|| {
                    let mut next = vec![0; self.width];
                    for (place, &fluent) in self.fluents.iter().enumerate() {
                        let bit = self.sweep.value(self.net.next[fluent]) >> lane & 1;
                        next[place / 64] |= bit << (place % 64);
                    }
                    next
                })
            })
            .collect()
    }

    fn load(&mut self, states: &[u64], context: &[FluentId]) {
        for fluent in self.net.fluents.ids() {
            self.sweep.set(fluent, 0);
        }
        context.iter().for_each(|&fluent| self.sweep.set(fluent, u64::MAX));
        load_part(&mut self.sweep, self.fluents, self.width, states);
    }
}

/// Puts up to 64 states of a part into the lanes.
pub(crate) fn load_part(
    sweep: &mut GateSweep<'_>,
    fluents: &[FluentId],
    width: usize,
    states: &[u64],
) {
    for (place, &fluent) in fluents.iter().enumerate() {
        let mut lanes = 0;
        for (lane, state) in states.chunks_exact(width).enumerate() {
            lanes |= (state[place / 64] >> (place % 64) & 1) << lane;
        }
        sweep.set(fluent, lanes);
    }
}

/// The bits of a state that belong to a part.
pub(crate) fn project(state: &[u64], fluents: &[FluentId]) -> Vec<u64> {
    let mut bits = vec![0; fluents.len().div_ceil(64).max(1)];
    for (place, fluent) in fluents.iter().enumerate() {
        let bit = state[fluent.index() / 64] >> (fluent.index() % 64) & 1;
        bits[place / 64] |= bit << (place % 64);
    }
    bits
}

type Columns = (Vec<Vec<Vec<u32>>>, Vec<Vec<usize>>);

fn distinct_columns(orbit: &Orbit, rows: &[u32], labels: usize) -> Columns {
    let states = rows.len() / labels.max(1);
    let (mut columns, mut column_of) = (Vec::new(), Vec::new());
    let mut label = 0;
    for moment in &orbit.moments {
        let mut known: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut distinct: Vec<Vec<u32>> = Vec::new();
        let mut numbers = Vec::new();
        for _ in &moment.joint_moves {
            let column: Vec<u32> = (0..states).map(|state| rows[state * labels + label]).collect();
            let number = *known.entry(column.clone()).or_insert(distinct.len());
            if number == distinct.len() {
                distinct.push(column);
            }
            numbers.push(number);
            label += 1;
        }
        columns.push(distinct);
        column_of.push(numbers);
    }
    (columns, column_of)
}

impl Local {
    /// All states.
    pub(crate) fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.store.len()).map(StateId::from_index)
    }
}
