//! `gambol tour`: the whole story of one game on one screen.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use gambol::decompose::DecomposeOptions;
use gambol::net::Statistics;
use gambol::solve::{Bounds, Method, Solution, SolveOptions};
use gambol::syntax::{Diagnosis, Severity};
use gambol::{Comparison, EngineKind, Game, bundled_game, compare_engines};

use crate::commands::ground::rule_count;
use crate::game_source::load;
use crate::numbers::{counted, grouped};
use crate::outcome::Outcome;
use crate::progress::Working;
use crate::session::Session;
use crate::simulation::{Amount, Plan, Report, simulate};

/// Which game to show.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    #[arg(default_value = "domineering-four-boards")]
    game: String,
    /// Write the story as a single HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const COMPARED_GAMES: u64 = 50;
const MAX_STEPS: u32 = 10_000;
const TIME_FOR_PARTS: Duration = Duration::from_secs(5);
const TIME_FOR_VALUE: Duration = Duration::from_secs(15);
/// How long the same is tried without parts, for comparison.
const TIME_FOR_WHOLE: Duration = Duration::from_secs(5);
const SECONDS_PER_ENGINE: f64 = 1.0;

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let name = arguments.game.as_str();
    if let Some(path) = &arguments.html {
        return page(name, path, session);
    }
    title(name, session)?;
    let started = Instant::now();
    let game = load(name, session)?;
    rules(&game, started, session)?;
    let agrees = match game.ground() {
        Ok(_) => {
            grounding(&game, session)?;
            net(&game, session)?;
            circuit(&game, session)?;
            speed(&game, &EngineKind::ALL, session)?;
            let agrees = agreement(&game, session)?;
            parts(&game, session)?;
            if value(&game, session)? == Some(Method::Factored) {
                as_a_whole(&game, session)?;
            }
            agrees
        }
        Err(reason) => {
            line(session, "ground", &format!("not possible: {reason}"))?;
            speed(&game, &[EngineKind::Reference], session)?;
            true
        }
    };
    next_steps(name, session)?;
    Ok(session.outcome(agrees))
}

/// The same story as a page.
fn page(name: &str, path: &Path, session: &mut Session) -> anyhow::Result<Outcome> {
    session.will_write([path])?;
    let game = load(name, session)?;
    let working = Working::on("taking the game apart", session);
    let title = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
    let html = super::stage(gambol_web::tour_html(&game, &title))?;
    drop(working);
    match session.write_beside(path, html.as_bytes()) {
        true => writeln!(session.out, "wrote {}", path.display())?,
        // The page is the answer, and not lost for the file's sake.
        false => session.out.write_all(html.as_bytes())?,
    }
    Ok(session.outcome(true))
}

fn title(name: &str, session: &mut Session) -> anyhow::Result<()> {
    let about = bundled_game(name).and_then(|game| game.facts().ok()).map(|facts| facts.about);
    let about = about.map_or(String::new(), |about| format!(": {about}"));
    writeln!(session.out, "\x1b[1m{name}\x1b[0m{about}\n")?;
    Ok(())
}

/// One line of the story: what it is about, and what there is to say.
fn line(session: &mut Session, subject: &str, text: &str) -> anyhow::Result<()> {
    writeln!(session.out, "\x1b[1m{subject:<11}\x1b[0m{text}")?;
    Ok(())
}

fn more(session: &mut Session, text: &str) -> anyhow::Result<()> {
    line(session, "", text)
}

fn since(started: Instant) -> String {
    let seconds = started.elapsed().as_secs_f64();
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

fn rules(game: &Game, started: Instant, session: &mut Session) -> anyhow::Result<()> {
    let time = since(started);
    let is_warning = |it: &&Diagnosis| it.severity == Severity::Warning;
    let warnings = match game.diagnoses().iter().filter(is_warning).count() {
        0 => "no errors, no warnings".to_string(),
        count => counted(count, "warning"),
    };
    let clauses = grouped(game.rules().clauses.len() as u64);
    line(session, "rules", &format!("{clauses} clauses read, {warnings} ({time})"))
}

fn grounding(game: &Game, session: &mut Session) -> anyhow::Result<()> {
    let started = Instant::now();
    // A fresh one: the first was made before the clock ran.
    let ground = gambol::ground::instantiate(game.rules(), &session.ground_limits())?;
    let time = since(started);
    let (fluents, moves) = (ground.fluents.len() as u64, ground.moves.len() as u64);
    let rules = grouped(rule_count(&ground) as u64);
    let text = format!(
        "no variables left: {} fluents, {} moves, {rules} rules ({time})",
        grouped(fluents),
        grouped(moves)
    );
    line(session, "ground", &text)?;
    let initial = ground.initial.iter().take(4).map(|&fluent| &*ground.fluents[fluent]);
    let initial: Vec<&str> = initial.collect();
    more(session, &format!("it starts with {} …", initial.join(" ")))
}

fn net(game: &Game, session: &mut Session) -> anyhow::Result<()> {
    let started = Instant::now();
    let net = super::stage(game.net())?;
    let time = since(started);
    let size = Statistics::of(net);
    let text = format!(
        "{} propositions; {} and, {} or, {} not; {} levels deep ({time})",
        grouped(size.propositions as u64),
        grouped(size.and_gates as u64),
        grouped(size.or_gates as u64),
        grouped(size.inverters as u64),
        size.depth
    );
    line(session, "net", &text)?;
    if size.cyclic_gates > 0 {
        let cyclic = grouped(size.cyclic_gates as u64);
        more(session, &format!("{cyclic} gates read one another: the rules are recursive"))?;
    }
    Ok(())
}

fn circuit(game: &Game, session: &mut Session) -> anyhow::Result<()> {
    let started = Instant::now();
    let circuit = super::stage(game.circuit())?;
    let gates = grouped(circuit.gate_counts().per_step() as u64);
    let time = since(started);
    line(session, "circuit", &format!("{gates} two-input gates to run for a step ({time})"))
}

fn speed(game: &Game, engines: &[EngineKind], session: &mut Session) -> anyhow::Result<()> {
    let plan = Plan::new(Amount::Seconds(SECONDS_PER_ENGINE), MAX_STEPS, session);
    let mut subject = "speed";
    let mut last = None;
    for &kind in engines {
        let report = super::stage(simulate(game, kind, &plan))?;
        line(session, std::mem::take(&mut subject), &speed_text(&report))?;
        last = Some(report);
    }
    last.map_or(Ok(()), |report| more(session, &average_text(&report)))
}

fn speed_text(report: &Report) -> String {
    let speed = grouped(report.playouts_per_second as u64);
    let how = if report.lanes > 1 {
        format!(" ({} at a time on {} threads)", report.lanes, report.threads)
    } else {
        String::new()
    };
    format!("{:<9} {speed:>13} random games a second{how}", report.engine)
}

fn average_text(report: &Report) -> String {
    let goals = report.mean_goals.iter().filter_map(|(role, goal)| Some((role, (*goal)?)));
    let goals: Vec<String> = goals.map(|(role, goal)| format!("{role} {goal:.1}")).collect();
    format!("on average {:.1} steps; goals {}", report.mean_length, goals.join(", "))
}

fn agreement(game: &Game, session: &mut Session) -> anyhow::Result<bool> {
    let started = Instant::now();
    let stop = session.watch.flag();
    let comparison = Comparison {
        games: COMPARED_GAMES,
        seed: session.flags.seed,
        max_steps: MAX_STEPS,
        time: None,
        stop: Some(&stop),
    };
    match compare_engines(game, &comparison) {
        Ok(agreement) => {
            let (states, games) = (grouped(agreement.states), agreement.games);
            let time = since(started);
            let text = format!("all three engines, on {states} states of {games} games ({time})");
            line(session, "agreement", &text)?;
            Ok(true)
        }
        Err(disagreement) => {
            line(session, "agreement", &format!("NO: {disagreement}"))?;
            Ok(false)
        }
    }
}

/// What the game is made of.
fn parts(game: &Game, session: &mut Session) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut options = DecomposeOptions::default();
    options.prove = true;
    options.seed = session.flags.seed;
    options.time = Some(TIME_FOR_PARTS);
    options.stop = Some(session.watch.flag());
    let found = super::stage(game.subgames_with(&options, &mut |_| {}))?;
    let counts = found.counts();
    let text = match counts.action_dependent {
        0 | 1 => "one game".to_string(),
        parts => format!("{parts} games, {}", found.composition.as_str()),
    };
    let basis = found.basis.as_str();
    line(session, "parts", &format!("{text}: {basis} ({})", since(started)))
}

/// What the players get when all play best, if that is found quickly; and how it was found.
fn value(game: &Game, session: &mut Session) -> anyhow::Result<Option<Method>> {
    let started = Instant::now();
    let mut options = SolveOptions::default();
    options.limits.time = Some(TIME_FOR_VALUE);
    options.limits.stop = Some(session.watch.flag());
    let solution = game.solve(&options);
    let method = solution.as_ref().ok().filter(|one| one.is_exact()).map(|one| one.method);
    let text = match solution {
        Ok(solution) if solution.is_exact() => {
            let roles = super::stage(game.net())?.roles.iter().zip(&solution.values);
            let value = |(role, bounds): (_, &Bounds)| format!("{role} {}", bounds.least);
            let values: Vec<String> = roles.map(value).collect();
            let (method, nodes) = (solution.method.as_str(), grouped(solution.nodes));
            let time = since(started);
            format!("with best play {}, by {method}, {nodes} nodes ({time})", values.join(", "))
        }
        Ok(_) => format!("not found ({}); `gambol solve` takes longer", since(started)),
        Err(reason) => format!("not found: {reason}"),
    };
    line(session, "value", &text)?;
    Ok(method)
}

/// What the same costs for somebody who does not see the parts.
fn as_a_whole(game: &Game, session: &mut Session) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut options = SolveOptions::default();
    options.factoring = false;
    options.limits.time = Some(TIME_FOR_WHOLE);
    options.limits.stop = Some(session.watch.flag());
    let solution = game.solve(&options);
    let solved = solution.as_ref().is_ok_and(Solution::is_exact);
    let nodes = solution.map_or(0, |solution| solution.nodes);
    let end = if solved { "solved" } else { "given up" };
    let (nodes, time) = (grouped(nodes), since(started));
    more(session, &format!("without the parts: {end} after {nodes} nodes ({time})"))
}

fn next_steps(name: &str, session: &mut Session) -> anyhow::Result<()> {
    let tips = [
        (format!("gambol step {name}"), "the first state and its moves"),
        (format!("gambol net {name} --svg net.svg"), "a picture of the net"),
        (format!("gambol structure {name}"), "what can never change back"),
        (format!("gambol decompose {name} --matrix parts.svg"), "its parts, and a picture of them"),
        (format!("gambol solve {name}"), "best play, move by move"),
        ("gambol serve".to_string(), "all of this in the browser"),
        ("gambol games".to_string(), "what else there is"),
    ];
    let width = tips.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    line(session, "\nnext", "")?;
    for (command, what) in tips {
        writeln!(session.out, "  {command:<width$}  {what}")?;
    }
    Ok(())
}
