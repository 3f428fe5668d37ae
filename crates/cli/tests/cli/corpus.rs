//! A whole collection: one process each, results in a file, resumable.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::gambol;

const LIGHT: &str = "(role r) (init dark) (legal r press) (<= (next lit) (does r press))
    (<= terminal (true lit)) (<= (goal r 100) (true lit)) (<= (goal r 0) (true dark))";
const ENDLESS: &str = "(role r) (init (n 0)) (legal r go) (<= (next (n (s ?x))) (true (n ?x)))
    (<= terminal (true (n (s 0)))) (goal r 100)";

/// A collection of so many small games, one that cannot be grounded and one that cannot be read.
fn collection(games: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    for number in 0..games {
        let name = format!("inner/light{number:02}.kif");
        std::fs::write(folder.path().join(name), LIGHT).unwrap();
    }
    std::fs::write(folder.path().join("endless.kif"), ENDLESS).unwrap();
    std::fs::write(folder.path().join("broken.kif"), "(role").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "not a game").unwrap();
    folder
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn id(line: &serde_json::Value) -> &str {
    line["id"].as_str().unwrap()
}

#[test]
fn every_game_gets_a_line_that_says_how_far_it_came() {
    let folder = collection(2);
    let output = gambol()
        .args(["corpus", "--json", "--jobs", "2", "--time", "20"])
        .args(["--stages", "check,ground,net,agree,simulate"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.sort_by(|one, other| id(one).cmp(id(other)));
    let ids: Vec<&str> = lines.iter().map(id).collect();
    assert_eq!(ids, ["broken", "endless", "inner/light00", "inner/light01"]);
    assert_eq!(lines[0]["stage_reached"], serde_json::Value::Null);
    assert!(lines[0]["error"].is_string());
    assert_eq!(lines[1]["stage_reached"], "check");
    assert!(lines[1]["error"].as_str().unwrap().starts_with("ground: "), "{}", lines[1]);
    assert_eq!(lines[2]["stage_reached"], "simulate");
    assert_eq!(lines[2]["error"], serde_json::Value::Null);
    assert_eq!(lines[2]["counts"]["fluents"], 2.0);
    for engine in ["compared_on_net", "compared_on_circuit"] {
        assert!(lines[2]["counts"][engine].as_f64().unwrap() >= 2.0, "{}", lines[2]);
    }
    for stage in ["check", "ground", "net", "agree", "simulate"] {
        assert!(lines[2]["seconds_by_stage"][stage].is_number(), "{stage}");
    }
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let folder = collection(12);
    let (database, file) = (folder.path().join("out.sqlite"), folder.path().join("out.jsonl"));
    let command = || {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("gambol"));
        command.args(["corpus", "--jobs", "1", "--time", "20"]).arg(folder.path());
        command.arg("--out").arg(&database).arg("--jsonl").arg(&file);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let mut first = command().spawn().unwrap();
    let started = Instant::now();
    while lines(&file).len() < 4 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let before = lines(&file);
    assert!((4..14).contains(&before.len()), "{} were done", before.len());

    let output = command().output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("were done before"), "{said}");
    let after = lines(&file);
    let mut ids: Vec<&str> = after.iter().map(id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), after.len()), (14, 14));
    for line in &before {
        assert!(after.contains(line), "{} was run again", id(line));
    }
}

#[test]
fn a_file_that_answers_another_question_is_left_alone() {
    let folder = collection(1);
    let database = folder.path().join("out.sqlite");
    let run = |stages: &str| {
        let mut command = gambol();
        command.args(["corpus", "--quiet", "--stages", stages]).arg(folder.path());
        command.arg("--out").arg(&database).output().unwrap()
    };
    assert_eq!(run("check").status.code(), Some(0));
    let output = run("check,ground");
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("another"));
}

#[test]
fn recordings_are_replayed() {
    let folder = collection(2);
    let traces = tempfile::tempdir().unwrap();
    std::fs::create_dir(traces.path().join("inner")).unwrap();
    let playout = |goal: u32| {
        format!(
            r#"{{"roles":["r"],"steps":[{{"state":["dark"],"legal":{{"r":["press"]}},"joint":["press"]}}],"end":{{"state":["lit"],"terminal":true,"goals":{{"r":{goal}}}}}}}"#
        )
    };
    std::fs::write(traces.path().join("inner/light00.jsonl"), playout(100)).unwrap();
    std::fs::write(traces.path().join("inner/light01.jsonl"), playout(7)).unwrap();
    let output = gambol()
        .args(["corpus", "--json", "--stages", "ground,net,replay"])
        .arg(folder.path())
        .arg("--traces")
        .arg(traces.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let find = |name: &str| -> serde_json::Value {
        let line = text.lines().find(|line| line.contains(name)).unwrap();
        serde_json::from_str(line).unwrap()
    };
    assert_eq!(find("light00")["stage_reached"], "replay");
    assert_eq!(find("light00")["counts"]["replayed_by_reference"], 1.0);
    assert_eq!(find("endless")["stage_reached"], "check", "a replay hides no failure");
    assert_eq!(find("light01")["stage_reached"], "net");
    assert!(find("light01")["error"].as_str().unwrap().contains("differs"));
}

#[test]
fn labelled_games_are_decomposed_with_several_numbers_of_playouts() {
    let folder = collection(1);
    let labels = folder.path().join("labels.tsv");
    let row = "id\taction_dependent\tuseless_action_dependent\ninner/light00\t0\t0\n";
    std::fs::write(&labels, row).unwrap();
    let kept = folder.path().join("records.jsonl");
    let output = gambol()
        .args(["corpus", "--stages", "decompose", "--time", "60", "--quiet", "--labels"])
        .arg(&labels)
        .arg("--jsonl")
        .arg(&kept)
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let kept = lines(&kept);
    let light = kept.iter().find(|line| id(line) == "inner/light00").unwrap();
    for playouts in [1_000, 10_000] {
        assert_eq!(light["counts"][format!("dependent_at_{playouts}")], 0.0, "one move, no choice");
    }
    let others = kept.iter().filter(|line| id(line) != "inner/light00");
    assert!(others.clone().all(|line| line["counts"].get("dependent_at_1000").is_none()));
    assert_eq!(others.count(), 2);
}
