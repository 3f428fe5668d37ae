//! Limits hold, and what is finished is kept.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::{gambol, json};

/// Ten to the eighth moves are legal.
const BOMB: &str = "(role r) (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
    (<= (legal r (m ?a ?b ?c ?d ?e ?f ?g ?h))
        (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (d ?h))
    (init p) (<= (next p) (true p)) (<= terminal (true q)) (<= (next q) (does r ?m)) (goal r 100)";

#[test]
fn time_is_a_limit() {
    let started = Instant::now();
    let arguments = ["ground", "-", "--json", "--time", "1", "--memory", "2000"];
    let (report, code) = json(gambol().args(arguments).write_stdin(BOMB));
    assert_eq!(code, 3, "{report}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn parts_by_relation_are_told_if_rules_are_not_grounded_in_time() {
    let arguments = ["decompose", "-", "--json", "--time", "0.5", "--memory", "2000"];
    let clock = "(init (step 1)) (s 1 2) (<= (next (step ?b)) (true (step ?a)) (s ?a ?b))";
    let (report, code) = json(gambol().args(arguments).write_stdin(format!("{BOMB} {clock}")));
    assert_eq!((code, &report["found_by"]), (3, &"relations".into()), "{report}");
    assert_eq!(report["subgames"][0]["fluents"], serde_json::json!(["q"]), "{report}");
    assert_eq!(report["subgames"][1]["fluents"], serde_json::json!(["(step *)"]), "{report}");
    assert_eq!(report["rest"], serde_json::json!(["p"]), "{report}");
}

#[test]
fn memory_is_a_limit() {
    let arguments = ["ground", "-", "--json", "--memory", "100"];
    let (report, code) = json(gambol().args(arguments).write_stdin(BOMB));
    assert_eq!(code, 3, "{report}");
    assert!(report["error"]["message"].as_str().unwrap().contains("memory"), "{report}");
}

#[test]
fn check_refuses_a_bomb_in_time() {
    let arguments = ["check", "-", "--json", "--time", "2", "--memory", "500"];
    let (report, code) = json(gambol().args(arguments).write_stdin(BOMB));
    assert_eq!(code, 3, "{report}");
    assert_eq!(report["errors"][0]["category"], "ground.limit", "{report}");
}

#[test]
fn a_simulation_cut_by_time_reports_what_it_has() {
    let arguments = ["simulate", "tic-tac-toe", "--seconds", "60", "--time", "3", "--json"];
    for engine in ["reference", "net", "circuit"] {
        let (report, code) = json(gambol().args(arguments).args(["--engine", engine]));
        assert_eq!(code, 3, "{report}");
        assert!(report["playouts"].as_u64().unwrap() > 0, "{report}");
    }
}

#[test]
fn a_corpus_that_is_interrupted_keeps_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..40 {
        let text = "(role r) (init p) (legal r go) (<= (next q) (does r go)) (goal r 1)
            (<= terminal (true q))";
        std::fs::write(folder.path().join(format!("{number}.kif")), text).unwrap();
    }
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("gambol"))
        .args(["corpus", "--jobs", "1", "--json"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let lines = 1 + lines.count();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!((1..40).contains(&lines), "{lines} lines");
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let program = assert_cmd::cargo::cargo_bin("gambol");
    let mut child = std::process::Command::new(program)
        .args(["ground", "reversi", "--list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut first).unwrap();
    drop(output);
    let rest = child.wait_with_output().unwrap();
    assert_eq!(rest.status.code(), Some(0));
    assert!(rest.stderr.is_empty(), "{}", String::from_utf8_lossy(&rest.stderr));
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_cleanly_with_what_is_finished() {
    let program = assert_cmd::cargo::cargo_bin("gambol");
    let child = std::process::Command::new(program)
        .args(["simulate", "tic-tac-toe", "--seconds", "60", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(3000));
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["playouts"].as_u64().unwrap() > 0);
}

#[test]
fn hostile_bytes_on_standard_input_are_refused_quietly() {
    for bytes in [&b"\0\0\0"[..], b"\xff\xfe(", b"(((((((", b"", b";"] {
        let program = assert_cmd::cargo::cargo_bin("gambol");
        let mut child = std::process::Command::new(program)
            .args(["check", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{bytes:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
    }
}
