//! A worker: its share of every layer, what it sends to its peers, and how all agree.
//!
//! A key belongs to the partition that its top bits name, and a partition to the worker with its number modulo
//! the number of workers. All workers take part in the same rounds, also one that has met a limit: it stops
//! working, and all stop together at the end of the layer.

use serde::{Deserialize, Serialize};

use super::bulk::Bulk;
use super::exchange::{Block, Exchange, all, keys_as_bytes, kind};
use super::layer_file::Place;
use super::layer_keys::LayerKeys;
use super::mark::Mark;
use super::plan::Plan;
use super::routing::Routing;
use super::shelf::Shelf;
use crate::limits::Meter;
use crate::store_error::{Stopped, StoreError};
use crate::{Limits, Unfinished};

/// States that are expanded in a round.
pub(crate) const ROUND: usize = 1 << 14;
/// After so many rounds workers ask one another whether all go on.
pub(crate) const ROUNDS_BETWEEN: u64 = 128;
/// A block has at most so many bytes.
const BLOCK: usize = 1 << 16;
/// A worker may be so many rounds ahead of the slowest.
pub(crate) const LAG: u64 = 8;

/// How a run is done, and where.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// How states are coded and shared out.
    pub plan: &'a Plan,
    /// Where files go.
    pub shelf: &'a dyn Shelf,
    /// What it may cost; the memory is that of this worker.
    pub limits: &'a Limits,
    /// Which process this is, and whether this is its first worker, who writes its marks.
    pub process: usize,
    /// See `process`.
    pub marks: bool,
}

/// What is told at the end of each layer.
#[derive(Clone, PartialEq, Debug)]
pub struct LayerDone {
    /// Which layer.
    pub layer: u32,
    /// Whether it has values now; otherwise it is listed.
    pub solved: bool,
    /// How many states it has.
    pub states: u64,
    /// How many states all layers have that are listed.
    pub listed: u64,
    /// How many of them have values, this layer included.
    pub with_values: u64,
    /// How many successors all states have that were expanded for the list.
    pub successors: u64,
    /// The share of each worker.
    pub shares: Vec<u64>,
    /// In how many passes it was done.
    pub passes: u32,
    /// How many bytes of files all workers wrote for it.
    pub bytes: u64,
}

pub(crate) struct Worker<'a> {
    pub(crate) setting: Setting<'a>,
    pub(crate) bulk: Bulk<'a>,
    pub(crate) exchange: &'a mut dyn Exchange,
    pub(crate) tell: &'a mut dyn FnMut(LayerDone),
    pub(crate) meter: Meter,
    pub(crate) mark: Mark,
    /// Why this worker does no more.
    pub(crate) stopped: Option<Stopped>,
}

impl<'a> Worker<'a> {
    /// A worker that goes on from the marks of the store.
    pub(crate) fn new(
        setting: Setting<'a>,
        bulk: Bulk<'a>,
        exchange: &'a mut dyn Exchange,
        tell: &'a mut dyn FnMut(LayerDone),
    ) -> Self {
        let meter = Meter::start(setting.limits);
        let mark = Mark::new(setting.plan.digest());
        let mut worker = Self { setting, bulk, exchange, tell, meter, mark, stopped: None };
        match Mark::furthest(setting.shelf, setting.plan.digest()) {
            Ok(mark) => worker.mark = mark.unwrap_or(worker.mark),
            Err(error) => worker.stop(error),
        }
        worker.agree_on_mark();
        worker
    }

    /// A mark anywhere means files everywhere, so all go on from the furthest.
    fn agree_on_mark(&mut self) {
        let own = serde_json::to_vec(&self.mark).unwrap_or_default();
        for heard in all(self.exchange, &own) {
            match serde_json::from_slice::<Mark>(&heard) {
                Ok(mark) if mark.is_further_than(&self.mark) => self.mark = mark,
                Ok(_) => {}
                Err(_) => self.stop(Stopped::Unfit("a worker said what cannot be read")),
            }
        }
    }

    pub(crate) fn stop(&mut self, reason: impl Into<Stopped>) {
        self.stopped.get_or_insert(reason.into());
    }

    pub(crate) fn place(&self, layer: u32) -> Place {
        Place { plan: self.setting.plan.digest(), layer, low: self.low_bits() }
    }

    /// Bits of a key below its partition.
    pub(crate) fn low_bits(&self) -> u32 {
        self.setting.plan.bits() - self.setting.plan.partition_bits()
    }

    pub(crate) fn index(&self) -> usize {
        self.exchange.index()
    }

    pub(crate) fn peers(&self) -> usize {
        self.exchange.peers()
    }

    /// How a key finds its owner, and its partition among those of the owner that are taken in a pass.
    pub(crate) fn routing(&self, (passes, pass): (u32, u32)) -> Routing {
        let partition_bits = self.setting.plan.partition_bits();
        let workers = (self.peers() as u32, self.index() as u32);
        Routing::new(self.low_bits(), partition_bits, workers, (passes, pass))
    }

    /// In at most so many passes a layer is done: a partition is never divided.
    pub(crate) fn most_passes(&self) -> u32 {
        ((1 << self.setting.plan.partition_bits()) / self.peers() as u32).max(1)
    }

    /// How many bytes a key takes.
    pub(crate) fn stride(&self) -> usize {
        self.setting.plan.bits().div_ceil(8) as usize
    }

    /// Sends keys to a worker, in blocks; how many keys each has is told.
    pub(crate) fn send_keys(
        &mut self,
        (to, kind): (usize, u32),
        keys: &[u64],
        mut tag: impl FnMut(usize) -> u32,
    ) {
        let (stride, from) = (self.stride(), self.index() as u32);
        for some in keys.chunks(BLOCK / stride) {
            let body = keys_as_bytes(some, stride);
            self.exchange.send(Block { to: to as u32, from, kind, tag: tag(some.len()), body });
        }
    }

    pub(crate) fn answer(&mut self, asked: &Block, body: Vec<u8>) {
        let (to, from, tag) = (asked.from, self.index() as u32, asked.tag);
        self.exchange.send(Block { to, from, kind: kind::ANSWER, tag, body });
    }

    /// Stops if the time is over.
    pub(crate) fn check_time(&mut self) {
        if let Err(unfinished) = self.meter.check_time() {
            self.stop(unfinished);
        }
    }

    /// What all workers say in words, by worker. If one has stopped, all do.
    pub(crate) fn agree(&mut self, said: &[u64]) -> Result<Vec<Vec<u64>>, Stopped> {
        self.check_time();
        let code = match &self.stopped {
            None => 0u64,
            Some(Stopped::Limit(Unfinished::Time)) => 1,
            Some(Stopped::Limit(_)) => 2,
            Some(_) => 3,
        };
        let words: Vec<u8> =
            [&[code], said].concat().iter().flat_map(|word| word.to_le_bytes()).collect();
        let heard = all(self.exchange, &words);
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let heard = heard.iter().map(|bytes| bytes.as_chunks::<8>().0.iter().map(word).collect());
        let heard: Vec<Vec<u64>> = heard.collect();
        let worst = heard.iter().filter_map(|words| words.first()).max().copied().unwrap_or(0);
        match worst {
            0 => return Ok(heard.into_iter().map(|mut words| words.split_off(1)).collect()),
            1 | 2 => {}
            _ => return Err(self.common_reason()),
        }
        let limit = if worst == 1 { Unfinished::Time } else { Unfinished::Memory };
        Err(self.stopped.take().unwrap_or(limit.into()))
    }

    /// Why work cannot go on, as all hear it. A state without a code is told to everybody, since the next plan
    /// must have room for it.
    fn common_reason(&mut self) -> Stopped {
        let own = self.stopped.take();
        let heard = all(self.exchange, &own.as_ref().map_or(Vec::new(), Reason::of));
        let mut reasons = heard.iter().filter_map(|bytes| serde_json::from_slice(bytes).ok());
        let uncoded = reasons.clone().find_map(|reason: Reason| reason.uncoded);
        if let Some((state, depth, row)) = uncoded {
            return Stopped::Uncoded { state, depth, row };
        }
        let said = reasons.next().map_or_else(String::new, |reason: Reason| reason.said);
        own.unwrap_or(Stopped::Elsewhere(said))
    }

    /// The sum of a word over all workers.
    pub(crate) fn sum(heard: &[Vec<u64>], place: usize) -> u64 {
        heard.iter().map(|words| words[place]).sum()
    }

    /// In how many rounds the largest share is expanded.
    pub(crate) fn rounds(&mut self, states: u64) -> Result<u64, Stopped> {
        let heard = self.agree(&[states.div_ceil(ROUND as u64)])?;
        Ok(heard.iter().map(|words| words[0]).max().unwrap_or(0))
    }

    pub(crate) fn write(&mut self, name: &str, bytes: &[u8]) {
        if let Err(error) = self.setting.shelf.put(name, bytes) {
            self.stop(StoreError::write(name, &error));
        }
    }

    pub(crate) fn write_mark(&mut self) {
        if self.setting.marks
            && let Err(error) = self.mark.write(self.setting.shelf, self.setting.process)
        {
            self.stop(error);
        }
    }

    /// Tells that a layer is done; `heard` says from `place` on how many states and bytes each worker has.
    pub(crate) fn tell_done(
        &mut self,
        (layer, solved, passes): (u32, bool, u32),
        heard: &[Vec<u64>],
        place: usize,
    ) {
        let done = LayerDone {
            layer,
            solved,
            states: Worker::sum(heard, place),
            listed: self.mark.listed.iter().map(|listed| listed.states).sum(),
            with_values: self.mark.states_with_values(),
            successors: self.mark.successors,
            shares: heard.iter().map(|words| words[place]).collect(),
            passes,
            bytes: Worker::sum(heard, place + 1),
        };
        (self.tell)(done);
    }

    /// The keys of this worker in a layer, in one pass of so many. Others than it are told why they cannot be read.
    pub(crate) fn keys_of(&mut self, layer: u32, routing: Routing) -> LayerKeys<'a> {
        let workers = self.mark.listed.get(layer as usize).map_or(1, |listed| listed.workers);
        let keys = LayerKeys::open(self.setting.shelf, self.place(layer), workers, routing);
        keys.unwrap_or_else(|error| {
            self.stop(error);
            LayerKeys::none(self.place(layer))
        })
    }
}

/// Why a worker stopped, as it is told to the others.
#[derive(Serialize, Deserialize)]
struct Reason {
    said: String,
    /// A state without a code: its fluents, its step, and the state as words.
    uncoded: Option<(String, u32, Vec<u64>)>,
}

impl Reason {
    fn of(stopped: &Stopped) -> Vec<u8> {
        let uncoded = match stopped {
            Stopped::Uncoded { state, depth, row } => Some((state.clone(), *depth, row.clone())),
            _ => None,
        };
        // Numbers, lists and text always have a form in JSON.
        serde_json::to_vec(&Self { said: stopped.to_string(), uncoded }).unwrap_or_default()
    }
}
