//! Backward: from the last layer to the first, every state gets its value from those of the next layer.
//!
//! Successors are made anew and their owners are asked: a question is a block of keys, the answer the numbers of
//! their values in the same order. Memory holds the values of the next layer and those that are found. Numbers
//! speak of a palette, on which all workers agree at the end of a layer.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rustc_hash::FxHashMap;

use super::bulk::{Expanded, Layer};
use super::exchange::{Block, all, keys_in, kind};
use super::key_set::{KeyTable, Routing};
use super::layer_file::{Open, Range2, ValueHead, write_values};
use super::mark::values_name;
use super::plan::uncoded;
use super::worker::{LAG, Share, Worker, round_of};
use super::worth::Arithmetic;
use crate::store_error::{Stopped, StoreError};

/// Finds the values of all layers that have none yet.
pub(crate) fn solve_layers<A: Arithmetic>(
    worker: &mut Worker<'_>,
    net: &gambol_net::Net,
    arithmetic: &A,
) -> Result<(), Stopped> {
    let mut next = match worker.mark.lowest_solved() {
        None => Next { table: None, palette: Vec::new() },
        Some(layer) => {
            let next = Next::read(worker, layer, arithmetic);
            let next = next.unwrap_or_else(|error| {
                worker.stop(error);
                Next { table: None, palette: Vec::new() }
            });
            worker.agree(&[])?;
            next
        }
    };
    let last = worker.mark.lowest_solved().unwrap_or(worker.mark.listed.len() as u32);
    for layer in (0..last).rev() {
        next = solve_layer(worker, net, arithmetic, layer, next)?;
    }
    Ok(())
}

/// The layer that follows: its states and their values.
struct Next<A: Arithmetic> {
    table: Option<KeyTable<u16>>,
    palette: Vec<A::Value>,
}

impl<A: Arithmetic> Next<A> {
    /// Reads this worker's share of a layer that was solved before.
    fn read(worker: &Worker<'_>, layer: u32, arithmetic: &A) -> Result<Self, StoreError> {
        let files = value_files(worker, layer)?;
        let mut palette: BTreeSet<&Vec<Range2>> = BTreeSet::new();
        files.iter().for_each(|file| palette.extend(&file.head.palette));
        let palette: Vec<&Vec<Range2>> = palette.into_iter().collect();
        let share = worker.share(layer)?;
        let mut values = Vec::with_capacity(share.keys.len());
        for (partition, _) in &share.partitions {
            for file in &files {
                let number =
                    |value: &Vec<Range2>| palette.binary_search(&value).unwrap_or(0) as u16;
                let numbers: Vec<u16> = file.head.palette.iter().map(number).collect();
                for piece in file.head.pieces.iter().filter(|piece| piece.partition == *partition) {
                    let own = file.all_values(piece)?;
                    values.extend(own.into_iter().map(|value| numbers[value as usize]));
                }
            }
        }
        if values.len() != share.keys.len() {
            return Err(StoreError::Damaged(format!("the values of layer {layer}")));
        }
        let table = KeyTable::new(share.keys, values, worker.routing(), share.partitions.len());
        let read = |value: &&Vec<Range2>| arithmetic.read(value);
        let palette: Option<Vec<A::Value>> = palette.iter().map(read).collect();
        let palette =
            palette.ok_or_else(|| StoreError::Damaged(format!("the values of layer {layer}")))?;
        Ok(Self { table: Some(table), palette })
    }

    fn bytes(&self) -> usize {
        self.table.as_ref().map_or(0, KeyTable::bytes)
    }
}

/// The files of values of a layer.
fn value_files<'a>(
    worker: &Worker<'a>,
    layer: u32,
) -> Result<Vec<Open<'a, ValueHead>>, StoreError> {
    let workers = worker.mark.solved.get(&layer).copied().unwrap_or(0);
    let open = |number| {
        let name = values_name(layer, number, workers);
        Open::values(worker.setting.shelf, name, worker.place(layer))
    };
    (0..workers).map(open).collect()
}

fn solve_layer<A: Arithmetic>(
    worker: &mut Worker<'_>,
    net: &gambol_net::Net,
    arithmetic: &A,
    layer: u32,
    next: Next<A>,
) -> Result<Next<A>, Stopped> {
    let share = worker.share(layer).unwrap_or_else(|error| {
        worker.stop(error);
        Share::default()
    });
    let keys = &share.keys;
    let rounds = worker.rounds(keys.len())?;
    let bytes = next.bytes() + 18 * keys.len();
    let mut office = Office {
        arithmetic,
        next,
        routing: worker.routing(),
        chunks: BTreeMap::new(),
        asked: HashMap::new(),
        asks: 0,
        values: vec![0; keys.len()],
        palette: Vec::new(),
        numbers: FxHashMap::default(),
        sums: None,
    };
    for round in 0..rounds {
        if worker.stopped.is_none() {
            let places = round_of(round, keys.len());
            office.expand(worker, net, layer, places.start, &keys[places]);
        }
        worker.exchange.round(LAG);
        office.receive(worker);
        if let Err(unfinished) = worker.meter.check(bytes) {
            worker.stop(unfinished);
        }
    }
    // The last questions come in, and then the last answers.
    for _ in 0..2 {
        worker.exchange.round(0);
        office.receive(worker);
    }
    if worker.stopped.is_none() && !office.chunks.is_empty() {
        worker.stop(Stopped::Unfit("a question was not answered"));
    }
    office.finish(worker, layer, share)
}

/// States of one round whose values are being found.
struct Chunk {
    first: usize,
    expanded: Expanded,
    numbers: Vec<u16>,
    /// How many blocks of answers are still to come.
    open: usize,
}

/// Where questions are asked and answered.
struct Office<'a, A: Arithmetic> {
    arithmetic: &'a A,
    next: Next<A>,
    routing: Routing,
    /// By the place of their first state.
    chunks: BTreeMap<usize, Chunk>,
    /// For each question that is open the chunk and the successors it is about.
    asked: HashMap<u32, (usize, Vec<u32>)>,
    asks: u32,
    /// The numbers of the values that are found, in this worker's own palette.
    values: Vec<u16>,
    palette: Vec<A::Value>,
    numbers: FxHashMap<A::Value, u16>,
    sums: Option<[u64; 2]>,
}

impl<A: Arithmetic> Office<'_, A> {
    fn expand(
        &mut self,
        worker: &mut Worker<'_>,
        net: &gambol_net::Net,
        layer: u32,
        first: usize,
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
        let mut numbers = vec![u16::MAX; expanded.keys.len()];
        let mut open = 0;
        if worker.peers() == 1 {
            self.find(worker, &expanded.keys, |place, number| numbers[place] = number);
        } else {
            let (routing, mut mine) = (self.routing, (Vec::new(), Vec::new()));
            let mut theirs: Vec<Vec<u32>> = vec![Vec::new(); worker.peers()];
            for (place, &key) in expanded.keys.iter().enumerate() {
                match routing.elsewhere(key) {
                    None => {
                        mine.0.push(key);
                        mine.1.push(place);
                    }
                    Some(to) => {
                        theirs[to].push(place as u32);
                        if worker.post(to, key) {
                            open += self.ask(worker, to, first, &mut theirs[to]);
                        }
                    }
                }
            }
            for (to, places) in theirs.iter_mut().enumerate() {
                open += self.ask(worker, to, first, places);
            }
            self.find(worker, &mine.0, |place, number| numbers[mine.1[place]] = number);
        }
        expanded.keys = Vec::new();
        self.chunks.insert(first, Chunk { first, expanded, numbers, open });
        self.evaluate(worker, first);
    }

    /// Asks a worker for the values of what was posted; how many blocks of answers that makes.
    fn ask(
        &mut self,
        worker: &mut Worker<'_>,
        to: usize,
        chunk: usize,
        places: &mut Vec<u32>,
    ) -> usize {
        if places.is_empty() {
            return 0;
        }
        self.asks += 1;
        self.asked.insert(self.asks, (chunk, std::mem::take(places)));
        worker.flush(to, kind::ASK, self.asks);
        1
    }

    /// Looks up keys of this worker.
    fn find(&self, worker: &mut Worker<'_>, keys: &[u64], mut tell: impl FnMut(usize, u16)) {
        let mut missing = !keys.is_empty() && self.next.table.is_none();
        if let Some(table) = &self.next.table {
            table.find_all(keys, |place, number| match number {
                Some(number) => tell(place, number),
                None => missing = true,
            });
        }
        if missing {
            // Forward all successors were listed, so the files are not those of that run.
            worker.stop(StoreError::Damaged("a layer that lacks a successor".to_string()));
        }
    }

    fn receive(&mut self, worker: &mut Worker<'_>) {
        while let Some(block) = worker.exchange.receive() {
            match block.kind {
                kind::ASK => self.answer(worker, &block),
                _ => self.take_answer(worker, &block),
            }
        }
    }

    fn answer(&mut self, worker: &mut Worker<'_>, block: &Block) {
        let keys = keys_in(&block.body, worker.stride());
        let mut numbers = vec![0u16; keys.len()];
        self.find(worker, &keys, |place, number| numbers[place] = number);
        worker.answer(block, numbers.iter().flat_map(|number| number.to_le_bytes()).collect());
    }

    fn take_answer(&mut self, worker: &mut Worker<'_>, block: &Block) {
        let Some((first, places)) = self.asked.remove(&block.tag) else { return };
        let Some(chunk) = self.chunks.get_mut(&first) else { return };
        for (&place, number) in places.iter().zip(block.body.as_chunks::<2>().0) {
            chunk.numbers[place as usize] = u16::from_le_bytes(*number);
        }
        chunk.open -= 1;
        self.evaluate(worker, first);
    }

    /// Finds the values of a chunk if all answers are there.
    fn evaluate(&mut self, worker: &mut Worker<'_>, first: usize) {
        if worker.stopped.is_some() || self.chunks.get(&first).is_none_or(|chunk| chunk.open > 0) {
            return;
        }
        let Some(chunk) = self.chunks.remove(&first) else { return };
        let values = self.arithmetic.values(&chunk.expanded, &chunk.numbers, &self.next.palette);
        let Some(values) = values else {
            return worker.stop(Stopped::Unfit("the exact value has too many digits"));
        };
        for (place, value) in values.into_iter().enumerate() {
            match self.number(value) {
                Some(number) => self.values[chunk.first + place] = number,
                None => {
                    return worker.stop(Stopped::Unfit("a layer has too many different values"));
                }
            }
        }
    }

    /// The number of a value in this worker's palette.
    #[inline]
    fn number(&mut self, value: A::Value) -> Option<u16> {
        if let Some(&number) = self.numbers.get(&value) {
            return Some(number);
        }
        let number = u16::try_from(self.palette.len()).ok().filter(|&number| number < u16::MAX)?;
        self.palette.push(value.clone());
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

    /// Agrees on a palette, puts the values on the shelf, and makes the layer the next one.
    fn finish(self, worker: &mut Worker<'_>, layer: u32, share: Share) -> Result<Next<A>, Stopped> {
        let own: Vec<Vec<Range2>> =
            self.palette.iter().map(|value| self.arithmetic.ranges(value)).collect();
        let palette = common_palette(worker, &own)?;
        drop(self.next);
        let (bytes, values) =
            put_values(worker, layer, &share, (&own, &palette), self.values, self.sums);
        let heard = worker.agree(&[values.len() as u64, bytes])?;
        let workers = worker.peers() as u32;
        worker.mark.solved.insert(layer, workers);
        worker.write_mark();
        worker.tell_solved(layer, &heard, 0);
        let table = KeyTable::new(share.keys, values, self.routing, share.partitions.len());
        let read = palette.iter().map(|value| self.arithmetic.read(value));
        let palette = read.collect::<Option<Vec<_>>>();
        let palette = palette.ok_or(Stopped::Unfit("another worker counts with other goals"))?;
        Ok(Next { table: Some(table), palette })
    }
}

/// Puts the values of a share on the shelf, by their numbers in the palette of all; how many bytes, and the numbers.
pub(super) fn put_values(
    worker: &mut Worker<'_>,
    layer: u32,
    share: &Share,
    (own, palette): (&[Vec<Range2>], &[Vec<Range2>]),
    mut values: Vec<u16>,
    sums: Option<[u64; 2]>,
) -> (u64, Vec<u16>) {
    let number = |value: &Vec<Range2>| palette.binary_search(value).unwrap_or(0) as u16;
    let renumbered: Vec<u16> = own.iter().map(number).collect();
    values
        .iter_mut()
        .for_each(|value| *value = renumbered.get(*value as usize).copied().unwrap_or(0));
    let (mut pieces, mut rest): (Vec<(u32, &[u16])>, _) = (Vec::new(), &values[..]);
    for (partition, states) in &share.partitions {
        let (piece, after) = rest.split_at(*states);
        pieces.push((*partition, piece));
        rest = after;
    }
    let bytes = write_values(worker.place(layer), palette, sums, &pieces);
    let (index, workers) = (worker.index() as u32, worker.peers() as u32);
    worker.write(&values_name(layer, index, workers), &bytes);
    (bytes.len() as u64, values)
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
    if palette.len() > u16::MAX as usize {
        return Err(Stopped::Unfit("a layer has too many different values"));
    }
    Ok(palette.into_iter().collect())
}
