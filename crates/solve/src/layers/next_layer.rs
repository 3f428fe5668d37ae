//! The layer that follows the one that is solved: its states and their values, as far as memory holds them.

use std::collections::BTreeSet;

use super::groups::bits_for;
use super::layer_file::{Open, Range2, ValueHead};
use super::layer_keys::LayerKeys;
use super::mark::values_name;
use super::routing::Routing;
use super::sorted_cells::KeyTable;
use super::worker::Worker;
use super::worth::Arithmetic;
use crate::store_error::StoreError;

/// A layer that has values; none after the last layer.
pub(crate) struct NextLayer<'a, V> {
    layer: u32,
    files: Vec<Open<'a, ValueHead>>,
    /// For each file the numbers that its values have in the palette.
    numbers: Vec<Vec<u32>>,
    pub(crate) palette: Vec<V>,
    /// The passes in which it is read, and the states of one of them.
    table: Option<((u32, u32), KeyTable)>,
}

impl<'a, V> NextLayer<'a, V> {
    /// No layer.
    pub(crate) fn none() -> Self {
        let (files, numbers, palette) = (Vec::new(), Vec::new(), Vec::new());
        Self { layer: 0, files, numbers, palette, table: None }
    }

    /// Opens the values of a layer; its states are read later.
    pub(crate) fn open<A: Arithmetic<Value = V>>(
        worker: &Worker<'a>,
        layer: u32,
        arithmetic: &A,
    ) -> Result<Self, StoreError> {
        let workers = worker.mark.solved.get(&layer).copied().unwrap_or(0);
        let open = |number| {
            let name = values_name(layer, number, workers);
            Open::values(worker.setting.shelf, name, worker.place(layer))
        };
        let files: Vec<Open<'a, ValueHead>> = (0..workers).map(open).collect::<Result<_, _>>()?;
        let all: BTreeSet<&Vec<Range2>> =
            files.iter().flat_map(|file| &file.head.palette).collect();
        let all: Vec<&Vec<Range2>> = all.into_iter().collect();
        let number = |value: &Vec<Range2>| all.binary_search(&value).unwrap_or(0) as u32;
        let numbers = files.iter().map(|file| file.head.palette.iter().map(number).collect());
        let (numbers, read) = (numbers.collect(), all.iter().map(|value| arithmetic.read(value)));
        let palette: Option<Vec<V>> = read.collect();
        let palette = palette.ok_or_else(|| damaged(layer))?;
        Ok(Self { layer, files, numbers, palette, table: None })
    }

    /// How many bytes a state takes in memory.
    pub(crate) fn bytes_of_state(&self, low: u32) -> usize {
        KeyTable::bytes_of_key(low, bits_for(self.palette.len()))
    }

    /// Reads this worker's states of one pass, unless they are there.
    pub(crate) fn load(&mut self, worker: &mut Worker<'a>, passes: (u32, u32)) {
        if self.files.is_empty() || self.table.as_ref().is_some_and(|table| table.0 == passes) {
            return;
        }
        self.table = None;
        let routing = worker.routing(passes);
        let keys = worker.keys_of(self.layer, routing);
        match self.table(&keys, routing) {
            Ok(table) => self.table = Some((passes, table)),
            Err(error) => worker.stop(error),
        }
    }

    fn table(&self, states: &LayerKeys<'_>, routing: Routing) -> Result<KeyTable, StoreError> {
        let mut table = KeyTable::new(routing, bits_for(self.palette.len()));
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for &(partition, _) in &states.partitions {
            states.partition(partition, &mut keys)?;
            values.clear();
            let number = partition as usize % self.files.len();
            if let Some(piece) = self.files[number].piece(partition) {
                self.files[number].add_values(piece, &mut values)?;
            }
            if values.len() != keys.len() {
                return Err(damaged(self.layer));
            }
            let numbers = &self.numbers[number];
            values.iter_mut().for_each(|value| *value = numbers[*value as usize]);
            table.push(&keys, &values);
        }
        Ok(table)
    }

    /// Looks up keys of this worker and of the pass that is read; whether all are there.
    pub(crate) fn find_all(&self, keys: &[u64], mut tell: impl FnMut(usize, u32)) -> bool {
        let Some((_, table)) = &self.table else { return keys.is_empty() };
        let mut all = true;
        table.find_all(keys, |place, number| match number {
            Some(number) => tell(place, number),
            None => all = false,
        });
        all
    }
}

fn damaged(layer: u32) -> StoreError {
    StoreError::Damaged(format!("the values of layer {layer}"))
}
