//! The limits of a run: `--time`, `--memory`, and Ctrl-C or another signal that asks it to end.
//!
//! All three raise one flag. Long work looks at the flag, stops, and reports what is finished.
//! Work that cannot look is ended from here after a period of grace, so that a limit always holds; what was known
//! by then is said.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use gambol_system::{hangup_is_ignored, ignore_hangup, limit_memory, look_at_memory};
use serde_json::{Map, Value};

use crate::outcome::LIMIT_CODE;
use crate::{lock, processor};

/// Which limit was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    /// `--time` is over.
    Time = 1,
    /// `--memory` is used up.
    Memory = 2,
    /// Ctrl-C, or another signal that asks the program to end.
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

    /// How long the work may take to notice, and to say what it has.
    fn grace(self) -> Duration {
        match self {
            Limit::Time => Duration::from_millis(600),
            Limit::Memory => Duration::from_secs(2),
            Limit::Interrupt => Duration::from_millis(1500),
        }
    }
}

/// Since when the work is to stop.
struct Since {
    moment: Instant,
    processor_seconds: f64,
}

impl Since {
    fn now() -> Self {
        Self { moment: Instant::now(), processor_seconds: processor::seconds().unwrap_or(0.0) }
    }

    /// Whether the period of grace is over. Where others use the machine too, the work gets to compute as long as it
    /// would have on its own, within bounds.
    fn is_over(&self, limit: Limit) -> bool {
        let (passed, grace) = (self.moment.elapsed(), limit.grace());
        let computed = || {
            let seconds = processor::seconds().map(|now| now - self.processor_seconds);
            seconds.is_none_or(|seconds| seconds >= grace.as_secs_f64())
        };
        passed > grace && (limit == Limit::Interrupt || passed > 4 * grace || computed())
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
    known: Arc<Mutex<Map<String, Value>>>,
}

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Where memory is near its limit it is looked at more often.
const LOOK_CLOSELY: Duration = Duration::from_millis(1);
const NEAR: f64 = 0.6;
/// The work is told to stop a little before the limit, so that it can finish within it.
const MEMORY_TOLD: f64 = 0.92;
/// Beyond this it is cut off at once.
const MEMORY_CUT: f64 = 1.05;
/// Last words that nobody hears are not waited for.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// For the allocator, which can be told only of a plain function.
static WATCH: OnceLock<Watch> = OnceLock::new();

impl Watch {
    /// Starts watching.
    pub(crate) fn start(time: Option<f64>, memory: Option<u64>, json: bool) -> Self {
        let watch = Self::new(time, memory, json);
        watch.listen_for_signals();
        if let Some(mib) = memory {
            let _ = WATCH.set(watch.clone());
            limit_memory((mib as f64 * MEMORY_CUT * f64::from(1 << 20)) as usize, out_of_memory);
        }
        let watching = watch.clone();
        thread::spawn(move || watching.look_on());
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
            known: Arc::default(),
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

    /// Something is known, in case there will be no better answer.
    pub(crate) fn know(&self, what: &str, value: impl Into<Value>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(what.to_string(), value.into());
    }

    /// All that is known so far.
    pub(crate) fn known(&self) -> Map<String, Value> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn raise(&self, limit: Limit) {
        // The first reason is the one to report.
        let _ = self.reason.compare_exchange(0, limit as u8, Ordering::Relaxed, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    fn listen_for_signals(&self) {
        let (watch, ignored) = (self.clone(), hangup_is_ignored());
        // Without a handler a signal still ends the program, only less politely.
        let _ = ctrlc::set_handler(move || {
            if watch.met() == Some(Limit::Interrupt) {
                std::process::exit(130);
            }
            watch.raise(Limit::Interrupt);
        });
        if ignored {
            ignore_hangup();
        }
    }

    fn look_on(&self) {
        let mut met_at = None;
        loop {
            let held = self.memory.map_or(0.0, |mib| share(look_at_memory(), mib));
            thread::sleep(if held > NEAR { LOOK_CLOSELY } else { LOOK_EVERY });
            if let Some(limit) = self.newly_met(held) {
                self.raise(limit);
            }
            let Some(limit) = self.met() else { continue };
            let since: &Since = met_at.get_or_insert_with(Since::now);
            if since.is_over(limit) || held > MEMORY_CUT {
                self.end_now();
            }
        }
    }

    /// `held` is the share of the memory that is held.
    fn newly_met(&self, held: f64) -> Option<Limit> {
        if self.time_left() == Some(Duration::ZERO) {
            return Some(Limit::Time);
        }
        (held > MEMORY_TOLD).then_some(Limit::Memory)
    }

    /// The work does not look at the flag, or not often enough.
    fn end_now(&self) {
        let limit = self.met().unwrap_or(Limit::Memory);
        let (watch, (said, heard)) = (self.clone(), mpsc::channel());
        // Whoever does the work may hold the output, or nobody may read it.
        let speaking = thread::Builder::new().spawn(move || {
            last_words(limit, &watch.known(), watch.json);
            let _ = said.send(());
        });
        if speaking.is_ok() {
            let _ = heard.recv_timeout(LAST_WORDS);
        }
        lock::remove_all();
        std::process::exit(i32::from(LIMIT_CODE));
    }
}

/// What is said when the run is cut off from outside the work.
fn last_words(limit: Limit, known: &Map<String, Value>, json: bool) {
    let message = limit.message();
    let out = &mut io::stdout();
    if json {
        let error = serde_json::json!({ "limit": limit.word(), "message": message });
        let object = serde_json::json!({ "error": error, "known": known });
        let _ = writeln!(out, "{object}");
    } else {
        let _ = say_known(known, out);
    }
    let _ = writeln!(io::stderr(), "gambol: {message}");
}

/// What was known when there was no time or memory left for more, a line each.
pub(crate) fn say_known(known: &Map<String, Value>, out: &mut impl Write) -> io::Result<()> {
    for (what, value) in known {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        writeln!(out, "{what}: {value}")?;
    }
    out.flush()
}

/// What is held, as a share of what is allowed.
fn share(bytes: usize, mib: u64) -> f64 {
    bytes as f64 / (mib as f64 * f64::from(1 << 20))
}

/// A piece of memory was asked for that would lead beyond the limit.
fn out_of_memory() {
    if let Some(watch) = WATCH.get() {
        watch.raise(Limit::Memory);
        watch.end_now();
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
        assert_eq!(watch.newly_met(0.0), Some(Limit::Time));
        assert_eq!(Watch::new(Some(1000.0), None, false).newly_met(0.5), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_mebibyte_is_less_than_a_program_holds() {
        let watch = Watch::new(None, Some(1), false);
        let held = share(look_at_memory(), 1);
        assert!(held > MEMORY_CUT);
        assert_eq!(watch.newly_met(held), Some(Limit::Memory));
    }
}
