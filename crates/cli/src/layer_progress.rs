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
    /// States that were listed or got values in this run, and the time that took.
    done: u64,
    working: Duration,
    /// Whether it is on the way back.
    back: bool,
    /// How many states each layer has.
    layers: Vec<u64>,
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
    /// In how many passes it was done.
    passes: u32,
    /// The share of each worker.
    shares: Vec<u64>,
    /// What is left of the way back, as fast as it went so far; on the way there a guess at all that is left.
    seconds_left: Option<f64>,
}

impl LayerProgress {
    pub(crate) fn new(session: &Session, tells: bool) -> Self {
        let now = Instant::now();
        let (working, layers) = (Duration::ZERO, Vec::new());
        let times =
            Times { last_layer: now, last_told: now, done: 0, working, back: false, layers };
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
        if done.solved && !std::mem::replace(&mut self.back, true) {
            // The rate of the way there says little about the way back.
            (self.done, self.working) = (0, Duration::ZERO);
        }
        (self.done, self.working) = (self.done + done.states, self.working + took);
        let left = if done.solved {
            Some((done.listed - done.with_values) as f64)
        } else {
            self.layers.push(done.states);
            to_come(&self.layers).map(|to_come| done.listed as f64 + 2.0 * to_come)
        };
        let rate = self.done.max(1) as f64 / self.working.as_secs_f64().max(1e-9);
        let seconds_left = left.map(|states| states / rate);
        Line {
            layer: done.layer,
            done: if done.solved { "solved" } else { "listed" },
            states: done.states,
            listed: done.listed,
            successors: done.successors,
            seconds: took.as_secs_f64(),
            states_per_second: done.states as f64 / took.as_secs_f64().max(1e-9),
            bytes: done.bytes,
            passes: done.passes,
            shares: done.shares.clone(),
            seconds_left,
        }
    }
}

/// So many layers at the end tell how layers grow.
const TREND: usize = 6;
/// No more layers are foreseen.
const FORESEEN: usize = 1000;

/// How many states the layers to come have, if the growth of layers goes on to fall as it fell of late; none if it
/// does not fall.
fn to_come(layers: &[u64]) -> Option<f64> {
    let last = &layers[layers.len().saturating_sub(TREND)..];
    let growth: Vec<f64> =
        last.windows(2).map(|two| (two[1].max(1) as f64 / two[0].max(1) as f64).ln()).collect();
    let (&now, &before) = (growth.last()?, growth.first()?);
    let fall = (now - before) / growth.len().checked_sub(1).filter(|&steps| steps > 0)? as f64;
    if fall >= -1e-3 {
        return None;
    }
    let (mut states, mut growth, mut sum) = (*last.last()? as f64, now, 0.0);
    for _ in 0..FORESEEN {
        growth += fall;
        states *= growth.exp();
        sum += states;
        if states < 1.0 {
            break;
        }
    }
    Some(sum)
}

impl Line {
    fn in_words(&self) -> String {
        let share =
            |share: &u64| format!("{:.1}", *share as f64 * 100.0 / self.states.max(1) as f64);
        let shares = self.shares.iter().map(share).collect::<Vec<_>>().join(" ");
        let passes = match self.passes {
            1 => String::new(),
            passes => format!(" in {passes} passes"),
        };
        let left =
            self.seconds_left.map_or(String::new(), |left| format!(", about {left:.0} s left"));
        format!(
            "layer {} {}{passes}: {} states ({} in all), {:.2} M states/s, {:.1} MB, shares {shares} %{left}",
            self.layer,
            self.done,
            grouped(self.states),
            grouped(self.listed),
            self.states_per_second / 1e6,
            self.bytes as f64 / 1e6,
        )
    }
}
