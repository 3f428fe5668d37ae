//! The shared corpus of test vectors: small games, each with its answers.
#![expect(clippy::print_stderr, reason = "a test that had nothing to run says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gambol_reference::{Budget, Fault, GroundTerm, Interpreter, ReferenceError, State, explore};
use gambol_syntax::{ReadOptions, Rules, read};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors").join(name)
}

/// Each vector's rulesheet and expectations; nothing when the corpus is not there.
fn vectors(name: &str, extension: &str) -> Vec<(PathBuf, Value)> {
    let Ok(entries) = fs::read_dir(folder(name)) else {
        eprintln!("no shared corpus here: {name} vectors not run");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    let with_expectations = |path: PathBuf| {
        let json = fs::read(path.with_extension("json")).unwrap();
        (path, serde_json::from_slice(&json).unwrap())
    };
    files.into_iter().map(with_expectations).collect()
}

fn interpreter(path: &Path) -> Result<Interpreter, ReferenceError> {
    interpreter_with(path, Budget::default())
}

fn interpreter_with(path: &Path, budget: Budget) -> Result<Interpreter, ReferenceError> {
    let reading = read(&fs::read(path).unwrap(), &ReadOptions::default());
    let rules = reading.rules.unwrap_or_else(|| panic!("{path:?}: {:?}", reading.diagnoses));
    Interpreter::with_budget(&rules, budget)
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn by_role<T>(
    game: &Interpreter,
    answers: Vec<T>,
    text: impl Fn(&Interpreter, T) -> Value,
) -> Value {
    let roles = game.roles().iter().map(|&role| game.text(role));
    roles.zip(answers).map(|(role, answer)| (role, text(game, answer))).collect()
}

fn sorted(game: &Interpreter, terms: Vec<GroundTerm>) -> Value {
    game.sorted_texts(&terms).into()
}

/// Compares what a vector says of a state with our answers.
fn check_state(name: &str, game: &mut Interpreter, state: &State, expected: &Value) {
    if let Some(fluents) = expected.get("state") {
        assert_eq!(sorted(game, state.fluents().to_vec()), *fluents, "{name}: state");
    }
    if let Some(legal) = expected.get("legal") {
        let found = game.legal(state).unwrap();
        assert_eq!(by_role(game, found, sorted), *legal, "{name}: legal");
    }
    assert_eq!(Value::from(game.terminal(state).unwrap()), expected["terminal"], "{name}");
    if let Some(goals) = expected.get("goals") {
        let found = game.goal_values(state).unwrap();
        assert_eq!(by_role(game, found, |_, value| value.into()), *goals, "{name}: goals");
    }
}

fn joint_move(game: &mut Interpreter, moves: &Value) -> Vec<GroundTerm> {
    let roles: Vec<String> = game.roles().iter().map(|&role| game.text(role)).collect();
    let text = |role: &String| moves[role].as_str().unwrap().to_owned();
    let moves: Vec<String> = roles.iter().map(text).collect();
    game.terms_from_text(&moves.join(" ")).unwrap()
}

/// Vectors leave out roles that perceive nothing.
fn check_percepts(
    name: &str,
    game: &mut Interpreter,
    state: &State,
    joint: &[GroundTerm],
    sees: &Value,
) {
    let found = game.percepts(state, joint).unwrap();
    for (&role, percepts) in game.roles().iter().zip(&found) {
        let expected = sees.get(game.text(role)).map(texts).unwrap_or_default();
        assert_eq!(game.sorted_texts(percepts), expected, "{name}: sees");
    }
}

fn check_vector(path: &Path, expected: &Value) {
    check_vector_with(path, expected, Budget::default());
    // The same once more, with every relation answered call by call.
    check_vector_with(path, expected, Budget { listing: 0, ..Budget::default() });
}

fn check_vector_with(path: &Path, expected: &Value, budget: Budget) {
    let name = path.display().to_string();
    let mut game = interpreter_with(path, budget).unwrap_or_else(|error| panic!("{name}: {error}"));
    let roles: Vec<String> = game.roles().iter().map(|&role| game.text(role)).collect();
    assert_eq!(roles, texts(&expected["roles"]), "{name}");
    let mut state = game.initial().unwrap();
    check_state(&name, &mut game, &state, &expected["initial"]);
    for step in expected["steps"].as_array().unwrap() {
        let joint = joint_move(&mut game, &step["moves"]);
        if let Some(sees) = step.get("sees") {
            check_percepts(&name, &mut game, &state, &joint, sees);
        }
        state = game.next(&state, &joint).unwrap();
        check_state(&name, &mut game, &state, step);
    }
}

#[test]
fn every_valid_vector_has_its_answers() {
    for (path, expected) in vectors("valid", "kif") {
        check_vector(&path, &expected);
    }
}

#[test]
fn every_translated_vector_has_its_answers() {
    for notation in ["kif", "hrf"] {
        for (path, expected) in vectors("infix", notation) {
            check_vector(&path, &expected);
        }
    }
}

/// The categories an exhaustive search reports. Falling goal values, which are no fault, are left
/// out: the vectors do not list them.
fn findings(path: &Path) -> Vec<&'static str> {
    let mut game = interpreter(path).unwrap();
    let report = explore(&mut game, 2_000);
    assert!(report.complete && report.error.is_none(), "{path:?}: {report:?}");
    let mut categories: Vec<&str> =
        report.findings.iter().map(|finding| finding.fault.category()).collect();
    categories.retain(|&category| category != Fault::GoalFalls.category());
    categories.sort_unstable();
    categories.dedup();
    categories
}

#[test]
fn a_search_through_every_valid_vector_reports_what_it_should() {
    for (path, expected) in vectors("valid", "kif") {
        let expected = expected.get("play_findings").map(texts).unwrap_or_default();
        assert_eq!(findings(&path), expected, "{path:?}");
    }
}

#[test]
fn every_fault_in_play_is_found_with_its_witness() {
    for (path, expected) in vectors("invalid", "kif") {
        if expected["stage"] == "play" {
            check_fault(&path, &expected);
        }
    }
}

fn check_fault(path: &Path, expected: &Value) {
    let mut game = interpreter(path).unwrap();
    let report = explore(&mut game, 2_000);
    let category = expected["category"].as_str().unwrap();
    let found = report.findings.iter().find(|finding| finding.fault.category() == category);
    let found = found.unwrap_or_else(|| panic!("{path:?}: {report:?}"));
    assert_eq!(found.fault.is_error(), expected["severity"] == "error", "{path:?}");
    let witness = &expected["witness"];
    if let Some(role) = witness["role"].as_str() {
        assert_eq!(found.role.map(|role| game.text(game.roles()[role])).as_deref(), Some(role));
    }
    for subject in ["fluent", "move"].iter().filter_map(|key| witness[key].as_str()) {
        assert_eq!(found.subject.map(|term| game.text(term)).as_deref(), Some(subject));
    }
    if let Some(after) = witness["after"].as_array() {
        let after: Vec<_> = after.iter().map(|moves| joint_move(&mut game, moves)).collect();
        assert_eq!(found.witness, after, "{path:?}");
    }
}

#[test]
fn games_that_grow_without_end_are_stopped_with_a_reason() {
    for (path, expected) in vectors("invalid", "kif") {
        if expected["stage"] != "ground" {
            continue;
        }
        let played = interpreter(&path).and_then(|mut game| game.playout(1, 2_000));
        match played {
            Ok(_) => assert_eq!(expected["may_accept"], true, "{path:?}"),
            Err(error) => assert_eq!(error.category(), expected["category"], "{path:?}"),
        }
    }
}

#[test]
fn an_atom_that_depends_on_its_own_negation_has_no_truth() {
    for (path, expected) in vectors("invalid", "kif") {
        if expected["category"] != "static.unstratified" {
            continue;
        }
        let views = interpreter(&path).and_then(|mut game| {
            let state = game.initial()?;
            game.views(&state, None)
        });
        let mut allowed = expected.get("also_acceptable").map(texts).unwrap_or_default();
        allowed.push("static.unstratified".to_owned());
        let category = views.unwrap_err().category();
        assert!(allowed.iter().any(|allowed| allowed == category), "{path:?}: {category}");
    }
}

/// Writes out a recipe: each segment so many times, with `{i}` and `{i+1}` replaced.
fn write_out(recipe: &Value) -> String {
    let mut text = String::new();
    for segment in recipe["segments"].as_array().unwrap() {
        let part = segment["text"].as_str().unwrap();
        for i in 0..segment["times"].as_u64().unwrap() {
            if part.contains('{') {
                let numbered = part.replace("{i}", &i.to_string());
                text.push_str(&numbered.replace("{i+1}", &(i + 1).to_string()));
            } else {
                text.push_str(part);
            }
        }
    }
    text
}

#[test]
fn large_and_hostile_games_are_answered_or_refused_in_time() {
    for (path, recipe) in recipes() {
        let started = Instant::now();
        let reading = read(write_out(&recipe).as_bytes(), &ReadOptions::default());
        let Some(rules) = reading.rules else { continue };
        match play_recipe(&rules, &recipe) {
            Ok(()) => assert!(allows(&recipe, "accept"), "{path:?} was accepted"),
            Err(error) => assert!(allows(&recipe, error.category()), "{path:?}: {error}"),
        }
        let seconds = recipe["limits"]["seconds"].as_f64().unwrap();
        // Tests share the machine with one another; the limit is for a free one.
        assert!(started.elapsed().as_secs_f64() < 4.0 * seconds, "{path:?}");
    }
}

fn recipes() -> Vec<(PathBuf, Value)> {
    let entries = fs::read_dir(folder("generated")).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let parsed = |path: PathBuf| {
        let recipe = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        (path, recipe)
    };
    files.into_iter().map(parsed).collect()
}

fn allows(recipe: &Value, outcome: &str) -> bool {
    texts(&recipe["expect_any"]).iter().any(|allowed| allowed == outcome)
}

fn play_recipe(rules: &Rules, recipe: &Value) -> Result<(), ReferenceError> {
    let seconds = recipe["limits"]["seconds"].as_f64().map(Duration::from_secs_f64);
    let mut game = Interpreter::with_budget(rules, Budget { time: seconds, ..Budget::default() })?;
    let mut state = game.initial()?;
    if let Some(count) = recipe["initial_count"].as_u64() {
        assert_eq!(state.fluents().len() as u64, count);
    }
    game.legal(&state)?;
    for step in recipe["steps"].as_array().into_iter().flatten() {
        let joint = joint_move(&mut game, &step["moves"]);
        state = game.next(&state, &joint)?;
        assert_eq!(Value::from(game.terminal(&state)?), step["terminal"]);
    }
    Ok(())
}
