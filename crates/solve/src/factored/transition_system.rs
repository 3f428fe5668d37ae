//! A part by itself: the states it can be in, and what each joint move does to it.

use gambol_index::Id;
use gambol_net::{FluentId, GateId, Lanes, MoveId, Net};
use rustc_hash::FxHashMap;

use super::context::Orbit;
use super::legality::{Condition, Legality};
use crate::Observer;
use crate::limits::Meter;
use crate::listing::store::{StateId, Store};

/// The limits on the states of a part, and on its states times moves.
const MOST_STATES: usize = 300_000;
const MOST_CELLS: usize = 30_000_000;

/// No state: the move is not legal there.
pub(crate) const NONE: u32 = u32::MAX;

/// The states of a part and its moves, moment by moment.
pub(crate) struct Local {
    pub(crate) fluents: Vec<FluentId>,
    /// Rows of bits, one per fluent of the part.
    pub(crate) store: Store,
    /// The distinct effects of joint moves: for each state the one that follows.
    pub(crate) columns: Vec<Vec<u32>>,
    /// For each moment and joint move the number of its effect.
    pub(crate) column_of: Vec<Vec<usize>>,
}

/// Lists a part. A joint move is made where what its legality asks of the part is fulfilled.
pub(crate) fn list_part(
    net: &Net,
    orbit: &Orbit,
    (part, fluents): (usize, &[FluentId]),
    start: &[u64],
    (meter, observer): (&Meter, &mut dyn Observer),
) -> Option<Local> {
    let width = fluents.len().div_ceil(64).max(1);
    let mut store = Store::new(width);
    store.insert(&project(start, fluents));
    let mut worker = Worker::new(net, orbit, part, fluents, width);
    let (labels, column_of) = labels(orbit, part, &worker.sweep.moves_read());
    // Row after row: for each state its successors under all labels.
    let mut rows: Vec<u32> = Vec::new();
    let mut done = 0;
    while done < store.len() {
        let count = store.len();
        let bytes = store.bytes() + count * labels.len() * size_of::<u32>();
        if count > MOST_STATES || count * labels.len() > MOST_CELLS || meter.check(bytes).is_err() {
            return None;
        }
        let batch = done..count.min(done + 64);
        observer.progress(batch.end as u64, "a part by itself");
        rows.resize(batch.end * labels.len(), NONE);
        let states = store.rows(batch.clone()).to_vec();
        for (number, label) in labels.iter().enumerate() {
            let next = worker.step(&states, label);
            for (state, next) in batch.clone().zip(next) {
                if let Some(next) = next {
                    rows[state * labels.len() + number] = store.insert(&next).0.number();
                }
            }
        }
        done = batch.end;
    }
    let (columns, column_of) = distinct_columns(&rows, labels.len(), &column_of);
    Some(Local { fluents: fluents.to_vec(), store, columns, column_of })
}

/// What a joint move is to a part: when it is made, what of it the part reads, and what its legality
/// asks of the part.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Label<'a> {
    context: &'a [FluentId],
    moves: Vec<MoveId>,
    legal: Vec<Condition>,
}

/// The distinct labels, and for each moment and joint move the number of its label.
fn labels<'a>(orbit: &'a Orbit, part: usize, read: &[MoveId]) -> (Vec<Label<'a>>, Vec<Vec<usize>>) {
    let is_read = |action: &MoveId| read.binary_search(action).is_ok();
    let (mut labels, mut numbers) = (Vec::new(), Vec::new());
    let mut known: FxHashMap<Label<'a>, usize> = FxHashMap::default();
    for moment in &orbit.moments {
        let joint_moves = moment.joint_moves.iter().zip(&moment.legality);
        let number = |(joint, legality): (&Vec<MoveId>, &Legality)| {
            let moves = joint.iter().copied().filter(is_read).collect();
            let legal = legality.of_part(part);
            let label = Label { context: &moment.context, moves, legal };
            *known.entry(label.clone()).or_insert_with(|| {
                labels.push(label);
                labels.len() - 1
            })
        };
        numbers.push(joint_moves.map(number).collect());
    }
    (labels, numbers)
}

struct Worker<'a> {
    net: &'a Net,
    sweep: Lanes<'a>,
    fluents: &'a [FluentId],
    width: usize,
}

impl<'a> Worker<'a> {
    fn new(
        net: &'a Net,
        orbit: &Orbit,
        part: usize,
        fluents: &'a [FluentId],
        width: usize,
    ) -> Self {
        let legality = orbit.moments.iter().flat_map(|moment| &moment.legality);
        let legal = legality.flat_map(|legality| legality.of_part(part));
        let mut gates: Vec<GateId> = legal.map(|condition| condition.gate).collect();
        gates.sort_unstable();
        gates.dedup();
        gates.extend(fluents.iter().map(|&fluent| net.next[fluent]));
        Self { net, sweep: Lanes::of(net, gates), fluents, width }
    }

    /// What follows up to 64 states, where the moves can be legal.
    fn step(&mut self, states: &[u64], label: &Label<'_>) -> Vec<Option<Vec<u64>>> {
        let count = states.len() / self.width;
        self.load(states, label.context);
        label.moves.iter().for_each(|&action| self.sweep.set_move(action, u64::MAX));
        self.sweep.run();
        let fulfilled = |condition: &Condition| match condition.holds {
            true => self.sweep.value(condition.gate),
            false => !self.sweep.value(condition.gate),
        };
        let allowed = label.legal.iter().map(fulfilled).fold(u64::MAX, |all, one| all & one);
        let follows = |lane: usize| {
            (allowed >> lane & 1 == 1).then(|| {
                let mut next = vec![0; self.width];
                for (place, &fluent) in self.fluents.iter().enumerate() {
                    let bit = self.sweep.value(self.net.next[fluent]) >> lane & 1;
                    next[place / 64] |= bit << (place % 64);
                }
                next
            })
        };
        let next = (0..count).map(follows).collect();
        // Only now: what follows can be a move itself.
        label.moves.iter().for_each(|&action| self.sweep.set_move(action, 0));
        next
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
pub(crate) fn load_part(sweep: &mut Lanes<'_>, fluents: &[FluentId], width: usize, states: &[u64]) {
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

type Columns = (Vec<Vec<u32>>, Vec<Vec<usize>>);

/// Sets the bits of a part in a state.
pub(crate) fn unproject(bits: &[u64], fluents: &[FluentId], state: &mut [u64]) {
    for (place, fluent) in fluents.iter().enumerate() {
        let bit = bits[place / 64] >> (place % 64) & 1;
        state[fluent.index() / 64] |= bit << (fluent.index() % 64);
    }
}

/// The labels that differ in what follows them, and for each moment and joint move its column.
pub(crate) fn distinct_columns(rows: &[u32], labels: usize, label_of: &[Vec<usize>]) -> Columns {
    let states = rows.len() / labels.max(1);
    let mut known: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    let mut columns: Vec<Vec<u32>> = Vec::new();
    let mut number_of = Vec::with_capacity(labels);
    for label in 0..labels {
        let column: Vec<u32> = (0..states).map(|state| rows[state * labels + label]).collect();
        let number = *known.entry(column.clone()).or_insert(columns.len());
        if number == columns.len() {
            columns.push(column);
        }
        number_of.push(number);
    }
    let column_of = |labels: &Vec<usize>| labels.iter().map(|&label| number_of[label]).collect();
    (columns, label_of.iter().map(column_of).collect())
}

impl Local {
    /// All states.
    pub(crate) fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.store.len()).map(StateId::from_index)
    }
}
