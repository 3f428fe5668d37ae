//! Progress of a long run: a line on the terminal, or JSON lines on standard error.

use std::io::Write;
use std::time::{Duration, Instant};

use gambol::regress::Progress;

use crate::numbers::grouped;
use crate::progress::Working;
use crate::session::Session;
use crate::watch::Watch;
use gambol_system::resident_mib;

pub(super) struct Watching {
    line: Working,
    json: bool,
    started: Instant,
    shown: Option<Instant>,
    watch: Watch,
}

const EVERY: Duration = Duration::from_millis(250);

impl Watching {
    pub(super) fn start(json: bool, session: &Session) -> Self {
        let line = Working::on("regressing", session);
        let watch = session.watch.clone();
        Self { line, json, started: Instant::now(), shown: None, watch }
    }

    pub(super) fn look(&mut self, progress: &Progress) {
        if self.shown.is_some_and(|shown| shown.elapsed() < EVERY) {
            return;
        }
        self.shown = Some(Instant::now());
        self.watch.know("classes", progress.classes);
        self.watch.know("regressions", progress.regressions);
        let share = progress.share.map(|share| (share * 1e4).round() / 1e4);
        if self.json {
            let object = serde_json::json!({
                "seconds": self.started.elapsed().as_secs_f64(),
                "share": share,
                "classes": progress.classes,
                "regressions": progress.regressions,
                "mib": resident_mib(),
            });
            // Nobody to tell is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{object}");
        } else {
            let share = share.map_or(String::new(), |share| format!("{:.1} %, ", share * 100.0));
            let classes = grouped(progress.classes as u64);
            let regressions = grouped(progress.regressions);
            self.line.now(&format!("{share}{classes} held, {regressions} regressions"));
        }
    }
}
