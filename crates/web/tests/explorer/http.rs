//! The explorer over plain HTTP: what it answers, and what it refuses.

use serde_json::json;

use crate::server::Explorer;

#[test]
fn a_game_is_opened_stepped_and_drawn() {
    let explorer = Explorer::start();
    let game = explorer.open(json!({ "name": "tic-tac-toe" }));
    let id = &game["id"];
    let start = explorer.post(&format!("/api/games/{id}/position"), json!({})).json();
    let moves = start["roles"][0]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 9);
    assert_eq!(moves[0]["path"].as_array().map(Vec::len), Some(1), "a mark changes one square");
    let joint = [moves[4]["id"].clone(), start["roles"][1]["moves"][0]["id"].clone()];
    let request = json!({ "state": start["state"], "moves": joint });
    let next = explorer.post(&format!("/api/games/{id}/position"), request).json();
    assert_eq!(next["roles"][1]["moves"].as_array().map(Vec::len), Some(8));
    assert!(next["board"].as_str().is_some_and(|svg| svg.contains("fresh")));
    let net = json!({ "detail": "whole", "state": next["state"] });
    let net = explorer.post(&format!("/api/games/{id}/net.svg"), net);
    assert!(net.text.contains("class=\"node base lit\"") && !net.text.contains("<style>"));
}

#[test]
fn the_interpreter_plays_what_has_no_net() {
    let explorer = Explorer::start();
    let start = explorer.post("/api/interpreted", json!({ "name": "tic-tac-toe" })).json();
    assert_eq!(start["roles"][0]["moves"].as_array().map(Vec::len), Some(9));
    let joint = json!(["(put 2 2)", "wait"]);
    let request = json!({ "name": "tic-tac-toe", "state": start["state"], "moves": joint });
    let next = explorer.post("/api/interpreted", request).json();
    assert_eq!(next["roles"][1]["moves"].as_array().map(Vec::len), Some(8));
    let state = next["state"].as_array().expect("a state");
    assert!(state.contains(&json!("(cell 2 2 x)")));
    for wrong in [
        json!({ "name": "tic-tac-toe", "moves": ["(put 9 9)"] }),
        json!({ "name": "tic-tac-toe", "state": ["(((" ] }),
        json!({ "text": "(role r)\n(init (p 1)" }),
    ] {
        assert_eq!(explorer.post("/api/interpreted", wrong).status, 422);
    }
}

#[test]
fn illegal_moves_and_unknown_things_are_refused() {
    let explorer = Explorer::start();
    let id = explorer.open(json!({ "name": "tic-tac-toe" }))["id"].clone();
    let path = format!("/api/games/{id}/position");
    for request in [
        json!({ "moves": [0, 0] }),
        json!({ "moves": [] }),
        json!({ "moves": [4_000_000_000u32, 1] }),
        json!({ "state": [999_999] }),
    ] {
        assert_eq!(explorer.post(&path, request).status, 400);
    }
    assert_eq!(explorer.post("/api/games/999/position", json!({})).status, 404);
    assert_eq!(explorer.post("/api/games", json!({ "name": "no such game" })).status, 404);
    assert_eq!(explorer.get("/api/jobs/999").status, 404);
    assert_eq!(explorer.get("/../Cargo.toml").status, 404);
    let around = json!({ "detail": "around", "gate": 999_999 });
    assert_eq!(explorer.post(&format!("/api/games/{id}/net.svg"), around).status, 400);
}

#[test]
fn errors_in_rules_come_with_their_places() {
    let explorer = Explorer::start();
    let refused = explorer.post("/api/games", json!({ "text": "(role r)\n(init (p 1)" }));
    assert_eq!(refused.status, 422);
    let place = &refused.json()["places"][0];
    assert_eq!((place["line"].as_u64(), place["column"].as_u64()), (Some(2), Some(1)));
}

#[test]
fn strangers_are_refused() {
    let explorer = Explorer::start();
    for (host, origin) in [
        ("evil.example", None),
        (explorer.host.as_str(), Some("http://evil.example")),
        (explorer.host.as_str(), Some("null")),
    ] {
        assert_eq!(explorer.raw("GET", "/api/bundled", host, origin, "").status, 403);
    }
    let own = format!("http://{}", explorer.host);
    let answer = explorer.raw("GET", "/api/bundled", &explorer.host, Some(&own), "");
    assert_eq!(answer.status, 200);
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
}

#[test]
fn a_text_that_is_too_long_is_refused() {
    let explorer = Explorer::start();
    let long = "x".repeat(9 << 20);
    assert_eq!(explorer.post("/api/games", json!({ "text": long })).status, 413);
    let long = "; ".repeat(2_200_000);
    assert_eq!(explorer.post("/api/games", json!({ "text": long })).status, 422);
    assert_eq!(explorer.get("/api/here").status, 200);
}

#[test]
fn a_job_tells_its_result_and_can_be_stopped() {
    let explorer = Explorer::start();
    let id = explorer.open(json!({ "name": "double-tic-tac-toe" }))["id"].clone();
    let jobs = format!("/api/games/{id}/jobs");
    let parts = json!({ "kind": "parts", "playouts": 500, "prove": false });
    let job = explorer.post(&jobs, parts).json()["job"].clone();
    let events = explorer.get(&format!("/api/jobs/{job}")).text;
    assert!(
        events.contains("event: result") && events.contains("parallel-asynchronous"),
        "{events}"
    );
    let solve = json!({ "kind": "solve", "factored": false });
    let big = explorer.open(json!({ "name": "connect-four" }))["id"].clone();
    let job = explorer.post(&format!("/api/games/{big}/jobs"), solve).json()["job"].clone();
    explorer.raw("DELETE", &format!("/api/jobs/{job}"), &explorer.host, None, "");
    let events = explorer.get(&format!("/api/jobs/{job}")).text;
    assert!(events.contains("event: result"), "it ends soon after it is stopped: {events}");
}

/// Of two lamps exactly one must be lit, and a third must be in any case; `c` needs `a` to be lit.
pub(crate) const LAMPS: &str = "(role r) (legal r wait) (lamp a) (lamp b) (lamp c) (init (time 0))
    (<= (legal r (press ?l)) (lamp ?l)) (then 0 1) (then 1 2) (then 2 3) (then 3 4) (then 4 5)
    (<= (next (time ?u)) (true (time ?t)) (then ?t ?u))
    (<= (next (lit a)) (does r (press a)) (not (true (lit a))))
    (<= (next (lit b)) (does r (press b)) (not (true (lit b))))
    (<= (next (lit c)) (does r (press c)) (not (true (lit c))) (true (lit a)))
    (<= (next (lit ?l)) (lamp ?l) (true (lit ?l)) (not (does r (press ?l))))
    (<= terminal (true (time 5))) (<= (goal r 100) won) (<= (goal r 0) (not won))
    (<= won (true (lit a)) (true (lit c)) (not (true (lit b))))
    (<= won (true (lit a)) (not (true (lit c))) (true (lit b)))";

#[test]
fn what_a_proof_has_joined_is_told_with_its_lines_of_play() {
    let explorer = Explorer::start();
    let id = explorer.open(json!({ "text": LAMPS }))["id"].clone();
    let parts = json!({ "kind": "parts", "playouts": 500, "prove": true });
    let job = explorer.post(&format!("/api/games/{id}/jobs"), parts).json()["job"].clone();
    let events = explorer.get(&format!("/api/jobs/{job}")).text;
    let wanted = ["what r needs in one part depends on the other", "from_the_start", "(press b)"];
    assert!(wanted.iter().all(|text| events.contains(text)), "{events}");
}

#[test]
fn more_jobs_than_allowed_have_to_wait() {
    let explorer = Explorer::start();
    let id = explorer.open(json!({ "name": "connect-four" }))["id"].clone();
    let jobs = format!("/api/games/{id}/jobs");
    let solve = || explorer.post(&jobs, json!({ "kind": "solve", "factored": false }));
    let begun: Vec<_> = (0..4).map(|_| solve()).collect();
    assert!(begun.iter().all(|answer| answer.status == 200));
    assert_eq!(solve().status, 429);
    for answer in begun {
        let job = &answer.json()["job"];
        explorer.raw("DELETE", &format!("/api/jobs/{job}"), &explorer.host, None, "");
    }
}

#[test]
fn any_number_of_games_can_be_opened_one_after_the_other() {
    let explorer = Explorer::start();
    let first = explorer.open(json!({ "name": "four-lamps" }))["id"].clone();
    for _ in 0..30 {
        explorer.open(json!({ "name": "four-lamps" }));
    }
    let forgotten = explorer.post(&format!("/api/games/{first}/position"), json!({}));
    assert_eq!(forgotten.status, 404, "the oldest made room");
}

#[test]
fn jobs_that_nobody_listens_to_give_up_their_place() {
    let explorer = Explorer::start();
    let id = explorer.open(json!({ "name": "connect-four" }))["id"].clone();
    let path = format!("/api/games/{id}/jobs");
    let job = || json!({ "kind": "solve", "factored": false, "state": null });
    (0..4).for_each(|_| assert_eq!(explorer.post(&path, job()).status, 200));
    assert_eq!(explorer.post(&path, job()).status, 429);
    let started = std::time::Instant::now();
    while explorer.post(&path, job()).status != 200 {
        assert!(started.elapsed() < std::time::Duration::from_secs(15), "they keep their places");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

#[test]
fn a_game_that_is_closed_is_gone() {
    let explorer = Explorer::start();
    let id = explorer.open(json!({ "name": "tic-tac-toe" }))["id"].clone();
    let path = format!("/api/games/{id}");
    assert_eq!(explorer.raw("DELETE", &path, &explorer.host, None, "").status, 200);
    assert_eq!(explorer.raw("DELETE", &path, &explorer.host, None, "").status, 404);
    assert_eq!(explorer.post(&format!("{path}/position"), json!({})).status, 404);
}
