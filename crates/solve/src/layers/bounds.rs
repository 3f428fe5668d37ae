//! Bounds on the values of states that return where chance moves or several roles choose at once.
//!
//! There is no end to begin from, so values are approached from below and from above over all states together
//! (`value_iteration`). Every worker does all of it, from the files of all, and writes its own share: it comes to the
//! same numbers everywhere, so nothing is exchanged.

use gambol_net::Net;

use super::bulk::{Expanded, Layer, Look};
use super::layer_file::Range2;
use super::layer_keys::LayerKeys;
use super::plan::uncoded;
use super::retrograde::{numbered, write};
use super::routing::Routing;
use super::sorted_cells::KeyTable;
use super::worker::{ROUND, Worker};
use crate::store_error::{Stopped, StoreError};
use crate::value_iteration::{Arena, Wanted, bounds};

/// Bounds the values of all states. All layers must be listed.
pub(crate) fn bound_returning(
    worker: &mut Worker<'_>,
    net: &Net,
    chance: Option<usize>,
) -> Result<(), Stopped> {
    if worker.mark.solved.len() == worker.mark.listed.len() {
        return Ok(());
    }
    let all = All::read(worker).unwrap_or_else(|error| {
        worker.stop(error);
        All::default()
    });
    worker.agree(&[])?;
    let (arena, weights, sums) = arena(worker, net, &all, chance);
    worker.agree(&[])?;
    let (values, _) = bounds(&arena, Wanted::AllStates, &worker.meter);
    worker.agree(&[])?;
    let own = worker.routing((1, 0));
    let shares = all.shares(own);
    let worth = |layer: usize, place: usize| {
        let state = shares[layer][place];
        let ranges = values.iter().map(|values| [values[state].least, values[state].most]);
        let meant = weights.get(state).map_or(1, |&weight| weight.into());
        (ranges.collect::<Vec<Range2>>(), meant)
    };
    let partitions: Vec<_> = all.partitions.iter().map(|layer| layer.of(own)).collect();
    write(worker, &partitions, sums, worth, Vec::clone)
}

/// The states of all workers, layer by layer.
#[derive(Default)]
struct All {
    keys: Vec<u64>,
    partitions: Vec<Partitions>,
}

/// How many states each partition of a layer has.
struct Partitions(Vec<(u32, usize)>);

impl Partitions {
    fn of(&self, routing: Routing) -> Vec<(u32, usize)> {
        routing.partitions().filter_map(|one| self.0.get(one as usize).copied()).collect()
    }
}

impl All {
    fn read(worker: &Worker<'_>) -> Result<Self, StoreError> {
        let mut all = Self::default();
        for (layer, listed) in (0..).zip(&worker.mark.listed) {
            let place = worker.place(layer);
            let mut layer_keys =
                LayerKeys::open(worker.setting.shelf, place, listed.workers, everything(worker))?;
            let mut keys = Vec::new();
            layer_keys.take(usize::MAX, &mut keys)?;
            all.keys.append(&mut keys);
            all.partitions.push(Partitions(layer_keys.partitions));
        }
        Ok(all)
    }

    /// For each layer the numbers of the states of one worker.
    fn shares(&self, own: Routing) -> Vec<Vec<usize>> {
        let (mut first, mut shares) = (0, Vec::new());
        for Partitions(partitions) in &self.partitions {
            let states: usize = partitions.iter().map(|&(_, states)| states).sum();
            let is_own = |&state: &usize| own.elsewhere(self.keys[state]).is_none();
            shares.push((first..first + states).filter(is_own).collect());
            first += states;
        }
        shares
    }
}

/// All partitions, as if there were one worker.
fn everything(worker: &Worker<'_>) -> Routing {
    let partition_bits = worker.setting.plan.partition_bits();
    Routing::new(worker.low_bits(), partition_bits, (1, 0), (1, 0))
}

type Sums = Option<[u64; 2]>;

/// All states with what follows them, how many each one stands for, and what goals add up to.
fn arena(
    worker: &mut Worker<'_>,
    net: &Net,
    all: &All,
    chance: Option<usize>,
) -> (Arena, Vec<u8>, Sums) {
    let mut arena = Arena::new(net.roles.len(), chance);
    let (mut weights, mut sums, mut expanded) = (Vec::new(), None, Expanded::default());
    let table = numbered(everything(worker), &all.keys);
    let moment = worker.setting.plan.first_moment();
    for keys in all.keys.chunks(ROUND) {
        let mut next = Some(moment.clone());
        let mut layer = Layer { depth: 0, moment: &moment, next: &mut next };
        let made = worker.bulk.expand(keys, &mut layer, &mut expanded);
        let bytes = arena.bytes() + table.bytes() + 8 * all.keys.len();
        if let Err(state) = made {
            worker.stop(uncoded(net, state));
        } else if let Err(unfinished) = worker.meter.check(bytes) {
            worker.stop(unfinished);
        } else if !add(&mut arena, &table, &expanded, &mut sums) {
            // Forward all successors were listed, so the files are not those of that run.
            worker.stop(StoreError::Damaged("a layer that lacks a successor".to_string()));
        }
        if worker.stopped.is_some() {
            break;
        }
        weights.extend_from_slice(&expanded.weights);
    }
    (arena, weights, sums)
}

/// Adds states; false if one that follows is not listed.
fn add(arena: &mut Arena, table: &KeyTable, expanded: &Expanded, sums: &mut Sums) -> bool {
    let (mut listed, mut next) = (true, vec![Vec::new(); expanded.looks.len()]);
    table.find_all(&expanded.keys, |place, number| match number {
        Some(number) => next[expanded.places[place] as usize].push(number),
        None => listed = false,
    });
    let roles = arena.roles;
    let mut payoffs = expanded.payoffs.chunks_exact(roles);
    let mut counts = expanded.counts.chunks_exact(roles);
    for (look, next) in expanded.looks.iter().zip(next) {
        match look {
            Look::Over => {
                let payoffs = payoffs.next().unwrap_or_default();
                let players = || (0..roles).filter(|&role| arena.chance != Some(role));
                let least = players().map(|role| u64::from(payoffs[role].least)).sum::<u64>();
                let most = players().map(|role| u64::from(payoffs[role].most)).sum::<u64>();
                let [low, high] = sums.unwrap_or([u64::MAX, 0]);
                *sums = Some([low.min(least), high.max(most)]);
                arena.add_end(payoffs);
            }
            Look::Stuck => arena.add_state((0..roles).map(|_| 0), std::iter::empty()),
            Look::Chooses(chooser) => {
                let count =
                    |role| if role == usize::from(*chooser) { next.len() as u32 } else { 1 };
                arena.add_state((0..roles).map(count), next.iter().copied());
            }
            Look::AtOnce => {
                let counts = counts.next().unwrap_or_default();
                arena.add_state(counts.iter().copied(), next.iter().copied());
            }
        }
    }
    listed
}
