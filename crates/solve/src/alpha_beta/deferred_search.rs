//! Deferred search (ABDADA): how the engines of one question share the work, besides the table of proofs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use super::engine::{Engine, Halt};
use super::report::Report;

/// How often the reporting thread checks for news.
const LOOK: Duration = Duration::from_millis(50);

/// Slots for states that an engine is searching.
const PLACES: usize = 1 << 14;

/// Whether the question is answered, how many nodes were searched, and who is at what. Nothing rests
/// on it but the order of work.
pub(crate) struct Team {
    done: AtomicBool,
    nodes: AtomicU64,
    /// Hashes of states under search, each at a place of its own; empty if there is one engine.
    busy: Vec<AtomicU64>,
}

impl Team {
    /// A team of one.
    pub(crate) fn alone() -> Self {
        Self { done: AtomicBool::new(false), nodes: AtomicU64::new(0), busy: Vec::new() }
    }

    pub(crate) fn of_several() -> Self {
        let busy = std::iter::repeat_with(AtomicU64::default).take(PLACES).collect();
        Self { busy, ..Self::alone() }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    /// Ends the work of all.
    pub(crate) fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    /// Counts nodes.
    pub(crate) fn count(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// The nodes counted so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    fn place(&self, hash: u64) -> Option<&AtomicU64> {
        self.busy.get(hash as usize % PLACES)
    }

    pub(super) fn is_busy(&self, hash: u64) -> bool {
        self.place(hash).is_some_and(|place| place.load(Ordering::Relaxed) == hash)
    }

    pub(super) fn begin(&self, hash: u64) {
        if let Some(place) = self.place(hash) {
            place.store(hash, Ordering::Relaxed);
        }
    }

    pub(super) fn end(&self, hash: u64) {
        if let Some(place) = self.place(hash)
            && place.load(Ordering::Relaxed) == hash
        {
            place.store(0, Ordering::Relaxed);
        }
    }
}

/// Puts one question to all engines; the first answer counts. Meanwhile progress is reported.
pub(crate) fn ask<'a, const K: usize>(
    engine: &mut Engine<'a, K>,
    others: &mut [Engine<'a, K>],
    report: &mut Report<'_>,
    question: &(impl Fn(&mut Engine<'a, K>) -> Result<u8, Halt> + Sync),
) -> Result<u8, Halt> {
    let team = if others.is_empty() { Team::alone() } else { Team::of_several() };
    let team = Arc::new(team);
    let (table, weights, before) = (engine.table.clone(), engine.weights, engine.nodes);
    engine.team = team.clone();
    for other in others.iter_mut() {
        (other.team, other.table, other.weights) = (team.clone(), table.clone(), weights);
        (other.reading, other.nodes) = (engine.reading, 0);
        other.most_nodes = engine.most_nodes;
    }
    let answer = std::thread::scope(|scope| {
        let (sender, answers) = channel();
        for engine in others.iter_mut().chain([&mut *engine]) {
            let (sender, team) = (sender.clone(), team.clone());
            scope.spawn(move || {
                let answer = question(engine);
                team.finish();
                // Whoever asked is there until all have answered.
                let _ = sender.send(answer);
            });
        }
        drop(sender);
        let mut best = Err(Halt::Answered);
        loop {
            match answers.recv_timeout(LOOK) {
                Ok(answer) => best = better(best, answer),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return best,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    report.tell(before + team.nodes(), &weights, &table);
                }
            }
        }
    });
    engine.team = Arc::new(Team::alone());
    engine.nodes += others.iter().map(|other| other.nodes).sum::<u64>();
    answer
}

/// An answer takes precedence over none, and a reason over a pointer to another engine.
fn better(one: Result<u8, Halt>, other: Result<u8, Halt>) -> Result<u8, Halt> {
    match (one, other) {
        (Ok(value), _) | (_, Ok(value)) => Ok(value),
        (Err(Halt::Answered), halt) => halt,
        (halt, _) => halt,
    }
}
