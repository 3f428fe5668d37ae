//! Tournaments: ratings, resumption, and players on the protocol.

use std::fs;

use serde_json::Value;

use crate::program::{Listening, fails, gambol, json, succeeds};

const PLAYERS: [&str; 4] = ["--players", "mcts:solve=off", "random", "legal"];

fn tournament(arguments: &[&str]) -> Value {
    let all = [&["tournament"], arguments, &["--playouts", "2000", "--json"]].concat();
    let (report, code) = json(gambol().args(all));
    assert_eq!(code, 0, "{report}");
    report
}

#[test]
fn the_one_who_thinks_is_first_and_the_page_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html").display().to_string();
    let games = ["tic-tac-toe", "lights-out-3x3"];
    let report = tournament(&[&games[..], &PLAYERS, &["--html", &page]].concat());
    // Three pairs of the one game and three players of the other, twice.
    assert_eq!((&report["matches"], &report["complete"]), (&12.into(), &true.into()));
    let first = &report["players"][0];
    assert_eq!(first["player"], "mcts:solve=off", "{report}");
    assert!(first["interval"]["least"].as_f64() < first["elo"].as_f64());
    let lost = |place: usize| report["players"][place]["lost"].as_u64().unwrap();
    assert!(lost(0) < lost(2), "{report}");
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("<td>mcts:solve=off</td>"));
    assert!(!html.contains("<script") && !html.contains("http"));
}

#[test]
fn a_tournament_that_was_broken_off_goes_on_to_the_same_standings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl").display().to_string();
    let games = ["nim-2-3-4", "--players", "random", "legal", "--rounds", "4", "--out", &path];
    let whole = tournament(&games);
    // What is there is not lost because the command is given again.
    fails(2, gambol().arg("tournament").args(games));
    let text = fs::read_to_string(&path).unwrap();
    // Cut in the middle of a line: of the match there, and of nothing else, is nothing kept.
    for share in [3, 2] {
        fs::write(&path, &text[..text.len() / share]).unwrap();
        let (again, _) = json(gambol().args(["tournament", "--resume", &path, "--json"]));
        assert_eq!(again, whole);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert!(succeeds(&["replay", "nim-2-3-4", &path]).contains("0 differences"));
    let damaged = text.replacen("wait", "wail", 1);
    fs::write(&path, damaged).unwrap();
    fails(4, gambol().args(["tournament", "--resume", &path]));
}

#[test]
fn on_a_ladder_the_strongest_ends_at_the_top() {
    let arguments =
        ["tic-tac-toe", "--players", "legal", "mcts:solve=off", "--rounds", "4", "--ladder"];
    let report = tournament(&arguments);
    assert_eq!(report["system"], "ladder");
    assert_eq!(report["players"][0]["player"], "mcts:solve=off", "{report}");
}

#[test]
fn engines_meet_players_on_the_protocol_and_faults_are_counted() {
    let player = Listening::start_on("player", &["--think", "0.1"]);
    let clocks = ["--rounds", "1", "--start", "1", "--play", "1"];
    let arguments = ["nim-2-3-4", "--players", &player.address, "random", "127.0.0.1:1"];
    let all = [&["tournament"], &arguments[..], &clocks, &["--json"]].concat();
    let (report, code) = json(gambol().args(&all));
    // Of one of them nothing is ever heard.
    assert_eq!((code, &report["matches"]), (1, &3.into()), "{report}");
    let said = fails(1, gambol().args(&all)).stderr;
    assert!(String::from_utf8_lossy(&said).contains("nothing was heard of 127.0.0.1:1"));
    let faults = |name: &str| {
        let players = report["players"].as_array().unwrap();
        players.iter().find(|one| one["player"] == *name).unwrap()["faults"].as_u64().unwrap()
    };
    assert_eq!((faults(&player.address), faults("random")), (0, 0), "{report}");
    assert!(faults("127.0.0.1:1") > 0, "nobody is there");
}

#[test]
fn who_cannot_be_told_apart_or_found_is_refused() {
    fails(2, gambol().args(["tournament", "nim", "--players", "mcts", "mcts"]));
    fails(2, gambol().args(["tournament", "nim", "--players", "mcts", "deep-blue"]));
    fails(2, gambol().args(["tournament", "nim", "--players", "mcts"]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.jsonl").display().to_string();
    succeeds(&["match", "nim-2-3-4", "random", "random", "--out", &path]);
    fails(2, gambol().args(["tournament", "--resume", &path]));
}
