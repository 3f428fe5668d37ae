//! `gambol check`: is this a game?

use std::io::Write;
use std::time::Duration;

use clap::Args;
use gambol::ground::Limits;
use gambol::{Examination, Finding, examine};
use serde::Serialize;

use crate::arguments::CaseFlag;
use crate::finding::{Located, locate, show};
use crate::game_source::{GameText, text_of};
use crate::numbers::counted;
use crate::outcome::Outcome;
use crate::session::Session;

/// What to check, and how closely.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// As play does it: what can be repaired is only warned about
    #[arg(long)]
    lenient: bool,
    /// Also play N random games (small games are searched through) for playability,
    /// termination and goals
    #[arg(long, value_name = "N")]
    play: Option<u64>,
}

#[derive(Serialize)]
struct Report {
    valid: bool,
    errors: Vec<Located>,
    warnings: Vec<Located>,
}

/// Without limits of their own, an author's rules must ground within these.
const DEFAULT_TIME: Duration = Duration::from_secs(8);
const DEFAULT_MEMORY_MIB: u64 = 1536;

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let source = text_of(&arguments.game)?;
    let examination = Examination {
        read: session.read_options(CaseFlag::Exact),
        lenient: arguments.lenient,
        limits: limits(session),
        play: arguments.play,
        seed: session.flags.seed,
    };
    let findings = examine(&source.text, &examination);
    let (errors, warnings): (Vec<_>, Vec<_>) = findings.iter().partition(|it| it.is_error());
    if session.flags.json {
        let located = |findings: &[&Finding]| -> Vec<Located> {
            findings.iter().map(|finding| locate(&source, finding)).collect()
        };
        let valid = errors.is_empty();
        let report = Report { valid, errors: located(&errors), warnings: located(&warnings) };
        session.json(&report)?;
    } else {
        print(&source, &errors, &warnings, session)?;
    }
    if met_own_limit(&errors, session) {
        return Ok(Outcome::Partial);
    }
    Ok(session.outcome(errors.is_empty()))
}

/// With limits of the user's own, "too large" is no verdict about the game.
fn met_own_limit(errors: &[&Finding], session: &Session) -> bool {
    let limited = session.flags.time.is_some() || session.flags.memory.is_some();
    limited && errors.iter().any(|finding| finding.category == "ground.limit")
}

fn limits(session: &Session) -> Limits {
    Limits {
        time: session.watch.time_left().or(Some(DEFAULT_TIME)),
        memory_mib: session.watch.memory_limit().or(Some(DEFAULT_MEMORY_MIB)),
        ..session.ground_limits()
    }
}

fn print(
    source: &GameText,
    errors: &[&Finding],
    warnings: &[&Finding],
    session: &mut Session,
) -> anyhow::Result<()> {
    let colour = session.out_has_colour();
    let warnings_to_show = if session.flags.quiet { &[] } else { warnings };
    for finding in errors.iter().chain(warnings_to_show) {
        writeln!(session.out, "{}", show(source, finding, colour))?;
    }
    let verdict = if errors.is_empty() { "valid" } else { "not valid" };
    let errors = counted(errors.len(), "error");
    let warnings = counted(warnings.len(), "warning");
    writeln!(session.out, "{}: {verdict} ({errors}, {warnings})", source.name)?;
    Ok(())
}
