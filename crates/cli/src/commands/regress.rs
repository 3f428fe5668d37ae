//! `gambol regress`: goal regression over an automaton or a game, to a policy.

pub(crate) mod by_regression;
mod input;
mod query;
mod report;
mod watching;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};
use gambol::regress::{
    Automaton, Checkpoint, DiagramMethod, DiagramPolicy, Family, Found, Limits, Options, Policy,
    Potential, Preferences, RegressError, Value, at_least, compress, diagram_to_bytes,
    find_policy_saving, policy_to_text, read_checkpoint, regress_in_layers, regress_to_fixpoint,
    thresholds, to_text,
};

use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;
use input::{Input, read_input};
use query::{AnswerView, Question, questions};
use report::{Report, rewards};
use watching::Watching;

/// What to regress, and how.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// An automaton file, a policy file, a game, -, or a bundled automaton (NAME.autre)
    #[arg(value_name = "FILE|GAME", required_unless_present_any = ["generate", "list"])]
    input: Option<String>,
    /// How sets of states are held
    #[arg(long, default_value = "classes")]
    backend: Backend,
    /// Count distances: fastest win, slowest loss
    #[arg(long)]
    distance: bool,
    /// Use the published algorithm even for several agents, for whom it is unsound
    #[arg(long, conflicts_with = "distance")]
    published: bool,
    /// Only the value of the start
    #[arg(long)]
    start_only: bool,
    /// Ask only whether the first agent gets at least R: 1 if so, 0 if not
    #[arg(long, value_name = "R", allow_negative_numbers = true, conflicts_with = "published")]
    at_least: Option<i64>,
    /// With diagrams: all states the invariants allow, not only those met in play
    #[arg(long)]
    all_states: bool,
    /// Cover the states of each node in one piece, not in strata: the same values, other classes
    #[arg(long, conflicts_with_all = ["checkpoint", "published"])]
    undivided: bool,
    /// Write the policy to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print what the policy says about a state ("NODE v=a …", or the true terms of a game)
    #[arg(long, value_name = "STATE")]
    query: Vec<String>,
    /// Print this many rules of the policy
    #[arg(long, value_name = "N", default_value_t = 0)]
    rules: usize,
    /// Make the policy a decision list of fewer and shorter rules
    #[arg(long, conflicts_with = "distance")]
    compress: bool,
    /// Name this many conditions that rules share
    #[arg(long, value_name = "N", default_value_t = 0)]
    features: usize,
    /// Write the automaton (made from a game, say) to this file
    #[arg(long, value_name = "FILE")]
    automaton: Option<PathBuf>,
    /// Save the progress in this file, and go on from it if it exists
    #[arg(long, value_name = "FILE", conflicts_with = "published")]
    checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value_t = 10.0, requires = "checkpoint")]
    checkpoint_every: f64,
    /// Report progress as JSON lines on standard error
    #[arg(long)]
    progress: bool,
    /// Print an automaton of a family: connect W H K, place W H K, nim N…, lights W H, slide W H
    #[arg(long, value_name = "FAMILY SIZE", num_args = 2.., conflicts_with = "input")]
    generate: Option<Vec<String>>,
    /// List the bundled automata
    #[arg(long, conflicts_with_all = ["input", "generate"])]
    list: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Backend {
    /// Cubes with exclusions: rules to read.
    Classes,
    /// Decision diagrams: larger domains, no rules.
    Diagram,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    if arguments.list {
        gambol::bundled_automata().iter().try_for_each(|name| writeln!(session.out, "{name}"))?;
        return Ok(Outcome::Yes);
    }
    if let Some(words) = &arguments.generate {
        return generate(words, session);
    }
    let files = [&arguments.out, &arguments.automaton, &arguments.checkpoint];
    session.will_write(files.into_iter().flatten().map(PathBuf::as_path))?;
    let name = arguments.input.as_deref().unwrap_or("-");
    let started = Instant::now();
    match read_input(name, session)? {
        Input::Policy(policy) => {
            let questions = questions(&arguments.query, &policy.automaton, session)?;
            let report = Report::of_policy(&policy, started.elapsed());
            finish(arguments, &policy, &questions, report, session)
        }
        Input::Diagram(policy) => {
            let questions = questions(&arguments.query, &policy.automaton, session)?;
            let report = read_diagram(&policy, started.elapsed());
            finish_diagram(arguments, &policy, &questions, report, session)
        }
        Input::Automaton(automaton) => {
            let asked = arguments.at_least.map(|least| asked(&automaton, least)).transpose()?;
            solve(arguments, asked.as_ref().unwrap_or(&automaton), started, session)
        }
    }
}

/// The automaton of the question whether the first agent gets at least so much.
fn asked(automaton: &Automaton, least: i64) -> anyhow::Result<Automaton> {
    let text =
        "yes or no is asked of one agent, or of two with opposed rewards; leave out --at-least";
    thresholds(automaton).ok_or_else(|| Stop::Usage(text.to_string()))?;
    Ok(at_least(automaton, least))
}

fn generate(words: &[String], session: &mut Session) -> anyhow::Result<Outcome> {
    let usage = |text: String| anyhow::Error::from(Stop::Usage(text));
    let size =
        |word: &String| word.parse::<usize>().map_err(|_| usage(format!("{word} is not a size")));
    let sizes: Vec<usize> = words[1..].iter().map(size).collect::<Result<_, _>>()?;
    let family = Family::named(&words[0], &sizes).map_err(|error| usage(error.to_string()))?;
    write!(session.out, "{}", family.text())?;
    Ok(Outcome::Yes)
}

fn solve(
    arguments: &Arguments,
    automaton: &Automaton,
    started: Instant,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    if let Some(path) = &arguments.automaton {
        session.write_beside(path, to_text(automaton).as_bytes());
    }
    if arguments.published && automaton.agents.len() > 1 {
        session.warn(
            "the published algorithm is unsound for several agents: what follows may be wrong",
        );
    }
    let questions = questions(&arguments.query, automaton, session)?;
    match arguments.backend {
        Backend::Diagram if !arguments.published => {
            by_diagram(arguments, automaton, &questions, started, session)
        }
        _ => by_classes(arguments, automaton, &questions, started, session),
    }
}

fn limits(session: &Session) -> Limits {
    // A little is kept back, to write the answer in.
    let time = session.watch.time_left().map(|left| left.mul_f64(0.95));
    let memory_mib = session.watch.memory_limit().map(|mib| (mib * 9 / 10).max(1));
    Limits { time, memory_mib, stop: Some(session.watch.flag()) }
}

/// A limit ends a run with exit code 3, anything else with 4.
fn stop(error: RegressError) -> anyhow::Error {
    match error {
        RegressError::Halt(halt) => Stop::Limit(halt.to_string()).into(),
        other => other.into(),
    }
}

fn by_classes(
    arguments: &Arguments,
    automaton: &Automaton,
    questions: &[Question],
    started: Instant,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let options = Options {
        distances: arguments.distance,
        published: arguments.published,
        only_start: arguments.start_only,
        threads: session.threads(),
        undivided: arguments.undivided,
        limits: limits(session),
    };
    if let Some(path) = &arguments.checkpoint {
        session.hold(path)?;
    }
    let resume = arguments.checkpoint.as_deref().map(|path| resume(path, automaton, &options));
    let every = Duration::try_from_secs_f64(arguments.checkpoint_every);
    let every = every.map_err(|error| Stop::Usage(format!("--checkpoint-every: {error}")))?;
    let path = arguments.checkpoint.as_deref();
    let mut keeping = Keeping { path, every, saved: Instant::now(), failed: None };
    let mut watching = Watching::start(arguments.progress, session);
    let found = find_policy_saving(
        automaton,
        &options,
        resume.transpose()?.flatten(),
        &mut |progress| watching.look(progress),
        &mut |write| keeping.offer(write),
    );
    drop(watching);
    if let (Some(path), Some(error)) = (path, keeping.failed) {
        session.not_written(&path.display().to_string(), &error);
    }
    let Found { mut policy, regressions, halt } = found.map_err(stop)?;
    let mut incomplete = halt.map(|halt| format!("{halt}; the policy is not complete"));
    know_value(automaton, policy.start_value(), session);
    let (before, mut compressed) = ((policy.store.len(), policy.literals()), None);
    if arguments.compress && policy.complete {
        match compress(&policy, &limits(session)) {
            Ok(shorter) => (policy, compressed) = (shorter, Some(before)),
            // The longer one is right as well.
            Err(RegressError::Halt(halt)) => incomplete = Some(format!("{halt}; not compressed")),
            Err(error) => session.fall_short(&format!("not compressed: {error}")),
        }
    }
    let mut report = Report::of_policy(&policy, started.elapsed());
    report.regressions = Some(regressions);
    report.compressed_from = compressed;
    if policy.complete
        && let Some(path) = &arguments.out
    {
        report.policy = Some(path.display().to_string());
    }
    let outcome = finish(arguments, &policy, questions, report, session)?;
    match incomplete {
        Some(reason) => {
            session.complain(&reason);
            Ok(Outcome::Partial)
        }
        None => Ok(outcome),
    }
}

/// The run that is to be taken up, if there is one.
fn resume(
    path: &Path,
    automaton: &Automaton,
    options: &Options,
) -> anyhow::Result<Option<Checkpoint>> {
    if !path.is_file() {
        return Ok(None);
    }
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let checkpoint = read_checkpoint(&text, automaton, options.distances);
    Ok(Some(checkpoint.with_context(|| format!("cannot go on from {name}"))?))
}

/// Writes checkpoints now and then, whole or not at all.
struct Keeping<'a> {
    path: Option<&'a Path>,
    every: Duration,
    saved: Instant,
    /// Why the last one could not be written.
    failed: Option<std::io::Error>,
}

impl Keeping<'_> {
    fn offer(&mut self, write: &dyn Fn() -> String) {
        let Some(path) = self.path.filter(|_| self.saved.elapsed() >= self.every) else { return };
        // A checkpoint that cannot be written is no reason to stop the run.
        self.failed = files::replace(path, write().as_bytes()).err();
        self.saved = Instant::now();
    }
}

/// Prints, writes, answers.
fn finish(
    arguments: &Arguments,
    policy: &Policy,
    questions: &[Question],
    mut report: Report,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    if let Some(path) = &arguments.out {
        let written = session.write_beside(path, policy_to_text(policy).as_bytes());
        report.policy = report.policy.filter(|_| written);
    }
    report.answers = answers(questions, |question| query::answer(policy, question), session);
    report.rules = query::rules(policy, arguments.rules);
    report.features = query::features(policy, arguments.features);
    report.show(session)?;
    Ok(session.outcome(true))
}

fn by_diagram(
    arguments: &Arguments,
    automaton: &Automaton,
    questions: &[Question],
    started: Instant,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    if arguments.rules > 0 || arguments.features > 0 || arguments.compress {
        let text = "rules are made of classes; leave out --backend diagram";
        return Err(Stop::Usage(text.to_string()).into());
    }
    let preferences = Preferences::of(automaton, arguments.distance);
    let acyclic = Potential::of(automaton).is_acyclic();
    let layered = acyclic && !arguments.distance && !arguments.all_states;
    let mut watching = Watching::start(arguments.progress, session);
    let mut watch = |progress: &gambol::regress::Progress| watching.look(progress);
    let (limits, start) = (limits(session), (automaton.start_node, &automaton.start));
    let kept = arguments.out.is_some() || !arguments.query.is_empty();
    let (method, sizes, value, policy);
    if layered {
        let found = regress_in_layers(automaton, &preferences, &limits, &mut watch);
        let found = found.map_err(stop)?;
        sizes = (found.states, found.nodes, found.peak_nodes(), found.regressions());
        (method, value) = (DiagramMethod::Layers, found.value(start.0, start.1));
        policy = kept.then(|| found.policy());
    } else {
        let found = regress_to_fixpoint(automaton, &preferences, &limits, &mut watch);
        let found = found.map_err(stop)?;
        sizes = (found.states, found.nodes, found.peak_nodes(), found.regressions());
        (method, value) = (DiagramMethod::Fixpoint, found.value(start.0, start.1));
        policy = kept.then(|| found.policy());
    }
    drop(watching);
    know_value(automaton, value, session);
    let mut report = Report::new(automaton, "diagram", method.word(), started.elapsed());
    report.set_value(automaton, value, arguments.distance);
    report.complete = true;
    report.states = Some(sizes.0);
    (report.nodes, report.peak_nodes) = (Some(sizes.1), Some(sizes.2));
    report.regressions = Some(sizes.3);
    match policy {
        Some(policy) => finish_diagram(arguments, &policy, questions, report, session),
        None => report.show(session).map(|()| session.outcome(true)),
    }
}

/// Prints, writes, answers.
fn finish_diagram(
    arguments: &Arguments,
    policy: &DiagramPolicy,
    questions: &[Question],
    mut report: Report,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    if let Some(path) = &arguments.out {
        let written = session.write_beside(path, &diagram_to_bytes(policy));
        report.policy = written.then(|| path.display().to_string());
    }
    let answer = |question: &Question| query::diagram_answer(policy, question);
    report.answers = answers(questions, answer, session);
    report.show(session)?;
    Ok(session.outcome(true))
}

/// The value of the start is the answer; what is made of it afterwards may meet a limit.
fn know_value(automaton: &Automaton, value: Option<Value>, session: &Session) {
    if let Some(value) = value {
        session.watch.know("value", serde_json::json!(rewards(automaton, value)));
    }
}

/// What can be answered; what cannot is said.
fn answers(
    questions: &[Question],
    answer: impl Fn(&Question) -> Result<AnswerView, String>,
    session: &mut Session,
) -> Vec<AnswerView> {
    let found = questions.iter().map(answer);
    found.filter_map(|found| found.map_err(|reason| session.fall_short(&reason)).ok()).collect()
}

/// What a file of diagrams holds.
fn read_diagram(policy: &DiagramPolicy, time: Duration) -> Report {
    let automaton = &policy.automaton;
    let mut report = Report::new(automaton, "diagram", policy.method.word(), time);
    let value = policy.value(automaton.start_node, &automaton.start);
    report.set_value(automaton, value, policy.distances);
    (report.complete, report.nodes) = (true, Some(policy.size()));
    report
}
