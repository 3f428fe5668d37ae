//! The shared corpus of recorded playouts: every state, legal move, end and goal value that another
//! implementation found.
//!
//! Runs for `GAMBOL_TRACE_SECONDS` (60), cheap games first; `GAMBOL_TRACE_GAME` picks games by a
//! part of their name, and `GAMBOL_TRACE_LISTING` sets [`Budget::listing`]. Says on standard error how far it came.
#![expect(clippy::print_stderr, reason = "a long test says how far it came")]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use gambol_reference::{Budget, GroundTerm, Interpreter, ReferenceError, State};
use gambol_syntax::{Case, ReadOptions, read, repair};
use serde_json::Value;

/// How a replay failed.
enum Failure {
    /// We give another answer.
    Differs(String),
    /// The rulesheet does not read, not even for play.
    Refused,
    /// We give no answer.
    Error(ReferenceError),
}

impl From<ReferenceError> for Failure {
    fn from(error: ReferenceError) -> Self {
        Self::Error(error)
    }
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

fn load(id: &str, budget: Budget) -> Result<Interpreter, Failure> {
    let text = fs::read(shared().join("games").join(format!("{id}.kif"))).unwrap();
    let options = ReadOptions { case: Case::Fold, ..ReadOptions::default() };
    let rules = read(&text, &options).rules.and_then(|rules| repair(rules).rules);
    Ok(Interpreter::with_budget(&rules.ok_or(Failure::Refused)?, budget)?)
}

fn playouts(id: &str) -> Vec<Value> {
    let file = fs::File::open(shared().join("traces").join(format!("{id}.jsonl.gz"))).unwrap();
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn same(what: &str, step: usize, found: Value, expected: &Value) -> Result<(), Failure> {
    if found == *expected {
        return Ok(());
    }
    Err(Failure::Differs(format!("step {step}, {what}: found {found}, expected {expected}")))
}

fn texts(game: &Interpreter, terms: &[GroundTerm]) -> Value {
    game.sorted_texts(terms).into()
}

fn by_role(game: &Interpreter, answers: &[Vec<GroundTerm>]) -> Value {
    let roles = game.roles().iter().map(|&role| game.text(role));
    roles.zip(answers).map(|(role, answer)| (role, texts(game, answer))).collect()
}

fn check_step(
    game: &mut Interpreter,
    state: &State,
    number: usize,
    step: &Value,
) -> Result<(), Failure> {
    if let Some(fluents) = step.get("state") {
        same("state", number, texts(game, state.fluents()), fluents)?;
    }
    if let Some(expected) = step.get("legal") {
        let legal = game.legal(state)?;
        same("legal", number, by_role(game, &legal), expected)?;
        same("terminal", number, game.terminal(state)?.into(), &false.into())?;
    }
    Ok(())
}

fn check_end(
    game: &mut Interpreter,
    state: &State,
    number: usize,
    end: &Value,
) -> Result<(), Failure> {
    if end.get("state").is_some_and(Value::is_array) {
        same("state", number, texts(game, state.fluents()), &end["state"])?;
    }
    if end["terminal"].is_boolean() {
        same("terminal", number, game.terminal(state)?.into(), &end["terminal"])?;
    }
    let goals = game.goals(state)?;
    for (place, &role) in game.roles().iter().enumerate() {
        let name = game.text(role);
        let sets = &end["goal_sets"][&name];
        if sets.is_array() {
            same("goals", number, texts(game, &goals[place]), sets)?;
        } else if let Some(value) = end["goals"].get(&name) {
            // The recordings keep numbers beyond 100.
            let found = match goals[place][..] {
                [value] => game.number(value),
                _ => None,
            };
            same("goal", number, found.into(), value)?;
        }
    }
    Ok(())
}

fn replay(game: &mut Interpreter, playout: &Value) -> Result<usize, Failure> {
    let mut state = game.initial()?;
    let steps = playout["steps"].as_array().unwrap();
    for (number, step) in steps.iter().enumerate() {
        check_step(game, &state, number, step)?;
        let Some(joint) = step.get("joint").and_then(Value::as_array) else { break };
        let joint: Vec<&str> = joint.iter().map(|text| text.as_str().unwrap()).collect();
        let joint = game.terms_from_text(&joint.join(" "))?;
        state = game.next(&state, &joint)?;
    }
    check_end(game, &state, steps.len(), &playout["end"])?;
    Ok(steps.len())
}

/// Replays all playouts of a game.
fn replay_game(id: &str, time: Duration) -> Result<usize, Failure> {
    let deadline = Instant::now().checked_add(time);
    let mut budget = Budget { deadline, ..Budget::default() };
    if let Ok(listing) = std::env::var("GAMBOL_TRACE_LISTING") {
        budget.listing = listing.parse().unwrap();
    }
    let mut game = load(id, budget)?;
    playouts(id).iter().map(|playout| replay(&mut game, playout)).sum()
}

/// The games with a trace, cheapest first.
fn games() -> Vec<String> {
    let Ok(table) = fs::read_to_string(shared().join("traces/TRACES.tsv")) else {
        eprintln!("no shared corpus here: traces not run");
        return Vec::new();
    };
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        (columns[4].parse::<u64>().unwrap_or(0), columns[0].to_owned())
    };
    let mut rows: Vec<(u64, String)> = table.lines().skip(1).map(row).collect();
    rows.retain(|(_, id)| shared().join("traces").join(format!("{id}.jsonl.gz")).exists());
    rows.sort();
    rows.into_iter().map(|(_, id)| id).collect()
}

#[test]
fn recorded_playouts_are_replayed() {
    let seconds = std::env::var("GAMBOL_TRACE_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(60);
    let wanted = std::env::var("GAMBOL_TRACE_GAME").unwrap_or_default();
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut replayed, mut steps, mut differences) = (0, 0, Vec::new());
    for id in games().iter().filter(|id| id.contains(&wanted)) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        let started = Instant::now();
        match replay_game(id, left.min(Duration::from_secs(1 + seconds / 10))) {
            Ok(count) => (replayed, steps) = (replayed + 1, steps + count),
            Err(Failure::Differs(what)) => differences.push(format!("{id}: {what}")),
            Err(Failure::Refused) => eprintln!("{id}: does not read"),
            Err(Failure::Error(error)) => {
                eprintln!("{id}: {error} ({:?}) after {:?}", error.span(), started.elapsed());
            }
        }
    }
    eprintln!("{replayed} games, {steps} steps replayed");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
