//! Answers from a store: what a state is worth, how many states there are of each worth.

use std::collections::BTreeMap;

use gambol_verify::Fraction;

use super::layer_file::{KeyHead, Open, Place, Range2, ValueHead};
use super::mark::{Mark, keys_name, values_name};
use super::plan::Plan;
use super::shelf::Shelf;
use crate::Bounds;
use crate::listing::strong::StrongClass;
use crate::random_walk::Random;
use crate::store_error::StoreError;

/// What a store says, from its files.
pub struct Answers<'a> {
    plan: &'a Plan,
    shelf: &'a dyn Shelf,
    mark: Mark,
}

/// What is known of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The layer it is in: how many steps led to it.
    pub layer: u32,
    /// What each role can secure, from the worst reading of unclear ends to the best; none if the layer has no
    /// values yet.
    pub values: Option<Vec<Bounds>>,
}

/// How many states a layer has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayerCounts {
    /// Which layer.
    pub layer: u32,
    /// How many states.
    pub states: u64,
    /// How many of each worth; none if it has no values yet.
    pub classes: Option<Vec<StrongClass>>,
    /// How many bytes its files have, their heads not counted.
    pub bytes: u64,
    /// For each partition a digest of its keys, and one of its values if there are any. They are the same however many
    /// workers wrote the files.
    pub digests: Vec<[Option<u64>; 2]>,
}

impl<'a> Answers<'a> {
    /// Opens what a shelf holds of a plan.
    pub fn new(plan: &'a Plan, shelf: &'a dyn Shelf) -> Result<Self, StoreError> {
        let mark = Mark::furthest(shelf, plan.digest())?.unwrap_or(Mark::new(plan.digest()));
        Ok(Self { plan, shelf, mark })
    }

    /// Whether all layers are listed and solved.
    pub fn is_complete(&self) -> bool {
        self.mark.complete && self.mark.solved.len() == self.mark.listed.len()
    }

    /// Whether a state may come up after different numbers of steps.
    pub fn states_return(&self) -> bool {
        self.plan.states_return()
    }

    /// How many states are listed.
    pub fn states(&self) -> u64 {
        self.mark.listed.iter().map(|listed| listed.states).sum()
    }

    /// How many successors all states have together.
    pub fn successors(&self) -> u64 {
        self.mark.successors
    }

    /// Whether several roles choose at once somewhere.
    pub fn at_once(&self) -> bool {
        self.mark.at_once
    }

    fn place(&self, layer: u32) -> Place {
        let low = self.plan.bits() - self.plan.partition_bits();
        Place { plan: self.plan.digest(), layer, low }
    }

    fn key_files(&self, layer: u32) -> Result<Vec<Open<'a, KeyHead>>, StoreError> {
        let workers = self.mark.listed.get(layer as usize).map_or(0, |listed| listed.workers);
        let open =
            |worker| Open::keys(self.shelf, keys_name(layer, worker, workers), self.place(layer));
        (0..workers).map(open).collect()
    }

    fn value_files(&self, layer: u32) -> Result<Vec<Open<'a, ValueHead>>, StoreError> {
        let workers = self.mark.solved.get(&layer).copied().unwrap_or(0);
        let open = |worker| {
            Open::values(self.shelf, values_name(layer, worker, workers), self.place(layer))
        };
        (0..workers).map(open).collect()
    }

    /// What is known of a state, given as words; `None` if it is not listed.
    pub fn of(&self, state: &[u64]) -> Result<Option<Answer>, StoreError> {
        for (layer, listed) in self.mark.listed.iter().enumerate() {
            if let Some(key) = self.plan.code.encode(state, &listed.moment)
                && let Some(answer) = self.of_key(layer as u32, key)?
            {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    fn of_key(&self, layer: u32, key: u64) -> Result<Option<Answer>, StoreError> {
        let partition = (key >> self.place(layer).low) as u32;
        let mut state = None;
        for file in self.key_files(layer)? {
            for piece in file.head.pieces.iter().filter(|piece| piece.partition == partition) {
                state = state.or(file.find(piece, key)?);
            }
        }
        let Some(state) = state else { return Ok(None) };
        let mut values = None;
        for file in self.value_files(layer)? {
            for piece in file.head.pieces.iter().filter(|piece| piece.partition == partition) {
                values = Some(file.value(piece, state)?.iter().map(bounds).collect());
            }
        }
        Ok(Some(Answer { layer, values }))
    }

    /// How many states each layer has, and of which worth.
    pub fn layers(&self) -> Result<Vec<LayerCounts>, StoreError> {
        let layers = self.mark.listed.iter().enumerate();
        let counts = layers.map(|(layer, listed)| {
            let layer = layer as u32;
            let (keys, values) = (self.key_files(layer)?, self.value_files(layer)?);
            let classes = (!values.is_empty()).then(|| classes(values.iter()));
            let mut digests = vec![[None; 2]; 1 << self.plan.partition_bits()];
            let mut bytes = 0;
            let keys = keys.iter().flat_map(|file| &file.head.pieces).zip(std::iter::repeat(0));
            let values = values.iter().flat_map(|file| &file.head.pieces).zip(std::iter::repeat(1));
            for (piece, which) in keys.chain(values) {
                bytes += piece.bytes;
                if let Some(digests) = digests.get_mut(piece.partition as usize) {
                    digests[which] = Some(piece.digest);
                }
            }
            Ok(LayerCounts { layer, states: listed.states, classes, bytes, digests })
        });
        counts.collect()
    }

    /// How many layers are listed, and how many of them have values.
    pub fn progress(&self) -> (usize, usize) {
        (self.mark.listed.len(), self.mark.solved.len())
    }

    /// Whether all layers are listed.
    pub fn is_listed(&self) -> bool {
        self.mark.complete
    }

    /// How many states there are of each worth in all layers that have values, the best of the first role first.
    pub fn classes(&self) -> Result<Vec<StrongClass>, StoreError> {
        let layers = self.mark.solved.keys().map(|&layer| self.value_files(layer));
        let files = layers.collect::<Result<Vec<_>, _>>()?;
        Ok(classes(files.iter().flatten()))
    }

    /// What the goals add up to in every end, if that is always the same.
    pub fn constant_sum(&self) -> Result<Option<u64>, StoreError> {
        let mut common = None;
        for &layer in self.mark.solved.keys() {
            for [least, most] in self.value_files(layer)?.iter().filter_map(|file| file.head.sums) {
                if least != most || *common.get_or_insert(least) != least {
                    return Ok(None);
                }
            }
        }
        Ok(common)
    }

    /// Some states of a layer as words, chosen at random. The layer must be listed.
    pub fn some_states(
        &self,
        layer: u32,
        most: usize,
        seed: u64,
    ) -> Result<Vec<Vec<u64>>, StoreError> {
        let Some(listed) = self.mark.listed.get(layer as usize) else { return Ok(Vec::new()) };
        let mut random = Random(seed ^ u64::from(layer) << 32);
        let files = self.key_files(layer)?;
        let pieces =
            files.iter().flat_map(|file| file.head.pieces.iter().map(move |piece| (file, piece)));
        let pieces: Vec<_> = pieces.filter(|(_, piece)| piece.states > 0).collect();
        // Keys are spread evenly over partitions, so a few of these are as good as all.
        let (first, mut keys) = (random.below(pieces.len().max(1)), Vec::new());
        for (file, piece) in pieces.iter().cycle().skip(first).take(pieces.len()) {
            if keys.len() < 4 * most {
                file.add_keys(piece, &mut keys)?;
            }
        }
        for place in 0..most.min(keys.len()) {
            let other = place + random.below(keys.len() - place);
            keys.swap(place, other);
        }
        keys.truncate(most);
        Ok(keys.iter().map(|&key| self.plan.code.decode(key, &listed.moment)).collect())
    }
}

fn bounds(&[least, most]: &Range2) -> Bounds {
    Bounds { least, most }
}

/// How many states there are of each worth.
fn classes<'a, 'b: 'a>(files: impl Iterator<Item = &'a Open<'b, ValueHead>>) -> Vec<StrongClass> {
    let mut classes: BTreeMap<Vec<Option<Fraction>>, u64> = BTreeMap::new();
    for file in files {
        for (value, states) in file.head.palette.iter().zip(&file.head.states) {
            let exact = |range: &Range2| (range[0] == range[1]).then_some(range[0]);
            *classes.entry(value.iter().map(exact).collect()).or_default() += states;
        }
    }
    classes.retain(|_, states| *states > 0);
    classes.into_iter().rev().map(|(values, states)| StrongClass { values, states }).collect()
}
