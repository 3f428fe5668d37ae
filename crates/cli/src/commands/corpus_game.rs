//! The process that `gambol corpus` starts for one game. It says after each stage what it found.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use gambol::decompose::{Counts as Parts, DecomposeOptions, decompose};
use gambol::ground::Limits;
use gambol::net::Statistics;
use gambol::syntax::{check, has_errors, read};
use gambol::{Comparison, Disagreement, EngineKind, Game, MachineError, StageError, compare_with};

use crate::commands::ground::rule_count;
use crate::corpus::record::{Report, Stage};
use crate::flags::CaseFlag;
use crate::game_text::text_of;
use crate::outcome::{LIMIT_CODE, Outcome};
use crate::processor;
use crate::records::trace::{self, Playout};
use crate::replay::{Difference, replay};
use crate::session::Session;
use crate::simulation::{Amount, Plan, simulate};
use gambol_system::peak_mib;

/// Which game, and how far to take it.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    path: PathBuf,
    #[arg(long, value_delimiter = ',')]
    stages: Vec<Stage>,
    #[arg(long)]
    trace: Option<PathBuf>,
    /// Also take the game apart with 1,000 to 10,000 playouts
    #[arg(long)]
    growing: bool,
}

/// Long enough to see whether it plays, and how fast.
const SIMULATED_SECONDS: f64 = 0.25;
const MAX_STEPS: u32 = 1_000;
/// Random games in which the engines are compared, as many as fit into the time.
const AGREE_GAMES: u64 = 3;
const AGREE_STEPS: u32 = 60;
const AGREE_TIME: Duration = Duration::from_millis(300);
/// Only what comes apart as fast as this is taken apart again and again.
const QUICK_SECONDS: f64 = 5.0;
/// With so many thousand playouts.
const GROWING: [u64; 6] = [1, 2, 3, 5, 7, 10];

type Counts = BTreeMap<String, f64>;

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    std::thread::spawn(end_with_parent);
    match take_through(arguments, session) {
        Ok(()) => Ok(session.outcome(true)),
        Err(Failure::Game(error)) => {
            session.json(&Report::Failed { error })?;
            Ok(session.outcome(false))
        }
        Err(Failure::Output(error)) => Err(error),
    }
}

/// Ends this process when nobody holds the other end of its standard input any more.
fn end_with_parent() {
    // An error is as good as an end.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    std::process::exit(i32::from(LIMIT_CODE));
}

enum Failure {
    /// The game does not reach the stage.
    Game(String),
    /// We cannot say so.
    Output(anyhow::Error),
}

fn take_through(arguments: &Arguments, session: &mut Session) -> Result<(), Failure> {
    let (game, checked) = timed(|| check_stage(arguments, session))?;
    say(Stage::Check, checked, session)?;
    let mut errors = Vec::new();
    for &stage in arguments.stages.iter().filter(|&&stage| stage != Stage::Check) {
        // What cannot be grounded can still be replayed, by the interpreter.
        if !errors.is_empty() && stage != Stage::Replay && game.net().is_err() {
            continue;
        }
        match timed(|| Ok(((), later_stage(&game, stage, arguments, session)?))) {
            // A replay by the interpreter alone does not make up for a stage that failed.
            Ok(_) if stage == Stage::Replay && !errors.is_empty() => {}
            Ok((_, done)) => {
                let quick = done.seconds < QUICK_SECONDS;
                say(stage, done, session)?;
                if stage == Stage::Decompose && arguments.growing && quick {
                    decompose_growing(&game, session)?;
                }
            }
            Err(Failure::Game(error)) => errors.push(error),
            Err(other) => return Err(other),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Game(errors.join("; "))) }
}

struct Done {
    seconds: f64,
    counts: Counts,
}

fn timed<T>(work: impl FnOnce() -> Result<(T, Counts), Failure>) -> Result<(T, Done), Failure> {
    let started = Instant::now();
    let (value, counts) = work()?;
    Ok((value, Done { seconds: started.elapsed().as_secs_f64(), counts }))
}

fn say(stage: Stage, done: Done, session: &mut Session) -> Result<(), Failure> {
    let mut counts = done.counts;
    counts.insert("peak_mib".to_string(), peak_mib());
    let report = Report::Finished { stage, seconds: done.seconds, counts };
    session.json(&report).map_err(Failure::Output)
}

/// The strict check only counts; what play can repair goes on to the next stage.
fn check_stage(arguments: &Arguments, session: &Session) -> Result<(Game, Counts), Failure> {
    let name = arguments.path.to_string_lossy();
    let source = text_of(&name).map_err(|error| Failure::Game(format!("{error:#}")))?;
    let options = session.read_options(CaseFlag::Exact);
    let game = Game::read(&source.text, &options)
        .map_err(|error| Failure::Game(format!("check: {error}")))?;
    let strict = read(&source.text, &options).rules.map(|rules| check(&rules)).unwrap_or_default();
    let errors = strict.iter().filter(|diagnosis| diagnosis.is_error()).count();
    let counts = counts([
        ("clauses", game.rules().clauses.len() as f64),
        ("strict_errors", errors as f64),
        ("warnings", (strict.len() - errors) as f64),
        ("strictly_valid", f64::from(u8::from(!has_errors(&strict)))),
    ]);
    Ok((game.with_limits(session.ground_limits()), counts))
}

fn later_stage(
    game: &Game,
    stage: Stage,
    arguments: &Arguments,
    session: &mut Session,
) -> Result<Counts, Failure> {
    let result = match stage {
        Stage::Check => Ok(Counts::new()),
        Stage::Ground => ground_counts(game),
        Stage::Net => net_counts(game),
        Stage::Simulate => simulate_counts(game, session),
        Stage::Decompose => decompose_counts(game, session),
        Stage::Replay => return replay_counts(arguments, session),
        Stage::Agree => return agree_counts(game, session),
    };
    result.map_err(|error| {
        // What was stopped says so; why, the watch knows.
        let reason = session.watch.met().map_or(error.to_string(), |it| it.message().to_string());
        Failure::Game(format!("{}: {reason}", stage.word()))
    })
}

fn ground_counts(game: &Game) -> Result<Counts, StageError> {
    let ground = game.ground()?;
    Ok(counts([
        ("roles", ground.roles.len() as f64),
        ("fluents", ground.fluents.len() as f64),
        ("moves", ground.moves.len() as f64),
        ("rules", rule_count(ground) as f64),
        ("formulas", ground.formulas.len() as f64),
    ]))
}

fn net_counts(game: &Game) -> Result<Counts, StageError> {
    let net = Statistics::of(game.net()?);
    Ok(counts([
        ("propositions", net.propositions as f64),
        ("and_gates", net.and_gates as f64),
        ("or_gates", net.or_gates as f64),
        ("inverters", net.inverters as f64),
        ("circuit_gates", net.circuit_gates as f64),
        ("depth", net.depth as f64),
        ("cyclic_gates", net.cyclic_gates as f64),
    ]))
}

fn decompose_with(game: &Game, playouts: u64, session: &Session) -> Result<Parts, StageError> {
    let mut options = DecomposeOptions::default();
    options.seed = session.flags.seed;
    options.playouts = playouts;
    options.time = session.watch.time_left().map(|left| left.mul_f64(0.9));
    options.stop = Some(session.watch.flag());
    Ok(decompose(game.net()?, &options).counts())
}

fn decompose_counts(game: &Game, session: &Session) -> Result<Counts, StageError> {
    let parts = decompose_with(game, DecomposeOptions::default().playouts, session)?;
    let mut counts = counts([
        ("action_dependent", parts.action_dependent as f64),
        ("useless_action_dependent", parts.useless_action_dependent as f64),
        ("action_independent", parts.action_independent as f64),
        ("useless_action_independent", parts.useless_action_independent as f64),
    ]);
    counts.extend(
        processor::seconds().map(|seconds| ("decompose_processor_seconds".to_string(), seconds)),
    );
    Ok(counts)
}

/// The parts after fewer and after more playouts; said one by one, since time may run out.
fn decompose_growing(game: &Game, session: &mut Session) -> Result<(), Failure> {
    for playouts in GROWING.map(|thousands| 1_000 * thousands) {
        let parts = decompose_with(game, playouts, session)
            .map_err(|error| Failure::Game(format!("decompose: {error}")))?;
        if session.watch.met().is_some() {
            return Ok(());
        }
        let counts = [
            ("dependent", parts.action_dependent),
            ("useless_dependent", parts.useless_action_dependent),
            ("independent", parts.action_independent),
        ];
        let counted =
            |(what, count): (&str, usize)| (format!("{what}_at_{playouts}"), count as f64);
        let counts = counts.into_iter().map(counted).collect();
        session.json(&Report::Counted { counts }).map_err(Failure::Output)?;
    }
    Ok(())
}

/// Random games on the interpreter and each other engine at once. What could not be compared is said
/// with its reason. The circuit comes last, because its compiler cannot be interrupted.
fn agree_counts(game: &Game, session: &mut Session) -> Result<Counts, Failure> {
    for kind in [EngineKind::Net, EngineKind::Circuit] {
        let states = agree_on(kind, game, session)
            .map_err(|error| Failure::Game(format!("agree: {}: {error}", kind.as_str())))?;
        let counts = [(format!("compared_on_{}", kind.as_str()), states as f64)].into();
        session.json(&Report::Counted { counts }).map_err(Failure::Output)?;
    }
    Ok(Counts::new())
}

/// The number of states in which the engine says what the interpreter says, or why there is none.
fn agree_on(kind: EngineKind, game: &Game, session: &Session) -> Result<u64, String> {
    let stop = session.watch.flag();
    let comparison = Comparison {
        games: AGREE_GAMES,
        seed: session.flags.seed,
        max_steps: AGREE_STEPS,
        time: Some(AGREE_TIME),
        stop: Some(&stop),
    };
    match compare_with(game, &comparison, &[kind]) {
        Ok(agreement) if agreement.states > 0 => Ok(agreement.states),
        Ok(_) => Err("no state was compared in the time it had".to_string()),
        Err(Disagreement::Stage(error)) => Err(error.to_string()),
        Err(Disagreement::Machine(MachineError::Reference(error))) => {
            Err(format!("the interpreter has no answer: {error}"))
        }
        // A state or move that the interpreter knows and the other engine does not.
        Err(Disagreement::Machine(error)) => Err(format!("differs: {error}")),
        Err(error @ Disagreement::Differs { .. }) => Err(format!("differs: {error}")),
    }
}

fn simulate_counts(game: &Game, session: &Session) -> Result<Counts, StageError> {
    let plan = Plan::new(Amount::Seconds(SIMULATED_SECONDS), MAX_STEPS, session);
    let report = simulate(game, EngineKind::Circuit, &plan)?;
    Ok(counts([
        ("playouts_per_second", report.playouts_per_second),
        ("steps_per_second", report.steps_per_second),
        ("mean_length", report.mean_length),
        ("stuck", report.stuck as f64),
        ("capped", report.capped as f64),
        ("undefined_goals", report.undefined_goals as f64),
    ]))
}

/// The recordings are in lower case, so this stage reads the game anew.
fn replay_counts(arguments: &Arguments, session: &mut Session) -> Result<Counts, Failure> {
    let failed = |error: String| Failure::Game(format!("replay: {error}"));
    let Some(trace) = &arguments.trace else { return Ok(Counts::new()) };
    let playouts = trace::read(trace).map_err(|error| failed(format!("{error:#}")))?;
    let source = text_of(&arguments.path.to_string_lossy());
    let source = source.map_err(|error| failed(format!("{error:#}")))?;
    let game = Game::read(&source.text, &session.read_options(CaseFlag::Fold))
        .map_err(|error| failed(error.to_string()))?
        .with_limits(half_the_time(session));
    let mut engines = EngineKind::ALL.to_vec();
    if game.net().is_err() {
        engines.retain(|&kind| kind == EngineKind::Reference);
    }
    let mut errors = Vec::new();
    // The circuit comes last, because its compiler cannot be interrupted.
    for (number, &kind) in engines.iter().enumerate() {
        let share = session.watch.time_left().map(|left| left / (engines.len() - number) as u32);
        let steps =
            replay_on(kind, &game, &playouts, share, session).unwrap_or_else(|(steps, error)| {
                errors.push(format!("{} {error}", kind.as_str()));
                steps
            });
        // Said at once: the next engine may have to be stopped from outside.
        let counts = [(format!("replayed_by_{}", kind.as_str()), steps as f64)].into();
        session.json(&Report::Counted { counts }).map_err(Failure::Output)?;
    }
    if errors.is_empty() {
        return Ok(counts([("recorded_playouts", playouts.len() as f64)]));
    }
    Err(failed(errors.join(", ")))
}

/// If grounding does not come to an end, the interpreter shall still have its turn.
fn half_the_time(session: &Session) -> Limits {
    let limits = session.ground_limits();
    Limits { time: limits.time.map(|time| time / 2), ..limits }
}

/// The number of recorded steps that the engine repeated, and why not all.
fn replay_on(
    kind: EngineKind,
    game: &Game,
    playouts: &[Playout],
    share: Option<Duration>,
    session: &Session,
) -> Result<usize, (usize, String)> {
    let mut engine = game.engine(kind).map_err(|error| (0, error.to_string()))?;
    let started = Instant::now();
    let goes_on =
        || session.watch.met().is_none() && share.is_none_or(|share| started.elapsed() < share);
    let all: usize = playouts.iter().map(|playout| playout.steps.len()).sum();
    let mut steps = 0;
    for (number, playout) in playouts.iter().enumerate() {
        let replayed = replay(kind, engine.as_mut(), number, playout, &goes_on);
        steps += replayed.steps;
        if let Some(first) = replayed.differences.first() {
            let Difference { playout, step, what, expected, found, .. } = first;
            let difference = format!(
                "differs: playout {playout}, step {step}: {what}: expected {expected}, found {found}"
            );
            return Err((steps, difference));
        }
        if !goes_on() {
            return Err((steps, format!("compared {steps} of {all} steps in the time it had")));
        }
    }
    Ok(steps)
}

fn counts<const N: usize>(pairs: [(&str, f64); N]) -> Counts {
    pairs.into_iter().map(|(name, count)| (name.to_string(), count)).collect()
}
