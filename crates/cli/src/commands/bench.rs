//! `gambol bench`: our own speed on the bundled games, with the answers asserted.
//!
//! Seconds are those that a thread had of a processor: on a busy machine the clock on the wall says
//! little.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use gambol::{EngineKind, bundled_games};
use serde::{Deserialize, Serialize};

use crate::arguments::positive_seconds;
use crate::bench::calibration::{Calibration, connect_four_8x6, tic_tac_toe};
use crate::bench::sample::suspicion;
use crate::game_source::load;
use crate::numbers::{counted, grouped};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::simulation::{Amount, Plan, play};

/// What to measure.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Only these: files or bundled games [default: all bundled games]
    #[arg(value_name = "GAME")]
    games: Vec<String>,
    /// Measure each game for so long
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = positive_seconds)]
    seconds: f64,
    /// Keep the table as JSON
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Compare with a table kept earlier
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

/// The whole table.
#[derive(Serialize, Deserialize, Debug)]
struct Table {
    /// Games per second of the hand-written tic-tac-toe loop, one thread.
    calibration_tic_tac_toe: f64,
    /// Games per second of the hand-written connect four loop, one thread.
    calibration_connect_four: f64,
    threads: usize,
    games: Vec<Row>,
}

/// One game.
#[derive(Serialize, Deserialize, Debug)]
struct Row {
    name: String,
    playouts_per_second: f64,
    steps_per_second: f64,
    /// Per thread, as a multiple of the tic-tac-toe loop.
    ratio: f64,
    mean_length: f64,
    /// What is wrong with the answers, if anything.
    fault: Option<String>,
    /// The ratio as a multiple of the one in `--against`.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<f64>,
}

const MAX_STEPS: u32 = 1_000;
const JUDGED_GAMES: u64 = 2_000;
const JUDGE_SECONDS: f64 = 0.5;

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    session.will_write(arguments.save.as_deref())?;
    let names = names(arguments);
    let earlier = arguments.against.as_deref().map(read_table).transpose()?;
    session.watch.know("games measured", 0);
    let time = Duration::from_secs_f64(arguments.seconds);
    let (small, large) =
        (tic_tac_toe(time, session.flags.seed), connect_four_8x6(time, session.flags.seed));
    if !session.flags.json {
        heading(&small, &large, session)?;
    }
    let mut table = Table {
        calibration_tic_tac_toe: small.playouts_per_second,
        calibration_connect_four: large.playouts_per_second,
        threads: session.threads(),
        games: Vec::new(),
    };
    for name in names {
        if session.watch.met().is_some() {
            break;
        }
        let mut row = measure(&name, arguments, &small, session)?;
        row.change = earlier.as_ref().and_then(|earlier| change(earlier, &row));
        if !session.flags.json {
            print(&row, session)?;
        }
        table.games.push(row);
        session.watch.know("games measured", table.games.len());
    }
    if session.flags.json {
        session.json(&table)?;
    }
    if let Some(path) = &arguments.save {
        session.write_beside(path, &serde_json::to_vec_pretty(&table)?);
    }
    Ok(session.outcome(table.games.iter().all(|row| row.fault.is_none())))
}

fn names(arguments: &Arguments) -> Vec<String> {
    if arguments.games.is_empty() {
        return bundled_games().iter().map(|game| game.name().to_string()).collect();
    }
    arguments.games.clone()
}

fn read_table(path: &Path) -> anyhow::Result<Table> {
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    serde_json::from_str(&text).with_context(|| format!("{shown} is not a table of ours"))
}

fn measure(
    name: &str,
    arguments: &Arguments,
    calibration: &Calibration,
    session: &mut Session,
) -> anyhow::Result<Row> {
    let game = load(name, session)?;
    let plan = Plan {
        amount: Amount::Seconds(arguments.seconds),
        seed: session.flags.seed,
        threads: session.threads(),
        max_steps: MAX_STEPS,
        stop: session.watch.flag(),
    };
    let ours = super::stage(play(&game, EngineKind::Circuit, &plan))?;
    let judge = super::stage(play(&game, EngineKind::Reference, &judging(&plan)))?;
    let seconds = ours.processor_seconds.max(1e-9);
    let playouts_per_second = ours.outcomes.playouts as f64 / seconds;
    let per_thread = playouts_per_second / ours.threads as f64;
    Ok(Row {
        name: title(name),
        playouts_per_second,
        steps_per_second: ours.outcomes.steps as f64 / seconds,
        ratio: per_thread / calibration.playouts_per_second,
        mean_length: ours.outcomes.mean_length(),
        fault: suspicion(&ours.outcomes, &judge.outcomes),
        change: None,
    })
}

/// A file goes by its name without folder and ending.
fn title(name: &str) -> String {
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str());
    stem.unwrap_or(name).to_string()
}

/// The interpreter plays a bounded number of games, and always the same ones where time allows.
fn judging(plan: &Plan) -> Plan {
    Plan {
        amount: Amount::Either(JUDGED_GAMES, JUDGE_SECONDS),
        seed: plan.seed.wrapping_add(1),
        ..plan.clone()
    }
}

fn change(earlier: &Table, row: &Row) -> Option<f64> {
    let before = earlier.games.iter().find(|before| before.name == row.name)?;
    Some(row.ratio / before.ratio)
}

fn heading(small: &Calibration, large: &Calibration, session: &mut Session) -> anyhow::Result<()> {
    for (game, run) in [("tic-tac-toe", small), ("connect four 8x6", large)] {
        writeln!(
            session.out,
            "{game} by hand, one thread: {} games/s, {:.2} moves, first wins {:.1} %",
            grouped(run.playouts_per_second as u64),
            run.mean_length,
            run.first_wins * 100.0
        )?;
    }
    let threads = session.threads();
    writeln!(
        session.out,
        "\n{:<32} {:>14} {:>14} {:>8} {:>8}  answers",
        format!("game ({})", counted(threads, "thread")),
        "games/s",
        "steps/s",
        "by hand",
        "length"
    )?;
    Ok(())
}

fn print(row: &Row, session: &mut Session) -> anyhow::Result<()> {
    let answers = row.fault.as_deref().unwrap_or("right");
    let change =
        row.change.map_or(String::new(), |change| format!(", {change:.2} times as before"));
    writeln!(
        session.out,
        "{:<32} {:>14} {:>14} {:>8.3} {:>8.2}  {answers}{change}",
        row.name,
        grouped(row.playouts_per_second as u64),
        grouped(row.steps_per_second as u64),
        row.ratio,
        row.mean_length
    )?;
    Ok(())
}
