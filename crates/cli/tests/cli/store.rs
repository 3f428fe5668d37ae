//! Stores of strong solutions: filled, asked, judged, killed and finished.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{fails, gambol, json, succeeds};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in text")
}

/// A store of a game, filled by so many threads.
fn filled(game: &str, threads: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    succeeds(&[
        "-q",
        "solve",
        game,
        "--strong",
        "--threads",
        threads,
        "--store",
        text(folder.path()),
    ]);
    folder
}

/// What a store holds, layer by layer, with a digest of every partition.
fn held(folder: &Path) -> Value {
    let (report, code) = json(gambol().args(["--json", "store", text(folder)]));
    assert_eq!((code, &report["complete"]), (0, &Value::Bool(true)));
    report["layers"].clone()
}

#[test]
fn a_store_holds_every_state_and_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path());
    let lines = succeeds(&["--json", "solve", "tic-tac-toe", "--strong", "--store", path]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (report, layers) = lines.split_last().unwrap();
    assert_eq!(report["store"]["states"], 5478);
    assert_eq!(report["value"]["xplayer"], 50);
    assert_eq!(layers.len(), 20, "ten layers there and ten back");
    assert_eq!((&layers[9]["done"], &layers[19]["done"]), (&"listed".into(), &"solved".into()));
    assert_eq!(layers[19]["seconds_left"], 0.0);
    // The same classes as without a store.
    let (plain, _) = json(gambol().args(["--json", "solve", "tic-tac-toe", "--strong"]));
    assert_eq!(report["strong"], plain["strong"]);
    // Again: everything is there, so nothing is done.
    let again = succeeds(&["--json", "solve", "tic-tac-toe", "--strong", "--store", path]);
    assert_eq!(again.lines().count(), 1);
    let (counts, code) = json(gambol().args(["--json", "store", path]));
    assert_eq!((code, &counts["states"], &counts["strong"]), (0, &5478.into(), &plain["strong"]));
    assert_eq!(counts["layers"][1]["states"], 9);
    assert!(succeeds(&["store", path]).contains("5,478 states in 10 layers"));

    let at = "(turn oplayer) (cell 1 1 x) (cell 1 2 empty) (cell 1 3 empty) (cell 2 1 empty) \
              (cell 2 2 empty) (cell 2 3 empty) (cell 3 1 empty) (cell 3 2 empty) (cell 3 3 empty)";
    let (asked, code) =
        json(gambol().args(["--json", "solve", "tic-tac-toe", "--store", path, "--at", at]));
    assert_eq!((code, &asked["layer"], &asked["choosers"][0]), (0, &1.into(), &"oplayer".into()));
    // Against a corner only the centre holds the draw.
    let best: Vec<&Value> =
        asked["moves"].as_array().unwrap().iter().filter(|made| made["best"] == true).collect();
    assert_eq!((best.len(), &best[0]["move"][1]), (1, &"(put 2 2)".into()));
    assert_eq!(best[0]["bounds"]["oplayer"], serde_json::json!([50, 50]));
    let nowhere = "(turn xplayer) (cell 1 1 x)";
    let (asked, code) =
        json(gambol().args(["--json", "solve", "tic-tac-toe", "--store", path, "--at", nowhere]));
    assert_eq!((code, &asked["found"]), (1, &Value::Bool(false)));
}

#[test]
fn the_interpreter_bears_a_store_out_and_a_store_of_other_rules_is_refused() {
    let folder = filled("tic-tac-toe", "1");
    let path = text(folder.path());
    let (report, code) =
        json(gambol().args(["--json", "verify", "tic-tac-toe", path, "--sample", "300"]));
    assert_eq!((code, &report["accepted"]), (0, &Value::Bool(true)));
    assert!(report["checked"].as_u64() >= Some(100), "{report}");
    // Rules with the same names and other goals.
    let rules = String::from_utf8(fs::read(rules_of("tic-tac-toe")).unwrap()).unwrap();
    let other = folder.path().join("other.kif");
    fs::write(&other, rules.replace("100", "90")).unwrap();
    let refused = fails(4, gambol().args(["verify", text(&other), path]));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another game"));
}

fn rules_of(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(game).join("rules.kif")
}

#[test]
fn what_is_damaged_missing_or_of_another_game_is_named_and_left_alone() {
    let folder = filled("tic-tac-toe", "2");
    let path = text(folder.path());
    let refused =
        fails(4, gambol().args(["solve", "connect-four-4x4", "--strong", "--store", path]));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("plan.json belongs to another game"));
    let file = folder.path().join("00005.1-of-2.values");
    let whole = fs::read(&file).unwrap();
    let solve = || {
        let refused = fails(4, gambol().args(["store", path]));
        String::from_utf8_lossy(&refused.stderr).into_owned()
    };
    fs::write(&file, &whole[..whole.len() / 4]).unwrap();
    assert!(solve().contains("00005.1-of-2.values is damaged"));
    fs::remove_file(&file).unwrap();
    assert!(solve().contains("00005.1-of-2.values is missing"));
    let mut altered = whole.clone();
    *altered.last_mut().unwrap() ^= 1;
    fs::write(&file, &altered).unwrap();
    let refused = fails(1, gambol().args(["verify", "tic-tac-toe", path]));
    let said = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(said.contains("damaged"), "{said}");
    fs::write(&file, &whole).unwrap();
    fs::write(folder.path().join("plan.json"), b"{\"version\": 99}").unwrap();
    assert!(solve().contains("another version"));
}

/// Addresses at which nobody listens, in a list.
fn list_of_hosts(folder: &Path, count: usize) -> PathBuf {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses: Vec<String> =
        listeners.iter().map(|one| one.local_addr().unwrap().to_string()).collect();
    let list = folder.join("hosts");
    fs::write(&list, addresses.join("\n")).unwrap();
    list
}

fn process(game: &str, store: &Path, hosts: &Path, number: usize) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gambol"))
        .args(["-q", "solve", game, "--strong", "--threads", "1", "--store"])
        .arg(store)
        .arg("--hosts")
        .arg(hosts)
        .args(["--process", &number.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Whether a store has come so far.
fn has(store: &Path, ending: &str, files: usize) -> bool {
    let names = fs::read_dir(store).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().ends_with(ending)).count() >= files
}

/// Three processes, of which one is killed as soon as there are so many files. The others must end with 75 and one
/// sentence, within seconds. Whether there was anything left to kill.
fn killed(game: &str, store: &Path, victim: usize, (ending, files): (&str, usize)) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let hosts = list_of_hosts(folder.path(), 3);
    let mut team: Vec<Child> = (0..3).map(|number| process(game, store, &hosts, number)).collect();
    let started = Instant::now();
    while !has(store, ending, files) {
        if team[victim].try_wait().unwrap().is_some() || started.elapsed().as_secs() > 120 {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let running = team[victim].try_wait().unwrap().is_none();
    team[victim].kill().unwrap();
    let killed = Instant::now();
    for (number, one) in team.into_iter().enumerate() {
        let output = one.wait_with_output().unwrap();
        if number != victim && running {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            // Who had already finished is not to blame.
            if output.status.code() != Some(0) {
                assert_eq!(output.status.code(), Some(75), "{said}");
                assert_eq!(said.lines().count(), 1, "{said}");
                assert!(said.contains("another process was lost"), "{said}");
            }
        }
    }
    assert!(killed.elapsed() < Duration::from_secs(20));
    running
}

#[test]
fn three_processes_that_lose_one_another_come_to_the_same_bytes() {
    let game = "connect-four-4x4";
    let whole = held(filled(game, "1").path());
    let cases = std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse::<usize>().ok());
    for case in 0..cases.unwrap_or(1) {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path();
        // One is lost on the way there, another one on the way back.
        killed(game, store, case % 3, (".keys", 6 + 7 * case % 40));
        killed(game, store, (case + 1) % 3, (".values", 1 + 5 * case % 40));
        // The rest by another number of processes, or by threads.
        if case % 2 == 0 {
            let path = text(store);
            succeeds(&["-q", "solve", game, "--strong", "--threads", "2", "--store", path]);
        } else {
            let list = tempfile::tempdir().unwrap();
            let hosts = list_of_hosts(list.path(), 2);
            let team: Vec<Child> =
                (0..2).map(|number| process(game, store, &hosts, number)).collect();
            for one in team {
                let output = one.wait_with_output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
        }
        assert_eq!(held(store), whole, "case {case}");
        let left = fs::read_dir(store)
            .unwrap()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().ends_with(".part"));
        assert_eq!(left.count(), 0);
    }
}

#[test]
fn a_process_with_other_rules_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = list_of_hosts(folder.path(), 2);
    let store = folder.path().join("store");
    let first = process("tic-tac-toe", &store, &hosts, 0);
    let other = process("connect-four-4x4", &store, &hosts, 1);
    let other = other.wait_with_output().unwrap();
    assert_eq!(other.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&other.stderr).contains("belongs to another game"));
    // Who is started again and again must not be: this does not pass.
    let first = first.wait_with_output().unwrap();
    assert_eq!(first.status.code(), Some(4));
    let said = String::from_utf8_lossy(&first.stderr);
    assert!(said.contains("process 1 was given another game"), "{said}");
    let path = text(&hosts);
    fails(
        2,
        gambol().args([
            "solve",
            "nim",
            "--strong",
            "--store",
            "x",
            "--hosts",
            path,
            "--process",
            "7",
        ]),
    );
    fails(2, gambol().args(["solve", "nim", "--strong", "--store", "x", "--hosts", path]));
}

#[test]
fn a_limit_keeps_what_is_done_and_the_next_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path());
    let small = ["solve", "connect-four-5x4", "--strong", "--threads", "1", "--store", path];
    fails(3, gambol().args(small).args(["--time", "0.9"]));
    let lines = succeeds(&[&["--json"][..], &small[..]].concat());
    let report: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(report["store"]["states"], 3_945_711);
    let classes: Vec<u64> = report["strong"]
        .as_array()
        .unwrap()
        .iter()
        .map(|class| class["states"].as_u64().unwrap())
        .collect();
    assert_eq!(classes.iter().sum::<u64>(), 3_945_711);
}

#[test]
fn a_store_with_symmetries_counts_all_states_and_answers_for_images() {
    let folder = tempfile::tempdir().unwrap();
    let path = text(folder.path());
    let lines =
        succeeds(&["--json", "solve", "tic-tac-toe", "--strong", "--store", path, "--symmetry"]);
    let report: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&report["store"]["states"], &report["store"]["stored"]),
        (&5478.into(), &765.into())
    );
    let plain = filled("tic-tac-toe", "1");
    let (counts, _) = json(gambol().args(["--json", "store", path]));
    let (all, _) = json(gambol().args(["--json", "store", text(plain.path())]));
    assert_eq!((&counts["strong"], &counts["states"]), (&all["strong"], &all["states"]));
    for (corner, other) in [("1 1", "3 3"), ("3 1", "1 3")] {
        let cells = ["1 1", "1 2", "1 3", "2 1", "2 2", "2 3", "3 1", "3 2", "3 3"];
        let mark = |cell: &str| match cell {
            _ if cell == corner => "x",
            _ if cell == other => "o",
            _ => "empty",
        };
        let cells: Vec<String> =
            cells.iter().map(|cell| format!("(cell {cell} {})", mark(cell))).collect();
        let at = format!("(turn xplayer) {}", cells.join(" "));
        let ask = |store: &str| {
            json(gambol().args(["--json", "solve", "tic-tac-toe", "--store", store, "--at", &at])).0
        };
        let (asked, expected) = (ask(path), ask(text(plain.path())));
        assert_eq!((&asked["bounds"], &asked["moves"]), (&expected["bounds"], &expected["moves"]));
    }
    let (judged, code) = json(gambol().args(["--json", "verify", "tic-tac-toe", path]));
    assert_eq!((code, &judged["accepted"]), (0, &Value::Bool(true)));
}

/// Up, back to the beginning, or lost; or stop for ten points.
const CLIMB: &str = "(role me) (role random) (init (at 0)) (succ 0 1) (succ 1 2)
    (open 0) (open 1)
    (<= (legal me go) (true (at ?n)) (open ?n)) (<= (legal me quit) (true (at ?n)) (open ?n))
    (<= (legal random ?m) (face ?m)) (face up) (face back) (face dead)
    (<= (next (at ?k)) (does me go) (does random up) (true (at ?n)) (succ ?n ?k))
    (<= (next (at 0)) (does me go) (does random back))
    (<= (next lost) (does me go) (does random dead)) (<= (next stopped) (does me quit))
    (<= terminal (true (at 2))) (<= terminal (true lost)) (<= terminal (true stopped))
    (<= (goal me 100) (true (at 2))) (<= (goal me 0) (true lost)) (<= (goal me 10) (true stopped))
    (goal random 0)";

#[test]
fn chance_where_states_return_lies_between_bounds_in_a_store() {
    for threads in ["1", "3"] {
        let folder = tempfile::tempdir().unwrap();
        let rules = folder.path().join("climb.kif");
        fs::write(&rules, CLIMB).unwrap();
        let store = folder.path().join("store");
        let (game, store) = (text(&rules), text(&store));
        let options = ["-q", "solve", game, "--strong", "--threads", threads, "--store", store];
        succeeds(&options);
        let (asked, code) = json(gambol().args(["--json", "solve", game, "--store", store]));
        assert_eq!(code, 0, "{asked}");
        let bounds = asked["bounds"]["me"].as_array().unwrap();
        let [least, most] = [0, 1].map(|one| bounds[one].as_f64().unwrap());
        // A third of what one step up is worth, and a third of itself: 20, and 40 one step up.
        assert!(least <= 20.0 && 20.0 <= most && most - least < 1e-4, "{least} {most}");
        let (counts, _) = json(gambol().args(["--json", "store", store]));
        assert_eq!(counts["states"], 5);
        let (judged, code) = json(gambol().args(["--json", "verify", game, store]));
        assert_eq!((code, &judged["accepted"]), (0, &Value::Bool(true)), "{judged}");
    }
}
