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
fn diagrams_are_written_and_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("board.diagram");
    let path = path.to_str().unwrap();
    let board = succeeds(&["regress", "--generate", "connect", "4", "3", "3"]);
    let mut made = gambol();
    made.args(["regress", "-", "--backend", "diagram", "--out", path, "--json"]).write_stdin(board);
    assert_eq!(json(&mut made).0["policy"], path);
    let query = "X-moves a1=x b1=x d1=o d2=o";
    let (report, _) = json(gambol().args(["regress", path, "--query", query, "--json"]));
    let answer = &report["answers"][0];
    assert_eq!((&answer["move"], &answer["outcome"]), (&"c1".into(), &"X-wins".into()));
    assert_eq!(report["backend"], "diagram");
    let bytes = std::fs::read(path).unwrap();
    std::fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
    let output = fails(4, gambol().args(["regress", path]));
    assert!(String::from_utf8(output.stderr).unwrap().contains("damaged"));
}

#[test]
fn a_yes_or_no_question_has_one_answer_in_both_backends() {
    for backend in ["classes", "diagram"] {
        for (least, outcome) in [("0", "at-least-0"), ("1", "less")] {
            let arguments = ["regress", "tic-tac-toe.autre", "--json", "--at-least", least];
            let (report, _) = json(gambol().args(arguments).args(["--backend", backend]));
            assert_eq!(report["outcome"], outcome, "{backend}");
        }
    }
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

const BOOLEANS: &str = "(role p) (init (step 0)) (succ 0 1) (succ 1 2) (legal p x) (legal p none)
    (<= (next x) (does p x)) (<= (next y) (true x) (does p x))
    (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
    (<= terminal (true (step 2))) (<= (goal p 100) (true y)) (<= (goal p 0) (not (true y)))";

#[test]
fn a_query_is_answered_about_the_state_that_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, policy) = (folder.path().join("game.kif"), folder.path().join("game.policy"));
    std::fs::write(&rules, BOOLEANS).unwrap();
    let (rules, policy) = (rules.to_str().unwrap(), policy.to_str().unwrap());
    succeeds(&["regress", rules, "--out", policy]);
    for source in [rules, policy] {
        for (state, value) in
            [("(step 1) x", 100), ("x (step 1)", 100), ("(step 1)", 0), ("(step 1) y", 0)]
        {
            let (report, _) = json(gambol().args(["regress", source, "--query", state, "--json"]));
            assert_eq!(report["answers"][0]["value"]["p"], value, "{state}: {report}");
        }
        let refused = fails(2, gambol().args(["regress", source, "--query", "(step 1) z"]));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("`z` is no fact"));
    }
}
