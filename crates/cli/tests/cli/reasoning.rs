//! `gambol scramble`, `gambol quiz`, `gambol solve --count`: games as tests of reasoning.

use serde_json::{Value, json};

use crate::program::{fails, gambol, json as answer, succeeds};

#[test]
fn a_scrambled_game_is_a_game_of_the_same_value() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, names) = (folder.path().join("other.kif"), folder.path().join("names.json"));
    let (rules, names) = (rules.to_str().unwrap(), names.to_str().unwrap());
    let text = succeeds(&["scramble", "nim-2-3-4", "--seed", "3", "--names", names]);
    assert!(!text.contains("heap") && !text.contains(';'), "{text}");
    std::fs::write(rules, &text).unwrap();
    let names: Value = serde_json::from_slice(&std::fs::read(names).unwrap()).unwrap();
    let role = |name: &str| names[name].as_str().unwrap().to_string();
    let (report, code) = answer(gambol().args(["solve", rules, "--json"]));
    let expected = json!({ role("first"): 100, role("second"): 0 });
    assert_eq!((&report["value"], code), (&expected, 0));
    assert_eq!(text, succeeds(&["scramble", "nim-2-3-4", "--seed", "3"]));
}

#[test]
fn questions_come_line_by_line_the_easiest_first() {
    let text = succeeds(&["quiz", "tic-tac-toe", "--questions", "14"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 14);
    let difficulty: Vec<u64> =
        lines.iter().map(|line| line["difficulty"].as_u64().unwrap()).collect();
    assert!(difficulty.is_sorted());
    for key in ["game", "number", "kind", "question", "state", "answer", "features"] {
        assert!(lines.iter().all(|line| line.get(key).is_some()), "{key}");
    }
    let text = succeeds(&["quiz", "nim", "--questions", "4", "--kinds", "legal,next"]);
    let asked = |kind: &str| text.matches(&format!("\"kind\":\"{kind}\"")).count();
    assert_eq!((asked("legal"), asked("next")), (2, 2));
    fails(4, gambol().args(["quiz", "kuhn-poker"]));
    fails(2, gambol().args(["quiz", "nim", "--kinds", "colour"]));
}

#[test]
fn best_plans_are_counted() {
    let (report, code) = answer(gambol().args(["solve", "hanoi", "--unique", "--json"]));
    let expected = json!({ "value": 100, "length": 15, "count": 1, "unique": true });
    assert_eq!((&report["plans"], code), (&expected, 0));
    assert!(succeeds(&["solve", "eight-queens", "--count"]).contains("92 best plans of 8 moves"));
    fails(1, gambol().args(["solve", "eight-queens", "--unique"]));
    fails(2, gambol().args(["solve", "nim", "--count"]));
}
