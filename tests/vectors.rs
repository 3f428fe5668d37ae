//! The test vectors of the shared corpus: small games and broken texts, each with its right answer.
//!
//! Where the corpus is not at hand these tests have nothing to do; `tests/language.rs` holds cases
//! of our own.

#![allow(clippy::print_stdout)] // A test that had nothing to do should say so.

#[path = "vectors/vector.rs"]
mod vector;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gambol::ground::Limits;
use gambol::syntax::{Case, ReadOptions, Source};
use gambol::{Engine, EngineKind, Examination, Finding, Game, State, examine};
use serde_json::Value;
use vector::{Vector, vectors};

fn read_options(vector: &Vector) -> ReadOptions {
    let fold = vector.json["options"]["case"] == "fold";
    ReadOptions { case: if fold { Case::Fold } else { Case::Exact }, ..ReadOptions::default() }
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.map(|text| text.as_str().unwrap().to_string()).collect()
}

#[test]
fn valid_games_are_played_by_every_engine() {
    let all = ["valid", "infix"].into_iter().flat_map(vectors);
    for vector in all {
        for text in &vector.texts {
            let game = Game::read(text, &read_options(&vector))
                .unwrap_or_else(|error| panic!("{}: {error}", vector.name));
            for kind in EngineKind::ALL {
                let context = format!("{} on {}", vector.name, kind.as_str());
                match game.engine(kind) {
                    Ok(mut engine) => follow(&context, engine.as_mut(), &vector.json),
                    Err(error) => assert!(may_reject(&vector), "{context}: {error}"),
                }
            }
        }
    }
}

fn may_reject(vector: &Vector) -> bool {
    !vector.json["may_reject_as"].is_null()
}

/// Plays the recorded moves and compares every answer on the way.
fn follow(context: &str, engine: &mut dyn Engine, json: &Value) {
    assert_eq!(engine.roles(), strings(&json["roles"]), "{context}");
    let mut state = engine.initial().unwrap();
    compare(context, engine, &state, &json["initial"]);
    for (number, step) in json["steps"].as_array().into_iter().flatten().enumerate() {
        let context = format!("{context}, step {}", number + 1);
        let joint: Vec<String> = engine
            .roles()
            .iter()
            .map(|role| step["moves"][role].as_str().unwrap().to_string())
            .collect();
        let seen = engine.percepts(&state, &joint).unwrap();
        for (role, seen) in engine.roles().iter().zip(seen) {
            if let Some(expected) = step["sees"].get(role) {
                assert_eq!(seen, strings(expected), "{context}: what {role} sees");
            }
        }
        state = engine.next(&state, &joint).unwrap();
        compare(&context, engine, &state, step);
    }
}

fn compare(context: &str, engine: &mut dyn Engine, state: &State, expected: &Value) {
    assert_eq!(*state, strings(&expected["state"]), "{context}");
    assert_eq!(engine.terminal(state).unwrap(), expected["terminal"] == true, "{context}");
    let legal = engine.legal(state).unwrap();
    let goals = engine.goals(state).unwrap();
    for (index, role) in engine.roles().iter().enumerate() {
        if let Some(moves) = expected["legal"].get(role) {
            assert_eq!(legal[index], strings(moves), "{context}: legal moves of {role}");
        }
        if let Some(goal) = expected["goals"].get(role) {
            let goal = goal.as_u64().map(|goal| u32::try_from(goal).unwrap());
            assert_eq!(goals[index], goal, "{context}: goal of {role}");
        }
    }
}

#[test]
fn reachable_fluents_and_moves_are_all_found() {
    for vector in vectors("valid") {
        let reachable = &vector.json["reachable"];
        if reachable.is_null() {
            continue;
        }
        let game = Game::read(&vector.texts[0], &read_options(&vector)).unwrap();
        let ground = game.ground().unwrap();
        for fluent in strings(&reachable["fluents"]) {
            let found = ground.fluents.iter().any(|name| **name == fluent);
            assert!(found, "{}: {fluent} is missing", vector.name);
        }
    }
}

#[test]
fn valid_games_have_no_errors() {
    for vector in ["valid", "infix"].into_iter().flat_map(vectors) {
        for text in &vector.texts {
            let examination = Examination { read: read_options(&vector), ..Examination::default() };
            let errors: Vec<Finding> =
                examine(text, &examination).into_iter().filter(Finding::is_error).collect();
            assert!(errors.is_empty() || may_reject(&vector), "{}: {errors:?}", vector.name);
        }
    }
}

#[test]
fn broken_texts_get_their_diagnosis() {
    let (mut count, mut exact) = (0, 0);
    for vector in ["invalid", "infix_invalid"].into_iter().flat_map(vectors) {
        let findings = findings(&vector);
        if vector.json["may_accept"] == true && !findings.iter().any(Finding::is_error) {
            continue;
        }
        let right: Vec<&Finding> =
            findings.iter().filter(|finding| has_right_category(&vector, finding)).collect();
        assert!(!right.is_empty(), "{}: found only {findings:?}", vector.name);
        let rejects = vector.json["expect"] == "reject";
        assert_eq!(findings.iter().any(Finding::is_error), rejects, "{}", vector.name);
        count += 1;
        let placed = right.iter().any(|finding| is_at_right_place(&vector, finding));
        exact += usize::from(placed);
        if !placed {
            println!("{}: not exactly there: {right:?}", vector.name);
        }
    }
    println!("{count} broken texts diagnosed, {exact} at exactly the right place");
    assert!(exact * 100 >= count * 95, "only {exact} of {count} at exactly the right place");
}

fn findings(vector: &Vector) -> Vec<Finding> {
    let plays = vector.json["stage"] == "play";
    let examination = Examination {
        read: read_options(vector),
        limits: limits(vector),
        play: plays.then_some(200),
        ..Examination::default()
    };
    let started = Instant::now();
    let findings = examine(&vector.texts[0], &examination);
    let limit = vector.json["limits"]["seconds"].as_f64().unwrap_or(10.0);
    let took = started.elapsed().as_secs_f64();
    assert!(took < limit * 4.0, "{} took {took} s", vector.name);
    findings
}

fn limits(vector: &Vector) -> Limits {
    let seconds = vector.json["limits"]["seconds"].as_f64().unwrap_or(10.0);
    let megabytes = vector.json["limits"]["rss_mb"].as_u64().unwrap_or(2048);
    Limits {
        time: Some(Duration::from_secs_f64(seconds * 0.8)),
        memory_mib: Some(megabytes / 2),
        ..Limits::default()
    }
}

fn has_right_category(vector: &Vector, finding: &Finding) -> bool {
    let also = strings(&vector.json["also_acceptable"]);
    vector.json["category"] == finding.category || also.iter().any(|it| it == finding.category)
}

fn is_at_right_place(vector: &Vector, finding: &Finding) -> bool {
    let at = &vector.json["at"];
    let lines = vector.json["lines_any"].as_array();
    if at.is_null() && lines.is_none() {
        return true;
    }
    let Some(span) = finding.span else { return false };
    let (line, column) = Source::new(&vector.texts[0]).line_column(span.start);
    let on_line = lines.is_some_and(|lines| lines.iter().any(|it| *it == line));
    on_line || (at["line"] == line && at["column"] == column)
}

#[test]
fn hostile_texts_are_taken_or_refused_within_their_limits() {
    for vector in vectors("generated") {
        let findings = findings(&vector);
        let errors: Vec<&Finding> = findings.iter().filter(|finding| finding.is_error()).collect();
        let expected = strings(&vector.json["expect_any"]);
        let accepted = errors.is_empty() && expected.iter().any(|it| it == "accept");
        let refused = errors.iter().any(|it| expected.iter().any(|name| name == it.category));
        assert!(accepted || refused, "{}: {errors:?}", vector.name);
        if errors.is_empty() {
            play_generated(&vector);
        }
    }
}

fn play_generated(vector: &Vector) {
    let game = Game::read(&vector.texts[0], &read_options(vector)).unwrap();
    let game = game.with_limits(limits(vector));
    for kind in EngineKind::ALL {
        let context = format!("{} on {}", vector.name, kind.as_str());
        let mut engine = game.engine(kind).unwrap_or_else(|error| panic!("{context}: {error}"));
        check_generated(&context, engine.as_mut(), &vector.json);
    }
}

fn check_generated(context: &str, engine: &mut dyn Engine, json: &Value) {
    let mut state = engine.initial().unwrap();
    if let Some(count) = json["initial_count"].as_u64() {
        assert_eq!(state.len() as u64, count, "{context}");
    }
    if let Some(expected) = json["legal_count"].as_object() {
        let legal = engine.legal(&state).unwrap();
        let counts: BTreeMap<&str, u64> = engine
            .roles()
            .iter()
            .map(String::as_str)
            .zip(legal.iter().map(|it| it.len() as u64))
            .collect();
        for (role, count) in expected {
            assert_eq!(Some(counts[role.as_str()]), count.as_u64(), "{context}");
        }
    }
    for step in json["steps"].as_array().into_iter().flatten() {
        let joint: Vec<String> = engine
            .roles()
            .iter()
            .map(|role| step["moves"][role].as_str().unwrap().to_string())
            .collect();
        state = engine.next(&state, &joint).unwrap();
        if !step["state"].is_null() {
            assert_eq!(state, strings(&step["state"]), "{context}");
        }
        if let Some(terminal) = step["terminal"].as_bool() {
            assert_eq!(engine.terminal(&state).unwrap(), terminal, "{context}");
        }
    }
}
