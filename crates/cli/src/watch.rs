//! The limits of a run: `--time`, `--memory` and Ctrl-C.
//!
//! All three raise one flag. Long work looks at the flag, stops, and reports what is finished.
//! Work that cannot look is ended from here after a period of grace, so that a limit always holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::memory;
use crate::outcome::LIMIT_CODE;

/// Which limit was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    /// `--time` is over.
    Time = 1,
    /// `--memory` is used up.
    Memory = 2,
    /// Ctrl-C.
    Interrupt = 3,
}

impl Limit {
    fn from_number(number: u8) -> Option<Self> {
        [Limit::Time, Limit::Memory, Limit::Interrupt]
            .into_iter()
            .find(|&limit| limit as u8 == number)
    }

    /// The word for it in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
            Limit::Interrupt => "interrupt",
        }
    }

    /// What to tell a person.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Limit::Time => "the time limit was reached (see --time)",
            Limit::Memory => "the memory limit was reached (see --memory)",
            Limit::Interrupt => "interrupted",
        }
    }
}

/// The flag, and what raised it.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    reason: Arc<AtomicU8>,
    started: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    json: bool,
}

const LOOK_EVERY: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_secs(2);
/// Memory grows while the work is finishing; beyond this factor it is cut off at once.
const MEMORY_OVERRUN: f64 = 1.3;

impl Watch {
    /// Starts watching. Without limits there is only Ctrl-C to listen for.
    pub(crate) fn start(time: Option<f64>, memory: Option<u64>, json: bool) -> Self {
        let watch = Self::new(time, memory, json);
        watch.listen_for_interrupt();
        if watch.time.is_some() || watch.memory.is_some() {
            let watching = watch.clone();
            thread::spawn(move || watching.look_on());
        }
        watch
    }

    fn new(time: Option<f64>, memory: Option<u64>, json: bool) -> Self {
        Self {
            stop: Arc::new(AtomicBool::new(false)),
            reason: Arc::new(AtomicU8::new(0)),
            started: Instant::now(),
            time: time.map(Duration::from_secs_f64),
            memory,
            json,
        }
    }

    /// The flag for long work to look at.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// The limit that was met, if any.
    pub(crate) fn met(&self) -> Option<Limit> {
        Limit::from_number(self.reason.load(Ordering::Relaxed))
    }

    /// What is left of `--time`.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.started.elapsed()))
    }

    /// `--memory`.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.memory
    }

    fn raise(&self, limit: Limit) {
        // The first reason is the one to report.
        let _ = self.reason.compare_exchange(0, limit as u8, Ordering::Relaxed, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    fn listen_for_interrupt(&self) {
        let watch = self.clone();
        // Without a handler Ctrl-C still ends the program, only less politely.
        let _ = ctrlc::set_handler(move || {
            if watch.met() == Some(Limit::Interrupt) {
                std::process::exit(130);
            }
            watch.raise(Limit::Interrupt);
        });
    }

    fn look_on(&self) {
        let mut met_at = None;
        loop {
            thread::sleep(LOOK_EVERY);
            if let Some(limit) = self.newly_met() {
                self.raise(limit);
                met_at.get_or_insert_with(Instant::now);
            }
            if met_at.is_some_and(|at| at.elapsed() > GRACE) || self.far_over_memory() {
                self.end_now();
            }
        }
    }

    fn newly_met(&self) -> Option<Limit> {
        if self.time_left() == Some(Duration::ZERO) {
            return Some(Limit::Time);
        }
        self.memory.filter(|&mib| memory::resident_mib() > mib as f64).map(|_| Limit::Memory)
    }

    fn far_over_memory(&self) -> bool {
        self.memory.is_some_and(|mib| memory::resident_mib() > mib as f64 * MEMORY_OVERRUN)
    }

    /// The work does not look at the flag, or not often enough.
    fn end_now(&self) {
        let limit = self.met().unwrap_or(Limit::Memory);
        crate::session::last_words(limit, self.json);
        std::process::exit(i32::from(LIMIT_CODE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_is_the_one_reported() {
        let watch = Watch::new(None, None, false);
        assert_eq!(watch.met(), None);
        watch.raise(Limit::Memory);
        watch.raise(Limit::Time);
        assert_eq!(watch.met(), Some(Limit::Memory));
        assert!(watch.flag().load(Ordering::Relaxed));
    }

    #[test]
    fn time_runs_out() {
        let watch = Watch::new(Some(0.01), None, false);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(watch.newly_met(), Some(Limit::Time));
        assert_eq!(Watch::new(Some(1000.0), None, false).newly_met(), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_mebibyte_is_less_than_a_program_holds() {
        let watch = Watch::new(None, Some(1), false);
        assert_eq!(watch.newly_met(), Some(Limit::Memory));
        assert!(watch.far_over_memory());
    }
}
