//! `gambol replay`: recorded playouts against our engines.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gambol::{Engine, EngineKind};
use serde::Serialize;

use crate::flags::{CaseFlag, EngineFlag};
use crate::game_source::load_with_case;
use crate::outcome::Outcome;
use crate::progress::Working;
use crate::records::trace::{self, Playout};
use crate::replay::{Difference, replay};
use crate::session::Session;

/// Which recordings, and whom to compare with them.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// Recorded playouts (.jsonl or .jsonl.gz)
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Only these engines [default: all three]
    #[arg(long, value_delimiter = ',')]
    engine: Vec<EngineFlag>,
}

#[derive(Serialize, Debug, Default)]
struct Report {
    playouts: usize,
    /// Matches among them that were broken off.
    unfinished: usize,
    steps: usize,
    engines: Vec<&'static str>,
    differences: Vec<Difference>,
    /// Engines that could not take part, and why.
    skipped: Vec<Skipped>,
}

#[derive(Serialize, Debug)]
struct Skipped {
    engine: &'static str,
    reason: String,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let mut playouts = Vec::new();
    for path in &arguments.traces {
        playouts.extend(trace::read(path)?);
    }
    // Matches are spelt like their rules, other recordings are in lower case.
    let is_match = |playout: &Playout| playout.is_match;
    let case = if playouts.iter().all(is_match) { CaseFlag::Exact } else { CaseFlag::Fold };
    let game = load_with_case(&arguments.game, case, session)?;
    let game = game.with_limits(session.ground_limits_with_fallback());
    let mut report = Report {
        playouts: playouts.len(),
        unfinished: playouts.iter().filter(|playout| playout.broken_off).count(),
        steps: playouts.iter().map(|playout| playout.steps.len()).sum(),
        ..Report::default()
    };
    let working = Working::on("replaying", session);
    for kind in engines(arguments) {
        working.now(&format!("replaying on the {} engine", kind.as_str()));
        match game.engine(kind) {
            Ok(mut engine) => {
                report.engines.push(kind.as_str());
                replay_all(kind, engine.as_mut(), &playouts, &mut report, session);
            }
            Err(error) => {
                report.skipped.push(Skipped { engine: kind.as_str(), reason: error.to_string() })
            }
        }
    }
    drop(working);
    show(&report, session)?;
    Ok(session.outcome(report.differences.is_empty()))
}

fn engines(arguments: &Arguments) -> Vec<EngineKind> {
    if arguments.engine.is_empty() {
        return EngineKind::ALL.to_vec();
    }
    arguments.engine.iter().map(|&flag| flag.into()).collect()
}

fn replay_all(
    kind: EngineKind,
    engine: &mut dyn Engine,
    playouts: &[Playout],
    report: &mut Report,
    session: &Session,
) {
    let goes_on = || session.watch.met().is_none();
    for (number, playout) in playouts.iter().enumerate().take_while(|_| goes_on()) {
        let replayed = replay(kind, engine, number, playout, &goes_on);
        report.differences.extend(replayed.differences);
    }
}

fn show(report: &Report, session: &mut Session) -> anyhow::Result<()> {
    if session.flags.json {
        return session.json(report);
    }
    for difference in &report.differences {
        let Difference { engine, playout, step, what, expected, found } = difference;
        writeln!(
            session.out,
            "{engine}: playout {playout}, step {step}: {what}: expected {expected}, found {found}"
        )?;
    }
    for Skipped { engine, reason } in &report.skipped {
        writeln!(session.out, "{engine}: not compared: {reason}")?;
    }
    if report.unfinished > 0 {
        let unfinished = report.unfinished;
        let by_person = "or gambol play --resume where a person played";
        let go_on = format!("gambol match --resume goes on with it, {by_person}");
        writeln!(session.out, "{unfinished} broken off; {go_on}")?;
    }
    writeln!(
        session.out,
        "{} playouts, {} steps on {}: {} differences",
        report.playouts,
        report.steps,
        report.engines.join(", "),
        report.differences.len()
    )?;
    Ok(())
}
