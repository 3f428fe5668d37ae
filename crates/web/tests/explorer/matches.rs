//! Matches step by step: recorded ones, and engine against engine.

use serde_json::json;

use crate::browser::{open_file, story};

fn record() -> String {
    let lines = [
        json!({ "match": "m", "game": "tic-tac-toe", "roles": ["xplayer", "oplayer"], "players": ["mcts", "127.0.0.1:1"] }),
        json!({ "joint": ["(put 2 2)", "wait"], "opinions": [{ "goal": 61.5, "certain": false, "playouts": 900 }, null] }),
        json!({ "joint": ["wait", "(put 1 1)"], "faults": [{ "step": 2, "role": "oplayer", "fault": "late" }] }),
        json!({ "joint": ["(put 3 3)", "wait"], "opinions": [{ "goal": 100, "certain": true, "playouts": 10 }, null] }),
    ];
    lines.map(|line| line.to_string()).join("\n")
}

#[test]
fn a_recorded_match_is_stepped_through_with_its_opinions_and_faults() {
    story("nim", "play", |browser| {
        open_file(browser, "a match.jsonl", &record());
        browser.until("document.getElementById('match-step').textContent === 'step 0 of 3'");
        assert!(browser.text("about").contains("3 steps, broken off"));
        let count = |what: &str| {
            browser.run("return document.querySelectorAll(arguments[0]).length", json!([what]))
        };
        assert_eq!(count("#match-curve circle"), 2);
        assert_eq!(count("#match-curve circle.certain"), 1);
        assert_eq!(count("#match-curve .fault"), 1);
        assert!(browser.text("match-moves").contains("oplayer late"));
        browser.click("match-last");
        browser.until("document.querySelectorAll('#match-board .things > g').length === 3");
        browser.click("match-back");
        browser.until("document.querySelectorAll('#match-board .things > g').length === 2");
        browser.click("match-judge");
        browser.until("document.querySelectorAll('#match-curve circle').length === 3");
    });
}

#[test]
fn a_record_of_other_rules_says_where_it_stops_being_legal() {
    story("nim", "play", |browser| {
        let wrong = record().replace("(put 1 1)", "(put 2 2)");
        open_file(browser, "wrong.jsonl", &wrong);
        browser.until("document.getElementById('match-status').textContent.includes('not legal')");
        assert_eq!(browser.text("match-step"), "step 0 of 1");
        open_file(browser, "empty.jsonl", "{}");
        browser.until("document.getElementById('about').textContent.includes('no recorded match')");
    });
}

#[test]
fn two_engines_play_and_their_opinions_become_a_curve() {
    story("tic-tac-toe", "match", |browser| {
        browser.until("document.querySelectorAll('#match-seats select').length === 2");
        browser.run("document.getElementById('match-clock').value = '0.1'", json!([]));
        browser.click("match-play");
        browser.until("/A draw|wins/.test(document.getElementById('match-ending').textContent)");
        browser.until("document.querySelectorAll('#match-moves li').length >= 5");
        browser.until("document.querySelectorAll('#match-curve circle').length >= 4");
    });
}
