//! Checkpoints of a listing: the states met so far, and which follow which.
//!
//! What is seen in each state is looked at again when the listing goes on; the steps and the search for
//! each state among the others, which take most of the time, are not done again.

use std::time::Instant;

use gambol_index::Id;

use crate::checkpoint::pace::Pace;
use crate::checkpoint::{Kind, Words, Writer};
use crate::error::BadCheckpoint;
use crate::limits::Meter;
use crate::listing::Listing;
use crate::listing::store::{StateId, Store};
use crate::{Dynamics, Observer, Unfinished};

/// States are looked at again in batches of this size.
const BATCH: usize = 4096;

/// A listing that was not finished.
pub(crate) struct SavedListing {
    /// The number of states whose successors are known.
    done: usize,
    store: Store,
    successors: Vec<StateId>,
}

impl SavedListing {
    /// What a checkpoint of states of so many words says.
    pub(crate) fn read(
        bytes: &[u8],
        fingerprint: u64,
        width: usize,
    ) -> Result<Self, BadCheckpoint> {
        let mut words = Words::open(bytes, Kind::Listing, fingerprint)?;
        saved(&mut words, width).ok_or(BadCheckpoint::Damaged)
    }

    /// The listing as it was; nothing but the limit that was met if that is too much.
    pub(crate) fn restore(
        self,
        game: &mut impl Dynamics,
        listing: &mut Listing,
        meter: &Meter,
    ) -> Result<(), Unfinished> {
        listing.store = self.store;
        let mut successors = self.successors.into_iter();
        for begin in (0..self.done).step_by(BATCH) {
            let looks = game.look(listing.store.rows(begin..self.done.min(begin + BATCH)));
            listing.add(&looks, &mut successors);
            meter.check(listing.bytes())?;
        }
        Ok(())
    }
}

fn saved(words: &mut Words<'_>, width: usize) -> Option<SavedListing> {
    let (done, states, count) = (words.count()?, words.count()?, words.count()?);
    let store = Store::of_rows(words.rows(states, width)?, width);
    let pairs = words.take(count.div_ceil(2))?.iter().flat_map(|&pair| {
        let pair = u64::from_le_bytes(pair);
        [pair as u32, (pair >> 32) as u32]
    });
    let successors: Vec<StateId> = pairs.take(count).map(StateId::new).collect();
    let known = successors.iter().all(|state| state.index() < states);
    let whole = known && (1..=states).contains(&done) && store.len() == states;
    (whole && words.rest().is_empty()).then_some(SavedListing { done, store, successors })
}

fn write(listing: &Listing, fingerprint: u64) -> Vec<u8> {
    let (done, successors) = listing.so_far();
    let mut words = Writer::new(Kind::Listing, fingerprint);
    words.put_all([done as u64, listing.len() as u64, successors.len() as u64]);
    words.put_all(listing.store.rows(0..listing.len()).iter().copied());
    let number = |state: Option<&StateId>| state.map_or(0, |state| u64::from(state.number()));
    let pairs = successors.chunks(2);
    words.put_all(pairs.map(|pair| number(pair.first()) | number(pair.get(1)) << 32));
    words.finish()
}

/// Keeps what is done, and reports progress.
pub(crate) struct ListingKeeper<'a> {
    observer: &'a mut dyn Observer,
    fingerprint: u64,
    pace: Pace,
    /// How many states were done in what was kept last.
    done: usize,
}

impl<'a> ListingKeeper<'a> {
    pub(crate) fn new(
        observer: &'a mut dyn Observer,
        fingerprint: u64,
        saved: Option<&SavedListing>,
    ) -> Self {
        let done = saved.map_or(0, |saved| saved.done);
        let pace = Pace::new(observer.checkpoint_pause());
        Self { observer, fingerprint, pace, done }
    }

    /// Looks at a listing, as often as it likes.
    pub(crate) fn look(&mut self, listing: &Listing, meter: &Meter) {
        self.observer.progress(listing.len() as u64, "listing");
        if self.pace.is_due() {
            self.keep(listing, meter);
        }
    }

    /// Keeps a listing if there is more of it than was kept before, and room for it twice.
    pub(crate) fn keep(&mut self, listing: &Listing, meter: &Meter) {
        let done = listing.so_far().0;
        let wanted = done > self.done && self.observer.wants_checkpoints();
        if !wanted || !meter.has_room(2 * listing.bytes()) {
            return;
        }
        let begun = Instant::now();
        self.observer.checkpoint(&write(listing, self.fingerprint));
        self.done = done;
        self.pace.written_since(begun);
    }
}
