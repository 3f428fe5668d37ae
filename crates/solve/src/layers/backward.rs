//! Backward: from the last layer to the first, every state gets its value from those of the next layer.
//!
//! Successors are made anew and their owners are asked: a question is a block of keys, the answer the numbers of
//! their values in the same order. Memory holds the values of the next layer and those that are found. Numbers
//! speak of a palette, on which all workers agree at the end of a layer. Where memory is too small for that, the next
//! layer is read in passes, once for every chunk of states, and the layer itself is solved in as many parts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gambol_net::Net;
use rustc_hash::FxHashMap;

use super::bulk::{Expanded, Layer};
use super::exchange::{Block, all, keys_in, kind, put_key};
use super::layer_file::{Open, Pieces, Range2, ValueHead};
use super::mark::values_name;
use super::next_layer::NextLayer;
use super::plan::uncoded;
use super::routing::Routing;
use super::worker::{LAG, ROUND, ROUNDS_BETWEEN, Worker};
use super::worth::Arithmetic;
use crate::Unfinished;
use crate::store_error::{Stopped, StoreError};

/// A value that is found takes so many bytes until it is written.
const VALUE: u64 = 4;

/// Finds the values of all layers that have none yet.
pub(crate) fn solve_layers<A: Arithmetic>(
    worker: &mut Worker<'_>,
    net: &Net,
    arithmetic: &A,
) -> Result<(), Stopped> {
    let layers = worker.mark.listed.len() as u32;
    for layer in (0..worker.mark.lowest_solved().unwrap_or(layers)).rev() {
        let next = match layer + 1 < layers {
            true => NextLayer::open(worker, layer + 1, arithmetic),
            false => Ok(NextLayer::none()),
        };
        let next = next.unwrap_or_else(|error| {
            worker.stop(error);
            NextLayer::none()
        });
        solve_layer(worker, net, arithmetic, layer, next)?;
    }
    Ok(())
}

fn solve_layer<'a, A: Arithmetic>(
    worker: &mut Worker<'a>,
    net: &Net,
    arithmetic: &A,
    layer: u32,
    mut next: NextLayer<'a, A::Value>,
) -> Result<(), Stopped> {
    let passes = passes(worker, layer, &next)?;
    let (mut written, mut palettes) = ([0, 0], Vec::new());
    for pass in 0..passes {
        let mut office = Office::new(arithmetic, worker.routing((passes, pass)));
        office.solve(worker, net, layer, &mut next)?;
        let [states, bytes] = office.write(worker, layer, &mut palettes)?;
        written = [written[0] + states, written[1] + bytes];
    }
    drop(next);
    same_palette(worker, layer, passes, &palettes);
    let heard = worker.agree(&written)?;
    worker.mark.solved.insert(layer, worker.peers() as u32 * passes);
    worker.write_mark();
    worker.tell_done((layer, true, passes), &heard, 0);
    Ok(())
}

/// In how many passes the next layer is read and this one solved, so that every worker has room for it.
fn passes<V>(worker: &mut Worker<'_>, layer: u32, next: &NextLayer<'_, V>) -> Result<u32, Stopped> {
    let share = |layer: u32| {
        let listed = worker.mark.listed.get(layer as usize);
        listed.map_or(0, |listed| listed.states).div_ceil(worker.peers() as u64)
    };
    let bytes =
        share(layer + 1) * next.bytes_of_state(worker.low_bits()) as u64 + share(layer) * VALUE;
    // A quarter is left for states that are expanded and for the bytes that are written.
    let room = (worker.meter.bytes() / 4 * 3).max(1);
    let heard = worker.agree(&[bytes.div_ceil(room)])?;
    let passes = heard.iter().map(|words| words[0]).max().unwrap_or(1).max(1);
    match u32::try_from(passes) {
        Ok(passes) if passes <= worker.most_passes() => Ok(passes),
        _ => Err(Unfinished::Memory.into()),
    }
}

/// States of one round whose values are being found.
struct Chunk {
    first: usize,
    expanded: Expanded,
    numbers: Vec<u32>,
    /// How many blocks of answers are still to come, and how many passes of questions.
    open: usize,
    passes: u32,
}

/// The successors of a round that belong to one worker, with their places among all.
#[derive(Clone, Default)]
struct Dealt {
    keys: Vec<u64>,
    places: Vec<u32>,
}

impl Dealt {
    fn clear(&mut self) {
        self.keys.clear();
        self.places.clear();
    }
}

/// Where questions are asked and answered.
struct Office<'a, A: Arithmetic> {
    arithmetic: &'a A,
    routing: Routing,
    partitions: Vec<(u32, usize)>,
    /// By round.
    chunks: BTreeMap<u64, Chunk>,
    /// For each question that is open the round and the successors it is about.
    asked: HashMap<u32, (u64, Vec<u32>)>,
    asks: u32,
    /// By owner.
    dealt: Vec<Dealt>,
    /// The numbers of the values that are found, in this worker's own palette.
    values: Vec<u32>,
    palette: Vec<A::Value>,
    numbers: FxHashMap<A::Value, u32>,
    /// How many states have each value of the palette.
    states: Vec<u64>,
    sums: Option<[u64; 2]>,
}

impl<'a, A: Arithmetic> Office<'a, A> {
    fn new(arithmetic: &'a A, routing: Routing) -> Self {
        Self {
            arithmetic,
            routing,
            partitions: Vec::new(),
            chunks: BTreeMap::new(),
            asked: HashMap::new(),
            asks: 0,
            dealt: Vec::new(),
            values: Vec::new(),
            palette: Vec::new(),
            numbers: FxHashMap::default(),
            states: Vec::new(),
            sums: None,
        }
    }

    /// Finds the values of the states of one pass.
    fn solve<'b>(
        &mut self,
        worker: &mut Worker<'b>,
        net: &Net,
        layer: u32,
        next: &mut NextLayer<'b, A::Value>,
    ) -> Result<(), Stopped> {
        let passes = self.routing.passes();
        let mut share = worker.keys_of(layer, self.routing);
        self.partitions.clone_from(&share.partitions);
        self.values = vec![0; share.states() as usize];
        let rounds = worker.rounds(share.states())?;
        let at_a_time = rounds_at_a_time(worker, passes)?;
        let (mut round, mut first, mut keys) = (0, 0, Vec::new());
        while round < rounds {
            let some = round..rounds.min(round + at_a_time);
            for round in some.clone() {
                worker.check_time();
                if worker.stopped.is_some() {
                    break;
                }
                match share.take(ROUND, &mut keys) {
                    Ok(()) => self.expand(worker, net, layer, (round, first), &keys),
                    Err(error) => worker.stop(error),
                }
                first += keys.len();
            }
            for pass in 0..passes {
                next.load(worker, (passes, pass));
                for round in some.clone() {
                    self.ask_all(worker, next, round, (passes, pass));
                    worker.exchange.round(LAG);
                    self.receive(worker, next);
                }
                if passes > 1 {
                    self.settle(worker, next);
                }
            }
            if some.end / ROUNDS_BETWEEN > round / ROUNDS_BETWEEN {
                self.settle(worker, next);
                worker.agree(&[])?;
            }
            round = some.end;
        }
        self.settle(worker, next);
        if worker.stopped.is_none() && !self.chunks.is_empty() {
            worker.stop(Stopped::Unfit("a question was not answered"));
        }
        Ok(())
    }

    /// The last questions come in, and then the last answers.
    fn settle(&mut self, worker: &mut Worker<'_>, next: &NextLayer<'_, A::Value>) {
        for _ in 0..2 {
            worker.exchange.round(0);
            self.receive(worker, next);
        }
    }

    fn expand(
        &mut self,
        worker: &mut Worker<'_>,
        net: &Net,
        layer: u32,
        (round, first): (u64, usize),
        keys: &[u64],
    ) {
        let listed = &worker.mark.listed;
        let moment = listed[layer as usize].moment.clone();
        let mut then = listed.get(layer as usize + 1).map(|listed| listed.moment.clone());
        let mut expanded = Expanded::default();
        let mut stage = Layer { depth: layer, moment: &moment, next: &mut then };
        if let Err(state) = worker.bulk.expand(keys, &mut stage, &mut expanded) {
            return worker.stop(uncoded(net, state));
        }
        self.add_sums(&expanded, worker.bulk.roles());
        let numbers = vec![u32::MAX; expanded.keys.len()];
        let passes = self.routing.passes();
        self.chunks.insert(round, Chunk { first, expanded, numbers, open: 0, passes });
    }

    /// Asks for the values of the successors of a round that are of a pass.
    fn ask_all(
        &mut self,
        worker: &mut Worker<'_>,
        next: &NextLayer<'_, A::Value>,
        round: u64,
        passes: (u32, u32),
    ) {
        let Some(mut chunk) = self.chunks.remove(&round) else { return };
        let routing = worker.routing(passes);
        chunk.passes -= 1;
        if routing.files() == 1 {
            let numbers = &mut chunk.numbers;
            find(worker, next, &chunk.expanded.keys, |place, number| numbers[place] = number);
        } else {
            // Whose a key is cannot be foretold, so that nothing branches on it.
            self.dealt.resize(worker.peers(), Default::default());
            self.dealt.iter_mut().for_each(Dealt::clear);
            let keys = chunk.expanded.keys.iter().zip(0..);
            for (&key, place) in keys.filter(|&(&key, _)| routing.in_pass(key)) {
                let dealt = &mut self.dealt[routing.owner(key)];
                dealt.keys.push(key);
                dealt.places.push(place);
            }
            let index = worker.index();
            for (to, dealt) in self.dealt.iter().enumerate().filter(|&(to, _)| to != index) {
                let mut places = &dealt.places[..];
                worker.send_keys((to, kind::ASK), &dealt.keys, |count| {
                    let (these, rest) = places.split_at(count);
                    places = rest;
                    self.asks = self.asks.wrapping_add(1);
                    self.asked.insert(self.asks, (round, these.to_vec()));
                    chunk.open += 1;
                    self.asks
                });
            }
            let (mine, numbers) = (&self.dealt[index], &mut chunk.numbers);
            find(worker, next, &mine.keys, |place, number| {
                numbers[mine.places[place] as usize] = number;
            });
        }
        if chunk.passes == 0 {
            chunk.expanded.keys = Vec::new();
        }
        self.chunks.insert(round, chunk);
        self.evaluate(worker, next, round);
    }

    fn receive(&mut self, worker: &mut Worker<'_>, next: &NextLayer<'_, A::Value>) {
        while let Some(block) = worker.exchange.receive() {
            match block.kind {
                kind::ASK => answer(worker, next, &block),
                _ => self.take_answer(worker, next, &block),
            }
        }
    }

    fn take_answer(
        &mut self,
        worker: &mut Worker<'_>,
        next: &NextLayer<'_, A::Value>,
        block: &Block,
    ) {
        let Some((round, places)) = self.asked.remove(&block.tag) else { return };
        let Some(chunk) = self.chunks.get_mut(&round) else { return };
        let numbers = keys_in(&block.body, width(next));
        for (place, number) in places.into_iter().zip(numbers) {
            chunk.numbers[place as usize] = number as u32;
        }
        chunk.open -= 1;
        self.evaluate(worker, next, round);
    }

    /// Finds the values of the states of a round if all answers are there.
    fn evaluate(&mut self, worker: &mut Worker<'_>, next: &NextLayer<'_, A::Value>, round: u64) {
        let waits = |chunk: &Chunk| chunk.open > 0 || chunk.passes > 0;
        if worker.stopped.is_some() || self.chunks.get(&round).is_none_or(waits) {
            return;
        }
        let Some(chunk) = self.chunks.remove(&round) else { return };
        let values = self.arithmetic.values(&chunk.expanded, &chunk.numbers, &next.palette);
        let Some(values) = values else {
            return worker.stop(Stopped::Unfit("the exact value has too many digits"));
        };
        for (place, value) in values.into_iter().enumerate() {
            let Some(number) = self.number(value) else {
                return worker.stop(Stopped::Unfit("a layer has too many different values"));
            };
            self.values[chunk.first + place] = number;
            self.states[number as usize] += chunk.expanded.weight(place);
        }
    }

    /// The number of a value in this worker's palette.
    #[inline]
    fn number(&mut self, value: A::Value) -> Option<u32> {
        if let Some(&number) = self.numbers.get(&value) {
            return Some(number);
        }
        let number = u32::try_from(self.palette.len()).ok()?;
        self.palette.push(value.clone());
        self.states.push(0);
        self.numbers.insert(value, number);
        Some(number)
    }

    fn add_sums(&mut self, expanded: &Expanded, roles: usize) {
        // What chance gets is nobody's interest.
        let plays = |role: &usize| self.arithmetic.chance() != Some(*role);
        for payoffs in expanded.payoffs.chunks_exact(roles) {
            let of_players = || (0..roles).filter(plays).map(|role| payoffs[role]);
            let least = of_players().map(|payoff| u64::from(payoff.least)).sum::<u64>();
            let most = of_players().map(|payoff| u64::from(payoff.most)).sum::<u64>();
            let [low, high] = self.sums.unwrap_or([u64::MAX, 0]);
            self.sums = Some([low.min(least), high.max(most)]);
        }
    }

    /// Agrees on a palette, and puts the values on the shelf; how many states and bytes.
    fn write(
        self,
        worker: &mut Worker<'_>,
        layer: u32,
        palettes: &mut Vec<Vec<Vec<Range2>>>,
    ) -> Result<[u64; 2], Stopped> {
        let ranges = self.palette.iter().map(|value| self.arithmetic.ranges(value));
        let own: Vec<Vec<Range2>> = ranges.collect();
        let palette = common_palette(worker, &own)?;
        let (states, routing) = (self.values.len() as u64, self.routing);
        let found =
            Found { values: self.values, palette: own, states: self.states, sums: self.sums };
        let bytes = put_values(worker, layer, (routing, &self.partitions), found, &palette);
        palettes.push(palette);
        Ok([states, bytes])
    }
}

/// Looks up keys of this worker.
fn find<V>(
    worker: &mut Worker<'_>,
    next: &NextLayer<'_, V>,
    keys: &[u64],
    tell: impl FnMut(usize, u32),
) {
    if !next.find_all(keys, tell) {
        // Forward all successors were listed, so the files are not those of that run.
        worker.stop(StoreError::Damaged("a layer that lacks a successor".to_string()));
    }
}

fn answer<V>(worker: &mut Worker<'_>, next: &NextLayer<'_, V>, block: &Block) {
    let keys = keys_in(&block.body, worker.stride());
    let mut numbers = vec![0u32; keys.len()];
    find(worker, next, &keys, |place, number| numbers[place] = number);
    let (mut body, width) = (Vec::with_capacity(4 * numbers.len()), width(next));
    numbers.iter().for_each(|&number| put_key(number.into(), width, &mut body));
    worker.answer(block, body);
}

/// How many bytes the number of a value takes.
fn width<V>(next: &NextLayer<'_, V>) -> usize {
    super::groups::bits_for(next.palette.len()).div_ceil(8).max(1) as usize
}

/// So many rounds of states wait together for the passes over the next layer, in an eighth of the memory.
fn rounds_at_a_time(worker: &mut Worker<'_>, passes: u32) -> Result<u64, Stopped> {
    let states: u64 = worker.mark.listed.iter().map(|listed| listed.states).sum();
    let successors = worker.mark.successors / states.max(1) + 2;
    // A key, a place and a number for each successor.
    let rounds = (worker.meter.bytes() / 8 / (ROUND as u64 * successors * 16)).max(1);
    let heard = worker.agree(&[rounds])?;
    let least = heard.iter().map(|words| words[0]).min().unwrap_or(1);
    Ok(if passes == 1 { 1 } else { least.max(1) })
}

/// Values of states by their numbers in a palette.
pub(super) struct Found {
    pub(super) values: Vec<u32>,
    pub(super) palette: Vec<Vec<Range2>>,
    /// How many states have each of them.
    pub(super) states: Vec<u64>,
    pub(super) sums: Option<[u64; 2]>,
}

/// Puts the values of some partitions on the shelf, by their numbers in the palette of all; how many bytes.
pub(super) fn put_values(
    worker: &mut Worker<'_>,
    layer: u32,
    (routing, partitions): (Routing, &[(u32, usize)]),
    mut found: Found,
    palette: &[Vec<Range2>],
) -> u64 {
    let number = |value: &Vec<Range2>| palette.binary_search(value).unwrap_or(0) as u32;
    let renumbered: Vec<u32> = found.palette.iter().map(number).collect();
    let new = |number: u32| renumbered.get(number as usize).copied().unwrap_or(0);
    found.values.iter_mut().for_each(|value| *value = new(*value));
    let mut head =
        ValueHead { palette: palette.to_vec(), states: vec![0; palette.len()], sums: found.sums };
    for (number, states) in (0..).zip(found.states) {
        head.states[new(number) as usize] += states;
    }
    let (mut pieces, mut rest) = (Pieces::default(), &found.values[..]);
    for &(partition, states) in partitions {
        let (piece, after) = rest.split_at(states.min(rest.len()));
        pieces.add_values(partition, piece, palette.len());
        rest = after;
    }
    let bytes = pieces.value_file(worker.place(layer), &head);
    worker.write(&values_name(layer, routing.file(), routing.files()), &bytes);
    bytes.len() as u64
}

/// Gives the values of all passes the same palette, so that files do not tell in how many passes they were made.
fn same_palette(worker: &mut Worker<'_>, layer: u32, passes: u32, palettes: &[Vec<Vec<Range2>>]) {
    let all: BTreeSet<&Vec<Range2>> = palettes.iter().flatten().collect();
    let all: Vec<Vec<Range2>> = all.into_iter().cloned().collect();
    for (pass, palette) in (0..passes).zip(palettes) {
        if *palette != all
            && let Err(error) = rewrite(worker, layer, (passes, pass), &all)
        {
            worker.stop(error);
        }
    }
}

fn rewrite(
    worker: &mut Worker<'_>,
    layer: u32,
    passes: (u32, u32),
    palette: &[Vec<Range2>],
) -> Result<(), StoreError> {
    let routing = worker.routing(passes);
    let name = values_name(layer, routing.file(), routing.files());
    let file = Open::values(worker.setting.shelf, name, worker.place(layer))?;
    let (mut values, mut partitions) = (Vec::new(), Vec::new());
    for piece in &file.pieces {
        file.add_values(piece, &mut values)?;
        partitions.push((piece.partition, piece.states as usize));
    }
    let ValueHead { palette: own, states, sums } = file.head;
    let found = Found { values, palette: own, states, sums };
    put_values(worker, layer, (routing, &partitions), found, palette);
    Ok(())
}

/// The values that any worker found, in order.
pub(super) fn common_palette(
    worker: &mut Worker<'_>,
    own: &[Vec<Range2>],
) -> Result<Vec<Vec<Range2>>, Stopped> {
    worker.agree(&[])?;
    let said = serde_json::to_vec(own).unwrap_or_default();
    let mut palette = BTreeSet::new();
    for heard in all(worker.exchange, &said) {
        let values: Result<Vec<Vec<Range2>>, _> = serde_json::from_slice(&heard);
        palette.extend(values.map_err(|_| Stopped::Unfit("a worker said what cannot be read"))?);
    }
    Ok(palette.into_iter().collect())
}
