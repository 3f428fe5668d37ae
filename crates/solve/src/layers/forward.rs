//! Forward: layer after layer is listed, each with all states that come up after so many steps.
//!
//! A state tells its step (`potential`), so a layer need not be compared with those before it. Memory holds the
//! layer that is read and the one that is built.

use super::bulk::{Expanded, Layer, Look};
use super::exchange::{keys_in, kind};
use super::key_code::Moment;
use super::key_set::{KeySet, Routing, insert_all};
use super::layer_file::write_keys;
use super::mark::{Listed, keys_name};
use super::plan::uncoded;
use super::potential::PRIME;
use super::worker::{LAG, LayerDone, Worker, round_of};
use crate::store_error::Stopped;

/// Lists all layers that are not yet listed.
pub(crate) fn list_layers(worker: &mut Worker<'_>, net: &gambol_net::Net) -> Result<(), Stopped> {
    if worker.mark.complete {
        return Ok(());
    }
    let mut known = if worker.setting.plan.states_return() { Known::read(worker)? } else { None };
    if worker.mark.listed.is_empty() {
        first_layer(worker, &mut known)?;
    }
    while !worker.mark.complete {
        next_layer(worker, net, &mut known)?;
    }
    Ok(())
}

/// Where states return: those of all layers so far, for each partition of this worker.
struct Known {
    sets: Vec<KeySet>,
}

impl Known {
    fn read(worker: &mut Worker<'_>) -> Result<Option<Self>, Stopped> {
        let mut sets: Vec<KeySet> =
            worker.partitions().map(|_| KeySet::new(worker.low_bits())).collect();
        let routing = worker.routing();
        for layer in 0..worker.mark.listed.len() as u32 {
            match worker.share(layer) {
                Ok(share) => insert_all(&mut sets, |key| routing.place(key), &share.keys),
                Err(error) => worker.stop(error),
            }
        }
        worker.agree(&[])?;
        Ok(Some(Self { sets }))
    }
}

fn first_layer(worker: &mut Worker<'_>, known: &mut Option<Known>) -> Result<(), Stopped> {
    let (plan, moment) = (worker.setting.plan, worker.setting.plan.first_moment());
    let mut sets = Sets::new(worker);
    match plan.code.encode(plan.start(), &moment) {
        Some(key) if sets.routing.elsewhere(key).is_none() => sets.insert(&[key], known),
        Some(_) => {}
        // The sample begins with the start, so the code has room for it.
        None => worker.stop(Stopped::Unfit("the first state has no code")),
    }
    let shelved = sets.into_layer(worker, &moment);
    finish(worker, moment, shelved, 0, false)
}

fn next_layer(
    worker: &mut Worker<'_>,
    net: &gambol_net::Net,
    known: &mut Option<Known>,
) -> Result<(), Stopped> {
    let layer = worker.mark.listed.len() as u32 - 1;
    if known.is_none() && u64::from(layer) + 2 >= PRIME {
        worker.stop(Stopped::Unfit("the game has too many steps for layers"));
    }
    let share = match worker.share(layer) {
        Ok(share) => share.keys,
        Err(error) => {
            worker.stop(error);
            Vec::new()
        }
    };
    let rounds = worker.rounds(share.len())?;
    let mut sets = Sets::new(worker);
    let mut spread =
        Spread { next: None, successors: 0, at_once: false, expanded: Expanded::default() };
    for round in 0..rounds {
        if worker.stopped.is_none() {
            spread.expand(worker, net, &share[round_of(round, share.len())], &mut sets, known);
        }
        worker.exchange.round(LAG);
        sets.receive(worker, known);
        sets.check(worker, share.len(), known);
    }
    worker.exchange.round(0);
    sets.receive(worker, known);
    drop(share);
    let moment = common_moment(worker, spread.next)?;
    let fresh = worker.agree(&[sets.len() as u64, spread.successors])?;
    let Some(moment) = moment.filter(|_| Worker::sum(&fresh, 0) > 0) else {
        worker.mark.successors += Worker::sum(&fresh, 1);
        worker.mark.complete = true;
        worker.write_mark();
        return Ok(());
    };
    let shelved = sets.into_layer(worker, &moment);
    finish(worker, moment, shelved, spread.successors, spread.at_once)
}

/// What the next layer has in common: all that have seen it must agree. None if nobody has.
fn common_moment(worker: &mut Worker<'_>, seen: Option<Moment>) -> Result<Option<Moment>, Stopped> {
    let words = seen
        .map_or(Vec::new(), |moment| [&[u64::from(moment.potential)], &moment.timed[..]].concat());
    let heard = worker.agree(&words)?;
    let mut seen = heard.iter().filter(|words| !words.is_empty());
    let Some(first) = seen.next() else { return Ok(None) };
    if seen.any(|other| other != first) {
        return Err(Stopped::Unfit(
            "two workers met states of one layer that have no code together",
        ));
    }
    Ok(Some(Moment { potential: first[0] as u32, timed: first[1..].to_vec() }))
}

/// Agrees that a layer is on the shelf, and marks it.
fn finish(
    worker: &mut Worker<'_>,
    moment: Moment,
    (states, bytes): (u64, u64),
    successors: u64,
    at_once: bool,
) -> Result<(), Stopped> {
    let heard = worker.agree(&[states, successors, at_once.into(), bytes])?;
    let all = Worker::sum(&heard, 0);
    worker.mark.successors += Worker::sum(&heard, 1);
    worker.mark.at_once |= Worker::sum(&heard, 2) > 0;
    let workers = worker.peers() as u32;
    worker.mark.listed.push(Listed { moment, states: all, workers });
    worker.write_mark();
    let shares = heard.iter().map(|words| words[0]);
    let done = LayerDone {
        layer: worker.mark.listed.len() as u32 - 1,
        solved: false,
        states: all,
        listed: worker.mark.listed.iter().map(|listed| listed.states).sum(),
        with_values: 0,
        successors: worker.mark.successors,
        shares: [shares.clone().min().unwrap_or(0), shares.max().unwrap_or(0)],
        bytes: Worker::sum(&heard, 3),
    };
    (worker.tell)(done);
    Ok(())
}

/// What comes of expanding a share.
struct Spread {
    next: Option<Moment>,
    successors: u64,
    at_once: bool,
    expanded: Expanded,
}

impl Spread {
    fn expand(
        &mut self,
        worker: &mut Worker<'_>,
        net: &gambol_net::Net,
        keys: &[u64],
        sets: &mut Sets,
        known: &mut Option<Known>,
    ) {
        let depth = worker.mark.listed.len() as u32 - 1;
        let moment = worker.mark.listed[depth as usize].moment.clone();
        let mut layer = Layer { depth, moment: &moment, next: &mut self.next };
        if let Err(state) = worker.bulk.expand(keys, &mut layer, &mut self.expanded) {
            return worker.stop(uncoded(net, state));
        }
        self.successors += self.expanded.keys.len() as u64;
        self.at_once |= self.expanded.looks.contains(&Look::AtOnce);
        let mine = &mut self.expanded.keys;
        if worker.peers() > 1 {
            let routing = sets.routing;
            mine.retain(|&key| match routing.elsewhere(key) {
                None => true,
                Some(to) => {
                    if worker.post(to, key) {
                        worker.flush(to, kind::INSERT, 0);
                    }
                    false
                }
            });
            (0..worker.peers()).for_each(|to| worker.flush(to, kind::INSERT, 0));
        }
        sets.insert(&self.expanded.keys, known);
    }
}

/// The layer that is built: a set for each partition of this worker.
struct Sets {
    sets: Vec<KeySet>,
    routing: Routing,
}

impl Sets {
    fn new(worker: &Worker<'_>) -> Self {
        let sets = worker.partitions().map(|_| KeySet::new(worker.low_bits())).collect();
        Self { sets, routing: worker.routing() }
    }

    /// Adds states, where states return only those that are new.
    fn insert(&mut self, keys: &[u64], known: &mut Option<Known>) {
        let routing = self.routing;
        let Some(known) = known else {
            return insert_all(&mut self.sets, |key| routing.place(key), keys);
        };
        for &key in keys {
            let place = routing.place(key);
            if known.sets[place].insert(key) {
                self.sets[place].insert(key);
            }
        }
    }

    fn len(&self) -> usize {
        self.sets.iter().map(KeySet::len).sum()
    }

    fn receive(&mut self, worker: &mut Worker<'_>, known: &mut Option<Known>) {
        while let Some(block) = worker.exchange.receive() {
            self.insert(&keys_in(&block.body, worker.stride()), known);
        }
    }

    /// Whether there is room for it, beside the layer that is read and the bytes that will be written.
    fn check(&self, worker: &mut Worker<'_>, read: usize, known: &Option<Known>) {
        let all = self.sets.iter().chain(known.iter().flat_map(|known| &known.sets));
        let built: usize = all.map(KeySet::bytes).sum();
        if let Err(unfinished) = worker.meter.check(built + 8 * read + 2 * self.len()) {
            worker.stop(unfinished);
        }
    }

    /// Puts the layer on the shelf; how many states and bytes it has.
    fn into_layer(self, worker: &mut Worker<'_>, moment: &Moment) -> (u64, u64) {
        let layer = worker.mark.listed.len() as u32;
        let sorted = self.sets.into_iter().map(KeySet::into_sorted);
        let partitions: Vec<(u32, Vec<u64>)> = worker.partitions().zip(sorted).collect();
        let states = partitions.iter().map(|(_, keys)| keys.len() as u64).sum();
        let bytes = write_keys(worker.place(layer), moment, &partitions);
        let name = keys_name(layer, worker.index() as u32, worker.peers() as u32);
        worker.write(&name, &bytes);
        (states, bytes.len() as u64)
    }
}
