//! `gambol solve`: the game-theoretic value of a game, with proof.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use gambol::Game;
use gambol::net::{Net, RoleId};
use gambol::report::{self, Number, line_in_words, value_in_words};
use gambol::sim::CompileOptions;
use gambol::solve::layers::is_chance;
use gambol::solve::{
    Choice, Limits, NoCount, Observer, Solution, SolveOptions, StrongClass, certify, count_plans,
    is_checkpoint, look_at_all, solve_observed, strong,
};
use gambol::verify::HIGHEST_GOAL;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::Value;

use super::regress::by_regression::solve_by_regression;
use super::solve_ask;
use super::solve_store::{self, StoreView};
use crate::files;
use crate::flags::{CodeFlag, positive_seconds};
use crate::game_source::load;
use crate::numbers::{counted, grouped};
use crate::outcome::{Outcome, Stop};
use crate::session::Session;
use crate::watch::Watch;
use gambol_system::peak_mib;

/// What to solve, and how.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// Solve from this state, given by its true fluents, as in "(cell 1 1 x) (control o)"
    #[arg(long, value_name = "TERMS")]
    at: Option<String>,
    /// The solver
    #[arg(long, default_value = "auto")]
    method: MethodFlag,
    /// Do not decompose: search the game as a whole
    #[arg(long)]
    no_factoring: bool,
    /// Do not prune states by proved latches and inhibitors
    #[arg(long)]
    no_pruning: bool,
    /// Strong solution: solve every reachable state, and count the states of each value
    #[arg(long, conflicts_with = "method")]
    strong: bool,
    /// Count the shortest of the best plans (one player)
    #[arg(long, conflicts_with = "strong")]
    count: bool,
    /// Ask whether there is only one such plan: exit code 0 if so, 1 if not
    #[arg(long, conflicts_with = "strong")]
    unique: bool,
    /// Write a certificate: a strategy that `gambol verify` checks
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Save the progress in this file, and go on from it if it exists (search and listing)
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// With --strong: keep every state and its value in this folder, and go on from what is there. Without: look up
    /// the start, or the state that --at names
    #[arg(long, value_name = "DIR", conflicts_with_all = ["method", "certificate", "checkpoint", "count", "unique"])]
    store: Option<PathBuf>,
    /// A new store keeps one of the states that are symmetric to one another, by a symmetry that fixes the start
    #[arg(long, requires_all = ["strong", "store"])]
    symmetry: bool,
    /// The processes that fill the store together, host:port in each line. For closed networks only
    #[arg(long, value_name = "FILE", requires_all = ["store", "strong", "process"])]
    hosts: Option<PathBuf>,
    /// Which line of the list this process is, counted from 0
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
    /// How circuits run their gates; the answer and its nodes are the same
    #[arg(long, value_name = "CODE", default_value = "auto")]
    engine_code: CodeFlag,
    /// Seconds between checkpoints; writing them takes at most a twentieth of the time
    #[arg(long, value_name = "S", default_value = "1", requires = "checkpoint", value_parser = positive_seconds)]
    checkpoint_every: f64,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum MethodFlag {
    /// Choose by the game.
    Auto,
    /// Enumerate all states, then retrograde analysis.
    Listing,
    /// Alpha-beta with a transposition table (two players), breadth-first search (one player).
    Search,
    /// Proof-number search (two players, alternating moves).
    ProofNumber,
    /// Solve the subgames and compose their values (sums, Grundy values, canonical forms).
    Factored,
    /// Solve phase by phase, the last one first (games with crossing points).
    Phases,
    /// Bounded planning by satisfiability (one player).
    Symbolic,
    /// Goal regression to a policy for all states.
    Regression,
}

impl From<MethodFlag> for Choice {
    fn from(flag: MethodFlag) -> Self {
        match flag {
            MethodFlag::Auto => Choice::Auto,
            MethodFlag::Listing => Choice::Listing,
            MethodFlag::Search => Choice::Search,
            MethodFlag::ProofNumber => Choice::ProofNumber,
            MethodFlag::Factored => Choice::Factored,
            MethodFlag::Phases => Choice::Phased,
            MethodFlag::Symbolic => Choice::Satisfiability,
            // Regression stands beside the solvers and is asked for before them.
            MethodFlag::Regression => Choice::Auto,
        }
    }
}

/// What is found, what it cost, and what became of the certificate.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    solution: report::Solution<'a>,
    seconds: f64,
    peak_mib: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
    /// Why there is none though one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_certificate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strong: Option<Vec<StrongView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<StoreView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plans: Option<report::BestPlans>,
}

/// The role that moves at random, as in the language.
const CHANCE: &str = "random";

/// How many states are worth the same.
#[derive(Serialize)]
pub(super) struct StrongView<'a> {
    value: BTreeMap<&'a str, Option<Number>>,
    /// Whether the values are rounded to whole numbers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    about: bool,
    pub(super) states: u64,
}

pub(super) fn strong_views<'a>(
    roles: impl Iterator<Item = &'a str> + Clone,
    classes: &[StrongClass],
) -> Vec<StrongView<'a>> {
    let view = |class: &StrongClass| {
        let values = class.values.iter().map(|value| value.map(Number::from));
        let value = roles.clone().zip(values).collect();
        StrongView { value, about: class.about, states: class.states }
    };
    classes.iter().map(view).collect()
}

impl StrongView<'_> {
    /// What the states are worth, in words.
    pub(super) fn worth(&self) -> String {
        // What chance gets is nobody's interest.
        let players = self.value.iter().filter(|(role, _)| **role != CHANCE);
        let worth = players.map(|(role, value)| match value {
            Some(value) if self.about => format!("{role} about {value}"),
            Some(value) => format!("{role} {value}"),
            None => format!("{role} one thing or another, within bounds"),
        });
        worth.collect::<Vec<_>>().join(", ")
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    session.will_write(
        arguments.certificate.as_deref().into_iter().chain(arguments.checkpoint.as_deref()),
    )?;
    let mut compile = CompileOptions::default();
    compile.code = arguments.engine_code.available()?;
    let game = load(&arguments.game, session)?.with_compile_options(compile);
    let net = super::net_of(&game, session)?;
    if (arguments.count || arguments.unique) && net.roles.len() != 1 {
        return Err(Stop::Usage(NoCount::NotAPuzzle(net.roles.len()).to_string()).into());
    }
    session.watch.know("bounds", widest_bounds(net));
    let circuit = super::stage(game.circuit())?;
    let options = options(arguments, &game, session)?;
    if let Some(folder) = &arguments.store {
        if !arguments.strong {
            return solve_ask::run(folder, &game, &options, session);
        }
        let hosts = arguments.hosts.as_deref().zip(arguments.process);
        let place = solve_store::Place { folder, hosts };
        let (solution, classes, view) = solve_store::run(&place, &game, &options, session)?;
        let mut report = Report::of(net, &solution, started);
        report.strong = Some(strong_views(net.roles.iter().map(|role| &**role), &classes));
        report.store = Some(view);
        return told(net, &solution, &report, session);
    }
    let resume = resume(arguments, session)?;
    let seen = match arguments.strong && arguments.method == MethodFlag::Auto {
        true => look_at_all(net, circuit, &options)?,
        false => None,
    };
    let (classes, value) = seen.map_or((None, None), |(classes, value)| (Some(classes), value));
    let solution = if let Some(value) = value {
        value
    } else if arguments.method == MethodFlag::Regression {
        if options.at.is_some() {
            bail!("regression starts from the goals; --at is for the other methods");
        }
        solve_by_regression(&arguments.game, &game, session)?
    } else {
        let mut observer = Watcher::new(arguments, session);
        let solution = solve_observed(net, circuit, &options, resume.as_deref(), &mut observer)?;
        let (kept, failed) = (observer.kept, observer.failed.take());
        drop(observer);
        if let (Some(path), Some(error)) = (&arguments.checkpoint, failed) {
            session.not_written(&path.display().to_string(), &error);
        } else if arguments.checkpoint.is_some() && solution.unfinished.is_some() && !kept {
            session.warn(
                "no checkpoint was written: it was too early for one, or the method that was \
                 chosen keeps none",
            );
        }
        solution
    };
    let mut report = Report::of(net, &solution, started);
    know_solution(&report.solution, session)?;
    if arguments.strong {
        match classes.map_or_else(|| strong(net, circuit, &options), |classes| Ok(Ok(classes))) {
            Ok(Ok(classes)) => {
                report.strong = Some(strong_views(net.roles.iter().map(|role| &**role), &classes));
            }
            // The value is worth telling all the same.
            Ok(Err(unfinished)) => report.unfinished = Some(unfinished.to_string()),
            Err(error) => session.fall_short(&format!("no strong solution: {error}")),
        }
    }
    if arguments.count || arguments.unique {
        match count_plans(net, circuit, &options, &solution) {
            Ok(plans) => report.plans = Some(report::BestPlans::of(&plans)),
            // The value is worth telling all the same.
            Err(NoCount::Unfinished(unfinished)) => {
                report.unfinished = Some(unfinished.to_string());
            }
            Err(NoCount::NoValue) if report.unfinished.is_some() => {}
            Err(error) => session.fall_short(&error.to_string()),
        }
    }
    if !session.flags.json {
        print(net, &solution, &report, session)?;
    }
    if let Some(path) = &arguments.certificate {
        match certify(net, circuit, &options, &solution) {
            Ok(certificate) => {
                let written = session.write_beside(path, &serde_json::to_vec(&certificate)?);
                report.certificate = written.then(|| path.display().to_string());
            }
            // The value is worth telling all the same.
            Err(reason) => report.no_certificate = Some(reason.to_string()),
        }
    }
    if session.flags.json {
        session.json(&report)?;
    }
    if let Some(reason) = &report.no_certificate {
        session.complain(&format!("no certificate: {reason}"));
    }
    let certified = report.no_certificate.is_none();
    let answer = !arguments.unique || report.plans.as_ref().is_some_and(|plans| plans.unique);
    if let Some(path) = arguments.checkpoint.as_deref().filter(|_| solution.unfinished.is_none()) {
        remove_checkpoint(path, session)?;
    }
    match &report.unfinished {
        Some(unfinished) if session.watch.met().is_none() => {
            session.complain(unfinished);
            Ok(Outcome::Partial)
        }
        _ => Ok(session.outcome(certified && answer)),
    }
}

/// Tells what a store has come to.
fn told(
    net: &Net,
    solution: &Solution,
    report: &Report<'_>,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    if session.flags.json {
        session.json(report)?;
    } else {
        print(net, solution, report, session)?;
    }
    match &report.unfinished {
        Some(unfinished) => {
            session.complain(unfinished);
            Ok(Outcome::Partial)
        }
        None => Ok(session.outcome(true)),
    }
}

fn options(arguments: &Arguments, game: &Game, session: &Session) -> anyhow::Result<SolveOptions> {
    let mut options = SolveOptions::default();
    options.at = arguments.at.as_deref().map(|text| super::state(text, game)).transpose()?;
    options.choice = arguments.method.into();
    options.pruning = !arguments.no_pruning;
    options.factoring = !arguments.no_factoring;
    // A store is told what to keep; in memory symmetries are used where there are any.
    options.symmetry = arguments.symmetry || arguments.store.is_none();
    options.seed = session.flags.seed;
    options.threads = session.threads();
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

/// What is found, in case that a strong solution or a certificate meets a limit that cannot wait.
fn know_solution(solution: &report::Solution<'_>, session: &Session) -> anyhow::Result<()> {
    if let Value::Object(parts) = serde_json::to_value(solution)? {
        parts.into_iter().for_each(|(what, value)| session.watch.know(&what, value));
    }
    Ok(())
}

/// What each role gets lies between nothing and the highest goal that the rules name; an end without a goal counts as
/// anything up to [`HIGHEST_GOAL`].
fn widest_bounds(net: &Net) -> Value {
    let most = |role: RoleId| {
        let goals = net.goals.iter().filter(|goal| goal.role == role);
        goals.map(|goal| goal.value).chain([HIGHEST_GOAL]).max().unwrap_or(HIGHEST_GOAL)
    };
    let bounds =
        net.roles.ids().map(|role| (net.roles[role].to_string(), vec![0, most(role)].into()));
    Value::Object(bounds.collect())
}

/// The checkpoint to go on from, if there is one.
fn resume(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(path) = &arguments.checkpoint else { return Ok(None) };
    let keeps = [MethodFlag::Auto, MethodFlag::Listing, MethodFlag::Search];
    if !keeps.contains(&arguments.method) || arguments.strong {
        let message = "--checkpoint is for auto, search and listing: the other methods, and \
                       --strong, keep none";
        return Err(anyhow!(Stop::Usage(message.to_string())));
    }
    session.hold(path)?;
    let bytes = read_if_there(path)?;
    if bytes.as_ref().is_some_and(|bytes| !is_checkpoint(bytes)) {
        // A file of another kind would be lost when the game is solved.
        bail!("{} is not a checkpoint of gambol solve; it was left alone", path.display());
    }
    Ok(bytes)
}

/// A file's contents, unless there is none.
fn read_if_there(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Shows progress on a terminal, and keeps checkpoints.
struct Watcher<'a> {
    bar: Option<ProgressBar>,
    watch: Watch,
    checkpoint: Option<&'a Path>,
    every: Duration,
    /// Whether a checkpoint was written.
    kept: bool,
    failed: Option<std::io::Error>,
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl<'a> Watcher<'a> {
    fn new(arguments: &'a Arguments, session: &Session) -> Self {
        let bar = session.shows_progress().then(ProgressBar::new_spinner);
        let checkpoint = arguments.checkpoint.as_deref();
        let every = Duration::from_secs_f64(arguments.checkpoint_every);
        Self { bar, watch: session.watch.clone(), checkpoint, every, kept: false, failed: None }
    }
}

/// A solved game whose value has been told needs no checkpoint any more.
fn remove_checkpoint(path: &Path, session: &mut Session) -> anyhow::Result<()> {
    session.out.flush()?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            session.not_written(&path.display().to_string(), &error);
            Ok(())
        }
        _ => Ok(()),
    }
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, nodes: u64, stage: &str) {
        self.watch.know("nodes", nodes);
        self.watch.know("stage", stage);
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{stage}: {} nodes", grouped(nodes)));
            bar.tick();
        }
    }

    fn checkpoint(&mut self, bytes: &[u8]) {
        let Some(path) = self.checkpoint else { return };
        // What was written last is what there is to go on from.
        match files::replace(path, bytes) {
            Ok(()) => (self.kept, self.failed) = (true, None),
            Err(error) => self.failed = Some(error),
        }
    }

    fn wants_checkpoints(&self) -> bool {
        self.checkpoint.is_some()
    }

    fn checkpoint_pause(&self) -> Duration {
        self.every
    }
}

impl<'a> Report<'a> {
    fn of(net: &'a Net, solution: &'a Solution, started: Instant) -> Self {
        Self {
            solution: report::Solution::of(net, solution),
            seconds: started.elapsed().as_secs_f64(),
            peak_mib: peak_mib(),
            certificate: None,
            no_certificate: None,
            unfinished: solution.unfinished.map(|reason| reason.to_string()),
            strong: None,
            store: None,
            plans: None,
        }
    }
}

fn print(
    net: &Net,
    solution: &Solution,
    report: &Report<'_>,
    session: &mut Session,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    // What chance gets is nobody's interest.
    let roles = net.roles.iter().zip(&solution.values).enumerate();
    for (_, (role, bounds)) in roles.filter(|&(role, _)| !is_chance(net, role)) {
        writeln!(out, "{role}: {}", value_in_words(bounds))?;
    }
    if solution.is_settled() {
        writeln!(out, "({}; proved)", solution.meaning.in_words())?;
    }
    for (step, joint) in line_in_words(net, solution).iter().enumerate() {
        writeln!(out, "{:>4}. {joint}", step + 1)?;
    }
    for class in report.strong.iter().flatten() {
        writeln!(out, "{}: {}", counted(class.states as usize, "state"), class.worth())?;
    }
    if let Some(store) = &report.store {
        let (layers, states) =
            (counted(store.layers, "layer"), counted(store.states as usize, "state"));
        let folder = store.folder.display();
        let stored = match store.stored == store.states {
            true => String::new(),
            false => format!(", {} without their symmetric images", grouped(store.stored)),
        };
        writeln!(out, "{folder}: {layers}, {states} of {} bits{stored}", store.bits)?;
    }
    if let Some(plans) = &report.plans {
        writeln!(out, "{plans}")?;
    }
    for note in &solution.notes {
        writeln!(out, "{note}")?;
    }
    let shortest = if solution.shortest { ", no shorter way is as good" } else { "" };
    writeln!(
        out,
        "{} by {}: {}, {} stored, {:.3} s{shortest}",
        if solution.is_settled() { "solved" } else { "not solved" },
        solution.method.as_str(),
        counted(solution.nodes as usize, "node"),
        grouped(solution.states),
        report.seconds
    )?;
    Ok(())
}
