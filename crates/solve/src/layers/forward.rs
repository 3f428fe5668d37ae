//! Forward: layer after layer is listed, each with all states that come up after so many steps.
//!
//! A state tells its step (`potential`), so a layer need not be compared with those before it. Memory holds the layer
//! that is built; the one before is read partition by partition. A layer that does not fit is built in passes: each
//! makes all successors anew and keeps those of some partitions.

use gambol_net::Net;

use super::bulk::{Expanded, Layer, Look};
use super::exchange::{keys_in, kind};
use super::key_code::Moment;
use super::layer_file::Pieces;
use super::mark::{Listed, keys_name};
use super::plan::uncoded;
use super::potential::PRIME;
use super::routing::Routing;
use super::sorted_cells::KeySets;
use super::worker::{LAG, ROUND, ROUNDS_BETWEEN, Worker};
use crate::Unfinished;
use crate::store_error::Stopped;

/// In one pass all partitions are built.
const ALL: (u32, u32) = (1, 0);

/// Lists all layers that are not yet listed.
pub(crate) fn list_layers(worker: &mut Worker<'_>, net: &Net) -> Result<(), Stopped> {
    if worker.mark.complete {
        return Ok(());
    }
    let mut known = match worker.setting.plan.states_return() {
        true => Some(read_known(worker)?),
        false => None,
    };
    if worker.mark.listed.is_empty() {
        first_layer(worker, &mut known)?;
    }
    while !worker.mark.complete {
        next_layer(worker, net, &mut known)?;
    }
    Ok(())
}

/// Where states return: those of all layers so far.
fn read_known(worker: &mut Worker<'_>) -> Result<KeySets, Stopped> {
    let routing = worker.routing(ALL);
    let (mut known, mut some) = (KeySets::new(routing), Vec::new());
    for layer in 0..worker.mark.listed.len() as u32 {
        let mut keys = worker.keys_of(layer, routing);
        loop {
            if let Err(error) = keys.take(ROUND, &mut some) {
                worker.stop(error);
            }
            if some.is_empty() || worker.stopped.is_some() {
                break;
            }
            known.insert_all(&some, |_| {});
        }
    }
    worker.agree(&[])?;
    Ok(known)
}

fn first_layer(worker: &mut Worker<'_>, known: &mut Option<KeySets>) -> Result<(), Stopped> {
    let (plan, moment) = (worker.setting.plan, worker.setting.plan.first_moment());
    let mut built = Built::new(worker.routing(ALL));
    match plan.key(plan.start(), &moment) {
        Some(key) if built.routing.elsewhere(key).is_none() => built.insert(&[key], known),
        Some(_) => {}
        // The sample begins with the start, so the code has room for it.
        None => worker.stop(Stopped::Unfit("the first state has no code")),
    }
    let mut done = Done { passes: 1, ..Done::default() };
    built.write(worker, &moment, &mut done);
    finish(worker, moment, &done)
}

/// What comes of a layer: of the one that is built, and of the one that is read.
#[derive(Default)]
struct Done {
    passes: u32,
    states: u64,
    bytes: u64,
    successors: u64,
    meant: u64,
    at_once: bool,
}

fn next_layer(
    worker: &mut Worker<'_>,
    net: &Net,
    known: &mut Option<KeySets>,
) -> Result<(), Stopped> {
    if known.is_none() && worker.mark.listed.len() as u64 + 1 >= PRIME {
        worker.stop(Stopped::Unfit("the game has too many steps for layers"));
    }
    let mut passes = if known.is_some() { 1 } else { expected_passes(worker) };
    loop {
        match build(worker, net, passes, known)? {
            Pass::Complete(moment, done) => return finish(worker, moment, &done),
            Pass::Last(done) => {
                let heard = worker.agree(&[done.successors, done.meant, done.at_once.into()])?;
                worker.mark.successors += Worker::sum(&heard, 0);
                expanded(worker, Worker::sum(&heard, 1));
                worker.mark.at_once |= Worker::sum(&heard, 2) > 0;
                worker.mark.complete = true;
                worker.write_mark();
                return Ok(());
            }
            Pass::NoRoom if known.is_none() && passes < worker.most_passes() => {
                passes = (2 * passes).min(worker.most_passes());
            }
            Pass::NoRoom => return Err(Unfinished::Memory.into()),
        }
    }
}

/// How many passes the next layer will take, if it grows as the last one did.
fn expected_passes(worker: &Worker<'_>) -> u32 {
    let states = |back: usize| {
        let place = worker.mark.listed.len().checked_sub(back)?;
        worker.mark.listed.get(place).map(|listed| listed.states)
    };
    let (Some(last), Some(before)) = (states(1), states(2)) else { return 1 };
    let expected = u128::from(last) * u128::from(last) / u128::from(before.max(1));
    let bytes =
        expected * KeySets::bytes_of_key(worker.low_bits()) as u128 / worker.peers() as u128;
    let passes = bytes.div_ceil(u128::from(worker.meter.bytes()).max(1));
    u32::try_from(passes).unwrap_or(u32::MAX).clamp(1, worker.most_passes())
}

enum Pass {
    /// The layer is on the shelf.
    Complete(Moment, Done),
    /// There is no layer after the one that was read.
    Last(Done),
    /// A worker had no room for its share.
    NoRoom,
}

fn build(
    worker: &mut Worker<'_>,
    net: &Net,
    passes: u32,
    known: &mut Option<KeySets>,
) -> Result<Pass, Stopped> {
    let mut done = Done { passes, ..Done::default() };
    let mut moment = None;
    for pass in 0..passes {
        let mut spread = Spread { first: pass == 0, ..Spread::default() };
        let mut built = Built::new(worker.routing((passes, pass)));
        if !spread.all(worker, net, &mut built, known)? {
            return Ok(Pass::NoRoom);
        }
        moment = common_moment(worker, spread.next)?;
        (done.successors, done.meant) =
            (done.successors + spread.successors, done.meant + spread.meant);
        done.at_once |= spread.at_once;
        let fresh = worker.agree(&[built.sets.len() as u64])?;
        let Some(moment) = moment.as_ref().filter(|_| passes > 1 || Worker::sum(&fresh, 0) > 0)
        else {
            return Ok(Pass::Last(done));
        };
        built.write(worker, moment, &mut done);
    }
    Ok(moment.map_or(Pass::NoRoom, |moment| Pass::Complete(moment, done)))
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

/// The last layer was expanded: so many states are meant.
fn expanded(worker: &mut Worker<'_>, meant: u64) {
    if let Some(last) = worker.mark.listed.last_mut() {
        last.expanded = meant;
    }
}

/// Agrees that a layer is on the shelf, and marks it.
fn finish(worker: &mut Worker<'_>, moment: Moment, done: &Done) -> Result<(), Stopped> {
    let at_once = u64::from(done.at_once);
    let words = [done.states, done.bytes, done.successors, at_once, done.meant];
    let heard = worker.agree(&words)?;
    worker.mark.successors += Worker::sum(&heard, 2);
    worker.mark.at_once |= Worker::sum(&heard, 3) > 0;
    expanded(worker, Worker::sum(&heard, 4));
    let workers = worker.peers() as u32 * done.passes;
    let states = Worker::sum(&heard, 0);
    worker.mark.listed.push(Listed { moment, states, expanded: 0, workers });
    worker.write_mark();
    let layer = worker.mark.listed.len() as u32 - 1;
    worker.tell_done((layer, false, done.passes), &heard, 0);
    Ok(())
}

/// What comes of expanding a share.
#[derive(Default)]
struct Spread {
    /// Whether this is the first pass, in which states and successors are counted.
    first: bool,
    next: Option<Moment>,
    successors: u64,
    meant: u64,
    at_once: bool,
    expanded: Expanded,
    /// The keys of what was expanded, by owner.
    dealt: Vec<Vec<u64>>,
}

impl Spread {
    /// Expands the whole share; false if a worker has no room.
    fn all(
        &mut self,
        worker: &mut Worker<'_>,
        net: &Net,
        built: &mut Built,
        known: &mut Option<KeySets>,
    ) -> Result<bool, Stopped> {
        let layer = worker.mark.listed.len() as u32 - 1;
        let mut share = worker.keys_of(layer, worker.routing(ALL));
        let (rounds, mut keys) = (worker.rounds(share.states())?, Vec::new());
        let mut over = false;
        for round in 0..rounds {
            worker.check_time();
            if worker.stopped.is_none() && !over {
                match share.take(ROUND, &mut keys) {
                    Ok(()) => self.expand(worker, net, &keys, built, known),
                    Err(error) => worker.stop(error),
                }
            }
            worker.exchange.round(LAG);
            built.receive(worker, known);
            let bytes = built.sets.bytes() + known.as_ref().map_or(0, KeySets::bytes);
            if !over && !worker.meter.has_room(bytes + 2 * built.sets.len()) {
                (over, built.sets) = (true, KeySets::new(built.routing));
                built.closed = true;
            }
            if (round + 1) % ROUNDS_BETWEEN == 0 || round + 1 == rounds {
                worker.exchange.round(0);
                built.receive(worker, known);
                let heard = worker.agree(&[over.into()])?;
                if Worker::sum(&heard, 0) > 0 {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn expand(
        &mut self,
        worker: &mut Worker<'_>,
        net: &Net,
        keys: &[u64],
        built: &mut Built,
        known: &mut Option<KeySets>,
    ) {
        let depth = worker.mark.listed.len() as u32 - 1;
        let moment = worker.mark.listed[depth as usize].moment.clone();
        let mut layer = Layer { depth, moment: &moment, next: &mut self.next };
        if let Err(state) = worker.bulk.expand(keys, &mut layer, &mut self.expanded) {
            return worker.stop(uncoded(net, state));
        }
        if self.first {
            self.successors += self.expanded.keys.len() as u64;
            self.meant += self.expanded.meant();
            self.at_once |= self.expanded.looks.contains(&Look::AtOnce);
        }
        let routing = built.routing;
        if routing.passes() > 1 {
            self.expanded.keys.retain(|&key| routing.in_pass(key));
        }
        if worker.peers() == 1 {
            return built.insert(&self.expanded.keys, known);
        }
        // Whose a key is cannot be foretold, so that nothing branches on it.
        self.dealt.resize(worker.peers(), Vec::new());
        self.dealt.iter_mut().for_each(Vec::clear);
        self.expanded.keys.iter().for_each(|&key| self.dealt[routing.owner(key)].push(key));
        let index = worker.index();
        for (to, keys) in self.dealt.iter().enumerate().filter(|&(to, _)| to != index) {
            worker.send_keys((to, kind::INSERT), keys, |_| 0);
        }
        built.insert(&self.dealt[index], known);
    }
}

/// The layer that is built, in one pass: the partitions of this worker.
struct Built {
    sets: KeySets,
    routing: Routing,
    /// Whether there is no room for more.
    closed: bool,
}

impl Built {
    fn new(routing: Routing) -> Self {
        Self { sets: KeySets::new(routing), routing, closed: false }
    }

    /// Adds states, where states return only those that are new.
    fn insert(&mut self, keys: &[u64], known: &mut Option<KeySets>) {
        if self.closed {
            return;
        }
        match known {
            None => self.sets.insert_all(keys, |_| {}),
            Some(known) => {
                let mut fresh = Vec::new();
                known.insert_all(keys, |key| fresh.push(key));
                self.sets.insert_all(&fresh, |_| {});
            }
        }
    }

    fn receive(&mut self, worker: &mut Worker<'_>, known: &mut Option<KeySets>) {
        while let Some(block) = worker.exchange.receive() {
            self.insert(&keys_in(&block.body, worker.stride()), known);
        }
    }

    /// Puts the partitions on the shelf.
    fn write(self, worker: &mut Worker<'_>, moment: &Moment, done: &mut Done) {
        let layer = worker.mark.listed.len() as u32;
        let (place, mut pieces) = (worker.place(layer), Pieces::default());
        let mut partitions = self.routing.partitions();
        self.sets.drain(|keys| {
            if let Some(partition) = partitions.next() {
                pieces.add_keys(place, partition, &keys);
            }
        });
        done.states += pieces.states;
        let bytes = pieces.key_file(place, moment);
        done.bytes += bytes.len() as u64;
        worker.write(&keys_name(layer, self.routing.file(), self.routing.files()), &bytes);
    }
}
