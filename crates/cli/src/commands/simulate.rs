//! `gambol simulate`: random games, as many as possible.

use std::io::Write;

use clap::Args;
use gambol::sim::Width;
use gambol::{EngineKind, Game, StageError};

use crate::flags::{CodeFlag, EngineFlag, LanesFlag, positive_seconds};
use crate::game_source::load;
use crate::numbers::{counted, grouped};
use crate::outcome::Outcome;
use crate::progress::Working;
use crate::session::Session;
use crate::simulation::{Amount, Plan, Report, simulate};

/// How much to play, and on what.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// How many games to play
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    playouts: Option<u64>,
    /// How many seconds to play [default: 1]
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    seconds: Option<f64>,
    /// Which engine plays
    #[arg(long, default_value = "circuit")]
    engine: EngineFlag,
    /// How the circuit engine runs its gates; the games are the same
    #[arg(long, value_name = "CODE", default_value = "auto")]
    engine_code: CodeFlag,
    /// How many games a thread plays side by side [default: what is fastest]
    #[arg(long, value_name = "N")]
    lanes: Option<LanesFlag>,
    /// Break a game off after this many steps
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: u32,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    let game = game.with_limits(session.ground_limits_with_fallback());
    let plan = plan(arguments, session)?;
    let working = Working::on("playing", session);
    let report = super::stage(play(&game, arguments.engine.into(), &plan, session));
    drop(working);
    let report = report?;
    if session.flags.json {
        session.json(&report)?;
    } else {
        print(&report, session)?;
    }
    Ok(session.outcome(true))
}

fn plan(arguments: &Arguments, session: &Session) -> anyhow::Result<Plan> {
    let amount = match arguments.playouts {
        Some(playouts) => Amount::Playouts(playouts),
        None => Amount::Seconds(arguments.seconds.unwrap_or(1.0)),
    };
    let code = arguments.engine_code.available()?;
    let width = arguments.lanes.map_or(Width::Auto, Width::from);
    Ok(Plan { code, width, ..Plan::new(amount, arguments.max_steps, session) })
}

/// A game that cannot be grounded is still played: by the interpreter, with the reason said.
fn play(
    game: &Game,
    kind: EngineKind,
    plan: &Plan,
    session: &mut Session,
) -> Result<Report, StageError> {
    let reason = match simulate(game, kind, plan) {
        Err(error @ (StageError::Ground(_) | StageError::Net(_) | StageError::Circuit(_)))
            if session.watch.met().is_none() =>
        {
            error.to_string()
        }
        other => return other,
    };
    session.warn(&format!("played by the interpreter, because: {reason}"));
    let report = simulate(game, EngineKind::Reference, plan)?;
    Ok(Report { fallback: Some(reason), ..report })
}

fn print(report: &Report, session: &mut Session) -> anyhow::Result<()> {
    let out = &mut session.out;
    writeln!(
        out,
        "{} games, {} steps in {:.3} s on the {} engine ({}{} at a time, {})",
        grouped(report.playouts),
        grouped(report.steps),
        report.seconds,
        report.engine,
        report.code.map_or(String::new(), |code| format!("{code}, ")),
        report.lanes,
        counted(report.threads, "thread")
    )?;
    let (games, steps) = (report.playouts_per_second as u64, report.steps_per_second as u64);
    writeln!(out, "{} games/s, {} steps/s", grouped(games), grouped(steps))?;
    writeln!(out, "mean length {:.3}", report.mean_length)?;
    for (role, goal) in &report.mean_goals {
        let goal = goal.map_or("none".to_string(), |goal| format!("{goal:.2}"));
        writeln!(out, "mean goal of {role}: {goal}")?;
    }
    let faults = [
        (report.stuck, "games got stuck: a role had no legal move"),
        (report.capped, "games were cut off (see --max-steps)"),
        (report.undefined_goals, "games ended without exactly one goal value for each role"),
    ];
    for (count, what) in faults.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(out, "{count} {what}")?;
    }
    Ok(())
}
