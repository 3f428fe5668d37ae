//! `gambol verify`: checks a certificate of `gambol solve` with the plain interpreter only.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use gambol::reference::Interpreter;
use gambol::verify::{Accepted, AcceptedValue, Certificate, Refusal, Sense, VerifyOptions, verify};
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
    /// A file written by `gambol solve --certificate` or `gambol decompose --certificate`, or a folder filled by
    /// `gambol solve --strong --store`
    certificate: PathBuf,
    /// Of a store, check this many states, the same number in each layer
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// Of a certificate of parts, write to this folder why each condition holds, as formulas (DIMACS) and refutations
    /// (DRAT) that other programs can check
    #[arg(long, value_name = "FOLDER")]
    refutations: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    accepted: bool,
    /// Whether no limit cut the check short.
    finished: bool,
    reason: Option<String>,
    /// The game, as it was named.
    game: String,
    /// The sense of the values, if they are accepted. There is one for all of them.
    sense: Option<Sense>,
    /// The state the values are about.
    state: Option<Vec<String>>,
    /// Whether a match begins in that state.
    is_initial: Option<bool>,
    /// What each role gets, in which sense, and who sees to it.
    values: Vec<AcceptedValue>,
    /// States with a reply in all claims together.
    entries: u64,
    seconds: f64,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let game = load(&arguments.game, session)?;
    let path = &arguments.certificate;
    if path.is_dir() {
        return super::verify_store::run(path, &game, arguments.sample as usize, session);
    }
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if let Some(outcome) =
        super::verify_cut::run(&game, &text, arguments.refutations.as_deref(), session)?
    {
        return Ok(outcome);
    }
    let interpreter = super::stage(game.interpreter())?;
    let (checked, entries) = match serde_json::from_slice::<Certificate>(&text) {
        Ok(certificate) => (check(&interpreter, &certificate, session), certificate.entries()),
        Err(error) => (Err(Refusal::Malformed(error.to_string())), 0),
    };
    let finished = session.watch.met().is_none();
    let reason = if finished {
        checked.as_ref().err().map(ToString::to_string)
    } else {
        Some("not everything was checked".to_string())
    };
    let accepted = checked.ok().filter(|_| finished);
    let report = Report {
        accepted: accepted.is_some(),
        finished,
        reason,
        game: arguments.game.clone(),
        sense: accepted.as_ref().and_then(|proved| Some(proved.values.first()?.sense)),
        state: accepted.as_ref().map(|proved| proved.state.clone()),
        is_initial: accepted.as_ref().map(|proved| proved.is_initial),
        values: accepted.map(|proved| proved.values).unwrap_or_default(),
        entries,
        seconds: started.elapsed().as_secs_f64(),
    };
    if session.flags.json {
        session.json(&report)?;
    } else {
        show(&report, session)?;
    }
    Ok(session.outcome(report.accepted))
}

fn show(report: &Report, session: &mut Session) -> anyhow::Result<()> {
    if let Some(reason) = &report.reason {
        let what = if report.finished { "refused" } else { "open" };
        writeln!(session.out, "{what}: {reason}")?;
        return Ok(());
    }
    writeln!(session.out, "accepted: the rules bear out every claim of the certificate")?;
    let state = report.state.as_deref().unwrap_or_default().join(" ");
    let which = if report.is_initial == Some(true) { "the start, " } else { "" };
    writeln!(session.out, "game   {}\nstate  {which}{state}", report.game)?;
    report.values.iter().try_for_each(|value| writeln!(session.out, "{value}"))?;
    Ok(())
}

/// Checks with all threads, and shows how many entries are done.
fn check(
    interpreter: &Interpreter,
    certificate: &Certificate,
    session: &Session,
) -> Result<Accepted, Refusal> {
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
