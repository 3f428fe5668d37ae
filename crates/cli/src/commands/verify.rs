//! `gambol verify`: checks a certificate of `gambol solve` with the plain interpreter only.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use gambol::reference::Interpreter;
use gambol::solve::{Certificate, Refusal, VerifyOptions, verify};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::game_source::load;
use crate::outcome::Outcome;
use crate::session::Session;

/// Which game, and what is said to be proved about it.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// A file written by `gambol solve --certificate` or `gambol decompose --certificate`
    certificate: PathBuf,
}

#[derive(Serialize)]
struct Report {
    accepted: bool,
    /// Whether no limit cut the check short.
    finished: bool,
    reason: Option<String>,
    /// States with a reply in all claims together.
    entries: u64,
    seconds: f64,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let game = load(&arguments.game, session)?;
    let path = &arguments.certificate;
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if let Some(outcome) = super::verify_cut::run(&game, &text, session)? {
        return Ok(outcome);
    }
    let interpreter = super::stage(game.interpreter())?;
    let (checked, entries) = match serde_json::from_slice::<Certificate>(&text) {
        Ok(certificate) => (check(&interpreter, &certificate, session), certificate.entries()),
        Err(error) => (Err(Refusal::Malformed(error.to_string())), 0),
    };
    let finished = session.watch.met().is_none();
    let reason = match finished {
        true => checked.as_ref().err().map(ToString::to_string),
        false => Some("not everything was checked".to_string()),
    };
    let accepted = checked.is_ok() && finished;
    let seconds = started.elapsed().as_secs_f64();
    let report = Report { accepted, finished, reason, entries, seconds };
    if session.flags.json {
        session.json(&report)?;
    } else if let Some(reason) = &report.reason {
        let what = if finished { "refused" } else { "open" };
        writeln!(session.out, "{what}: {reason}")?;
    } else {
        writeln!(session.out, "accepted: the rules bear out every claim of the certificate")?;
    }
    Ok(session.outcome(report.accepted))
}

/// Checks with all threads, and shows how many entries are done.
fn check(
    interpreter: &Interpreter,
    certificate: &Certificate,
    session: &Session,
) -> Result<(), Refusal> {
    let bar = session.shows_progress().then(|| bar(certificate.entries()));
    let progress = |done: u64| bar.iter().for_each(|bar| bar.set_position(done));
    let options = VerifyOptions { threads: session.threads(), progress: &progress };
    let checked = verify(interpreter, certificate, options);
    bar.iter().for_each(ProgressBar::finish_and_clear);
    checked
}

fn bar(entries: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} entries, {eta} left");
    let bar = ProgressBar::new(entries);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
