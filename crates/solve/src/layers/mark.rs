//! Marks: how far a run is. A mark is written after all files it speaks of are there.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::key_code::Moment;
use super::layer_file::{VERSION, digest};
use super::shelf::Shelf;
use crate::store_error::StoreError;

/// A layer that is listed.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listed {
    pub(crate) moment: Moment,
    pub(crate) states: u64,
    /// How many states these stand for, where one stands for all that are symmetric to it; 0 until they are expanded.
    pub(crate) expanded: u64,
    /// How many workers wrote a file each; where there were several passes, one in each.
    pub(crate) workers: u32,
}

impl Listed {
    /// How many states these stand for, as far as that is known.
    pub(crate) fn meant(&self) -> u64 {
        self.expanded.max(self.states)
    }
}

/// How far a run is.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Mark {
    version: u32,
    plan: u64,
    /// The layers that are listed, from the start on.
    pub(crate) listed: Vec<Listed>,
    /// Whether these are all.
    pub(crate) complete: bool,
    /// How many successors they have.
    pub(crate) successors: u64,
    /// Whether several roles choose at once somewhere.
    pub(crate) at_once: bool,
    /// The layers that have values, each with the number of workers that wrote a file.
    pub(crate) solved: BTreeMap<u32, u32>,
}

/// The name of the file of keys of a worker.
pub(crate) fn keys_name(layer: u32, worker: u32, workers: u32) -> String {
    format!("{layer:05}.{worker}-of-{workers}.keys")
}

/// The name of the file of values of a worker.
pub(crate) fn values_name(layer: u32, worker: u32, workers: u32) -> String {
    format!("{layer:05}.{worker}-of-{workers}.values")
}

impl Mark {
    /// Nothing is done yet.
    pub(crate) fn new(plan: u64) -> Self {
        Self { version: VERSION, plan, ..Self::default() }
    }

    /// The furthest of all marks on a shelf; none if there is none of this plan.
    pub(crate) fn furthest(shelf: &dyn Shelf, plan: u64) -> Result<Option<Self>, StoreError> {
        let names = shelf.names().map_err(|error| StoreError::read("the store", &error))?;
        let mut furthest: Option<Self> = None;
        for name in names.iter().filter(|name| name.ends_with(".mark")) {
            let bytes =
                shelf.read(name, 0..u64::MAX).map_err(|error| StoreError::read(name, &error))?;
            let mark = Self::read(&bytes).ok_or_else(|| StoreError::Damaged(name.clone()))?;
            if mark.version != VERSION {
                return Err(StoreError::Version(name.clone()));
            }
            if mark.plan == plan && furthest.as_ref().is_none_or(|best| mark.is_further_than(best))
            {
                furthest = Some(mark);
            }
        }
        Ok(furthest)
    }

    /// A digest in hexadecimal digits, then the mark in JSON.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (sum, text) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
        (u64::from_str_radix(sum, 16).ok()? == digest(text.as_bytes())).then_some(())?;
        serde_json::from_str(text).ok()
    }

    /// Whether more is done than another mark says.
    pub(crate) fn is_further_than(&self, other: &Self) -> bool {
        let far = |mark: &Self| (mark.listed.len(), mark.complete, mark.solved.len());
        far(self) > far(other)
    }

    /// Writes the mark of a process.
    pub(crate) fn write(&self, shelf: &dyn Shelf, process: usize) -> Result<(), StoreError> {
        let name = format!("{process}.mark");
        let text =
            serde_json::to_string(self).map_err(|error| StoreError::write(&name, &error.into()))?;
        let bytes = format!("{:016x}\n{text}", digest(text.as_bytes())).into_bytes();
        shelf.put(&name, &bytes).map_err(|error| StoreError::write(&name, &error))
    }

    /// The files of layers that this mark speaks of.
    pub(crate) fn files(&self) -> BTreeSet<String> {
        let listed = self.listed.iter().zip(0..).map(|(listed, layer)| (layer, listed.workers));
        let keys = listed.flat_map(|(layer, workers)| {
            (0..workers).map(move |worker| keys_name(layer, worker, workers))
        });
        let values = self.solved.iter().flat_map(|(&layer, &workers)| {
            (0..workers).map(move |worker| values_name(layer, worker, workers))
        });
        keys.chain(values).collect()
    }

    /// How many states have values.
    pub(crate) fn states_with_values(&self) -> u64 {
        let listed =
            |&layer: &u32| self.listed.get(layer as usize).map_or(0, |listed| listed.states);
        self.solved.keys().map(listed).sum()
    }

    /// The lowest layer that has values.
    pub(crate) fn lowest_solved(&self) -> Option<u32> {
        self.solved.keys().next().copied()
    }
}
