//! The keys of a worker in a layer, read partition by partition.

use std::collections::BTreeMap;

use super::key_code::Moment;
use super::layer_file::{Open, Place};
use super::mark::keys_name;
use super::routing::Routing;
use super::shelf::Shelf;
use crate::store_error::StoreError;

/// Keys that are read as they are needed.
pub(crate) struct LayerKeys<'a> {
    place: Place,
    /// How many files the layer has, and those that were opened.
    workers: u32,
    files: BTreeMap<u32, Open<'a, Moment>>,
    /// The partitions with the number of their states, and the next one to be read.
    pub(crate) partitions: Vec<(u32, usize)>,
    next: usize,
    /// The keys of the last partition that was read, and how many of them were taken.
    read: Vec<u64>,
    taken: usize,
}

impl<'a> LayerKeys<'a> {
    /// Opens the files that hold the partitions of a routing.
    pub(crate) fn open(
        shelf: &'a dyn Shelf,
        place: Place,
        workers: u32,
        routing: Routing,
    ) -> Result<Self, StoreError> {
        let mut keys = Self { workers: workers.max(1), ..Self::none(place) };
        for partition in routing.partitions() {
            let number = partition % keys.workers;
            if !keys.files.contains_key(&number) {
                let name = keys_name(place.layer, number, keys.workers);
                keys.files.insert(number, Open::keys(shelf, name, place)?);
            }
            let piece = keys.files.get(&number).and_then(|file| file.piece(partition));
            keys.partitions.push((partition, piece.map_or(0, |piece| piece.states as usize)));
        }
        Ok(keys)
    }

    /// No keys at all.
    pub(crate) fn none(place: Place) -> Self {
        let (files, partitions, read) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { place, workers: 1, files, partitions, next: 0, read, taken: 0 }
    }

    /// How many keys there are.
    pub(crate) fn states(&self) -> u64 {
        self.partitions.iter().map(|&(_, states)| states as u64).sum()
    }

    /// The next keys, in order, at most so many; none at the end.
    pub(crate) fn take(&mut self, most: usize, keys: &mut Vec<u64>) -> Result<(), StoreError> {
        keys.clear();
        while keys.len() < most {
            if self.taken == self.read.len() && !self.read_next()? {
                break;
            }
            let end = self.read.len().min(self.taken + most - keys.len());
            keys.extend_from_slice(&self.read[self.taken..end]);
            self.taken = end;
        }
        Ok(())
    }

    /// Reads the next partition; whether there was one.
    fn read_next(&mut self) -> Result<bool, StoreError> {
        let Some(&(partition, _)) = self.partitions.get(self.next) else { return Ok(false) };
        let mut keys = std::mem::take(&mut self.read);
        self.partition(partition, &mut keys)?;
        keys.iter_mut().for_each(|key| *key = self.place.key_of(partition, *key));
        (self.read, self.taken, self.next) = (keys, 0, self.next + 1);
        Ok(true)
    }

    /// The keys of a partition, in order and without the bits that name it.
    pub(crate) fn partition(&self, partition: u32, keys: &mut Vec<u64>) -> Result<(), StoreError> {
        keys.clear();
        let file = self.files.get(&(partition % self.workers));
        match file.and_then(|file| Some((file, file.piece(partition)?))) {
            Some((file, piece)) => file.add_keys(piece, keys),
            None => Ok(()),
        }
    }
}
