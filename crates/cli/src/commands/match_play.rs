//! `gambol match`: a referee for players on the match protocol.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use gambol::Game;
use gambol::play::{Fault, FaultKind, MatchRecord, MatchTerms, referee};
use gambol::syntax::print::to_prefix;
use gambol::syntax::read;
use serde::Serialize;

use crate::arguments::CaseFlag;
use crate::game_source::{load, text_of};
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// Who plays what.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// Where the players are, in the order of the roles; `random` lets the referee choose
    #[arg(required = true, value_name = "HOST:PORT")]
    players: Vec<String>,
    /// Seconds until the first step
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=3600))]
    start: u64,
    /// Seconds for each move
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=3600))]
    play: u64,
    /// The name of the match
    #[arg(long, default_value = "gambol.1")]
    id: String,
    /// Write the match down, one line of JSON that `gambol replay` reads
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Call the match off after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_steps: usize,
}

#[derive(Serialize)]
struct Report<'a> {
    id: &'a str,
    roles: &'a [String],
    goals: BTreeMap<&'a str, Option<u32>>,
    moves: Vec<&'a [String]>,
    faults: Vec<FaultLine<'a>>,
    completed: bool,
}

#[derive(Serialize)]
struct FaultLine<'a> {
    step: usize,
    role: &'a str,
    fault: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    let players = arguments.players.iter().map(|player| address_of(player));
    let players: Vec<Option<SocketAddr>> = players.collect::<anyhow::Result<_>>()?;
    let rules_text = rules_text(arguments, &game, session)?;
    let terms = MatchTerms {
        id: &arguments.id,
        rules_text: &rules_text,
        players: &players,
        start_clock: Duration::from_secs(arguments.start),
        play_clock: Duration::from_secs(arguments.play),
        seed: session.flags.seed,
        most_steps: arguments.max_steps,
    };
    let quiet = session.flags.json || session.flags.quiet;
    let mut step = 0;
    let out = &mut session.out;
    let mut show = |joint: &[String]| {
        step += 1;
        if !quiet {
            // Nobody to watch is no reason to stop the match.
            let _ = writeln!(out, "{step:>4}  {}", joint.join("  "));
        }
    };
    let record =
        referee(game.rules(), &terms, &mut show).map_err(|error| Stop::Usage(error.to_string()))?;
    if let Some(path) = &arguments.out {
        let line = serde_json::to_string(&written_down(&arguments.game, &record))?;
        fs::write(path, line + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    report(arguments, &record, session)?;
    Ok(session.outcome(record.completed))
}

/// The rules as their author wrote them, without comments. Standard input can be read only once, so
/// from there they are sent as they were repaired.
fn rules_text(arguments: &Arguments, game: &Game, session: &Session) -> anyhow::Result<String> {
    if arguments.game == "-" {
        return Ok(to_prefix(game.rules()));
    }
    let text = text_of(&arguments.game)?.text;
    let written = read(&text, &session.read_options(CaseFlag::Exact)).rules;
    Ok(to_prefix(written.as_ref().unwrap_or(game.rules())))
}

/// Nothing for a role that the referee plays.
fn address_of(player: &str) -> anyhow::Result<Option<SocketAddr>> {
    if player == "random" {
        return Ok(None);
    }
    let found = player.to_socket_addrs().ok().and_then(|mut found| found.next());
    let found = found
        .ok_or_else(|| Stop::Usage(format!("{player} is no address (HOST:PORT, or random)")))?;
    Ok(Some(found))
}

/// The match in the form of a recorded playout.
fn written_down(game: &str, record: &MatchRecord) -> serde_json::Value {
    let roles = &record.roles;
    let steps: Vec<serde_json::Value> = (record.steps.iter())
        .map(|step| {
            let legal: BTreeMap<&String, &Vec<String>> = roles.iter().zip(&step.legal).collect();
            serde_json::json!({ "state": step.state, "legal": legal, "joint": step.joint })
        })
        .collect();
    let goals: BTreeMap<&String, &Option<u32>> = roles.iter().zip(&record.goals).collect();
    let end = serde_json::json!({
        "state": record.last_state, "terminal": record.completed, "goals": goals,
    });
    let mut line = serde_json::json!({
        "game": game, "seed": 0, "roles": roles, "steps": steps, "end": end,
    });
    if !record.completed {
        line["truncated"] = "steps".into();
    }
    line
}

fn report(
    arguments: &Arguments,
    record: &MatchRecord,
    session: &mut Session,
) -> anyhow::Result<()> {
    let report = Report {
        id: &arguments.id,
        roles: &record.roles,
        goals: record.roles.iter().map(String::as_str).zip(record.goals.iter().copied()).collect(),
        moves: record.steps.iter().map(|step| &step.joint[..]).collect(),
        faults: record.faults.iter().map(fault_line).collect(),
        completed: record.completed,
    };
    if session.flags.json {
        return session.json(&report);
    }
    for FaultLine { step, role, fault, answer } in &report.faults {
        let answer = answer.map_or(String::new(), |answer| format!(": {answer}"));
        writeln!(session.out, "step {step}: {role} {fault}{answer}")?;
    }
    if !report.completed {
        writeln!(session.out, "the match was called off after {} steps", report.moves.len())?;
    }
    for (role, goal) in &report.goals {
        let goal = goal.map_or("none".to_string(), |goal| goal.to_string());
        writeln!(session.out, "{role}: {goal}")?;
    }
    Ok(())
}

fn fault_line(fault: &Fault) -> FaultLine<'_> {
    let (kind, answer) = match &fault.kind {
        FaultKind::Late => ("late", None),
        FaultKind::Absent => ("absent", None),
        FaultKind::Illegal(answer) => ("illegal", Some(answer.as_str())),
    };
    FaultLine { step: fault.step, role: &fault.role, fault: kind, answer }
}
