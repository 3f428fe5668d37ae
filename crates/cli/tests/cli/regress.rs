//! `gambol regress`: values, policies and refusals as users meet them.

use crate::program::{fails, gambol, json, succeeds};

#[test]
fn the_right_answer_stands_beside_the_published_one() {
    let (right, code) = json(gambol().args(["regress", "counterexample.autre", "--json"]));
    assert_eq!((&right["value"]["A"], code), (&(-1).into(), 0));
    assert_eq!((&right["basis"], &right["complete"]), (&"proved".into(), &true.into()));
    let mut published = gambol();
    published.args(["regress", "counterexample.autre", "--json", "--published"]);
    let (wrong, _) = json(&mut published);
    assert_eq!((&wrong["value"]["A"], &wrong["basis"]), (&1.into(), &"assumed".into()));
    let said = published.output().unwrap().stderr;
    assert!(String::from_utf8(said).unwrap().contains("unsound"));
}

#[test]
fn a_game_has_the_same_value_by_classes_and_by_diagrams() {
    for backend in ["classes", "diagram"] {
        let arguments = ["regress", "tic-tac-toe", "--json", "--backend", backend];
        let (report, code) = json(gambol().args(arguments));
        assert_eq!(code, 0);
        assert_eq!(report["value"], serde_json::json!({"xplayer": 50, "oplayer": 50}));
    }
}

#[test]
fn a_policy_is_written_and_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nim.policy");
    let path = path.to_str().unwrap();
    succeeds(&["regress", "nim-3-4-5.autre", "--out", path]);
    let query = ["regress", path, "--query", "A-moves heap1=1 heap2=1 heap3=2", "--json"];
    let (report, _) = json(gambol().args(query));
    let answer = &report["answers"][0];
    assert_eq!(
        (&answer["move"], &answer["outcome"]),
        (&"take-2-of-heap3".into(), &"A-wins".into())
    );
    assert!(answer["rule"].as_str().unwrap().contains("worth A-wins"));
}

#[test]
fn families_are_printed_and_read_again() {
    let text = succeeds(&["regress", "--generate", "connect", "3", "3", "3"]);
    let (report, _) = json(gambol().args(["regress", "-", "--json"]).write_stdin(text));
    assert_eq!(report["value"]["X"], 0);
}

#[test]
fn what_cannot_be_treated_is_refused_with_the_reason() {
    let output = fails(4, gambol().args(["regress", "rock-paper-scissors"]));
    assert!(String::from_utf8(output.stderr).unwrap().contains("can have a choice"));
    let output =
        fails(4, gambol().args(["regress", "-"]).write_stdin("autre 1\nplayers A\nnode x B\n"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("line 3, column 8"));
    fails(2, gambol().args(["regress", "--generate", "connect", "4"]));
}
