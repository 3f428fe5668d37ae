//! `gambol structure`: facts for people and for programs.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::program::{gambol, json, succeeds};

fn structure(game: &str) -> Value {
    let (report, code) = json(gambol().args(["structure", game, "--json"]));
    assert_eq!(code, 0, "{report}");
    report
}

#[test]
fn people_read_one_line_per_fact() {
    let text = succeeds(&["structure", "untwisty-corridor"]);
    let line = "once jammed is true it stays true; then walker can no longer reach 100";
    assert!(text.lines().any(|told| told == line), "{text}");
    assert!(text.lines().last().is_some_and(|line| line.contains("proved")), "{text}");
}

/// What differs only in its squares is told once; the lines that end the game are all there, and made
/// of marks alone.
#[test]
fn facts_are_told_by_symmetry_and_groups_are_complete() {
    let text = succeeds(&["structure", "tic-tac-toe"]);
    let once = "once (cell X Y empty) is false it stays false; then xplayer can never again choose (put X Y); \
                then oplayer can never again choose (put X Y), for X from 1 to 3, Y from 1 to 3";
    assert!(text.lines().any(|line| line == once), "{text}");
    let all = succeeds(&["structure", "tic-tac-toe", "--all"]);
    assert!(all.lines().filter(|line| line.starts_with("once (cell")).count() == 27, "{all}");
    let groups: Vec<&str> = all.lines().filter(|line| line.starts_with("once all of")).collect();
    assert!(groups.iter().all(|group| !group.contains("empty")), "{groups:#?}");
    let marks =
        |group: &str| group.split(" hold").next().map_or(0, |it| it.matches("(cell").count());
    // Four marks may stand in every line of the other player.
    let lines: Vec<&&str> = groups.iter().filter(|group| marks(group) == 3).collect();
    assert_eq!(lines.len(), 16, "{groups:#?}");
    for group in lines {
        let (marks, then) = group.split_once(" hold").expect("what follows");
        let (loser, winner) = match marks.contains(" o)") {
            true => ("xplayer", "oplayer"),
            false => ("oplayer", "xplayer"),
        };
        assert!(then.contains(&format!("{loser} can no longer reach 100 or 50")), "{group}");
        assert!(then.contains(&format!("{winner} can no longer reach 50 or 0")), "{group}");
    }
}

#[test]
fn programs_read_the_promised_keys() {
    let report = structure("untwisty-corridor");
    let latch = |fluent: &str, polarity: &str| {
        let latches = report["latches"].as_array().unwrap();
        latches.iter().any(|latch| {
            latch["fluent"] == fluent && latch["polarity"] == polarity && latch["basis"] == "proved"
        })
    };
    assert!(latch("jammed", "true") && latch("(room 1)", "false") && !latch("(room 2)", "true"));
    let dead = &report["goal_inhibitors"][0];
    let expected = serde_json::json!({"fluent": "jammed", "polarity": "true", "role": "walker",
        "goal": 100, "basis": "proved"});
    assert_eq!(*dead, expected);
    let inhibitors = report["inhibitors"].as_array().unwrap();
    let expected = serde_json::json!({"inhibitor": "jammed", "inhibited": "(room 8)",
        "basis": "proved"});
    assert!(inhibitors.contains(&expected));
    assert_eq!(report["clocks"][0].as_array().unwrap().len(), 8);
    assert!(report["mutexes"].as_array().is_some_and(|groups| !groups.is_empty()));
    assert!(report["turn"].is_array() && report["seconds"].is_number());
}

#[test]
fn groups_say_whether_any_or_all_of_them_latch() {
    let report = structure("group-latch");
    let group = &report["group_latches"][0];
    assert_eq!(group["fluents"], serde_json::json!(["(rail left)", "(rail right)"]));
    assert_eq!((&group["together"], &group["basis"]), (&"any".into(), &"proved".into()));
}

#[test]
fn a_refuted_latch_is_explained_by_moves() {
    let text = succeeds(&["structure", "untwisty-corridor", "--explain"]);
    assert!(text.contains("(room 2) does not keep the value true: after d, the move d"), "{text}");
    assert!(text.contains("jammed keeps the value true: no step takes it away"), "{text}");
}

#[test]
fn what_is_found_in_time_is_not_lost() {
    let (report, code) =
        json(gambol().args(["structure", "reversi", "--json", "--time", "1", "--quiet"]));
    assert!(code == 0 || code == 3, "{report}");
    assert!(report["latches"].is_array(), "{report}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_proved() {
    let program = assert_cmd::cargo::cargo_bin("gambol");
    let child = std::process::Command::new(program)
        .args(["structure", "reversi", "--json", "--quiet", "--time", "600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(8000));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!report["latches"].as_array().unwrap().is_empty(), "{report}");
    assert!(!report["mutexes"].as_array().unwrap().is_empty(), "{report}");
}

#[test]
fn a_latch_says_which_moves_are_gone() {
    let text = succeeds(&["structure", "tic-tac-toe", "--all"]);
    let line = "once (cell 2 2 x) is true it stays true; then xplayer can never again choose (put 2 2); \
                then oplayer can never again choose (put 2 2)";
    assert!(text.lines().any(|told| told == line), "{text}");
    let report = structure("tic-tac-toe");
    let gone = serde_json::json!({"fluent": "(cell 2 2 x)", "polarity": "true", "role": "oplayer",
        "move": "(put 2 2)", "basis": "proved"});
    assert!(report["forbidden_moves"].as_array().unwrap().contains(&gone), "{report}");
}

#[test]
fn a_puzzle_without_its_dead_states_is_small() {
    let text = succeeds(&["structure", "untwisty-corridor", "--tree"]);
    let line = "the game tree has 21845 nodes and 36 states; where walker can still reach 100, 8 \
                nodes and 8 states";
    assert_eq!(text.lines().last(), Some(line), "{text}");
    let (report, code) = json(gambol().args(["structure", "tic-tac-toe", "--tree", "--json"]));
    assert!(code != 0 && report["error"]["message"].as_str().is_some(), "{report}");
}

/// Games of the shared corpus, small and not so small, that have recordings.
const RECORDED: [&str; 8] = [
    "base/ticTacToeLarge",
    "base/2pffa_v0",
    "base/blocker",
    "base/connectFour",
    "base/snake2p",
    "base/hanoi",
    "base/lightsOn",
    "base/asteroids",
];

#[test]
fn no_recording_contradicts_a_claim() {
    let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let mut games = 0;
    for game in RECORDED {
        let rules = shared.join("games").join(format!("{game}.kif"));
        let trace = shared.join("traces").join(format!("{game}.jsonl.gz"));
        if rules.is_file() && trace.is_file() {
            games += 1;
            contradicts_nothing(&rules, &trace);
        }
    }
    if games == 0 {
        println!("the shared corpus is not here; nothing was compared");
    }
}

fn contradicts_nothing(rules: &Path, trace: &PathBuf) {
    // Recordings are in lower case.
    let (report, _) = json(
        gambol()
            .args(["structure", "--json", "--quiet", "--case", "fold", "--time", "2"])
            .arg(rules),
    );
    let mut text = String::new();
    let file = std::fs::File::open(trace).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    for line in text.lines() {
        let playout: Value = serde_json::from_str(line).unwrap();
        let states = states_of(&playout);
        let broken = broken_claims(&report, &states, &playout["end"]);
        assert!(broken.is_empty(), "{}: {broken:?}", rules.display());
    }
}

fn states_of(playout: &Value) -> Vec<BTreeSet<&str>> {
    let steps = playout["steps"].as_array().unwrap().iter();
    let states = steps.chain([&playout["end"]]).filter_map(|step| step["state"].as_array());
    states.map(|state| state.iter().filter_map(Value::as_str).collect()).collect()
}

/// Latches that are lost, exclusive fluents that meet, goals that were out of reach.
fn broken_claims(report: &Value, states: &[BTreeSet<&str>], end: &Value) -> Vec<String> {
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let holds = |state: &BTreeSet<&str>, claim: &Value| {
        state.contains(claim["fluent"].as_str().unwrap()) == (claim["polarity"] == "true")
    };
    let mut broken = Vec::new();
    for latch in list("latches") {
        let first = states.iter().position(|state| holds(state, &latch));
        if first.is_some_and(|first| !states[first..].iter().all(|state| holds(state, &latch))) {
            broken.push(format!("lost: {latch}"));
        }
    }
    for group in list("mutexes") {
        let members: Vec<&str> =
            group.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let count = |state: &BTreeSet<&str>| members.iter().filter(|m| state.contains(**m)).count();
        if states.iter().any(|state| count(state) > 1) {
            broken.push(format!("together: {group}"));
        }
    }
    for dead in list("goal_inhibitors") {
        let role = dead["role"].as_str().unwrap();
        let reached = end["terminal"] == true && end["goals"][role] == dead["goal"];
        if reached && states.iter().any(|state| holds(state, &dead)) {
            broken.push(format!("reached: {dead}"));
        }
    }
    broken
}
