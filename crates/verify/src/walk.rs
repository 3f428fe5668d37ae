//! The walk over the entries of a claim. Each entry is checked by itself, so threads share them, each
//! with an interpreter of its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use crate::checker::Checker;
use crate::refusal::Fault;

/// Entries that a thread takes at once.
const BATCH: usize = 64;

/// What is left to check, and what was found wrong.
struct Walk<'a, E> {
    entries: &'a [E],
    next: AtomicUsize,
    /// The first entry that is known to be wrong.
    wrong: AtomicUsize,
    fault: Mutex<Option<(usize, Fault)>>,
    done: &'a AtomicU64,
    progress: &'a (dyn Fn(u64) + Sync),
}

/// Checks every entry. Of several faults the first is told, however many threads there are.
pub(crate) fn check_each<E: Sync>(
    checker: &Checker<'_>,
    entries: &[E],
    check: impl Fn(&mut Checker<'_>, &E) -> Result<(), Fault> + Sync,
) -> Result<(), Fault> {
    let walk = Walk {
        entries,
        next: AtomicUsize::new(0),
        wrong: AtomicUsize::new(usize::MAX),
        fault: Mutex::new(None),
        done: checker.done,
        progress: checker.options.progress,
    };
    let threads = checker.options.threads.min(entries.len().div_ceil(BATCH)).max(1);
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| walk.work(&mut checker.clone(), &check));
        }
        walk.work(&mut checker.clone(), &check);
    });
    let fault = walk.fault.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    fault.map_or(Ok(()), |(_, fault)| Err(fault))
}

impl<E> Walk<'_, E> {
    fn work(
        &self,
        checker: &mut Checker<'_>,
        check: &impl Fn(&mut Checker<'_>, &E) -> Result<(), Fault>,
    ) {
        loop {
            let first = self.next.fetch_add(BATCH, Ordering::Relaxed);
            let batch = first..self.entries.len().min(first.saturating_add(BATCH));
            if batch.is_empty() {
                return;
            }
            for (entry, number) in self.entries[batch.clone()].iter().zip(batch.clone()) {
                // What comes after a fault does not matter; what comes before it does.
                if number > self.wrong.load(Ordering::Relaxed) {
                    return;
                }
                if let Err(fault) = check(checker, entry) {
                    return self.report(number, fault);
                }
            }
            let done = self.done.fetch_add(batch.len() as u64, Ordering::Relaxed);
            (self.progress)(done + batch.len() as u64);
        }
    }

    fn report(&self, number: usize, fault: Fault) {
        self.wrong.fetch_min(number, Ordering::Relaxed);
        let mut known = self.fault.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if known.as_ref().is_none_or(|(first, _)| number < *first) {
            *known = Some((number, fault));
        }
    }
}
