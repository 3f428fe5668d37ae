//! A referee and players in processes of their own, on loopback.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::Listening;

fn gambol(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gambol")).args(arguments).output();
    let output = output.expect("the program runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_match_of_two_processes_is_played_without_fault_and_can_be_replayed() {
    let (x, o) = (Listening::start("player"), Listening::start("player"));
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("match.jsonl");
    let record = record.to_str().expect("a plain path");
    let players = ["match", "tic-tac-toe", &x.address, &o.address, "--start", "1", "--play", "1"];
    let (code, said) = gambol(&[&players[..], &["--json", "--out", record]].concat());
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(report["faults"], Value::Array(Vec::new()));
    assert_eq!(report["goals"], serde_json::json!({ "xplayer": 50, "oplayer": 50 }));
    assert_eq!(report["moves"].as_array().map(Vec::len), Some(9));
    let (code, said) = gambol(&["replay", "tic-tac-toe", record]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("9 steps") && said.contains("0 differences"), "{said}");
}

#[test]
fn whoever_is_absent_is_replaced_and_recorded() {
    let (code, said) = gambol(&[
        "match",
        "tic-tac-toe",
        "127.0.0.1:1",
        "random",
        "--start",
        "0",
        "--play",
        "0",
        "--json",
    ]);
    // Nobody was heard of, so it was no match between players.
    assert_eq!(code, Some(1), "{said}");
    let report: Value = serde_json::from_str(&said).expect("JSON");
    let faults = report["faults"].as_array().expect("a list");
    assert!(!faults.is_empty());
    assert!(faults.iter().all(|fault| fault["fault"] == "absent" && fault["role"] == "xplayer"));
}

#[test]
fn engines_meet_in_one_process_and_the_better_one_has_more_points() {
    let engines = ["match", "tic-tac-toe", "--local", "mcts:solve=off", "random", "--games", "12"];
    let (code, said) = gambol(&[&engines[..], &["--playouts", "16384", "--json"]].concat());
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&said).expect("JSON");
    let points = |side: usize| report["sides"][side]["points"].as_f64().expect("a number");
    assert_eq!(report["games"], 12);
    assert!(points(0) > 0.8 && (points(0) + points(1) - 1.0).abs() < 1e-9, "{said}");
    let interval = &report["sides"][0]["interval"];
    assert!(interval["least"].as_f64() < Some(points(0)), "{said}");
    let again = gambol(&[&engines[..], &["--playouts", "16384"]].concat()).1;
    assert!(again.contains("95 % interval"), "{again}");
    let (code, _) = gambol(&["match", "tic-tac-toe", "--local", "deep-blue", "random"]);
    assert_eq!(code, Some(2));
}

#[test]
fn matches_of_engines_are_written_down_and_can_be_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("matches.jsonl");
    let record = record.to_str().expect("a plain path");
    let engines = ["match", "nim-2-3-4", "--local", "random", "legal", "--games", "3"];
    let (code, said) = gambol(&[&engines[..], &["--out", record]].concat());
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = gambol(&["replay", "nim-2-3-4", record, "--json"]);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((code, &report["playouts"]), (Some(0), &Value::from(3)), "{said}");
    assert_eq!(report["unfinished"], 0);
}

#[test]
fn a_match_that_was_killed_is_reported_and_can_be_resumed() {
    let (x, o) = (Listening::start("player"), Listening::start("player"));
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("match.jsonl");
    let mut referee = Command::new(env!("CARGO_BIN_EXE_gambol"))
        .args(["match", "tic-tac-toe", &x.address, &o.address, "--start", "1", "--play", "1"])
        .args(["--out", record.to_str().expect("a plain path")])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(referee.stdout.take().expect("it is piped"));
    let mut line = String::new();
    for _ in 0..3 {
        out.read_line(&mut line).expect("it shows each step");
    }
    referee.kill().expect("it runs");
    referee.wait().expect("it ends");
    // The last line may be torn.
    let mut text = std::fs::read_to_string(&record).expect("steps are written as they are made");
    let whole: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!((4..=6).contains(&whole.len()), "the head and the steps so far: {text}");
    text.push_str("{\"state\":[\"(cell 1");
    std::fs::write(&record, &text).expect("a file");

    let record = record.to_str().expect("a plain path");
    let (code, said) = gambol(&["replay", "tic-tac-toe", record]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 broken off"), "{said}");
    let (code, said) = gambol(&["match", "--resume", record, "--json"]);
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(report["faults"], Value::Array(Vec::new()), "{said}");
    assert_eq!(report["completed"], true);
    for (step, line) in whole[1..].iter().enumerate() {
        assert_eq!(report["moves"][step], line["joint"], "what was played stays played");
    }
    let (code, said) = gambol(&["replay", "tic-tac-toe", record]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("broken off") && said.contains("0 differences"), "{said}");
    let (code, _) = gambol(&["match", "--resume", record]);
    assert_eq!(code, Some(2), "a match that has ended cannot go on");
}
