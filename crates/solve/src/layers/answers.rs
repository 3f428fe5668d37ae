//! Answers from a store: what a state is worth, how many states there are of each worth.

use std::collections::BTreeMap;

use gambol_verify::Fraction;

use super::layer_file::{KeyHead, Open, Place, Range2, ValueHead};
use super::mark::{Mark, keys_name, values_name};
use super::plan::Plan;
use super::shelf::Shelf;
use crate::listing::strong::StrongClass;
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
    pub values: Option<Vec<[Fraction; 2]>>,
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
                values = Some(file.value(piece, state)?.to_vec());
            }
        }
        Ok(Some(Answer { layer, values }))
    }

    /// How many states each layer has, and of which worth.
    pub fn layers(&self) -> Result<Vec<LayerCounts>, StoreError> {
        let layers = self.mark.listed.iter().enumerate();
        let counts = layers.map(|(layer, listed)| {
            let layer = layer as u32;
            let files = self.value_files(layer)?;
            let classes = (!files.is_empty()).then(|| classes(files.iter()));
            Ok(LayerCounts { layer, states: listed.states, classes })
        });
        counts.collect()
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

    /// Some states of a layer, evenly spread, as words. The layer must be listed.
    pub fn some_states(&self, layer: u32, most: usize) -> Result<Vec<Vec<u64>>, StoreError> {
        let Some(listed) = self.mark.listed.get(layer as usize) else { return Ok(Vec::new()) };
        let mut keys = Vec::new();
        for file in self.key_files(layer)? {
            for piece in &file.head.pieces {
                // Keys are spread evenly, so one partition after the other is as good as any choice.
                if keys.len() < most {
                    file.add_keys(piece, &mut keys)?;
                }
            }
        }
        keys.truncate(most);
        Ok(keys.iter().map(|&key| self.plan.code.decode(key, &listed.moment)).collect())
    }
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
