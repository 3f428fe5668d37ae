//! `gambol net`: the propositional net and its pictures.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use gambol::net::{self, Statistics};
use serde::Serialize;

use crate::game_source::load;
use crate::outcome::Outcome;
use crate::progress::Working;
use crate::session::Session;

/// Which net, and where to draw it.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// Write the net as Graphviz text
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Write the net as a picture: gate by gate if it is small, else by relation
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    propositions: usize,
    gates: Gates,
    transitions: usize,
    circuit_gates: usize,
    depth: usize,
    seconds: f64,
}

#[derive(Serialize)]
struct Gates {
    and: usize,
    or: usize,
    not: usize,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let pictures = [&arguments.dot, &arguments.svg];
    session.will_write(pictures.into_iter().flatten().map(PathBuf::as_path))?;
    let game = load(&arguments.game, session)?;
    let working = Working::on("grounding", session);
    super::stage(game.ground().map_err(Into::into))?;
    working.now("building the net");
    let started = Instant::now();
    let net = super::stage(game.net())?;
    let seconds = started.elapsed().as_secs_f64();
    drop(working);
    let report = Report::of(&Statistics::of(net), seconds);
    if session.flags.json {
        session.json(&report)?;
    } else {
        print(&report, session)?;
    }
    if let Some(path) = &arguments.dot {
        session.write_beside(path, net::dot(net).as_bytes());
    }
    if let Some(path) = &arguments.svg {
        session.write_beside(path, net::svg(net).as_bytes());
    }
    Ok(session.outcome(true))
}

impl Report {
    fn of(net: &Statistics, seconds: f64) -> Self {
        Self {
            propositions: net.propositions,
            gates: Gates { and: net.and_gates, or: net.or_gates, not: net.inverters },
            transitions: net.transitions,
            circuit_gates: net.circuit_gates,
            depth: net.depth,
            seconds,
        }
    }
}

fn print(report: &Report, session: &mut Session) -> anyhow::Result<()> {
    let out = &mut session.out;
    let Gates { and, or, not } = report.gates;
    writeln!(out, "propositions  {}", report.propositions)?;
    writeln!(out, "gates         {and} and, {or} or, {not} not")?;
    writeln!(out, "transitions   {}", report.transitions)?;
    writeln!(out, "as two-input gates {}, depth {}", report.circuit_gates, report.depth)?;
    writeln!(out, "{:.3} s", report.seconds)?;
    Ok(())
}
