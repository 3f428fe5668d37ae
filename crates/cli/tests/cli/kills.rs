//! Runs that are killed, at any moment and again and again, come to the answer of a run that was left alone, and
//! leave nothing behind but what they go on from.
//!
//! `GAMBOL_CASES` says how often each is killed; without it each is, once or twice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::succeeds;

/// A command that keeps what it has done in a file.
struct Kept {
    folder: TempDir,
    /// Starts it, or lets it go on from the file if that is there.
    command: Box<dyn Fn(&Path) -> Command>,
    /// What must be the same whatever happened on the way.
    answer: fn(&Output, &Path) -> Value,
    /// The longest that it is left alone before the first thing is kept.
    pause: u64,
}

impl Kept {
    fn path(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    fn begin(&self, path: &Path) -> Child {
        let mut command = (self.command)(path);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn end(&self, child: Child, path: &Path) -> Value {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (self.answer)(&output, path)
    }

    /// Kills it so many times, and lets it come to its end.
    fn killed(&self) {
        let kills = std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse::<u64>().ok());
        let (kills, path) = (kills.unwrap_or(1), self.path());
        let alone = self.folder.path().join("alone");
        let whole = self.end(self.begin(&alone), &alone);
        let _ = fs::remove_file(&alone);
        let (mut done, mut finished) = (0, 0);
        while done < kills {
            let mut child = self.begin(&path);
            if self.waited(&mut child, done) {
                child.kill().unwrap();
                child.wait().unwrap();
                done += 1;
            } else {
                // It was quicker; the next one begins anew.
                assert_eq!(self.end(child, &path), whole);
                let _ = fs::remove_file(&path);
                finished += 1;
                assert!(finished < 2 * kills + 3, "it cannot be killed: it is over too soon");
            }
            self.nothing_else_is_there();
        }
        assert_eq!(self.end(self.begin(&path), &path), whole);
        let _ = fs::remove_file(&path);
    }

    /// Waits until it is to be killed; false if it came to its end before. Every third is killed at some moment, the
    /// others just when something is kept, or a little later.
    fn waited(&self, child: &mut Child, number: u64) -> bool {
        let written = || fs::metadata(self.path()).and_then(|found| found.modified()).ok();
        let (before, started) = (written(), Instant::now());
        let due = |now: Option<SystemTime>| match number % 3 {
            0 => started.elapsed() > Duration::from_millis(number * 389 % self.pause),
            _ => now != before || started.elapsed() > Duration::from_secs(20),
        };
        while !due(written()) {
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(if number % 3 == 2 { number * 37 % 300 } else { 0 }));
        child.try_wait().unwrap().is_none()
    }

    /// What was kept, its lock, what was being written, and what else the command was to write.
    fn nothing_else_is_there(&self) {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.len() <= 6, "{names:?}");
    }
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_gambol"))
}

fn value(output: &Output, checkpoint: &Path) -> Value {
    assert!(!checkpoint.exists(), "a solved game needs no checkpoint");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["bounds"].clone()
}

fn solve(arguments: &'static [&'static str]) -> Kept {
    let command = move |path: &Path| {
        let mut command = program();
        command.args(["solve", "--json", "--threads", "1"]).args(arguments);
        command.args(["--checkpoint-every", "0.05"]).arg("--checkpoint").arg(path);
        command
    };
    Kept {
        folder: tempfile::tempdir().unwrap(),
        command: Box::new(command),
        answer: value,
        pause: 600,
    }
}

#[test]
fn a_breadth_first_search_that_is_killed_comes_to_the_same_answer() {
    solve(&["eight-puzzle"]).killed();
}

#[test]
fn an_alpha_beta_search_that_is_killed_comes_to_the_same_answer() {
    solve(&["connect-four-6x5", "--method", "search"]).killed();
}

#[test]
fn a_listing_that_is_killed_comes_to_the_same_answer() {
    solve(&["wolf-and-sheep", "--method", "listing"]).killed();
}

#[test]
fn mixtures_that_are_killed_come_to_the_same_answer() {
    const AT: &str = "(cell 1 1 stone) (cell 2 2 plank) (cell 4 4 stone)";
    solve(&["blocker", "--method", "search", "--at", AT]).killed();
}

#[test]
fn a_regression_that_is_killed_ends_in_the_same_policy() {
    let board = succeeds(&["regress", "--generate", "connect", "5", "3", "4"]);
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("board");
    fs::write(&source, board).unwrap();
    let command = move |path: &Path| {
        let mut command = program();
        command.arg("regress").arg(&source).args(["--json", "--checkpoint-every", "0.02"]);
        command.arg("--checkpoint").arg(path).arg("--out").arg(path.with_extension("policy"));
        command
    };
    let answer = |output: &Output, path: &Path| {
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let policy = path.with_extension("policy");
        let text = fs::read_to_string(&policy).unwrap();
        fs::remove_file(policy).unwrap();
        serde_json::json!([report["value"], text])
    };
    Kept { folder, command: Box::new(command), answer, pause: 400 }.killed();
}

#[test]
fn a_corpus_that_is_killed_comes_to_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    fs::create_dir(&games).unwrap();
    let rules = succeeds(&["fmt", "connect-four"]);
    (0..16).for_each(|number| fs::write(games.join(format!("{number}.kif")), &rules).unwrap());
    let command = move |path: &Path| {
        let mut command = program();
        command.arg("corpus").arg(&games).args(["--json", "--jobs", "1", "--stages"]);
        command.arg("check,ground,net,simulate").arg("--out").arg(path);
        command
    };
    let answer = |output: &Output, _: &Path| {
        let rows = String::from_utf8_lossy(&output.stdout).into_owned();
        let row = |line| serde_json::from_str::<Value>(line).unwrap();
        let rows =
            rows.lines().map(row).map(|row| (row["id"].to_string(), row["stage_reached"].clone()));
        serde_json::Value::Object(rows.collect())
    };
    Kept { folder, command: Box::new(command), answer, pause: 1000 }.killed();
}

/// The record of a match or a tournament, once it has a first line.
fn is_begun(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.contains(&b'\n'))
}

#[test]
fn a_tournament_that_is_killed_comes_to_the_same_standings() {
    let command = |path: &Path| {
        let mut command = program();
        command.args(["tournament", "--json"]);
        if is_begun(path) {
            command.arg("--resume").arg(path);
        } else {
            command.args(["tic-tac-toe", "connect-four", "--players", "mcts:solve=off", "legal"]);
            command.args(["random", "--rounds", "4", "--playouts", "4000"]).arg("--out").arg(path);
        }
        command
    };
    let answer = |output: &Output, _: &Path| serde_json::from_slice(&output.stdout).unwrap();
    let folder = tempfile::tempdir().unwrap();
    Kept { folder, command: Box::new(command), answer, pause: 700 }.killed();
}
