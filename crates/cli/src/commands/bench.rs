//! `gambol bench`: our own speed on bundled games, with the answers asserted.
//!
//! Seconds are those that a thread had of a processor: on a busy machine the clock on the wall says
//! little. Ways to run the gates are compared in short slices, one after the other again and again, so
//! that each sees the same machine; the best slice of each counts.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use gambol::{EngineKind, bundled_games};
use serde::{Deserialize, Serialize};

use crate::bench::calibration::{Calibration, connect_four_8x6, tic_tac_toe};
use crate::bench::sample::suspicion;
use crate::bench::ways::{Speed, Way, in_turn};
use crate::flags::{CodeFlag, positive_seconds};
use crate::game_source::load;
use crate::numbers::{counted, grouped};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::simulation::{Amount, Plan, play};

/// What to measure.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// These: files or bundled games [default: three games, each in every way, in ten seconds]
    #[arg(value_name = "GAME")]
    games: Vec<String>,
    /// All bundled games
    #[arg(long, conflicts_with = "games")]
    all: bool,
    /// Seconds to measure each game in each way [default: 0.5, or 0.25 if no game is named]
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    seconds: Option<f64>,
    /// How the circuit engine runs its gates
    #[arg(long, value_name = "CODE", default_value = "auto", conflicts_with = "compare")]
    engine_code: CodeFlag,
    /// Compare all ways to run the gates that this processor has, each for this long in turn
    #[arg(long)]
    compare: bool,
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

/// One game, run in one way.
#[derive(Serialize, Deserialize, Debug)]
struct Row {
    name: String,
    /// What ran the gates.
    #[serde(default)]
    code: String,
    #[serde(default)]
    lanes: usize,
    playouts_per_second: f64,
    steps_per_second: f64,
    /// Per thread, as a multiple of the tic-tac-toe loop.
    ratio: f64,
    /// As a multiple of the table with 256 lanes, slice by slice: the median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of_table: Option<f64>,
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
/// What tells about a processor: a small game, one whose gates take the time, one of many moves.
const TELLING: [&str; 3] = ["tic-tac-toe", "connect-four", "breakthrough"];

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    session.will_write(arguments.save.as_deref())?;
    let earlier = arguments.against.as_deref().map(read_table).transpose()?;
    session.watch.know("games measured", 0);
    let ways = ways(arguments)?;
    let default = if says_nothing(arguments) { 0.25 } else { 0.5 };
    let seconds = arguments.seconds.unwrap_or(default);
    let time = Duration::from_secs_f64(seconds);
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
    for name in names(arguments) {
        if session.watch.met().is_some() {
            break;
        }
        for mut row in measure(&name, &ways, seconds, &small, session)? {
            row.change = earlier.as_ref().and_then(|earlier| change(earlier, &row));
            if !session.flags.json {
                print(&row, session)?;
            }
            table.games.push(row);
        }
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
    if arguments.all {
        return bundled_games().iter().map(|game| game.name().to_string()).collect();
    }
    if arguments.games.is_empty() {
        return TELLING.map(str::to_string).to_vec();
    }
    arguments.games.clone()
}

fn says_nothing(arguments: &Arguments) -> bool {
    arguments.games.is_empty() && !arguments.all
}

/// Without anything said, a user wants to know what the processor gives.
fn ways(arguments: &Arguments) -> anyhow::Result<Vec<Way>> {
    let code = arguments.engine_code.available()?;
    let compares =
        arguments.compare || says_nothing(arguments) && arguments.engine_code == CodeFlag::Auto;
    Ok(if compares { Way::all() } else { vec![Way::of(code)] })
}

fn read_table(path: &Path) -> anyhow::Result<Table> {
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    serde_json::from_str(&text).with_context(|| format!("{shown} is not a table of ours"))
}

fn measure(
    name: &str,
    ways: &[Way],
    seconds: f64,
    calibration: &Calibration,
    session: &mut Session,
) -> anyhow::Result<Vec<Row>> {
    let game = load(name, session)?;
    let plan = Plan::new(Amount::Seconds(seconds), MAX_STEPS, session);
    let speeds = super::stage(in_turn(&game, ways, &plan, seconds))?;
    let judge = super::stage(play(&game, EngineKind::Reference, &judging(&plan)))?;
    let row = |speed: Speed| Row {
        name: title(name),
        code: speed.code.to_string(),
        lanes: speed.lanes,
        playouts_per_second: speed.playouts_per_second,
        steps_per_second: speed.steps_per_second,
        ratio: speed.playouts_per_second / speed.threads as f64 / calibration.playouts_per_second,
        of_table: (ways.len() > 1).then_some(speed.of_first),
        mean_length: speed.tally.mean_length(),
        fault: suspicion(&speed.tally, &judge),
        change: None,
    };
    Ok(speeds.into_iter().map(row).collect())
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
    let is_same = |before: &&Row| {
        (&before.name, &before.code, before.lanes) == (&row.name, &row.code, row.lanes)
    };
    let by_name = |before: &&Row| before.name == row.name && before.code.is_empty();
    let mut games = earlier.games.iter();
    let before = games.clone().find(is_same).or_else(|| games.find(by_name))?;
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
        "\n{:<32} {:<12} {:>5} {:>14} {:>14} {:>8} {:>8}  answers",
        format!("game ({})", counted(threads, "thread")),
        "run by",
        "lanes",
        "games/s",
        "steps/s",
        "by hand",
        "length"
    )?;
    Ok(())
}

fn print(row: &Row, session: &mut Session) -> anyhow::Result<()> {
    let answers = row.fault.as_deref().unwrap_or("right");
    let of_table =
        row.of_table.map_or(String::new(), |times| format!(", {times:.2} times the table"));
    let change =
        row.change.map_or(String::new(), |change| format!(", {change:.2} times as before"));
    writeln!(
        session.out,
        "{:<32} {:<12} {:>5} {:>14} {:>14} {:>8.3} {:>8.2}  {answers}{of_table}{change}",
        row.name,
        row.code,
        row.lanes,
        grouped(row.playouts_per_second as u64),
        grouped(row.steps_per_second as u64),
        row.ratio,
        row.mean_length
    )?;
    Ok(())
}
