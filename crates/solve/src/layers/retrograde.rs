//! Retrograde analysis with counters, for games whose states return.
//!
//! All states are numbered, and every state learns from its owner which states it follows. Then, for each role and from
//! the best goal down, states are decided: an end with that goal, a state in which the role can choose a decided one,
//! and a state all of whose successors are decided. What is never decided is worth 0. The work of one worker goes to
//! another where a predecessor is not its own; a goal is done when nobody has anything left to send.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::ops::Range;

use gambol_net::Net;
use gambol_verify::{Fraction, HIGHEST_GOAL};
use rustc_hash::FxHashMap;

use super::backward::{Found, common_palette, put_values};
use super::bulk::{Expanded, Layer, Look};
use super::exchange::{Block, kind, put_key};
use super::groups::bits_for;
use super::key_code::Moment;
use super::layer_file::Range2;
use super::plan::uncoded;
use super::routing::Routing;
use super::sorted_cells::KeyTable;
use super::worker::{LAG, ROUND, Worker};
use crate::store_error::{Stopped, StoreError};
use crate::{Payoff, Reading};

/// A block of edges or decisions is sent when it has so many bytes.
const BLOCK: usize = 1 << 16;
/// Nobody chooses.
const NOBODY: u8 = u8::MAX;
/// All partitions are dealt with at once.
const ALL: (u32, u32) = (1, 0);

/// Finds the values of all states. All layers must be listed.
pub(crate) fn solve_returning(worker: &mut Worker<'_>, net: &Net) -> Result<(), Stopped> {
    if worker.mark.solved.len() == worker.mark.listed.len() {
        return Ok(());
    }
    let shares = read_shares(worker)?;
    let graph = Graph::of(worker, net, &shares)?;
    let goals = goals(worker, &graph)?;
    let mut values: Vec<[Vec<u16>; 2]> = Vec::new();
    for role in 0..net.roles.len() {
        let least = decide(worker, &graph, role, Reading::Least, &goals)?;
        let most = match goals.unclear {
            true => decide(worker, &graph, role, Reading::Most, &goals)?,
            false => least.clone(),
        };
        values.push([least, most]);
    }
    let goal = |rank: u16| Fraction::from(goals.ascending[rank as usize]);
    let mut first = vec![0];
    shares.iter().for_each(|share| first.push(first[first.len() - 1] + share.keys.len()));
    let worth = |layer: usize, place: usize| {
        let state = first[layer] + place;
        let ranks = values.iter().map(|[least, most]| [least[state], most[state]]);
        let meant = graph.weights.get(state).map_or(1, |&weight| weight.into());
        (ranks.collect::<Vec<[u16; 2]>>(), meant)
    };
    let ranges =
        |ranks: &Vec<[u16; 2]>| ranks.iter().map(|both| both.map(goal)).collect::<Vec<Range2>>();
    let partitions: Vec<_> = shares.iter().map(|share| share.partitions.clone()).collect();
    write(worker, &partitions, graph.sums, worth, ranges)
}

/// The keys of this worker in a layer, in order, and how many each partition has.
struct Share {
    keys: Vec<u64>,
    partitions: Vec<(u32, usize)>,
}

/// This worker's shares of all layers, one after the other.
fn read_shares(worker: &mut Worker<'_>) -> Result<Vec<Share>, Stopped> {
    let mut shares = Vec::new();
    for layer in 0..worker.mark.listed.len() as u32 {
        let mut read = worker.keys_of(layer, worker.routing(ALL));
        let mut keys = Vec::new();
        if let Err(error) = read.take(usize::MAX, &mut keys) {
            worker.stop(error);
        }
        shares.push(Share { keys, partitions: read.partitions });
    }
    worker.agree(&[])?;
    Ok(shares)
}

/// The number of each key, which are in no order.
pub(super) fn numbered(routing: Routing, keys: &[u64]) -> KeyTable {
    let mut pairs: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
    pairs.sort_unstable();
    let mut table = KeyTable::new(routing, bits_for(keys.len()));
    for place in 0..routing.places() {
        let end = pairs.partition_point(|&(key, _)| routing.place(key) <= place);
        let start = pairs.partition_point(|&(key, _)| routing.place(key) < place);
        let of_place = pairs[start..end].iter();
        let (keys, numbers): (Vec<u64>, Vec<u32>) =
            of_place.map(|&(key, number)| (routing.low_of(key), number)).unzip();
        table.push(&keys, &numbers);
    }
    table
}

/// The states of one round among all.
fn round_of(round: usize, states: usize) -> Range<usize> {
    (round * ROUND).min(states)..((round + 1) * ROUND).min(states)
}

/// The states of this worker by number, and what is known of each.
struct Graph {
    /// The role that chooses, or [`NOBODY`].
    choosers: Vec<u8>,
    /// How many successors it has.
    degrees: Vec<u32>,
    /// The ends with what they are worth to each role.
    ends: Vec<(u32, Vec<Payoff>)>,
    /// The states before state `s` are `before[first[s]..first[s + 1]]`: a worker, and a number there.
    first: Vec<u64>,
    before: Vec<(u16, u32)>,
    /// How many states each one stands for; empty if there are no symmetries.
    weights: Vec<u8>,
    sums: Option<[u64; 2]>,
}

impl Graph {
    fn of(worker: &mut Worker<'_>, net: &Net, shares: &[Share]) -> Result<Self, Stopped> {
        let keys: Vec<u64> = shares.iter().flat_map(|share| share.keys.iter().copied()).collect();
        if u32::try_from(keys.len()).is_err() {
            worker.stop(Stopped::Unfit("a worker has more states than it can number"));
        }
        let rounds = worker.rounds(keys.len() as u64)?;
        let table = numbered(worker.routing(ALL), &keys);
        let moment = worker.setting.plan.first_moment();
        let mut edges = Edges { table, of_workers: vec![Vec::new(); worker.peers()] };
        let mut graph = Self {
            choosers: Vec::with_capacity(keys.len()),
            degrees: vec![0; keys.len()],
            ends: Vec::new(),
            first: Vec::new(),
            before: Vec::new(),
            weights: Vec::new(),
            sums: None,
        };
        let mut expanded = Expanded::default();
        for round in 0..rounds as usize {
            if worker.stopped.is_none() {
                let places = round_of(round, keys.len());
                let some = &keys[places.clone()];
                graph.expand(worker, net, (&moment, places.start, some), &mut edges, &mut expanded);
            }
            worker.exchange.round(LAG);
            edges.receive(worker);
            let bytes = edges.bytes() + 24 * keys.len();
            if let Err(unfinished) = worker.meter.check(bytes) {
                worker.stop(unfinished);
            }
        }
        worker.exchange.round(0);
        edges.receive(worker);
        worker.agree(&[])?;
        (graph.first, graph.before) = edges.by_target(keys.len());
        Ok(graph)
    }

    fn expand(
        &mut self,
        worker: &mut Worker<'_>,
        net: &Net,
        (moment, start, keys): (&Moment, usize, &[u64]),
        edges: &mut Edges,
        expanded: &mut Expanded,
    ) {
        let mut next = Some(moment.clone());
        let mut layer = Layer { depth: 0, moment, next: &mut next };
        if let Err(state) = worker.bulk.expand(keys, &mut layer, expanded) {
            return worker.stop(uncoded(net, state));
        }
        self.weights.extend_from_slice(&expanded.weights);
        let mut payoffs = expanded.payoffs.chunks_exact(net.roles.len());
        for (place, look) in expanded.looks.iter().enumerate() {
            self.choosers.push(match look {
                Look::Chooses(role) => *role,
                _ => NOBODY,
            });
            match look {
                Look::Over => {
                    let payoffs = payoffs.next().unwrap_or_default().to_vec();
                    self.add_sum(&payoffs);
                    self.ends.push(((start + place) as u32, payoffs));
                }
                // Where several roles choose at once values are bounded in another way.
                Look::AtOnce | Look::Stuck | Look::Chooses(_) => {}
            }
        }
        let (routing, stride) = (worker.routing(ALL), worker.stride());
        let mut out: Vec<Vec<u8>> = vec![Vec::new(); worker.peers()];
        let (own, mut mine) = (worker.index(), Vec::new());
        for (&place, &key) in expanded.places.iter().zip(&expanded.keys) {
            let place = start as u32 + place;
            self.degrees[place as usize] += 1;
            match routing.elsewhere(key) {
                None => mine.push((key, place)),
                Some(to) => {
                    put_key(key, stride, &mut out[to]);
                    out[to].extend_from_slice(&place.to_le_bytes());
                    if out[to].len() >= BLOCK {
                        send(worker, to, kind::EDGE, &mut out[to]);
                    }
                }
            }
        }
        (0..out.len()).for_each(|to| send(worker, to, kind::EDGE, &mut out[to]));
        edges.add(worker, own, mine);
    }

    fn add_sum(&mut self, payoffs: &[Payoff]) {
        let least = payoffs.iter().map(|payoff| u64::from(payoff.least)).sum::<u64>();
        let most = payoffs.iter().map(|payoff| u64::from(payoff.most)).sum::<u64>();
        let [low, high] = self.sums.unwrap_or([u64::MAX, 0]);
        self.sums = Some([low.min(least), high.max(most)]);
    }

    fn before(&self, state: u32) -> &[(u16, u32)] {
        let [start, end] = [state as usize, state as usize + 1].map(|at| self.first[at] as usize);
        &self.before[start..end]
    }
}

fn send(worker: &mut Worker<'_>, to: usize, kind: u32, body: &mut Vec<u8>) {
    if !body.is_empty() {
        let (from, body) = (worker.index() as u32, std::mem::take(body));
        worker.exchange.send(Block { to: to as u32, from, kind, tag: 0, body });
    }
}

/// Which states of this worker follow which states of all workers.
struct Edges {
    table: KeyTable,
    /// For each worker: a state here, and the number of the state before it there.
    of_workers: Vec<Vec<(u32, u32)>>,
}

impl Edges {
    /// Adds states here, by their keys, with the numbers of states before them.
    fn add(&mut self, worker: &mut Worker<'_>, from: usize, edges: Vec<(u64, u32)>) {
        let (keys, places): (Vec<u64>, Vec<u32>) = edges.into_iter().unzip();
        let (of_worker, mut all) = (&mut self.of_workers[from], true);
        self.table.find_all(&keys, |place, state| match state {
            Some(state) => of_worker.push((state, places[place])),
            None => all = false,
        });
        if !all {
            // Forward all successors were listed, so the files are not those of that run.
            worker.stop(StoreError::Damaged("a layer that lacks a successor".to_string()));
        }
    }

    fn receive(&mut self, worker: &mut Worker<'_>) {
        let stride = worker.stride();
        while let Some(block) = worker.exchange.receive() {
            let edge = |edge: &[u8]| {
                let (mut key, mut place) = ([0; 8], [0; 4]);
                key[..stride].copy_from_slice(&edge[..stride]);
                place.copy_from_slice(&edge[stride..]);
                (u64::from_le_bytes(key), u32::from_le_bytes(place))
            };
            let edges = block.body.chunks_exact(stride + 4).map(edge).collect();
            self.add(worker, block.from as usize, edges);
        }
    }

    fn bytes(&self) -> usize {
        let edges: usize = self.of_workers.iter().map(Vec::capacity).sum();
        self.table.bytes() + 16 * edges
    }

    fn by_target(self, states: usize) -> (Vec<u64>, Vec<(u16, u32)>) {
        let mut first = vec![0u64; states + 1];
        self.of_workers.iter().flatten().for_each(|&(state, _)| first[state as usize + 1] += 1);
        (0..states).for_each(|state| first[state + 1] += first[state]);
        let (mut cursor, mut before) = (first.clone(), vec![(0, 0); first[states] as usize]);
        for (worker, edges) in self.of_workers.into_iter().enumerate() {
            for (state, place) in edges {
                let at = &mut cursor[state as usize];
                before[*at as usize] = (worker as u16, place);
                *at += 1;
            }
        }
        (first, before)
    }
}

/// The goals that occur, from the least on, and whether an end can be read in several ways.
struct Goals {
    ascending: Vec<u32>,
    unclear: bool,
}

fn goals(worker: &mut Worker<'_>, graph: &Graph) -> Result<Goals, Stopped> {
    let payoffs = || graph.ends.iter().flat_map(|(_, payoffs)| payoffs);
    let own: BTreeSet<u32> = payoffs().flat_map(|payoff| [payoff.least, payoff.most]).collect();
    let unclear = payoffs().any(|payoff| payoff.value().is_none());
    let mut words = vec![u64::from(unclear)];
    words.extend(own.iter().map(|&goal| u64::from(goal)));
    let heard = worker.agree(&words)?;
    let mut all: BTreeSet<u32> = BTreeSet::from([0, HIGHEST_GOAL]);
    heard.iter().for_each(|words| all.extend(words[1..].iter().map(|&goal| goal as u32)));
    if all.len() > usize::from(u16::MAX) {
        return Err(Stopped::Unfit("the game has too many different goals"));
    }
    Ok(Goals {
        ascending: all.into_iter().collect(),
        unclear: heard.iter().any(|words| words[0] > 0),
    })
}

/// For each state the rank of the best goal that a role can force, 0 where it can force none.
fn decide(
    worker: &mut Worker<'_>,
    graph: &Graph,
    role: usize,
    reading: Reading,
    goals: &Goals,
) -> Result<Vec<u16>, Stopped> {
    let mut wave = Wave {
        graph,
        role: role as u8,
        ranks: vec![0; graph.degrees.len()],
        open: graph.degrees.clone(),
        queue: Vec::new(),
        out: vec![Vec::new(); worker.peers()],
    };
    for (rank, &goal) in goals.ascending.iter().enumerate().skip(1).rev() {
        let ends = graph.ends.iter().filter(|(_, payoffs)| payoffs[role].read(reading) == goal);
        wave.queue.extend(ends.map(|&(state, _)| state));
        wave.queue.iter().for_each(|&state| wave.ranks[state as usize] = rank as u16);
        loop {
            let sent = wave.spread(worker, rank as u16);
            worker.exchange.round(0);
            wave.receive(worker, rank as u16);
            let heard = worker.agree(&[sent])?;
            if Worker::sum(&heard, 0) == 0 {
                break;
            }
        }
    }
    Ok(wave.ranks)
}

/// States that were decided just now, and what follows from that for those before them.
struct Wave<'a> {
    graph: &'a Graph,
    role: u8,
    ranks: Vec<u16>,
    /// For each state the successors that are not yet decided.
    open: Vec<u32>,
    queue: Vec<u32>,
    out: Vec<Vec<u8>>,
}

impl Wave<'_> {
    /// Decides what follows here, and sends the rest to where it belongs; how much that was.
    fn spread(&mut self, worker: &mut Worker<'_>, rank: u16) -> u64 {
        let (own, mut sent) = (worker.index(), 0);
        while let Some(state) = self.queue.pop() {
            let graph = self.graph;
            for &(to, before) in graph.before(state) {
                if to as usize == own {
                    self.one_less(before, rank);
                    continue;
                }
                let out = &mut self.out[to as usize];
                out.extend_from_slice(&before.to_le_bytes());
                sent += 1;
                if out.len() >= BLOCK {
                    send(worker, to as usize, kind::DECIDE, out);
                }
            }
        }
        (0..self.out.len()).for_each(|to| send(worker, to, kind::DECIDE, &mut self.out[to]));
        sent
    }

    fn receive(&mut self, worker: &mut Worker<'_>, rank: u16) {
        while let Some(block) = worker.exchange.receive() {
            for state in block.body.as_chunks::<4>().0 {
                self.one_less(u32::from_le_bytes(*state), rank);
            }
        }
    }

    /// A successor of a state was decided.
    fn one_less(&mut self, state: u32, rank: u16) {
        let place = state as usize;
        let (Some(value), Some(open)) = (self.ranks.get_mut(place), self.open.get_mut(place))
        else {
            return;
        };
        *open = open.saturating_sub(1);
        if *value == 0 && (self.graph.choosers[place] == self.role || *open == 0) {
            *value = rank;
            self.queue.push(state);
        }
    }
}

/// Puts the values of all layers on the shelf, and marks them. `worth` tells for a layer and the number of a state in
/// this worker's share of it what it is worth, in whatever form, and how many states it stands for.
pub(super) fn write<K: Hash + Eq>(
    worker: &mut Worker<'_>,
    partitions: &[Vec<(u32, usize)>],
    sums: Option<[u64; 2]>,
    worth: impl Fn(usize, usize) -> (K, u64),
    ranges: impl Fn(&K) -> Vec<Range2>,
) -> Result<(), Stopped> {
    let mut written = BTreeMap::new();
    for (layer, partitions) in partitions.iter().enumerate() {
        let (mut own, mut palette) = (FxHashMap::default(), Vec::new());
        let (mut values, mut states): (Vec<u32>, Vec<u64>) = (Vec::new(), Vec::new());
        let share: usize = partitions.iter().map(|&(_, states)| states).sum();
        for place in 0..share {
            let (key, meant) = worth(layer, place);
            let number = *own.entry(key).or_insert_with_key(|key| {
                palette.push(ranges(key));
                states.push(0);
                palette.len() as u32 - 1
            });
            values.push(number);
            states[number as usize] += meant;
        }
        let palette_of_all = common_palette(worker, &palette)?;
        let found = Found { values, palette, states, sums: sums.filter(|_| layer == 0) };
        let place = (worker.routing(ALL), &partitions[..]);
        let bytes = put_values(worker, layer as u32, place, found, &palette_of_all);
        written.insert(layer as u32, (share as u64, bytes));
    }
    let workers = worker.peers() as u32;
    let words: Vec<u64> = written.values().flat_map(|&(states, bytes)| [states, bytes]).collect();
    let heard = worker.agree(&words)?;
    for layer in written.into_keys() {
        worker.mark.solved.insert(layer, workers);
        worker.tell_done((layer, true, 1), &heard, 2 * layer as usize);
    }
    worker.write_mark();
    Ok(())
}
