//! `gambol solve`: what the players get when all play best, with proof.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use gambol::Game;
use gambol::ground::{FluentId, MoveId};
use gambol::net::Net;
use gambol::solve::{Bounds, Choice, Limits, Meaning, Solution, SolveOptions, solve};
use serde::Serialize;

use crate::arguments::CaseFlag;
use crate::game_source::load;
use crate::memory::peak_mib;
use crate::numbers::{counted, grouped};
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// What to solve, and how.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// Solve from this state on, given by its fluents
    #[arg(long, value_name = "TERMS")]
    at: Option<String>,
    /// Which way to solve
    #[arg(long, default_value = "auto")]
    method: MethodFlag,
    /// Search the game as a whole even if it falls into parts
    #[arg(long)]
    no_factoring: bool,
    /// Do not leave out states that are proved to be of no use
    #[arg(long)]
    no_pruning: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum MethodFlag {
    /// Whatever fits the game.
    Auto,
    /// List all states.
    Listing,
    /// Search from the start.
    Search,
    /// Proof-number search.
    ProofNumber,
    /// Solve the parts and compose the answers.
    Factored,
    /// By satisfiability.
    Symbolic,
}

impl From<MethodFlag> for Choice {
    fn from(flag: MethodFlag) -> Self {
        match flag {
            MethodFlag::Auto | MethodFlag::Factored => Choice::Auto,
            MethodFlag::Listing => Choice::Listing,
            MethodFlag::Search => Choice::Search,
            MethodFlag::ProofNumber => Choice::ProofNumber,
            MethodFlag::Symbolic => Choice::Satisfiability,
        }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    value: BTreeMap<&'a str, Option<f64>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fractions: BTreeMap<&'a str, String>,
    bounds: BTreeMap<&'a str, [f64; 2]>,
    meaning: &'static str,
    line: Vec<Vec<&'a str>>,
    optimal: bool,
    shortest: bool,
    method: &'static str,
    nodes: u64,
    states: u64,
    seconds: f64,
    peak_mib: f64,
    basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<String>,
    notes: &'a [String],
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let game = load(&arguments.game, session)?;
    let net = super::stage(game.net())?;
    let circuit = super::stage(game.circuit())?;
    let options = options(arguments, &game, session)?;
    let solution = solve(net, circuit, &options)?;
    let report = Report::of(net, &solution, started);
    if session.flags.json {
        session.json(&report)?;
    } else {
        print(net, &solution, &report, session)?;
    }
    match &solution.unfinished {
        Some(unfinished) if session.watch.met().is_none() => {
            session.complain(&unfinished.to_string());
            Ok(Outcome::Partial)
        }
        _ => Ok(session.outcome(true)),
    }
}

fn options(arguments: &Arguments, game: &Game, session: &Session) -> anyhow::Result<SolveOptions> {
    let mut options = SolveOptions::default();
    options.at = arguments.at.as_deref().map(|text| state(text, game, session)).transpose()?;
    options.choice = arguments.method.into();
    options.pruning = !arguments.no_pruning;
    options.seed = session.flags.seed;
    let default = Limits::default();
    // A little of the time is kept back, to write the answer in.
    let keep =
        |left: Duration| left.saturating_sub(Duration::from_millis(200)).max(left.mul_f64(0.8));
    options.limits = Limits {
        time: session.watch.time_left().map(keep),
        memory_mib: session.flags.memory.map_or(default.memory_mib, |limit| limit * 3 / 4),
        stop: Some(session.watch.flag()),
    };
    Ok(options)
}

/// The fluents of a state given as text.
fn state(text: &str, game: &Game, session: &Session) -> anyhow::Result<Vec<FluentId>> {
    let net = super::stage(game.net())?;
    let terms = gambol::terms(text, &session.read_options(CaseFlag::Exact))
        .map_err(|error| anyhow!(Stop::Usage(error.to_string())))?;
    let number = |term: &String| {
        let found = net.fluents.ids().find(|&fluent| *net.fluents[fluent] == **term);
        found.with_context(|| format!("{term} is not a fluent of this game"))
    };
    terms.iter().map(number).collect()
}

impl<'a> Report<'a> {
    fn of(net: &'a Net, solution: &'a Solution, started: Instant) -> Self {
        let by_role = || net.roles.iter().map(|role| &**role).zip(&solution.values);
        let exact = solution.is_exact();
        let number = |bounds: &Bounds| bounds.value().map(|value| value.as_f64());
        let broken = by_role().filter_map(|(role, bounds)| {
            let value = bounds.value().filter(|value| value.whole().is_none())?;
            Some((role, value.to_string()))
        });
        Self {
            value: by_role().map(|(role, bounds)| (role, number(bounds))).collect(),
            fractions: broken.collect(),
            bounds: by_role()
                .map(|(role, bounds)| (role, [bounds.least.as_f64(), bounds.most.as_f64()]))
                .collect(),
            meaning: meaning(solution.meaning),
            line: solution.line.iter().map(|joint| names(net, joint)).collect(),
            optimal: exact,
            shortest: solution.shortest,
            method: solution.method.as_str(),
            nodes: solution.nodes,
            states: solution.states,
            seconds: started.elapsed().as_secs_f64(),
            peak_mib: peak_mib(),
            basis: "proved",
            unfinished: solution.unfinished.map(|reason| reason.to_string()),
            notes: &solution.notes,
        }
    }
}

fn meaning(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Best => "best",
        Meaning::Opposed => "opposed",
        Meaning::Equilibrium { unique: true } => "equilibrium",
        Meaning::Equilibrium { unique: false } => "one-equilibrium",
        Meaning::Secured => "secured",
    }
}

fn in_words(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Best => "the best that can be reached",
        Meaning::Opposed => "each player can secure this and no more",
        Meaning::Equilibrium { unique: true } => "each player plays for its own goal",
        Meaning::Equilibrium { unique: false } => {
            "each player plays for its own goal; ties can be broken otherwise, with other values"
        }
        Meaning::Secured => "each player can secure this whatever the others do",
    }
}

fn names<'a>(net: &'a Net, joint: &[MoveId]) -> Vec<&'a str> {
    joint.iter().map(|&action| &*net.moves[action].name).collect()
}

fn print(
    net: &Net,
    solution: &Solution,
    report: &Report<'_>,
    session: &mut Session,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    for (role, bounds) in net.roles.iter().zip(&solution.values) {
        match bounds.value() {
            Some(value) => writeln!(out, "{role}: {value}")?,
            None => writeln!(out, "{role}: between {} and {}", bounds.least, bounds.most)?,
        }
    }
    if solution.is_exact() {
        writeln!(out, "({}; proved)", in_words(solution.meaning))?;
    }
    for (step, joint) in report.line.iter().enumerate() {
        writeln!(out, "{:>4}. {}", step + 1, joint.join(" "))?;
    }
    for note in &solution.notes {
        writeln!(out, "{note}")?;
    }
    let shortest = if solution.shortest { ", no shorter way is as good" } else { "" };
    writeln!(
        out,
        "{} by {}: {}, {} stored, {:.3} s{shortest}",
        if solution.is_exact() { "solved" } else { "not solved" },
        report.method,
        counted(report.nodes as usize, "node"),
        grouped(report.states),
        report.seconds
    )?;
    Ok(())
}
