//! Ctrl-C and SIGTERM end every command soon, with what is known by then, and nothing stays behind.

#![cfg(target_os = "linux")]

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::succeeds;

/// On a machine that does nothing else it takes less than two seconds; others may be testing here too.
const SOON: Duration = Duration::from_secs(4);

fn spawn(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gambol"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}

/// How a run ends that gets a signal after a while.
fn ended_by(name: &str, after: Duration, arguments: &[&str]) -> (Output, Duration) {
    let child = spawn(arguments);
    thread::sleep(after);
    signal(&child, name);
    let told = Instant::now();
    let output = child.wait_with_output().unwrap();
    (output, told.elapsed())
}

#[test]
fn every_long_command_ends_soon_with_what_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    // Larger than anything that is solved within the test.
    let rules = succeeds(&["fmt", "reversi"]);
    let (games, checkpoint, store) = (at("games"), at("checkpoint"), at("store"));
    fs::create_dir(&games).unwrap();
    (0..100).for_each(|number| fs::write(format!("{games}/{number}.kif"), &rules).unwrap());
    let long = std::env::var_os("GAMBOL_CASES").is_some();
    let commands = [
        &["solve", "reversi"][..],
        &["solve", "connect-four", "--method", "regression"],
        &["solve", "connect-four", "--checkpoint", &checkpoint],
        &["regress", "connect-four"],
        &["regress", "connect-four", "--backend", "diagram"],
        &["decompose", "reversi", "--playouts", "100000000"],
        &["structure", "reversi"],
        &["simulate", "reversi", "--seconds", "60"],
        &["match", "reversi", "mcts", "mcts", "--local", "--games", "100"],
        &["tournament", "reversi", "--players", "mcts", "legal", "random"],
        &["check", "reversi", "--play", "1000000"],
        &["solve", "connect-four", "--strong"],
        &["solve", "connect-four", "--strong", "--store", &store],
        &["quiz", "reversi", "--questions", "1000000"],
        &["corpus", &games, "--stages", "check,ground,net,simulate"],
        &["bench", "--seconds", "20"],
        &["player", "--port", "0"],
        &["serve", "--port", "0"],
        &["play", "reversi"],
        &["tour", "reversi"],
    ];
    for (place, arguments) in commands.into_iter().enumerate() {
        let names = ["-INT", "-TERM"];
        let names = if long { &names[..] } else { &names[place % 2..][..1] };
        for name in names {
            let (output, taken) = ended_by(name, Duration::from_millis(1200), arguments);
            let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(taken < SOON, "{arguments:?} took {taken:?} to end: {complaint}");
            // A quick machine may have finished before it was told.
            assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{arguments:?}: {output:?}");
            assert!(!complaint.contains("panicked"), "{arguments:?}: {complaint}");
            assert!(!output.stdout.is_empty(), "{arguments:?} said nothing");
        }
    }
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let known = ["games", "checkpoint", "store"];
    assert!(left.iter().all(|name| known.iter().any(|known| name == known)), "{left:?}");
}

#[test]
fn an_interrupted_quiz_prints_the_questions_it_has() {
    let arguments = ["quiz", "tic-tac-toe", "--questions", "100000000", "--kinds", "legal"];
    let (output, taken) = ended_by("-INT", Duration::from_secs(1), &arguments);
    assert!(taken < SOON, "{taken:?}");
    assert_eq!(output.status.code(), Some(3));
    assert!(output.stdout.starts_with(b"{"), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_match_against_a_player_that_hangs_is_broken_off() {
    // It takes connections and never says a word.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let arguments = ["match", "tic-tac-toe", &address, "random", "--start", "600", "--play", "600"];
    let (output, taken) = ended_by("-INT", Duration::from_millis(700), &arguments);
    assert!(taken < SOON, "{taken:?}");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("called off"), "{output:?}");
}

#[test]
fn what_nohup_protects_goes_on_after_a_hangup() {
    let program = env!("CARGO_BIN_EXE_gambol");
    let script = format!("trap '' HUP; exec {program} simulate tic-tac-toe --seconds 2 --json");
    let child = Command::new("bash").args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(700));
    signal(&child, "-HUP");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// The processes whose command line names this path.
fn processes_of(path: &Path) -> Vec<String> {
    let named = path.display().to_string();
    let all = fs::read_dir("/proc").unwrap().flatten();
    let line = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).ok();
    let lines = all.filter_map(line).map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(&named)).collect()
}

#[test]
fn a_corpus_that_is_killed_leaves_no_process_behind() {
    let folder = tempfile::tempdir().unwrap();
    // Grounding these takes longer than the test.
    let digits: String = (0..10).map(|digit| format!("(d {digit}) ")).collect();
    let bomb = format!(
        "(role r) {digits} (<= (legal r (m ?a ?b ?c ?d ?e ?f ?g ?h ?i)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e)
         (d ?f) (d ?g) (d ?h) (d ?i)) (init p) (<= terminal (true q)) (<= (next q) (does r ?m)) (goal r 100)"
    );
    (0..3)
        .for_each(|number| fs::write(folder.path().join(format!("{number}.kif")), &bomb).unwrap());
    for name in ["-KILL", "-ABRT", "-TERM"] {
        let path = folder.path().display().to_string();
        let mut corpus =
            spawn(&["corpus", &path, "--jobs", "3", "--time", "60", "--memory", "3000"]);
        let started = Instant::now();
        while processes_of(folder.path()).len() < 4 {
            assert!(started.elapsed() < Duration::from_secs(20), "they do not start");
            thread::sleep(Duration::from_millis(20));
        }
        signal(&corpus, name);
        corpus.wait().unwrap();
        let ended = Instant::now();
        while !processes_of(folder.path()).is_empty() {
            assert!(ended.elapsed() < SOON, "after {name}: {:?}", processes_of(folder.path()));
            thread::sleep(Duration::from_millis(20));
        }
    }
}
