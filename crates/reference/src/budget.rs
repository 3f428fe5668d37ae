//! How much one question may cost, and the meter that counts it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_syntax::Span;

use crate::ReferenceError;

/// Limits on one question. The defaults let every sensible game through and stop the others.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The time for one question.
    pub time: Option<Duration>,
    /// The moment after which every question is refused.
    pub deadline: Option<Instant>,
    /// Raised by another thread to stop.
    pub stop: Option<Arc<AtomicBool>>,
    /// Atoms of one state and its static relations, with the terms made for them. All terms of all
    /// states may be eight times as many.
    pub atoms: usize,
    /// The depth of a derived term. A fluent may grow by one level with each move, so this is
    /// larger than what a finite set of fluents would need.
    pub term_depth: u32,
    /// The work spent on listing a relation for one state before its rules are run for the
    /// arguments asked about only. The answers do not depend on it. With 0 no relation is listed
    /// that need not be.
    pub listing: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            time: Some(Duration::from_secs(60)),
            deadline: None,
            stop: None,
            atoms: 4_000_000,
            term_depth: 1_000,
            listing: 40_000,
        }
    }
}

/// Counts the work of one question against a [`Budget`].
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    /// The number of terms when the question was asked.
    terms: usize,
    until: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
    /// Units of work so far.
    pub(crate) ticks: u64,
    /// The tick after which the work at hand is given up as too costly to finish.
    patience: Option<u64>,
    /// Whether it was.
    pub(crate) lost_patience: bool,
    /// The rule at work, for the message.
    pub(crate) rule: Option<Span>,
}

impl Meter {
    /// A meter for a question asked now.
    pub(crate) fn start(budget: &Budget, terms: usize) -> Self {
        let own = budget.time.and_then(|time| Instant::now().checked_add(time));
        let until = match (own, budget.deadline) {
            (Some(own), Some(deadline)) => Some(own.min(deadline)),
            (own, deadline) => own.or(deadline),
        };
        Self {
            terms,
            until,
            stop: budget.stop.clone(),
            ticks: 0,
            patience: None,
            lost_patience: false,
            rule: None,
        }
    }

    /// One unit of work. The clock is read now and then only, because reading it costs more than
    /// the work.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), ReferenceError> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(8192) { self.look() } else { Ok(()) }
    }

    /// Compares atoms and terms with the budget.
    pub(crate) fn weigh(
        &self,
        budget: &Budget,
        atoms: usize,
        terms: usize,
    ) -> Result<(), ReferenceError> {
        let limit = budget.atoms;
        if atoms + (terms - self.terms) <= limit && terms <= limit.saturating_mul(8) {
            return Ok(());
        }
        Err(ReferenceError::Atoms { limit, at: self.rule })
    }

    /// From now on that many more ticks are worth spending; without end if none are given.
    pub(crate) fn be_patient(&mut self, ticks: Option<u64>) {
        self.patience = ticks.map(|ticks| self.ticks.saturating_add(ticks));
    }

    /// Compares clock and flag with the budget.
    #[cold]
    pub(crate) fn look(&mut self) -> Result<(), ReferenceError> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(ReferenceError::Stopped);
        }
        self.lost_patience |= self.patience.is_some_and(|last| self.ticks > last);
        if self.lost_patience {
            return Err(ReferenceError::Time { at: self.rule });
        }
        match self.until {
            Some(until) if Instant::now() >= until => Err(ReferenceError::Time { at: self.rule }),
            _ => Ok(()),
        }
    }
}
