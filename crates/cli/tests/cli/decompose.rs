//! Taking games apart: what is told, what is drawn, and parts as games.

use crate::program::{fails, gambol, json, succeeds};

/// Two ladders of 14 rungs; who stands on top of the left one makes the right one slippery, and in
/// random play nobody ever does.
fn ladders() -> String {
    let rungs: String = (0..14).map(|rung| format!("(above {rung} {}) ", rung + 1)).collect();
    let times: String = (0..18).map(|time| format!("(then {time} {}) ", time + 1)).collect();
    format!(
        "(role r) {rungs} (above 14 14) {times} (ladder left) (ladder right)
         (init (time 0)) (<= (init (on ?l 0)) (ladder ?l))
         (<= (legal r (climb ?l)) (ladder ?l)) (<= (legal r (fall ?l)) (ladder ?l))
         (<= (next (time ?u)) (true (time ?t)) (then ?t ?u))
         (<= (next (on ?l 0)) (does r (fall ?l)))
         (<= (next (on ?l ?n)) (true (on ?l ?n)) (does r (climb ?k)) (ladder ?l) (distinct ?k ?l))
         (<= (next (on ?l ?n)) (true (on ?l ?n)) (does r (fall ?k)) (ladder ?l) (distinct ?k ?l))
         (<= (next (on left ?n)) (does r (climb left)) (true (on left ?m)) (above ?m ?n))
         (<= (next (on right ?n)) (does r (climb right)) (true (on right ?m)) (above ?m ?n)
             (not (true (on left 14))))
         (<= (next (on right 0)) (does r (climb right)) (true (on left 14)))
         (<= terminal (true (time 18)))
         (<= won (true (on left 3)) (true (on right 3)))
         (<= (goal r 100) won) (<= (goal r 0) (not won))"
    )
}

#[test]
fn what_a_failed_proof_has_joined_is_told() {
    let how = ["decompose", "-", "--playouts", "500"];
    // Play alone never gets to the top, and what the rules read there is no reason to cut.
    let (sampled, _) = json(gambol().args(how).arg("--json").write_stdin(ladders()));
    assert_eq!(sampled["counts"]["action_dependent"], 1);
    let (proved, code) =
        json(gambol().args(how).args(["--json", "--prove"]).write_stdin(ladders()));
    assert_eq!(code, 0);
    assert_eq!(
        (&proved["counts"]["action_dependent"], &proved["basis"]),
        (&1.into(), &"proved".into())
    );
    let repair = &proved["repairs"][0];
    assert_eq!(
        (&repair["requirement"], &repair["fluent"]),
        (&"closure".into(), &"(on right 0)".into())
    );
    assert_eq!(repair["joined"].as_array().unwrap().len(), 2);
    assert!(repair["lines"][0]["moves"].as_array().unwrap().len() >= 14);
    let text = gambol().args(how).arg("--prove").write_stdin(ladders()).output().unwrap().stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("joined by the proof: (on right 0) depends on the other part"), "{text}");
}

#[test]
fn a_part_is_written_as_a_game_that_passes_the_check() {
    for (game, part) in [("four-lamps", "0"), ("multiple-buttons-and-lights", "1"), ("nim", "0")] {
        let rules = succeeds(&["subgame", game, part]);
        gambol().args(["check", "-"]).write_stdin(rules.clone()).assert().code(0);
        let play = ["simulate", "-", "--playouts", "50", "--json"];
        let (report, code) = json(gambol().args(play).write_stdin(rules.clone()));
        assert_eq!((code, &report["playouts"]), (0, &50.into()), "{game}: {report}");
        let (apart, _) = json(gambol().args(["decompose", "-", "--json"]).write_stdin(rules));
        assert_eq!(apart["counts"]["action_dependent"], 1, "{game}");
    }
}

#[test]
fn a_state_that_is_none_and_a_part_that_is_none_are_refused() {
    let at = ["decompose", "tic-tac-toe", "--at", "(square 9 9 x)"];
    let output = fails(2, gambol().args(at));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no fluent of this game"));
    let output = fails(2, gambol().args(["subgame", "nim", "99"]));
    assert!(String::from_utf8_lossy(&output.stderr).contains("numbered from 0"));
}

#[test]
fn matrix_and_net_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["matrix.svg", "net.svg"].map(|name| folder.path().join(name));
    let game = ["decompose", "joint-buttons-and-lights", "--matrix"];
    gambol().args(game).arg(&files[0]).arg("--net").arg(&files[1]).assert().code(0);
    for file in files {
        let picture = std::fs::read_to_string(file).unwrap();
        assert!(picture.contains("<svg") && picture.trim_end().ends_with("</svg>"));
    }
}

#[test]
fn a_game_in_phases_tells_its_crossing_points_and_writes_each_phase_as_a_game() {
    let (found, code) = json(gambol().args(["decompose", "line-then-apart", "--prove", "--json"]));
    assert_eq!(code, 0);
    let second = &found["phases"][1];
    assert_eq!((&second["begins"], &second["basis"]), (&"apart".into(), &"proved".into()));
    assert_eq!(second["subgames"][0]["action_dependent"], true);
    let how = ["subgame", "line-then-apart", "--prove", "--phase", "1"];
    let rules = succeeds(&[&how[..], &["--interface", "(won x) (turn o)"]].concat());
    let (solved, _) = json(gambol().args(["solve", "-", "--json"]).write_stdin(rules));
    // Who begins on the cleared board wins it, and x has won the first stage.
    assert_eq!(solved["value"]["x"], 50, "{solved}");
    let (solved, _) =
        json(gambol().args(["solve", "line-then-apart", "--method", "phases", "--json"]));
    assert_eq!(solved["method"], "phases");
    let refused = fails(2, gambol().args(["subgame", "tic-tac-toe", "--phase", "0"]));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no phases"));
}
