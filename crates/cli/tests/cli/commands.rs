//! What scripts rely on: exit codes, JSON keys, and where words go.

use crate::program::{fails, gambol, json, succeeds};

const BROKEN: &str =
    "(role r)\n(legal r go)\n(goal r 100)\n(<= terminal (true (at ?x)) (not (p ?y)))";
const ENDLESS: &str = "(role r) (init (n 0)) (legal r go) (<= (next (n (s ?x))) (true (n ?x)))
    (<= terminal (true (n (s (s (s 0)))))) (goal r 100)";

#[test]
fn games_are_listed_one_per_line() {
    let output = succeeds(&["games", "--json"]);
    let lines: Vec<serde_json::Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let game = lines.iter().find(|line| line["name"] == "tic-tac-toe").unwrap();
    assert_eq!(game["roles"], serde_json::json!(["xplayer", "oplayer"]));
    assert!(game["about"].is_string());
}

#[test]
fn check_says_what_is_wrong_and_where() {
    let (report, code) = json(gambol().args(["check", "-", "--json"]).write_stdin(BROKEN));
    assert_eq!(code, 1);
    assert_eq!(report["valid"], false);
    let error = &report["errors"][0];
    assert_eq!(error["category"], "static.unsafe");
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(4), Some(37)));
    assert!(error["message"].is_string());
    assert!(error.get("hint").is_some());
}

#[test]
fn check_shows_people_the_line() {
    let output = fails(1, gambol().args(["check", "-"]).write_stdin(BROKEN));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("(<= terminal (true (at ?x)) (not (p ?y)))"), "{text}");
    assert!(text.contains("^^"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours when nobody looks: {text}");
}

#[test]
fn check_includes_grounding() {
    let (report, code) = json(gambol().args(["check", "-", "--json"]).write_stdin(ENDLESS));
    assert_eq!((code, &report["errors"][0]["category"]), (1, &"ground.infinite".into()));
}

#[test]
fn check_can_play() {
    let stuck = "(role r) (init p) (<= (legal r go) (true p)) (<= (next q) (does r go))
        (<= terminal (true z)) (init z0) (<= (next z) (true z)) (goal r 100)";
    let (report, code) =
        json(gambol().args(["check", "-", "--json", "--play", "5"]).write_stdin(stuck));
    assert_eq!(code, 1, "{report}");
    let categories = report["errors"].as_array().unwrap();
    assert!(categories.iter().any(|error| error["category"] == "play.no-legal-move"), "{report}");
}

#[test]
fn lenient_check_accepts_what_play_can_repair() {
    let old = "(role r) (init p) (<= (legal ?r go) (true p)) (<= (next p) (true p)) (terminal)
        (goal r 100) (base p q)";
    let (_, strict) = json(gambol().args(["check", "-", "--json"]).write_stdin(old));
    let (report, lenient) =
        json(gambol().args(["check", "-", "--json", "--lenient"]).write_stdin(old));
    assert_eq!((strict, lenient), (1, 0), "{report}");
    assert!(!report["warnings"].as_array().unwrap().is_empty());
}

#[test]
fn ground_counts() {
    let (report, code) = json(gambol().args(["ground", "tic-tac-toe", "--json"]));
    assert_eq!(code, 0);
    assert_eq!(report["roles"], serde_json::json!(["xplayer", "oplayer"]));
    assert_eq!(report["moves"], 20);
    for key in ["fluents", "rules", "seconds", "peak_mib"] {
        assert!(report[key].is_number(), "{key}: {report}");
    }
}

#[test]
fn net_counts_and_draws() {
    let folder = tempfile::tempdir().unwrap();
    let (dot, svg) = (folder.path().join("net.dot"), folder.path().join("net.svg"));
    let (report, code) = json(
        gambol().args(["net", "one-light-net", "--json", "--dot"]).arg(&dot).arg("--svg").arg(&svg),
    );
    assert_eq!(code, 0);
    for key in ["propositions", "transitions", "circuit_gates", "depth", "seconds"] {
        assert!(report[key].is_number(), "{key}: {report}");
    }
    for key in ["and", "or", "not"] {
        assert!(report["gates"][key].is_number(), "{key}: {report}");
    }
    assert!(std::fs::read_to_string(dot).unwrap().starts_with("digraph"));
    assert!(std::fs::read_to_string(svg).unwrap().contains("<svg"));
}

#[test]
fn step_shows_a_state_and_its_successor() {
    let light = "(role r) (init dark) (legal r press) (<= (next lit) (does r press))
        (<= terminal (true lit)) (<= (goal r 100) (true lit)) (<= (pale) (true lit))";
    for engine in ["reference", "net", "circuit"] {
        let arguments = ["step", "-", "--json", "--moves", "press", "--engine", engine];
        let (report, code) = json(gambol().args(arguments).write_stdin(light));
        assert_eq!(code, 0, "{report}");
        assert_eq!(report["state"], serde_json::json!(["dark"]));
        assert_eq!(report["legal"], serde_json::json!({ "r": ["press"] }));
        assert_eq!(report["terminal"], false);
        assert_eq!(report["goals"], serde_json::json!({ "r": null }));
        assert_eq!(report["next"], serde_json::json!(["lit"]));
    }
    let arguments = ["step", "-", "--json", "--state", " lit ", "--views"];
    let (report, _) = json(gambol().args(arguments).write_stdin(light));
    assert_eq!(report["terminal"], true);
    assert_eq!(report["goals"], serde_json::json!({ "r": 100 }));
    assert!(report["views"].as_array().unwrap().contains(&"pale".into()), "{report}");
    assert!(report.get("next").is_none());
}

#[test]
fn an_illegal_move_is_wrong_usage() {
    fails(2, gambol().args(["step", "tic-tac-toe", "--moves", "(put 9 9) wait"]));
    fails(2, gambol().args(["step", "tic-tac-toe", "--moves", "(put 1 1"]));
    fails(2, gambol().args(["step", "tic-tac-toe", "--moves", "(put 1 1)"]));
}

#[test]
fn simulate_reports_the_same_keys_for_every_engine() {
    for engine in ["reference", "net", "circuit"] {
        let arguments =
            ["simulate", "tic-tac-toe", "--playouts", "1000", "--engine", engine, "--json"];
        let (report, code) = json(gambol().args(arguments));
        assert_eq!(code, 0);
        assert_eq!(report["engine"], engine);
        assert_eq!(report["playouts"], 1000);
        assert_eq!(report["basis"], "sampled");
        let numbers = [
            "steps",
            "seconds",
            "playouts_per_second",
            "steps_per_second",
            "mean_length",
            "lanes",
            "threads",
        ];
        for key in numbers {
            assert!(report[key].is_number(), "{key}: {report}");
        }
        let length = report["mean_length"].as_f64().unwrap();
        assert!((7.3..7.95).contains(&length), "{engine}: {length}");
        assert!(report["mean_goals"]["xplayer"].as_f64().unwrap() > 50.0);
    }
}

#[test]
fn the_same_seed_plays_the_same_games() {
    for engine in ["reference", "net", "circuit"] {
        let run = |seed: &str| {
            let arguments = ["simulate", "tic-tac-toe", "--playouts", "300", "--engine", engine];
            let (report, _) =
                json(gambol().args(arguments).args(["--seed", seed, "--json", "--threads", "1"]));
            (report["steps"].clone(), report["mean_goals"].clone())
        };
        assert_eq!(run("5"), run("5"), "{engine}");
        assert_ne!(run("5"), run("6"), "{engine}");
    }
}

#[test]
fn what_cannot_be_grounded_is_played_by_the_interpreter() {
    let arguments = ["simulate", "-", "--playouts", "3", "--json"];
    let (report, code) = json(gambol().args(arguments).write_stdin(ENDLESS));
    assert_eq!(code, 0);
    assert_eq!(report["engine"], "reference");
    assert_eq!(report["mean_length"], 3.0);
    assert!(report["fallback"].is_string());
}

#[test]
fn fmt_translates_and_repeats_itself() {
    let infix = succeeds(&["fmt", "tic-tac-toe", "--to", "hrf"]);
    assert!(infix.contains("role(xplayer)"), "{infix}");
    let run = |text: &str, to: &str| {
        let output = gambol().args(["fmt", "-", "--to", to]).write_stdin(text).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let prefix = run(&infix, "kif");
    assert_eq!(run(&prefix, "kif"), prefix);
    assert_eq!(run(&infix, "hrf"), infix);
}

#[test]
fn what_is_not_there_cannot_be_read() {
    let output = fails(4, gambol().args(["ground", "no/such/file.kif"]));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no/such/file.kif"));
    let output = fails(4, gambol().args(["ground", "tictactoe"]));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean tic-tac-toe?"));
}

#[test]
fn wrong_usage_is_two() {
    fails(2, gambol().args(["simulate", "tic-tac-toe", "--engine", "steam"]));
    fails(2, gambol().args(["no-such-command"]));
    fails(2, gambol().args(["ground", "tic-tac-toe", "--time", "-1"]));
    fails(2, gambol().args(["simulate", "tic-tac-toe", "--playouts", "1", "--seconds", "1"]));
}

#[test]
fn failures_are_json_too() {
    let (report, code) = json(gambol().args(["ground", "-", "--json"]).write_stdin("(role"));
    assert_eq!(code, 4);
    assert!(report["error"]["message"].is_string());
}

#[test]
fn quiet_leaves_only_the_result() {
    let mut command = gambol();
    command.args(["simulate", "-", "--playouts", "2", "-q"]).write_stdin(ENDLESS);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_tour_ends_well() {
    let text = succeeds(&["tour", "nim-2-3-4"]);
    for word in ["rules", "ground", "net", "circuit", "speed", "agreement", "next"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    assert!(text.lines().count() <= 24, "more than a screen:\n{text}");
}

#[test]
fn bench_asserts_its_answers_and_compares_with_itself() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table.json");
    let mut first = gambol();
    first.args(["bench", "tic-tac-toe", "nim-2-3-4", "--seconds", "0.05", "--save"]).arg(&table);
    let output = first.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let mut second = gambol();
    second.args(["bench", "tic-tac-toe", "--seconds", "0.05", "--json", "--against"]).arg(&table);
    let (report, code) = json(&mut second);
    assert_eq!(code, 0);
    assert!(report["games"][0]["change"].as_f64().unwrap() > 0.0);
    assert_eq!(report["games"][0]["fault"], serde_json::Value::Null);
}

#[test]
fn bench_compares_all_ways_to_run_the_gates() {
    let mut compare = gambol();
    compare.args(["bench", "tic-tac-toe", "--seconds", "0.05", "--compare", "--json"]);
    let (report, code) = json(&mut compare);
    assert_eq!(code, 0);
    let rows = report["games"].as_array().unwrap();
    assert_eq!((&rows[0]["code"], &rows[0]["lanes"]), (&"table".into(), &256.into()));
    assert!(rows.len() >= 3 && rows.iter().all(|row| row["of_table"].as_f64().unwrap() > 0.0));
}

#[test]
fn every_code_plays_the_same_games() {
    let lengths = |more: &[&str]| {
        let arguments = ["simulate", "tic-tac-toe", "--playouts", "3000", "--json"];
        let (mut report, code) = json(gambol().args(arguments).args(more));
        assert_eq!(code, 0);
        [report["steps"].take(), report["mean_goals"].take()]
    };
    let expected = lengths(&["--engine-code", "auto"]);
    for more in [["--engine-code", "table"], ["--lanes", "64"], ["--threads", "3"]] {
        assert_eq!(lengths(&more), expected);
    }
}
