//! `gambol solve` and `gambol verify`: values, proofs, and what is said when there is none.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{fails, gambol, json as answer, succeeds};

fn solved(arguments: &[&str]) -> Value {
    let (report, code) = answer(gambol().arg("solve").args(arguments).arg("--json"));
    assert_eq!(code, 0, "{report}");
    report
}

#[test]
fn programs_read_the_promised_keys() {
    let report = solved(&["nim-2-3-4"]);
    assert_eq!(report["value"], json!({"first": 100, "second": 0}));
    for key in ["line", "optimal", "method", "nodes", "states", "seconds", "peak_mib", "basis"] {
        assert!(report.get(key).is_some(), "{key}: {report}");
    }
    assert_eq!(report["basis"], "proved");
}

#[test]
fn parts_and_whole_have_the_same_value() {
    for game in ["nim", "four-lamps", "noughts-and-heap", "best-buttons-and-lights-fuse"] {
        let parts = solved(&[game, "--method", "factored"]);
        let whole = solved(&[game, "--no-factoring"]);
        assert_eq!(parts["value"], whole["value"], "{game}");
        assert_eq!(parts["method"], "factored", "{game}");
    }
}

#[test]
fn heaps_are_added_without_carry() {
    let text = succeeds(&["solve", "nim", "--method", "factored"]);
    assert!(text.contains("a sum of impartial games: Grundy values 1, 3, 5, 7"), "{text}");
}

#[test]
fn boards_of_dominoes_are_added_as_games() {
    let text = succeeds(&["solve", "domineering-eight-boards", "--method", "factored"]);
    assert!(text.contains("upright: 100"), "{text}");
    assert!(text.contains("1, -3/2, ±1, 1/2, {{2 | 0} | 0}, {2 | -1/2}, ±1"), "{text}");
}

#[test]
fn a_certificate_is_accepted_until_it_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    for game in ["nim-2-3-4", "hanoi", "rock-paper-scissors"] {
        let path = folder.path().join("proof.json");
        let file = path.to_str().unwrap();
        let report = solved(&[game, "--certificate", file]);
        assert_eq!(report["certificate"], file);
        assert!(succeeds(&["verify", game, file]).starts_with("accepted"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("\"rank\":1", "\"rank\":7", 1)).unwrap();
        let (report, code) = answer(gambol().args(["verify", game, file, "--json"]));
        assert_eq!((code, &report["accepted"]), (1, &json!(false)), "{report}");
        assert!(report["reason"].as_str().is_some_and(|reason| reason.contains("digest")));
    }
}

/// a ends with 50 each, or leaves it to b, who gives both everything or nothing.
const TRUST: &str = "(role a) (role b) (init (control a))
    (<= (legal ?r left) (true (control ?r))) (<= (legal ?r right) (true (control ?r)))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (control b)) (does a right)) (<= (next out) (does a left))
    (<= (next (end left)) (does b left)) (<= (next (end right)) (does b right))
    (<= terminal (true out)) (<= terminal (true (end ?x)))
    (<= (goal ?r 50) (role ?r) (true out)) (<= (goal ?r 100) (role ?r) (true (end right)))
    (<= (goal ?r 0) (role ?r) (true (end left)))";

#[test]
fn what_is_accepted_is_said_with_its_sense() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, proof) = (folder.path().join("trust.kif"), folder.path().join("proof.json"));
    fs::write(&rules, TRUST).unwrap();
    let (game, file) = (rules.to_str().unwrap(), proof.to_str().unwrap());
    solved(&[game, "--certificate", file]);
    let (report, code) = answer(gambol().args(["verify", game, file, "--json"]));
    assert_eq!(
        (code, &report["accepted"], &report["sense"]),
        (0, &json!(true), &json!("equilibrium"))
    );
    assert_eq!(report["state"], json!(["(control a)"]));
    assert_eq!(report["values"][1]["role"], "b");
    assert_eq!(report["values"][1]["value"], "100");
    let text = succeeds(&["verify", game, file]);
    assert!(text.contains("a: 100, equilibrium: "), "{text}");
    // The lower bound of an equilibrium and the upper bound of what can be secured prove nothing together.
    let claim = |player: &str, role: &str, bound: &str, entries: Value| {
        json!({"players": [player], "ends": [{"role": role, "at_least": null, "at_most": null, bound: 50}],
            "entries": entries})
    };
    let mut mixed: Value = serde_json::from_slice(&fs::read(&proof).unwrap()).unwrap();
    let place = |fluent: &str| {
        mixed["fluents"].as_array().unwrap().iter().position(|name| name == fluent).unwrap()
    };
    let entry = |fluent: &str, rank: u32, reply: &str| json!({"state": [place(fluent)], "rank": rank, "reply": [reply]});
    let left = || json!([entry("(control a)", 1, "left")]);
    let waits =
        |reply: &str| json!([entry("(control a)", 2, "noop"), entry("(control b)", 1, reply)]);
    let claims = json!([
        claim("a", "a", "at_least", left()),
        claim("b", "a", "at_most", waits("left")),
        claim("b", "b", "at_least", waits("right")),
        claim("a", "b", "at_most", left()),
    ]);
    mixed["claims"] = claims;
    mixed["value"] = json!({"a": "61", "b": "83"});
    let mut mixed: gambol::verify::Certificate = serde_json::from_value(mixed).unwrap();
    mixed.digest = mixed.compute_digest();
    fs::write(&proof, serde_json::to_vec(&mixed).unwrap()).unwrap();
    let (report, code) = answer(gambol().args(["verify", game, file, "--json"]));
    assert_eq!((code, &report["values"]), (1, &json!([])), "{report}");
    assert!(
        report["reason"].as_str().is_some_and(|reason| reason.contains("mixes senses")),
        "{report}"
    );
}

#[test]
fn what_is_no_certificate_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof.json");
    fs::write(&path, "{\"format\": 1}").unwrap();
    let output = fails(1, gambol().arg("verify").arg("nim").arg(&path));
    assert!(String::from_utf8_lossy(&output.stdout).contains("malformed"));
    fails(4, gambol().args(["verify", "nim", "there-is-no-such-file.json"]));
}

#[test]
fn a_method_that_does_not_fit_says_why() {
    let output = fails(4, gambol().args(["solve", "hanoi", "--method", "factored"]));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("does not fall into parts"), "{said}");
}

#[test]
fn regression_finds_the_same_value() {
    for game in ["tic-tac-toe", "untwisty-corridor"] {
        let regressed = solved(&[game, "--method", "regression"]);
        assert_eq!(regressed["method"], "regression");
        assert_eq!(regressed["value"], solved(&[game])["value"], "{game}");
    }
}

#[test]
fn a_strong_solution_counts_all_states() {
    let report = solved(&["tic-tac-toe", "--strong"]);
    let classes = report["strong"].as_array().unwrap();
    let states: u64 = classes.iter().map(|class| class["states"].as_u64().unwrap()).sum();
    assert_eq!(states, 5478);
    assert!(classes.iter().any(|class| class["value"] == json!({"xplayer": 50, "oplayer": 50})));
}

#[test]
fn a_file_that_is_no_checkpoint_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("diary");
    fs::write(&path, "dear diary, today I solved nim").unwrap();
    for game in ["nim", "hanoi"] {
        let run = fails(4, gambol().args(["solve", game, "--checkpoint"]).arg(&path));
        assert!(String::from_utf8_lossy(&run.stderr).contains("not a checkpoint"), "{game}");
        assert!(fs::read_to_string(&path).unwrap().starts_with("dear diary"), "{game}");
    }
}

#[test]
fn methods_without_checkpoints_say_so() {
    for method in ["proof-number", "factored", "symbolic", "regression"] {
        let arguments = ["solve", "hanoi", "--method", method, "--checkpoint", "never-written"];
        let run = fails(2, gambol().args(arguments));
        assert!(String::from_utf8_lossy(&run.stderr).contains("--checkpoint"), "{method}");
    }
}

/// What is kept when the time is over, however much of it that takes.
fn kept_in_time(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("kept");
    for seconds in ["1", "2", "4", "8", "16", "32"] {
        let arguments = ["solve", "blocker", "--method", "search", "--time", seconds];
        fails(3, gambol().args(arguments).arg("--checkpoint").arg(&path));
        if path.exists() {
            break;
        }
    }
    path
}

#[test]
fn a_checkpoint_of_mixtures_is_refused_by_other_games_and_where_it_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = kept_in_time(folder.path());
    let bytes = fs::read(&path).unwrap();
    let refuses = |game: &str, why: &str| {
        let before = fs::read(&path).unwrap();
        let arguments = ["solve", game, "--method", "search", "--checkpoint"];
        let run = fails(4, gambol().args(arguments).arg(&path));
        assert!(String::from_utf8_lossy(&run.stderr).contains(why), "{game}");
        assert!(fs::read(&path).unwrap() == before, "{game}: it is left alone");
    };
    for game in ["goofspiel", "nim", "hanoi"] {
        refuses(game, "another game");
    }
    for place in [9, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 16;
        fs::write(&path, &damaged).unwrap();
        refuses("blocker", "damaged");
        fs::write(&path, &bytes[..place]).unwrap();
        refuses("blocker", "damaged");
    }
}
