//! One run of the program: its flags, its limits, and where its words go.
//!
//! Results go to standard output, everything else to standard error. Nothing here panics when
//! the reader of the output goes away: a broken pipe travels up as an ordinary error.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anstream::AutoStream;
use anyhow::Context;
use gambol::ground::Limits;
use gambol::syntax::{Case, ReadOptions};
use serde::Serialize;

use crate::files;
use crate::flags::{CaseFlag, Global};
use crate::lock::Lock;
use crate::outcome::{Outcome, SHORT_CODE};
use crate::watch::Watch;

/// The flags, the limits and the streams.
pub(crate) struct Session {
    /// The flags of every command.
    pub(crate) flags: Global,
    /// The limits.
    pub(crate) watch: Watch,
    /// Standard output.
    pub(crate) out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    /// Whether the answer lacks something that was asked for: a file, the answer to one of several questions.
    fell_short: bool,
    /// The files that nobody else may use meanwhile.
    locks: Vec<Lock>,
}

impl Session {
    /// Opens the streams and starts the watch.
    pub(crate) fn start(flags: Global) -> Self {
        Self::within(flags.time, flags.memory, flags)
    }

    /// A run that hands its limits on to processes of its own, and has none itself.
    pub(crate) fn start_unlimited(flags: Global) -> Self {
        Self::within(None, None, flags)
    }

    fn within(time: Option<f64>, memory: Option<u64>, flags: Global) -> Self {
        let color = match flags.color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        };
        Self {
            watch: Watch::start(time, memory, flags.json),
            out: AutoStream::new(io::stdout(), color),
            err: AutoStream::new(io::stderr(), color),
            fell_short: false,
            locks: Vec::new(),
            flags,
        }
    }

    /// Prints a value as one line of JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let line = serde_json::to_string(value)?;
        writeln!(self.out, "{line}")?;
        Ok(())
    }

    /// Says something that is not the result, unless told to be quiet.
    pub(crate) fn warn(&mut self, message: &str) {
        if !self.flags.quiet {
            // Nobody to tell is no reason to stop.
            let _ = writeln!(self.err, "{message}");
        }
    }

    /// Says why the run failed. Not even `--quiet` hides that.
    pub(crate) fn complain(&mut self, message: &str) {
        let _ = writeln!(self.err, "{message}");
    }

    /// Tries the files that are to be written, before any time is spent.
    pub(crate) fn will_write<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p Path>,
    ) -> anyhow::Result<()> {
        let try_path = |path: &Path| {
            files::try_path(path).with_context(|| format!("cannot write {}", path.display()))
        };
        paths.into_iter().try_for_each(try_path)
    }

    /// Keeps other runs away from a file until this one ends. Pipes and devices are for all.
    pub(crate) fn hold(&mut self, path: &Path) -> anyhow::Result<()> {
        if !files::is_special(path) {
            self.locks.push(Lock::take(path)?);
        }
        Ok(())
    }

    /// Writes a file that stands beside the answer; whether that worked. If not the answer is still given, and
    /// the exit code says so.
    pub(crate) fn write_beside(&mut self, path: &Path, content: &[u8]) -> bool {
        let written = files::replace(path, content);
        if let Err(error) = &written {
            self.not_written(&path.display().to_string(), error);
        }
        written.is_ok()
    }

    /// Says that a file could not be written.
    pub(crate) fn not_written(&mut self, what: &str, error: &dyn std::fmt::Display) {
        self.fall_short(&format!("cannot write {what}: {error}"));
    }

    /// Says what the answer lacks. It is given all the same, and the exit code says so.
    pub(crate) fn fall_short(&mut self, message: &str) {
        self.complain(&format!("gambol: {message}"));
        self.fell_short = true;
    }

    /// The exit code of an outcome, all that was asked for considered.
    pub(crate) fn code(&self, outcome: Outcome) -> u8 {
        if self.fell_short { SHORT_CODE } else { outcome.code() }
    }

    /// Whether to draw progress bars.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.flags.quiet && io::stderr().is_terminal()
    }

    /// Whether standard error takes colours.
    pub(crate) fn err_has_colour(&self) -> bool {
        self.err.current_choice() != anstream::ColorChoice::Never
    }

    /// Whether standard output takes colours.
    pub(crate) fn out_has_colour(&self) -> bool {
        self.out.current_choice() != anstream::ColorChoice::Never
    }

    /// How to read rules; `default` is the case reading when none is asked for.
    pub(crate) fn read_options(&self, default: CaseFlag) -> ReadOptions {
        let case = match self.flags.case.unwrap_or(default) {
            CaseFlag::Exact => Case::Exact,
            CaseFlag::Fold => Case::Fold,
        };
        ReadOptions { case, ..ReadOptions::default() }
    }

    /// The limits for grounding: what is left of the run's.
    pub(crate) fn ground_limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            time: self.watch.time_left().or(default.time),
            memory_mib: self.watch.memory_limit().or(default.memory_mib),
            stop: Some(self.watch.flag()),
            ..default
        }
    }

    /// The limits for grounding a game that the interpreter plays if they are met: half the time, so
    /// that some is left to play.
    pub(crate) fn ground_limits_with_fallback(&self) -> Limits {
        let all = self.ground_limits();
        Limits { time: all.time.map(|time| time / 2), ..all }
    }

    /// How many threads to use.
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.flags.threads.map_or_else(cores, |threads| threads as usize)
    }

    /// The outcome of a command whose answer is `answer`, unless a limit cut it short.
    pub(crate) fn outcome(&mut self, answer: bool) -> Outcome {
        let Some(limit) = self.watch.met() else { return Outcome::of(answer) };
        self.complain(limit.message());
        Outcome::Partial
    }
}
