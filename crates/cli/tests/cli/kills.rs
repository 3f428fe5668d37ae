//! Solves that are killed, at any moment and again and again, come to the answer of a run that was left alone.
//!
//! `GAMBOL_CASES` says how often each method is killed; without it one is, once. Mixtures are killed in `solve.rs`.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn begun(arguments: &[&str], checkpoint: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gambol"))
        .args(["--json", "--threads", "1"])
        .args(arguments)
        .arg("--checkpoint")
        .arg(checkpoint)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What the answer is, whatever it took.
fn answer(child: Child) -> (Value, Value) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    (report["value"].clone(), report["complete"].clone())
}

/// Kills a run some time after it was begun or wrote a checkpoint; whether it was still running.
fn kill_after(mut child: Child, checkpoint: &Path, pause: Duration) -> bool {
    let written = || fs::metadata(checkpoint).and_then(|found| found.modified()).ok();
    let (before, started) = (written(), Instant::now());
    while written() == before && started.elapsed() < Duration::from_secs(20) {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    std::thread::sleep(pause);
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

#[test]
fn runs_that_are_killed_come_to_the_same_answer() {
    let kills = std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse::<u64>().ok());
    let methods: [&[&str]; 2] =
        [&["solve", "eight-puzzle"], &["solve", "connect-four-5x5", "--method", "search"]];
    for arguments in &methods[..if kills.is_some() { 2 } else { 1 }] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        let whole = answer(begun(arguments, &folder.path().join("whole")));
        let (kills, mut done, mut attempts) = (kills.unwrap_or(1), 0, 0);
        // A quick machine may come to the end before there is a checkpoint.
        while done < kills && attempts < 3 * kills {
            attempts += 1;
            // Also while a checkpoint is being written.
            let pause = Duration::from_millis(done * 37 % 300);
            done += u64::from(kill_after(begun(arguments, &path), &path, pause));
            let names: Vec<_> =
                fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
            assert!(names.len() <= 4, "{names:?}");
        }
        assert_eq!(answer(begun(arguments, &path)), whole, "{arguments:?}");
    }
}
