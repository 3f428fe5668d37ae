//! A referee and players in processes of their own, on loopback.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A player that waits for matches until dropped.
struct Waiting {
    process: Child,
    address: String,
}

impl Waiting {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gambol"))
            .args(["player", "--port", "0", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("it says where it listens");
        let said: Value = serde_json::from_str(&line).expect("in JSON");
        let address = said["listening"].as_str().expect("an address").to_string();
        Self { process, address }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn gambol(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gambol")).args(arguments).output();
    let output = output.expect("the program runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_match_of_two_processes_is_played_without_fault_and_can_be_replayed() {
    let (x, o) = (Waiting::start(), Waiting::start());
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
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&said).expect("JSON");
    let faults = report["faults"].as_array().expect("a list");
    assert!(!faults.is_empty());
    assert!(faults.iter().all(|fault| fault["fault"] == "absent" && fault["role"] == "xplayer"));
}
