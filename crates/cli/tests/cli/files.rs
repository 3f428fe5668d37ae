//! Answers come first, files beside them are whole or not there, and two runs do not share one.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{fails, gambol, succeeds};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_gambol"))
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_path_that_cannot_be_written_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere/file");
    let nowhere = nowhere.to_str().unwrap();
    for arguments in [
        // Each of these would work for much longer than the test allows.
        &["solve", "connect-four", "--checkpoint", nowhere][..],
        &["solve", "connect-four", "--certificate", nowhere],
        &["regress", "connect-four", "--out", nowhere],
        &["regress", "connect-four", "--automaton", nowhere],
        &["regress", "connect-four", "--checkpoint", nowhere],
        &["decompose", "connect-four", "--matrix", nowhere],
        &["decompose", "connect-four", "--net", nowhere],
        &["net", "connect-four", "--svg", nowhere],
        &["tour", "connect-four", "--html", nowhere],
        &["bench", "--save", nowhere],
        &["match", "connect-four", "random", "random", "--out", nowhere],
        &["match", "connect-four", "mcts", "mcts", "--local", "--out", nowhere],
        &["corpus", ".", "--jsonl", nowhere],
        &["corpus", ".", "--html", nowhere],
        &["corpus", ".", "--out", nowhere],
    ] {
        let started = Instant::now();
        let said = fails(4, gambol().args(arguments)).stderr;
        assert!(started.elapsed() < Duration::from_secs(5), "{arguments:?}");
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(said.contains("nowhere"), "{arguments:?}: {said}");
    }
    assert!(names(folder.path()).is_empty());
}

/// Runs the program where no file may grow beyond so many blocks of 1,024 bytes: as on a full disk, the write that
/// goes beyond fails.
#[cfg(target_os = "linux")]
fn on_a_full_disk(blocks: u32, arguments: &str) -> std::process::Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$PROGRAM\" {arguments}");
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).env("PROGRAM", env!("CARGO_BIN_EXE_gambol")).output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_the_answer_is_given_and_old_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let at = file.display();
    for (arguments, answer) in [
        (format!("solve tic-tac-toe --certificate {at}"), "xplayer: 50"),
        (format!("solve tic-tac-toe --certificate {at} --json"), "\"xplayer\":50"),
        (format!("regress nim-2-3-4 --out {at}"), "100"),
        (format!("regress nim-2-3-4 --out {at} --backend diagram"), "100"),
        (format!("regress nim-2-3-4 --automaton {at}"), "100"),
        (format!("net tic-tac-toe --svg {at}"), "propositions"),
        (format!("decompose double-tic-tac-toe --matrix {at}"), "2 parts"),
        (format!("decompose double-tic-tac-toe --net {at}"), "2 parts"),
    ] {
        fs::write(&file, "old").unwrap();
        let output = on_a_full_disk(1, &arguments);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(answer), "{arguments}: {said}{complaint}");
        assert_eq!(output.status.code(), Some(4), "{arguments}: {said}{complaint}");
        assert!(complaint.contains("cannot write"), "{arguments}: {complaint}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "old", "{arguments}");
        assert_eq!(names(folder.path()), ["file"], "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_match_that_cannot_be_written_down_is_still_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("match");
    for players in ["random random", "random random --local"] {
        let arguments = format!("match connect-four {players} --out {}", at.display());
        let output = on_a_full_disk(1, &arguments);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let (said, complaint) =
            (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned());
        assert!(!said.is_empty() && complaint.contains("cannot write"), "{complaint}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_corpus_on_a_full_disk_reports_what_it_found() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    fs::create_dir(&games).unwrap();
    for number in 0..4 {
        let rules = succeeds(&["fmt", "tic-tac-toe"]);
        fs::write(games.join(format!("{number}.kif")), rules).unwrap();
    }
    let lines = folder.path().join("lines");
    let arguments =
        format!("corpus {} --jsonl {} --stages check,ground", games.display(), lines.display());
    let output = on_a_full_disk(1, &arguments);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("4  reached ground"), "{output:?}");
}

/// A run that keeps a checkpoint, once it has written the first.
fn long_run(checkpoint: &Path) -> Child {
    let mut run = program();
    run.args(["solve", "connect-four", "--threads", "1", "--checkpoint"]).arg(checkpoint);
    let run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while !checkpoint.exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(20));
    }
    run
}

#[test]
fn the_second_run_on_a_checkpoint_is_told_who_holds_it_and_a_killed_one_lets_go() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("cp");
    let mut first = long_run(&checkpoint);
    let again = ["solve", "connect-four", "--time", "2", "--checkpoint"];
    let said = fails(4, gambol().args(again).arg(&checkpoint)).stderr;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains(&format!("in use by process {}", first.id())), "{said}");
    first.kill().unwrap();
    first.wait().unwrap();
    // The lock file is still there, but nobody holds it.
    fails(3, gambol().args(again).arg(&checkpoint));
    assert_eq!(names(folder.path()), ["cp"]);
}

#[test]
fn the_second_run_on_a_database_is_told_who_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let (games, database) = (folder.path().join("games"), folder.path().join("database"));
    fs::create_dir(&games).unwrap();
    let rules = succeeds(&["fmt", "connect-four"]);
    (0..200).for_each(|number| fs::write(games.join(format!("{number}.kif")), &rules).unwrap());
    let corpus = || {
        let mut corpus = program();
        corpus.arg("corpus").arg(&games).arg("--out").arg(&database);
        corpus.stdout(Stdio::null()).stderr(Stdio::piped());
        corpus
    };
    let mut first = corpus().spawn().unwrap();
    let started = Instant::now();
    while !database.exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "no database");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = corpus().output().unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.status.code(), Some(4), "{second:?}");
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains(&format!("in use by process {}", first.id())), "{said}");
}
