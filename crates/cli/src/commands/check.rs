//! `gambol check`: is this a game?

use std::io::Write;
use std::time::Duration;

use clap::Args;
use gambol::ground::Limits;
use gambol::lint::{example_game, explain, explanations};
use gambol::syntax::{Severity, closest};
use gambol::{Examination, Finding, examine};
use serde::Serialize;

use crate::finding::{Located, locate, show};
use crate::flags::CaseFlag;
use crate::game_text::{GameText, text_of};
use crate::numbers::counted;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// What to check, and how closely.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    #[arg(required_unless_present = "explain", default_value = "", hide_default_value = true)]
    game: String,
    /// Explain a code, such as warn.never-true, with an example; "all" lists the codes
    #[arg(long, value_name = "CODE", conflicts_with_all = ["game", "lenient", "play"])]
    explain: Option<String>,
    /// Read as players do: what can be repaired is only a warning
    #[arg(long)]
    lenient: bool,
    /// Play N random games (small games are searched completely) and report faults of play as errors;
    /// by default a few games are played and their faults are warnings; 0 plays none
    #[arg(long, value_name = "N")]
    play: Option<u64>,
}

#[derive(Serialize)]
struct Report {
    valid: bool,
    errors: Vec<Located>,
    warnings: Vec<Located>,
    notes: Vec<Located>,
}

/// Without limits of their own, an author's rules must ground within these.
const DEFAULT_TIME: Duration = Duration::from_secs(8);
const DEFAULT_MEMORY_MIB: u64 = 1536;

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    if let Some(code) = &arguments.explain {
        return tell(code, session);
    }
    let source = text_of(&arguments.game)?;
    let examination = Examination {
        read: session.read_options(CaseFlag::Exact),
        lenient: arguments.lenient,
        limits: limits(session),
        play: arguments.play,
        seed: session.flags.seed,
    };
    let findings = examine(&source.text, &examination);
    let of = |severity| findings.iter().filter(move |it| it.severity == severity).collect();
    let [errors, warnings, notes]: [Vec<&Finding>; 3] =
        [of(Severity::Error), of(Severity::Warning), of(Severity::Note)];
    if session.flags.json {
        let located = |findings: &[&Finding]| -> Vec<Located> {
            findings.iter().map(|finding| locate(&source, finding)).collect()
        };
        session.json(&Report {
            valid: errors.is_empty(),
            errors: located(&errors),
            warnings: located(&warnings),
            notes: located(&notes),
        })?;
    } else {
        print(&source, [&errors, &warnings, &notes], session)?;
    }
    if met_own_limit(&errors, session) {
        return Ok(Outcome::Partial);
    }
    Ok(session.outcome(errors.is_empty()))
}

/// Prints what a code means.
fn tell(code: &str, session: &mut Session) -> anyhow::Result<Outcome> {
    if code == "all" {
        for (code, text) in explanations() {
            if session.flags.json {
                session.json(&serde_json::json!({ "code": code, "explanation": text }))?;
            } else {
                writeln!(session.out, "{code}")?;
            }
        }
        return Ok(Outcome::Yes);
    }
    // The stage may be left out.
    let codes: Vec<&str> = explanations().map(|(code, _)| code).collect();
    let last = |known: &str| known.rsplit('.').next() == Some(code);
    let code = codes.iter().copied().find(|known| last(known)).unwrap_or(code);
    let Some(text) = explain(code) else {
        let meant = closest(code, codes.iter().copied());
        let advice = match meant {
            Some(meant) => format!("did you mean {meant}?"),
            None => "gambol check --explain all lists them".to_string(),
        };
        return Err(Stop::Usage(format!("there is no code {code}; {advice}")).into());
    };
    if session.flags.json {
        session.json(&serde_json::json!({ "code": code, "explanation": text }))?;
        return Ok(Outcome::Yes);
    }
    writeln!(session.out, "{code}\n\n{}", plain(text))?;
    if text.contains(" added\n") {
        writeln!(session.out, "\nThe example is to be put behind this game:\n")?;
        writeln!(session.out, "{}", indented(example_game()))?;
    }
    Ok(Outcome::Yes)
}

/// Markdown as plain text: the example is indented, the marks around it are gone.
fn plain(text: &str) -> String {
    let mut parts = text.split("```");
    let words = parts.next().unwrap_or("").trim_end().to_string();
    match parts.next().and_then(|example| example.split_once('\n')) {
        Some((_, example)) if !example.trim().is_empty() => {
            format!("{words}\n\n{}", indented(example))
        }
        _ => words,
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
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
    findings: [&[&Finding]; 3],
    session: &mut Session,
) -> anyhow::Result<()> {
    let colour = session.out_has_colour();
    let [errors, warnings, notes] = findings;
    let shown: Vec<&Finding> = match session.flags.quiet {
        true => errors.to_vec(),
        false => findings.concat(),
    };
    for finding in &shown {
        writeln!(session.out, "{}", show(source, finding, colour))?;
    }
    let verdict = if errors.is_empty() { "valid" } else { "not valid" };
    let mut counts = vec![counted(errors.len(), "error"), counted(warnings.len(), "warning")];
    if !notes.is_empty() {
        counts.push(counted(notes.len(), "note"));
    }
    writeln!(session.out, "{}: {verdict} ({})", source.name, counts.join(", "))?;
    if let Some(first) = shown.first() {
        let first = first.category;
        writeln!(session.out, "For more about a code: gambol check --explain {first}")?;
    }
    Ok(())
}
