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
        &["tournament", "connect-four", "--players", "mcts", "legal", "--out", nowhere],
        &["tournament", "connect-four", "--players", "mcts", "legal", "--html", nowhere],
        &["decompose", "connect-four", "--prove", "--certificate", nowhere],
        &["corpus", ".", "--jsonl", nowhere],
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
        (format!("tournament nim-2-3-4 --players random legal --html {at}"), "random"),
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

#[test]
fn refutations_of_a_cut_are_written_in_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let [certificate, refutations] = ["cut.json", "why"].map(|name| folder.path().join(name));
    let [file, why] = [&certificate, &refutations].map(|path| path.to_str().unwrap());
    succeeds(&["decompose", "four-lamps", "--prove", "--certificate", file]);
    let said = succeeds(&["verify", "four-lamps", file, "--refutations", why]);
    let written = names(&refutations);
    assert_eq!(written[..2], ["0001.cnf", "0001.drat"]);
    let count = format!("{} refutations written", written.len() / 2);
    assert!(said.contains(&count), "{written:?}: {said}");
}

/// The page of a tour is the answer itself.
#[cfg(target_os = "linux")]
#[test]
fn a_page_that_cannot_be_written_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("page.html");
    let output = on_a_full_disk(1, &format!("tour nim-2-3-4 --html {}", at.display()));
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("</html>"));
    assert!(names(folder.path()).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_new_game_is_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let output = on_a_full_disk(0, &format!("new {}", folder.path().join("game").display()));
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(names(folder.path()).is_empty());
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

/// Wherever the writing of a file breaks off, at whatever byte.
#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_at_any_place_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let at = file.display();
    let certificate = format!("solve tic-tac-toe --certificate {at}");
    let whole = on_a_full_disk(1 << 20, &certificate);
    assert!(whole.status.success(), "{whole:?}");
    let size = fs::metadata(&file).unwrap().len() / 1024;
    assert!(size > 8, "{size}");
    for blocks in (0..=size).step_by(size as usize / 8) {
        fs::write(&file, "old").unwrap();
        let output = on_a_full_disk(blocks as u32, &certificate);
        assert_eq!(output.status.code(), Some(4), "{blocks}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("xplayer: 50"), "{blocks}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "old", "{blocks}");
        assert_eq!(names(folder.path()), ["file"], "{blocks}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn rules_that_cannot_be_written_anew_stay_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reversi.kif");
    let untidy = succeeds(&["fmt", "reversi"]).replace("\n(", "\n\n\n (");
    fs::write(&file, &untidy).unwrap();
    let output = on_a_full_disk(1, &format!("fmt --write {}", file.display()));
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), untidy);
    assert_eq!(names(folder.path()), ["reversi.kif"]);
}

#[cfg(target_os = "linux")]
#[test]
fn where_no_lock_can_be_written_none_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("file");
    let run = format!("solve connect-four --checkpoint {}", at.display());
    let output = on_a_full_disk(0, &run);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
}

/// A slip in a question is told before the work, and what cannot be answered costs nothing else.
#[test]
fn a_question_costs_no_answer() {
    let automaton = "connect-4x4-4.autre";
    for (arguments, code) in [
        (&["regress", automaton, "--distance", "--query", "nonsense"][..], 2),
        (&["decompose", "connect-four", "--explain", "(nonsense)", "(more)"], 2),
        (&["decompose", "connect-four", "--explain", "(step 1) (step 2)", "(step 3)"], 2),
        (&["solve", "connect-four", "--count"], 2),
    ] {
        let started = Instant::now();
        fails(code, gambol().args(arguments));
        assert!(started.elapsed() < Duration::from_secs(5), "{arguments:?}");
    }
    // This state is not met in play.
    let asked = ["regress", "tic-tac-toe.autre", "--backend", "diagram", "--query", "X-moves a1=o"];
    let output = gambol().args(asked).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(said.contains(": draw"), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_corpus_whose_database_is_full_reports_all_games() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    fs::create_dir(&games).unwrap();
    let rules = succeeds(&["fmt", "tic-tac-toe"]);
    (0..80).for_each(|number| fs::write(games.join(format!("{number}.kif")), &rules).unwrap());
    let database = folder.path().join("database");
    let arguments =
        format!("corpus {} --out {} --stages check", games.display(), database.display());
    let output = on_a_full_disk(24, &arguments);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("80  reached check"), "{output:?}");
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
fn the_second_run_on_any_other_file_is_told_who_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file").display().to_string();
    let games = folder.path().join("games").display().to_string();
    fs::create_dir(&games).unwrap();
    let rules = succeeds(&["fmt", "connect-four"]);
    (0..200).for_each(|number| fs::write(format!("{games}/{number}.kif"), &rules).unwrap());
    for arguments in [
        &["regress", "connect-4x4-4.autre", "--distance", "--checkpoint", &file][..],
        &["match", "reversi", "mcts", "mcts", "--local", "--games", "50", "--out", &file],
        &["tournament", "reversi", "--players", "mcts", "legal", "--out", &file],
        &["corpus", &games, "--jsonl", &file],
    ] {
        let mut first = program();
        let mut first =
            first.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (lock, started) = (format!("{file}.lock"), Instant::now());
        while !fs::read(&lock).is_ok_and(|held| !held.is_empty()) {
            assert!(started.elapsed() < Duration::from_secs(60), "{arguments:?}: no lock");
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = fs::remove_file(&file);
        let second = program().args(arguments).output().unwrap();
        first.kill().unwrap();
        first.wait().unwrap();
        let said = String::from_utf8_lossy(&second.stderr).into_owned();
        assert_eq!(second.status.code(), Some(4), "{arguments:?}: {said}");
        assert!(said.contains(&format!("in use by process {}", first.id())), "{said}");
        let _ = (fs::remove_file(&file), fs::remove_file(&lock));
    }
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
