//! Games with hidden information: the page is sent what its role knows, and nothing else.

use serde_json::{Value, json};

use crate::server::Explorer;

fn sit(explorer: &Explorer, id: &Value, act: Value) -> Value {
    let answer = explorer.post(&format!("/api/games/{id}/table"), act);
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

/// Ann's first look at her card; the lot is the seed's.
fn deal(explorer: &Explorer, id: &Value, seed: u64) -> (Value, Value) {
    let seated = sit(explorer, id, json!({ "act": "begin", "viewer": 0, "seed": seed }));
    let wait = seated["position"]["roles"][0]["moves"][0]["id"].clone();
    let table = seated["table"].clone();
    let act = json!({ "act": "move", "table": table, "step": 0, "action": wait, "seconds": 0.05 });
    (table, sit(explorer, id, act))
}

#[test]
fn what_is_sent_does_not_depend_on_what_is_hidden() {
    let explorer = Explorer::start();
    let game = explorer.open(json!({ "name": "kuhn-poker" }));
    let id = &game["id"];
    // Deals in which Ann has the same card differ in Bob's card only.
    let mut by_card: std::collections::BTreeMap<String, Vec<(Value, Value)>> = Default::default();
    for seed in 0..24 {
        let (table, position) = deal(&explorer, id, seed);
        let revealed = sit(&explorer, id, json!({ "act": "reveal", "table": table, "step": 0 }));
        let known = position["known"].as_str().expect("something is known").to_string();
        by_card.entry(known).or_default().push((position, revealed["moves"][0].clone()));
    }
    assert_eq!(by_card.len(), 3, "a jack, a queen, or a king");
    for deals in by_card.values() {
        assert!(deals.iter().all(|(position, _)| *position == deals[0].0));
        assert!(deals.iter().any(|(_, truth)| *truth != deals[0].1), "the truth does differ");
    }
}

#[test]
fn the_other_roles_show_neither_moves_nor_goals() {
    let explorer = Explorer::start();
    let game = explorer.open(json!({ "name": "kuhn-poker" }));
    let (_, position) = deal(&explorer, &game["id"], 3);
    assert_eq!(position["roles"][1]["hidden"], true);
    for role in [1, 2] {
        assert_eq!(position["roles"][role]["moves"], json!([]));
        assert_eq!(position["roles"][role]["goal"], Value::Null);
    }
}

#[test]
fn a_game_is_played_to_its_end_and_then_laid_open() {
    let explorer = Explorer::start();
    let game = explorer.open(json!({ "name": "kuhn-poker" }));
    let (table, mut position) = deal(&explorer, &game["id"], 5);
    for step in 1..10 {
        if position["terminal"] == true {
            break;
        }
        let action = position["roles"][0]["moves"][0]["id"].clone();
        let act = json!({ "act": "move", "table": table, "step": step, "action": action, "seconds": 0.05 });
        position = sit(&explorer, &game["id"], act);
    }
    assert_eq!(position["terminal"], true);
    assert_eq!(position["known"], Value::Null);
    let board = position["board"].as_str().expect("there is a board");
    assert!(!board.contains("hand bob: nothing"));
}

#[test]
fn senseless_requests_are_refused() {
    let explorer = Explorer::start();
    let game = explorer.open(json!({ "name": "kuhn-poker" }));
    let path = format!("/api/games/{}/table", game["id"]);
    for (act, status) in [
        (json!({ "act": "begin", "viewer": 9 }), 400),
        (json!({ "act": "begin", "viewer": 2 }), 400),
        (json!({ "act": "look", "table": 77, "step": 0 }), 404),
        (json!({ "act": "move", "table": 77, "step": 0, "action": 0, "seconds": 1 }), 404),
    ] {
        assert_eq!(explorer.post(&path, act.clone()).status, status, "{act}");
    }
    let (table, _) = deal(&explorer, &game["id"], 1);
    for act in [
        json!({ "act": "look", "table": table, "step": 5 }),
        json!({ "act": "move", "table": table, "step": 1, "action": 4_000_000, "seconds": 1 }),
    ] {
        assert_eq!(explorer.post(&path, act.clone()).status, 400, "{act}");
    }
}
