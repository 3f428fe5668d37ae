//! How far a strong solution is, layer by layer: lines of JSON, or lines for people about once a second.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gambol::solve::layers::LayerDone;
use serde::Serialize;

use crate::numbers::grouped;
use crate::session::Session;
use crate::watch::Watch;

/// People are told no more often than this.
const PAUSE: Duration = Duration::from_secs(1);

/// What is known of the run so far.
pub(crate) struct LayerProgress {
    json: bool,
    /// Whether anybody wants to hear of it.
    tells: bool,
    watch: Watch,
    times: Mutex<Times>,
}

struct Times {
    last_layer: Instant,
    last_told: Instant,
    /// States that got values in this run, and the time that took.
    solved: u64,
    solving: Duration,
}

/// A layer that is done.
#[derive(Serialize)]
struct Line {
    layer: u32,
    /// `listed` or `solved`.
    done: &'static str,
    states: u64,
    /// In all layers that are listed.
    listed: u64,
    successors: u64,
    seconds: f64,
    states_per_second: f64,
    bytes: u64,
    /// The least and the greatest share of a worker.
    shares: [u64; 2],
    /// What is left of the way back, as fast as it went so far.
    seconds_left: Option<f64>,
}

impl LayerProgress {
    pub(crate) fn new(session: &Session, tells: bool) -> Self {
        let now = Instant::now();
        let times = Times { last_layer: now, last_told: now, solved: 0, solving: Duration::ZERO };
        Self {
            json: session.flags.json,
            tells: tells && (session.flags.json || !session.flags.quiet),
            watch: session.watch.clone(),
            times: Mutex::new(times),
        }
    }

    /// A layer is done.
    pub(crate) fn tell(&self, done: &LayerDone) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let line = times.line(done);
        self.watch.know("states", done.listed);
        self.watch.know(line.done, done.layer);
        if !self.tells {
            return;
        }
        // Nobody to tell is no reason to stop.
        if self.json {
            let line = serde_json::to_string(&line).unwrap_or_default();
            let _ = writeln!(std::io::stdout(), "{line}");
        } else if times.last_told.elapsed() >= PAUSE {
            times.last_told = Instant::now();
            let _ = writeln!(std::io::stderr(), "{}", line.in_words());
        }
    }
}

impl Times {
    fn line(&mut self, done: &LayerDone) -> Line {
        let took = self.last_layer.elapsed();
        self.last_layer = Instant::now();
        let seconds_left = done.solved.then(|| {
            self.solved += done.states;
            self.solving += took;
            let left = done.listed - done.with_values;
            self.solving.as_secs_f64() * left as f64 / self.solved.max(1) as f64
        });
        Line {
            layer: done.layer,
            done: if done.solved { "solved" } else { "listed" },
            states: done.states,
            listed: done.listed,
            successors: done.successors,
            seconds: took.as_secs_f64(),
            states_per_second: done.states as f64 / took.as_secs_f64().max(1e-9),
            bytes: done.bytes,
            shares: done.shares,
            seconds_left,
        }
    }
}

impl Line {
    fn in_words(&self) -> String {
        let [least, most] = self.shares;
        let uneven = (most - least) as f64 * 100.0 / (most.max(1) as f64);
        let left =
            self.seconds_left.map_or(String::new(), |left| format!(", about {left:.0} s left"));
        format!(
            "layer {} {}: {} states ({} in all), {:.2} M states/s, {:.1} MB, shares within {uneven:.1} %{left}",
            self.layer,
            self.done,
            grouped(self.states),
            grouped(self.listed),
            self.states_per_second / 1e6,
            self.bytes as f64 / 1e6,
        )
    }
}
