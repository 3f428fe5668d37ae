//! Checkpoints of a search with mixtures: all states met, the bounds of those that are solved, and the
//! states being solved, each with its moves in the order they are looked at.
//!
//! A search that begins with all that goes on where it was and comes to the same bounds. Bounds are proofs,
//! so any part of them can be left out: if a state does not stand for itself any more, as when something is
//! not proved of the rules in time that was proved before, what was known of it is found again.

use std::time::Instant;

use gambol_index::Id;

use super::matrix_bounds::Span;
use super::{Entry, Frame, Search, Seen, Stop, by_merit};
use crate::checkpoint::pace::Pace;
use crate::checkpoint::{Kind, Words, Writer};
use crate::error::BadCheckpoint;
use crate::listing::store::StateId;
use crate::{Dynamics, Looks, Observer};

/// States are brought back in batches of this size.
const BATCH: usize = 4096;
/// What stands for bounds where there are none.
const UNSOLVED: Span = Span { least: 1, most: 0 };

/// What was known when the checkpoint was written.
pub(super) struct Kept<'a> {
    /// The bounds of the roles that were solved before.
    pub(super) earlier: Vec<Span>,
    nodes: u64,
    states: u64,
    merit: Vec<u32>,
    /// For each state its words and its bounds.
    rows: &'a [[u8; 8]],
    width: usize,
    path: Vec<KeptFrame>,
}

/// A state that was being solved.
struct KeptFrame {
    state: usize,
    moves: [Vec<u32>; 2],
    /// Which of its entries were to be solved before more is known.
    wanted: Vec<u32>,
}

impl<'a> Kept<'a> {
    /// What a checkpoint says, of a game with states of so many words and so many moves.
    pub(super) fn read(
        bytes: &'a [u8],
        fingerprint: u64,
        (width, moves): (usize, usize),
    ) -> Result<Self, BadCheckpoint> {
        let mut words = Words::open(bytes, Kind::Mixtures, fingerprint)?;
        let kept = kept(&mut words, width).ok_or(BadCheckpoint::Damaged)?;
        let fits = kept.merit.len() == moves && words.rest().is_empty();
        fits.then_some(kept).ok_or(BadCheckpoint::Damaged)
    }
}

fn kept<'a>(words: &mut Words<'a>, width: usize) -> Option<Kept<'a>> {
    let earlier = words.count()?;
    let earlier = words.rows(earlier, 2)?.chunks_exact(2).map(span).collect();
    let (nodes, states, merit) = (words.next()?, words.next()?, words.list()?);
    let count = words.count()?;
    let rows = words.rows(count, width + 2)?;
    let mut path = Vec::new();
    for _ in 0..words.count()? {
        let (state, moves) = (words.count()?, [words.list()?, words.list()?]);
        path.push(KeptFrame { state, moves, wanted: words.list()? });
    }
    Some(Kept { earlier, nodes, states, merit, rows, width, path })
}

fn span(words: &[[u8; 8]]) -> Span {
    Span { least: i64::from_le_bytes(words[0]), most: i64::from_le_bytes(words[1]) }
}

/// Keeps what is done, and tells how far it is.
pub(super) struct Keeper<'a> {
    observer: &'a mut dyn Observer,
    /// Of the game; where there is none, nothing is kept.
    fingerprint: Option<u64>,
    pace: Pace,
    /// How many nodes were done in what was kept last.
    nodes: u64,
    /// The bounds of the roles that are solved.
    pub(super) earlier: Vec<Span>,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(
        observer: &'a mut dyn Observer,
        fingerprint: Option<u64>,
        kept: Option<&Kept<'_>>,
    ) -> Self {
        let nodes = kept.map_or(0, |kept| kept.nodes);
        let earlier = kept.map_or(Vec::new(), |kept| kept.earlier.clone());
        let pace = Pace::new(observer.checkpoint_pause());
        Self { observer, fingerprint, pace, nodes, earlier }
    }

    /// Looks at a search, as often as the search likes.
    pub(super) fn look(&mut self, search: &Search<'_>, path: &[Frame]) {
        self.observer.progress(search.nodes, "mixtures");
        if self.pace.is_due() {
            self.keep(search, path);
        }
    }

    /// Keeps a search as it is, if there is more of it than was kept before.
    pub(super) fn keep(&mut self, search: &Search<'_>, path: &[Frame]) {
        let wanted = search.nodes > self.nodes && self.observer.wants_checkpoints();
        let Some(fingerprint) = self.fingerprint.filter(|_| wanted) else { return };
        let begun = Instant::now();
        let bytes = search.words(fingerprint, &self.earlier, path);
        self.observer.checkpoint(&bytes);
        self.nodes = search.nodes;
        self.pace.written_since(begun);
    }
}

impl Search<'_> {
    fn words(&self, fingerprint: u64, earlier: &[Span], path: &[Frame]) -> Vec<u8> {
        let mut words = Writer::new(Kind::Mixtures, fingerprint);
        words.put(earlier.len() as u64);
        earlier.iter().for_each(|&span| put_span(&mut words, span));
        words.put_all([self.nodes, self.states]);
        words.list(&self.merit);
        words.put(self.store.len() as u64);
        for (state, &seen) in self.seen.iter().enumerate() {
            words.put_all(self.store.row(StateId::from_index(state)).iter().copied());
            put_span(&mut words, if seen == Seen::Done { self.spans[state] } else { UNSOLVED });
        }
        words.put(path.len() as u64);
        for frame in path {
            words.put(frame.state.number().into());
            frame.moves.iter().for_each(|moves| words.list(moves));
            words.list(&frame.places_of_wanted());
        }
        words.finish()
    }

    /// Takes over what was kept. Tells which states are being solved.
    pub(super) fn restore(&mut self, kept: &Kept<'_>, role: usize) -> Result<Vec<Frame>, Stop> {
        let mut places: Vec<Option<StateId>> = Vec::new();
        let stride = kept.width + 2;
        for some in kept.rows.chunks(BATCH * stride) {
            let word = |&word: &[u8; 8]| u64::from_le_bytes(word);
            let rows = some.chunks_exact(stride).flat_map(|row| row[..kept.width].iter().map(word));
            let entries = self.enter(&rows.collect::<Vec<_>>(), role)?;
            for (row, entry) in some.chunks_exact(stride).zip(entries) {
                places.push(self.take_over(entry, span(&row[kept.width..])));
            }
            self.meter.check(self.bytes())?;
        }
        let mut path: Vec<Frame> = Vec::new();
        for frame in &kept.path {
            let state = places.get(frame.state).copied().flatten();
            let begins = |state: &StateId| !path.is_empty() || state.index() == 0;
            let Some(state) = state.filter(begins) else { break };
            let Some(frame) = self.frame(state, frame, role)? else { break };
            path.push(frame);
        }
        (self.nodes, self.states, self.merit) = (kept.nodes, kept.states, kept.merit.clone());
        Ok(path)
    }

    /// Takes over the bounds of a state that stands for itself, and tells its number.
    fn take_over(&mut self, Entry { state, rescale }: Entry, kept: Span) -> Option<StateId> {
        // Ways to take values over are numbered; the first changes nothing.
        if rescale != 0 {
            return None;
        }
        if kept != UNSOLVED && self.seen[state.index()] == Seen::New {
            self.spans[state.index()] = kept;
            self.seen[state.index()] = Seen::Done;
        }
        Some(state)
    }

    /// A state that was being solved, if it has the moves it had.
    fn frame(
        &mut self,
        state: StateId,
        kept: &KeptFrame,
        role: usize,
    ) -> Result<Option<Frame>, Stop> {
        let looks = self.game.look(self.store.row(state));
        if self.seen[state.index()] != Seen::New || !has_moves(&looks, role, &kept.moves) {
            return Ok(None);
        }
        let mut frame = self.follow(state, kept.moves.clone(), role)?;
        for &place in &kept.wanted {
            frame.wanted.extend(frame.entries.get(place as usize).map(|entry| entry.state));
        }
        Ok(Some(frame))
    }
}

fn put_span(words: &mut Writer, Span { least, most }: Span) {
    words.put_all([least as u64, most as u64]);
}

/// Whether these are the moves of the only state, in whatever order.
fn has_moves(looks: &Looks, role: usize, moves: &[Vec<u32>; 2]) -> bool {
    if looks.joint_count(0) == 0 {
        return false;
    }
    let others = looks.roles() - 1;
    let sorted = |[rows, columns]: &[Vec<u32>; 2]| {
        let mut all: Vec<Vec<u32>> = columns.chunks(others).map(<[u32]>::to_vec).collect();
        all.sort_unstable();
        let mut rows = rows.clone();
        rows.sort_unstable();
        (rows, all)
    };
    sorted(moves) == sorted(&by_merit(looks, role, &|_| 0))
}
