//! Online decomposition: what a game falls into from a state on, looked for while it is played.
//!
//! In the course of a match fluents latch and moves go. What is fixed is taken out of the net, and what
//! is left is decomposed anew. The parts are used only if they are proved from that state on, and only
//! if there are more of them than before. They are looked for in a thread of its own, which gets a small
//! share of the time of the match, and less of it the longer nothing is found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gambol_decompose::{DecomposeOptions, Decomposition, decompose};
use gambol_net::rewrite::{Fixed, find_fixed, from_state};
use gambol_sim::State;
use rustc_hash::FxHashSet;

use crate::agent::prepared::Prepared;
use crate::parts::factors::Factors;

/// The share of the time of a match that may go into this, at first, and what there is to begin with.
const SHARE: f64 = 0.1;
const BEGINNING: Duration = Duration::from_millis(500);
/// After this many searches without a result the share is halved; after twice as many it is a third.
const PATIENCE: f64 = 3.0;
/// One search takes no longer.
const LONGEST: Duration = Duration::from_secs(10);
/// Random games for the first look.
const PLAYOUTS: u64 = 1_000;
/// Parts of more gates together are not kept, and states beyond this are not remembered.
const MOST_GATES: usize = 2_000_000;
const MOST_STATES: usize = 20_000;

/// Parts from a state on. They stay as long as the game does, so that searches can refer to them.
#[derive(Debug)]
pub(crate) struct FromHere {
    pub(crate) at: State,
    pub(crate) factors: Arc<Factors>,
    next: Link,
}

type Link = OnceLock<Box<FromHere>>;

/// What was looked for and found in the matches of one game.
#[derive(Debug, Default)]
pub(crate) struct Conditional {
    first: Link,
    ledger: Mutex<Ledger>,
}

/// What the search for parts has cost so far.
#[derive(Debug, Default)]
struct Ledger {
    began: Option<Instant>,
    spent: Duration,
    /// What the last search took.
    last: Duration,
    in_vain: u32,
    running: bool,
    /// The gates of all parts that are kept.
    gates: usize,
    /// States that were looked at, with the number of parts that were known.
    asked: FxHashSet<(State, usize)>,
}

/// Whether more parts can be hoped for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hope {
    None,
    /// There is no time for it yet.
    Later,
    Begin,
    Working,
}

/// On whose behalf parts are looked for.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) stop: Arc<AtomicBool>,
    /// What was fixed when this match was last looked at.
    fixed: Mutex<Option<Fixed>>,
}

impl Conditional {
    /// All that was found, the oldest first.
    pub(crate) fn found(&self) -> impl Iterator<Item = &FromHere> {
        let first = self.first.get().map(|first| &**first);
        std::iter::successors(first, |one| one.next.get().map(|next| &**next))
    }

    fn keep(&self, at: &State, factors: Arc<Factors>) {
        let mut new = Box::new(FromHere { at: at.clone(), factors, next: Link::new() });
        let mut link = &self.first;
        while let Err(refused) = link.set(new) {
            new = refused;
            link = &link.get().expect("refused because there is one").next;
        }
    }

    fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger {
    /// Whether there is time for one more search.
    fn can_afford(&mut self) -> bool {
        let elapsed = self.began.get_or_insert_with(Instant::now).elapsed();
        let share = SHARE / (1.0 + f64::from(self.in_vain) / PATIENCE);
        BEGINNING + elapsed.mul_f64(share) >= self.spent + self.last
    }

    /// What to do about a state. One that is to be looked at is noted.
    fn hope(&mut self, state: &State, parts: usize) -> Hope {
        let full = self.gates >= MOST_GATES || self.asked.len() >= MOST_STATES;
        let key = (state.clone(), parts);
        if self.running {
            Hope::Working
        } else if full || self.asked.contains(&key) {
            Hope::None
        } else if self.can_afford() {
            self.asked.insert(key);
            self.running = true;
            Hope::Begin
        } else {
            Hope::Later
        }
    }

    fn end(&mut self, took: Duration, gates: Option<usize>) {
        self.running = false;
        self.spent += took;
        self.last = took;
        match gates {
            Some(gates) => (self.gates, self.in_vain) = (self.gates + gates, 0),
            None => self.in_vain += 1,
        }
    }
}

impl Prepared {
    /// Looks for parts from a state on, in a thread of its own, if there is time for that. Says whether
    /// it is worth waiting for an answer.
    pub(crate) fn begin_study_from(
        self: &Arc<Self>,
        state: &State,
        known: Option<Arc<Factors>>,
        request: &Arc<Request>,
    ) -> bool {
        let parts = known.as_ref().map_or(1, |known| known.count());
        // The start is studied before the match.
        if !self.can_be_studied() || *state == self.circuit.initial() {
            return false;
        }
        match self.conditional.ledger().hope(state, parts) {
            Hope::None => return false,
            Hope::Later | Hope::Working => return true,
            Hope::Begin => {}
        }
        let (prepared, request, state) = (Arc::clone(self), Arc::clone(request), state.clone());
        let work = move || {
            let begun = Instant::now();
            let found = prepared.parts_from(&state, known.as_deref(), &request, LONGEST);
            let gates = found.as_ref().map(|factors| factors.gates());
            if let Some(factors) = found {
                prepared.conditional.keep(&state, Arc::new(factors));
            }
            let mut ledger = prepared.conditional.ledger();
            ledger.end(begun.elapsed(), gates);
            if request.stop.load(Ordering::Relaxed) {
                ledger.asked.remove(&(state, parts));
            }
        };
        let begun = thread::Builder::new().spawn(work).is_ok();
        if !begun {
            self.conditional.ledger().end(Duration::ZERO, None);
        }
        begun
    }

    /// Looks for parts from a state on, and waits for the answer: whether it falls into more than the
    /// game did at the start.
    pub fn study_from(&self, state: &State, time: Duration, stop: &Arc<AtomicBool>) -> bool {
        let request = Request { stop: Arc::clone(stop), fixed: Mutex::default() };
        let found =
            self.parts_from(state, self.known_factors().map(|known| &**known), &request, time);
        let Some(factors) = found else { return false };
        self.conditional.keep(state, Arc::new(factors));
        true
    }

    fn parts_from(
        &self,
        state: &State,
        known: Option<&Factors>,
        request: &Request,
        time: Duration,
    ) -> Option<Factors> {
        let fluents = self.circuit.fluents_of(state);
        let (net, fixed) = from_state(&self.net, &fluents);
        if !request.notes(&fixed, || find_fixed(&self.net)) {
            return None;
        }
        let before = known.map_or(1, |known| known.open_count(&fixed)).max(1);
        let mut options = DecomposeOptions::default();
        options.at = Some(fluents);
        options.playouts = PLAYOUTS;
        options.time = Some(time / 2);
        options.stop = Some(Arc::clone(&request.stop));
        // A proof takes longer than a look.
        if useful_parts(&decompose(&net, &options)) <= before {
            return None;
        }
        options.prove = true;
        let factors = Factors::of(&net, &decompose(&net, &options))?;
        factors.warm_up();
        let better = factors.basis().is_proved() && factors.useful_count() > before;
        better.then_some(factors)
    }
}

impl Request {
    /// Whether something else is fixed than last time, or at first.
    fn notes(&self, fixed: &Fixed, at_first: impl FnOnce() -> Fixed) -> bool {
        let mut last = self.fixed.lock().unwrap_or_else(PoisonError::into_inner);
        let news = last.get_or_insert_with(at_first) != fixed;
        *last = Some(fixed.clone());
        news
    }
}

fn useful_parts(decomposition: &Decomposition) -> usize {
    let parts = decomposition.subgames.iter();
    parts.filter(|part| part.action_dependent && part.useful).count()
}
