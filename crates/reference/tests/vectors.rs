//! The shared corpus of test vectors: small games, each with its answers.
#![expect(clippy::print_stderr, reason = "a test that had nothing to run says so")]

use std::fs;
use std::path::{Path, PathBuf};

use gambol_reference::{GroundTerm, Interpreter, ReferenceError, State};
use gambol_syntax::{ReadOptions, read};
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
    let reading = read(&fs::read(path).unwrap(), &ReadOptions::default());
    let rules = reading.rules.unwrap_or_else(|| panic!("{path:?}: {:?}", reading.diagnoses));
    Interpreter::new(&rules)
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
    let name = path.display().to_string();
    let mut game = interpreter(path).unwrap_or_else(|error| panic!("{name}: {error}"));
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
    for (path, expected) in vectors("infix", "kif") {
        check_vector(&path, &expected);
    }
}
