//! Cuts: a few fluents with values which they keep for ever, such that the rest of the game falls into
//! parts. Found in random games: in a state from which on the game falls apart, as little as is needed
//! of what is fixed there is written into the start.

use gambol_index::Id;
use gambol_net::rewrite::from_state;
use gambol_net::{FluentId, Net};

use super::hint_at;
use super::parts::{context, parts};
use super::support::Supports;
use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::Meter;
use crate::random_walk::{Random, walk};
use crate::solve::Task;

/// How many random games are looked at, and in how many places each.
const WALKS: usize = 12;
const PLACES: usize = 4;
/// The most cuts, and the most fluents of one.
const MOST_CUTS: usize = 6;
const MOST_FLUENTS: usize = 8;

/// A cut, and the game from the start with its values written into it.
pub(super) struct Cut {
    values: Vec<(FluentId, bool)>,
    /// The start with the values of the cut.
    pub(super) start: Vec<u64>,
    /// What is left of the net.
    pub(super) net: Net,
    /// The parts it falls into.
    pub(super) parts: Vec<Vec<FluentId>>,
}

impl Cut {
    /// The game cut by these values; nothing if it does not fall apart or does not keep them.
    fn of(task: &Task<'_>, values: &[(FluentId, bool)]) -> Option<Self> {
        let mut start = task.start.to_vec();
        values.iter().for_each(|&(fluent, value)| set(&mut start, fluent, value));
        let fluents = true_fluents(task.net, &start);
        let (net, fixed) = from_state(task.net, &fluents);
        if !values.iter().all(|value| fixed.fluents.contains(value)) {
            return None;
        }
        let hint = hint_at(task, Some(fluents));
        let falls = hint.len() > 1 && parts(&net, &Supports::of(&net)?, &hint).is_some();
        falls.then(|| Self { values: values.to_vec(), start, net, parts: hint })
    }

    fn holds_in(&self, state: &[u64]) -> bool {
        self.values.iter().all(|&(fluent, value)| is_true(state, fluent) == value)
    }
}

/// The cuts that random games meet, within a time.
pub(super) fn cuts(task: &Task<'_>, meter: &Meter) -> Vec<Cut> {
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let mut random = Random(task.options.seed);
    let mut cuts: Vec<Cut> = Vec::new();
    for _ in 0..WALKS {
        let states = walk(&mut game, task.start, &mut random);
        for place in 1..PLACES {
            let state = &states[place * (states.len() - 1) / PLACES];
            let is_known = cuts.iter().any(|cut| cut.holds_in(state));
            if is_known || cuts.len() == MOST_CUTS || meter.check_time().is_err() {
                break;
            }
            cuts.extend(cut_in(task, state, meter));
        }
    }
    cuts
}

/// A small cut that holds in a state.
fn cut_in(task: &Task<'_>, state: &[u64], meter: &Meter) -> Option<Cut> {
    let fixed = |state: &[u64]| from_state(task.net, &true_fluents(task.net, state)).1.fluents;
    let before = fixed(task.start);
    let by_itself = context(task.net, &Supports::of(task.net)?);
    let mut values = fixed(state);
    // A clock that has run on is no cut: the parts would begin late.
    values.retain(|value| !before.contains(value) && !by_itself[value.0]);
    let mut cut = Cut::of(task, &values)?;
    // Half of them at a time, then a quarter, down to one: what is not needed is left out.
    let mut size = values.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < cut.values.len() && meter.check_time().is_ok() {
            let mut fewer = cut.values.clone();
            fewer.drain(at..fewer.len().min(at + size));
            match Cut::of(task, &fewer).filter(|_| !fewer.is_empty()) {
                Some(smaller) => cut = smaller,
                None => at += size,
            }
        }
        size /= 2;
    }
    (cut.values.len() <= MOST_FLUENTS).then_some(cut)
}

fn true_fluents(net: &Net, state: &[u64]) -> Vec<FluentId> {
    net.fluents.ids().filter(|&fluent| is_true(state, fluent)).collect()
}

fn is_true(state: &[u64], fluent: FluentId) -> bool {
    state[fluent.index() / 64] >> (fluent.index() % 64) & 1 == 1
}

fn set(state: &mut [u64], fluent: FluentId, value: bool) {
    let bit = 1 << (fluent.index() % 64);
    let word = &mut state[fluent.index() / 64];
    *word = if value { *word | bit } else { *word & !bit };
}
