//! Answers from a store: what a state is worth, how many states there are of each worth.

use std::collections::BTreeMap;

use super::key_code::Moment;
use super::layer_file::{Open, Place, Range2, ValueHead};
use super::mark::{Listed, Mark, keys_name, values_name};
use super::plan::Plan;
use super::shelf::Shelf;
use crate::Bounds;
use crate::listing::strong::{StrongClass, classes_of};
use crate::store_error::StoreError;
use gambol_run::Random;

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
    /// How many states it has. Where one stands for all that are symmetric to it, this is known when the next layer is
    /// listed; until then, how many files hold.
    pub states: u64,
    /// How many of them files hold.
    pub stored: u64,
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

    /// How many states files hold.
    pub fn stored(&self) -> u64 {
        self.mark.listed.iter().map(|listed| listed.states).sum()
    }

    /// How many states these stand for, where one stands for all that are symmetric to it.
    pub fn states(&self) -> u64 {
        self.mark.listed.iter().map(Listed::meant).sum()
    }

    /// How many states one of them stands for at most.
    pub fn symmetry(&self) -> usize {
        self.plan.symmetry()
    }

    /// How many successors all listed states have together.
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

    fn key_file(&self, layer: u32, number: u32, all: u32) -> Result<Open<'a, Moment>, StoreError> {
        Open::keys(self.shelf, keys_name(layer, number, all), self.place(layer))
    }

    fn value_file(
        &self,
        layer: u32,
        number: u32,
        all: u32,
    ) -> Result<Open<'a, ValueHead>, StoreError> {
        Open::values(self.shelf, values_name(layer, number, all), self.place(layer))
    }

    /// How many files of keys a layer has, and how many of values.
    fn file_counts(&self, layer: u32) -> [u32; 2] {
        let keys = self.mark.listed.get(layer as usize).map_or(0, |listed| listed.workers);
        [keys, self.mark.solved.get(&layer).copied().unwrap_or(0)]
    }

    fn key_files(&self, layer: u32) -> Result<Vec<Open<'a, Moment>>, StoreError> {
        let [files, _] = self.file_counts(layer);
        (0..files).map(|number| self.key_file(layer, number, files)).collect()
    }

    fn value_files(&self, layer: u32) -> Result<Vec<Open<'a, ValueHead>>, StoreError> {
        let [_, files] = self.file_counts(layer);
        (0..files).map(|number| self.value_file(layer, number, files)).collect()
    }

    /// What is known of a state, given as words; `None` if it is not listed.
    pub fn of(&self, state: &[u64]) -> Result<Option<Answer>, StoreError> {
        for (layer, listed) in self.mark.listed.iter().enumerate() {
            if let Some(key) = self.plan.key(state, &listed.moment)
                && let Some(answer) = self.of_key(layer as u32, key)?
            {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    fn of_key(&self, layer: u32, key: u64) -> Result<Option<Answer>, StoreError> {
        let partition = (key >> self.place(layer).low) as u32;
        let [of_keys, of_values] = self.file_counts(layer);
        let file = self.key_file(layer, partition % of_keys.max(1), of_keys)?;
        let found = file.piece(partition).map(|piece| file.find(piece, key)).transpose()?;
        let Some(state) = found.flatten() else { return Ok(None) };
        if of_values == 0 {
            return Ok(Some(Answer { layer, values: None }));
        }
        let file = self.value_file(layer, partition % of_values, of_values)?;
        let value = file.piece(partition).map(|piece| file.value(piece, state)).transpose()?;
        let values = value.map(|value| value.iter().map(bounds).collect());
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
            let keys = keys.iter().flat_map(|file| &file.pieces).zip(std::iter::repeat(0));
            let values = values.iter().flat_map(|file| &file.pieces).zip(std::iter::repeat(1));
            for (piece, which) in keys.chain(values) {
                bytes += piece.bytes;
                if let Some(digests) = digests.get_mut(piece.partition as usize) {
                    digests[which] = Some(piece.digest);
                }
            }
            let (states, stored) = (listed.meant(), listed.states);
            Ok(LayerCounts { layer, states, stored, classes, bytes, digests })
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
        let mut random = Random::new(seed ^ u64::from(layer) << 32);
        let files = self.key_files(layer)?;
        let pieces =
            files.iter().flat_map(|file| file.pieces.iter().map(move |piece| (file, piece)));
        let pieces: Vec<_> = pieces.filter(|(_, piece)| piece.states > 0).collect();
        // Keys are spread evenly over partitions, so a few of these are as good as all.
        let (first, mut keys) = (random.below(pieces.len().max(1)), Vec::new());
        for (file, piece) in pieces.iter().cycle().skip(first).take(pieces.len()) {
            if keys.len() < 4 * most {
                let before = keys.len();
                file.add_keys(piece, &mut keys)?;
                let key_of = |&low: &u64| self.place(layer).key_of(piece.partition, low);
                let whole: Vec<u64> = keys[before..].iter().map(key_of).collect();
                keys.splice(before.., whole);
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
    let mut classes: BTreeMap<Vec<Bounds>, u64> = BTreeMap::new();
    for file in files {
        for (value, states) in file.head.palette.iter().zip(&file.head.states) {
            *classes.entry(value.iter().map(bounds).collect()).or_default() += states;
        }
    }
    classes_of(classes)
}
