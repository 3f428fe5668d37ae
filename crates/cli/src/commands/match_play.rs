//! `gambol match`: a referee for players on the match protocol, and matches between engines.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use gambol::Game;
use gambol::play::{Event, MatchRecord, MatchTerms, Settings, referee};
use gambol::syntax::print::to_prefix;
use gambol::syntax::read;
use serde::Serialize;

use crate::commands::match_local;
use crate::flags::{CaseFlag, positive_seconds};
use crate::game_source::load;
use crate::game_text::text_of;
use crate::outcome::{Outcome, Stop};
use crate::records::match_record::{FORMAT, FaultLine, Head, Writing, fault_line, fingerprint};
use crate::records::trace::{self, Playout};
use crate::session::Session;

/// Who plays what.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    #[arg(required_unless_present = "resume", default_value = "", hide_default_value = true)]
    pub(crate) game: String,
    /// Where the players are, in the order of the roles; `random` lets the referee choose. With
    /// --local engines: mcts, random or legal, with settings as in mcts:decompose=off,threads=1
    #[arg(required_unless_present = "resume", value_name = "PLAYER")]
    pub(crate) players: Vec<String>,
    /// Let engines play in this process, and swap sides from game to game
    #[arg(long)]
    local: bool,
    /// How many games the engines play
    #[arg(long, value_name = "N", default_value_t = 1, requires = "local", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) games: u32,
    /// Seconds that an engine thinks about a move
    #[arg(long, value_name = "S", default_value = "1", requires = "local", value_parser = positive_seconds)]
    pub(crate) clock: f64,
    /// Random games that an engine plays for each move, instead of a clock; exactly repeatable
    #[arg(long, value_name = "N", requires = "local", conflicts_with = "clock", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) playouts: Option<u64>,
    /// Seconds until the first step
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=3600))]
    start: u64,
    /// Seconds for each move
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=3600))]
    play: u64,
    /// The name of the match
    #[arg(long, default_value = "gambol.1")]
    pub(crate) id: String,
    /// Record the match as JSON lines, step by step; `gambol replay` reads them
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with a recorded match that was broken off, in the same file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "local", "players"])]
    resume: Option<PathBuf>,
    /// End the match undecided after this many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_steps: usize,
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

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    match &arguments.resume {
        Some(path) => resume(arguments, path, session),
        None if arguments.local => {
            session.will_write(arguments.out.as_deref())?;
            let game = load(&arguments.game, session)?;
            match_local::run(arguments, &game, session)
        }
        None => {
            session.will_write(arguments.out.as_deref())?;
            let game = load(&arguments.game, session)?;
            if let Some(path) = &arguments.out {
                session.hold(path)?;
            }
            let out = arguments.out.as_deref().map(Writing::create).transpose()?;
            let mut head = Head::new(&arguments.game, &arguments.id, &[]);
            head.rules = Some(fingerprint(game.rules()));
            head.players.clone_from(&arguments.players);
            head.start_clock = Some(arguments.start);
            head.play_clock = Some(arguments.play);
            head.seed = session.flags.seed;
            conduct(arguments, &game, head, &[], out, session)
        }
    }
}

/// Goes on where a file ends.
fn resume(arguments: &Arguments, path: &Path, session: &mut Session) -> anyhow::Result<Outcome> {
    session.hold(path)?;
    let broken_off = trace::broken_off(path)?;
    let (mut head, playout, place) = broken_off.ok_or_else(|| {
        Stop::Usage(format!("{} holds no match that was broken off", path.display()))
    })?;
    if head.round.is_some() {
        let hint = "the match belongs to a tournament; gambol tournament --resume goes on with it";
        return Err(Stop::Usage(hint.to_string()).into());
    }
    if !arguments.game.is_empty() {
        head.game.clone_from(&arguments.game);
    }
    let game = load(&head.game, session)?;
    if head.format.as_deref().is_some_and(|format| format != FORMAT) {
        bail!("{} is of another form than {FORMAT}", path.display());
    }
    if head.rules.as_ref().is_some_and(|rules| *rules != fingerprint(game.rules())) {
        bail!("{} was played by other rules than those of {}", path.display(), head.game);
    }
    let out = Writing::resume(path, place.length, place.sum)?;
    let history = made(&playout);
    conduct(arguments, &game, head, &history, Some(out), session)
}

fn made(playout: &Playout) -> Vec<Vec<String>> {
    playout.steps.iter().filter_map(|step| step.joint.clone()).collect()
}

/// Runs a match and writes it down.
fn conduct(
    arguments: &Arguments,
    game: &Game,
    mut head: Head,
    history: &[Vec<String>],
    mut out: Option<Writing>,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let players = head.players.iter().map(|player| address_of(player));
    let players: Vec<Option<SocketAddr>> = players.collect::<anyhow::Result<_>>()?;
    let rules_text = rules_text(&head.game, game, session)?;
    // A player may still hold the match as it was before it was broken off.
    let id = match history.len() {
        0 => head.id.clone(),
        steps => format!("{}.after{steps}", head.id),
    };
    let stop = session.watch.flag();
    let terms = MatchTerms {
        id: &id,
        rules_text: &rules_text,
        players: &players,
        start_clock: Duration::from_secs(head.start_clock.unwrap_or(arguments.start)),
        play_clock: Duration::from_secs(head.play_clock.unwrap_or(arguments.play)),
        seed: head.seed,
        most_steps: arguments.max_steps,
        history,
        stop: &stop,
    };
    let quiet = session.flags.json || session.flags.quiet;
    let (mut number, mut failed) = (history.len(), None);
    let (screen, watch) = (&mut session.out, &session.watch);
    let mut show = |event: Event<'_>| {
        let written = match (event, &mut out) {
            (Event::Begins { roles }, Some(out)) if history.is_empty() => {
                head.roles = roles.to_vec();
                out.head(&head)
            }
            (Event::Step { roles, step, faults }, Some(out)) => out.step(roles, step, faults, &[]),
            _ => Ok(()),
        };
        failed = failed.take().or(written.err());
        if let Event::Step { step, .. } = event {
            number += 1;
            watch.know("steps", number);
            watch.know("joint moves", step.joint.join(" "));
            if !quiet {
                // Nobody to watch is no reason to stop the match.
                let _ = writeln!(screen, "{number:>4}  {}", step.joint.join("  "));
                let _ = screen.flush();
            }
        }
    };
    let record =
        referee(game.rules(), &terms, &mut show).map_err(|error| Stop::Usage(error.to_string()))?;
    if let (Some(out), None) = (&mut out, &failed) {
        let ended = out.end(&record.roles, &record.last_state, &record.goals, record.completed);
        failed = ended.err();
    }
    report(&head.id, &record, session)?;
    if let Some(error) = failed {
        session.not_written("the record of the match", &format!("{error:#}"));
    }
    let silent: Vec<&str> = record.silent().collect();
    if !silent.is_empty() {
        session.complain(&format!("nothing was heard of the player of {}", silent.join(", ")));
    }
    Ok(session.outcome(record.completed && silent.is_empty()))
}

/// The rules as their author wrote them, without comments. Standard input can be read only once, so
/// from there they are sent as they were repaired.
pub(crate) fn rules_text(name: &str, game: &Game, session: &Session) -> anyhow::Result<String> {
    if name == "-" {
        return Ok(to_prefix(game.rules()));
    }
    let text = text_of(name).context("the rules are gone")?.text;
    let written = read(&text, &session.read_options(CaseFlag::Exact)).rules;
    Ok(to_prefix(written.as_ref().unwrap_or(game.rules())))
}

/// Nothing for a role that the referee plays.
pub(crate) fn address_of(player: &str) -> anyhow::Result<Option<SocketAddr>> {
    if player == "random" {
        return Ok(None);
    }
    let found = player.to_socket_addrs().ok().and_then(|mut found| found.next());
    let found = found.ok_or_else(|| {
        let hint = match player.parse::<Settings>() {
            Ok(_) => "; with --local it is an engine",
            Err(_) => "",
        };
        Stop::Usage(format!("{player} is no address (HOST:PORT, or random){hint}"))
    })?;
    Ok(Some(found))
}

fn report(id: &str, record: &MatchRecord, session: &mut Session) -> anyhow::Result<()> {
    let report = Report {
        id,
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
