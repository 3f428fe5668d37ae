//! `gambol net`: the propositional net and its pictures.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
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
    let game = load(&arguments.game, session)?;
    let working = Working::on("grounding", session);
    super::stage(game.ground().map_err(Into::into))?;
    working.now("building the net");
    let started = Instant::now();
    let net = super::stage(game.net())?;
    let seconds = started.elapsed().as_secs_f64();
    drop(working);
    let report = Report::of(&Statistics::of(net), seconds);
    if let Some(path) = &arguments.dot {
        write_picture(path, &net::dot(net))?;
    }
    if let Some(path) = &arguments.svg {
        write_picture(path, &net::svg(net))?;
    }
    if session.flags.json {
        session.json(&report)?;
    } else {
        print(&report, session)?;
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

/// Writes a picture to a file.
pub(crate) fn write_picture(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
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
