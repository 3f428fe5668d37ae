//! Players and explorers that are used for long hold no more memory than they need.
//!
//! `GAMBOL_CASES` says how many matches are played back to back; 500 is a long run.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{Listening, succeeds};

impl Listening {
    fn held_mib(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1024.0
    }

    fn ask(&self, message: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = message.len();
        write!(stream, "POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{message}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_string()
    }
}

#[test]
fn open_bodies_are_bounded_together_and_what_they_took_goes_back() {
    let player = Listening::start("player");
    let before = player.held_mib();
    let (length, piece) = (16 << 20, vec![b'x'; 1 << 20]);
    let mut open: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(&player.address).unwrap();
            write!(stream, "POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n").unwrap();
            stream
        })
        .collect();
    let mut most: f64 = 0.0;
    for _ in 0..15 {
        for stream in &mut open {
            // Those that were refused are closed.
            let _ = stream.write_all(&piece);
        }
        most = most.max(player.held_mib());
    }
    assert!(most < before + 100.0, "{most} MiB after {before}");
    open.iter().for_each(|stream| _ = stream.shutdown(Shutdown::Both));
    drop(open);
    let started = Instant::now();
    while player.held_mib() > before + 10.0 {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{} MiB after {before}",
            player.held_mib()
        );
        thread::sleep(Duration::from_millis(100));
    }
    assert!(player.ask("(INFO)").contains("available"));
}

#[test]
fn matches_back_to_back_leave_nothing_behind() {
    let count =
        std::env::var("GAMBOL_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(30);
    let player =
        Listening::start_on("player", &["--think", "0.05", "--margin", "0.1", "--threads", "1"]);
    let rules = succeeds(&["fmt", "tic-tac-toe"]);
    let play = |number: usize| {
        let start = format!("(START m{number} xplayer ({rules}) 1 1)");
        assert_eq!(player.ask(&start), "ready");
        assert!(player.ask(&format!("(PLAY m{number} NIL)")).starts_with("(put"));
        assert_eq!(player.ask(&format!("(STOP m{number} ((put 1 1) wait))")), "done");
    };
    // What the first matches take is there for the next.
    (0..10).for_each(play);
    thread::sleep(Duration::from_millis(500));
    let before = player.held_mib();
    (10..10 + count).for_each(play);
    let started = Instant::now();
    while player.held_mib() > before + 3.0 {
        let held = player.held_mib();
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{held} MiB after {count} matches, {before} before"
        );
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn sixteen_matches_at_once_are_all_answered_in_time() {
    let player =
        Listening::start_on("player", &["--matches", "16", "--think", "0.2", "--threads", "1"]);
    let rules = succeeds(&["fmt", "tic-tac-toe"]);
    thread::scope(|scope| {
        for number in 0..16 {
            let (player, rules) = (&player, &rules);
            scope.spawn(move || {
                let started = Instant::now();
                let ready = player.ask(&format!("(START m{number} xplayer ({rules}) 5 5)"));
                assert_eq!(ready, "ready");
                assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
                let asked = Instant::now();
                assert!(player.ask(&format!("(PLAY m{number} NIL)")).starts_with("(put"));
                assert!(asked.elapsed() < Duration::from_secs(6), "{:?}", asked.elapsed());
                assert_eq!(player.ask(&format!("(ABORT m{number})")), "aborted");
            });
        }
    });
}

/// Two thousand a second for a minute is what is asked for on an idle machine, and only asserted in a long run.
#[test]
fn questions_beside_a_search_are_all_answered() {
    let long = std::env::var_os("GAMBOL_CASES").is_some();
    let time = Duration::from_secs(if long { 60 } else { 1 });
    let player = Listening::start("player");
    let rules = succeeds(&["fmt", "connect-four"]);
    let clock = time.as_secs() + 5;
    let start = format!("(START m red ({rules}) {clock} {clock})");
    let (player, start) = (&player, &start);
    let count = thread::scope(|scope| {
        let asking = scope.spawn(move || player.ask(start));
        let ask = move || {
            let (started, mut count) = (Instant::now(), 0);
            while started.elapsed() < time {
                assert!(player.ask("(INFO)").contains("available"));
                count += 1;
            }
            count
        };
        let asking_too: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        let count: u64 = asking_too.into_iter().map(|one| one.join().unwrap()).sum();
        player.ask("(ABORT m)");
        asking.join().unwrap();
        count
    });
    let rate = count / time.as_secs();
    assert!(rate >= if long { 2000 } else { 20 }, "{rate} a second");
}

#[test]
fn a_player_with_few_descriptors_answers_when_there_are_some_again() {
    let mut process = std::process::Command::new("bash")
        .args(["-c", "ulimit -n 24; exec \"$PROGRAM\" player --port 0 --json"])
        .env("PROGRAM", env!("CARGO_BIN_EXE_gambol"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = [0; 256];
    let count = process.stdout.as_mut().unwrap().read(&mut line).unwrap();
    let said: serde_json::Value = serde_json::from_slice(&line[..count]).unwrap();
    let address = said["listening"].as_str().unwrap().to_string();
    let idle: Vec<_> = (0..60).map(|_| TcpStream::connect(&address).unwrap()).collect();
    thread::sleep(Duration::from_millis(300));
    drop(idle);
    let player = Listening::of(process, address);
    assert!(player.ask("(INFO)").contains("available"));
}

#[test]
fn a_reader_who_leaves_breaks_no_command() {
    for arguments in [
        &["games"][..],
        &["check", "reversi"],
        &["fmt", "reversi"],
        &["ground", "reversi", "--list"],
        &["net", "tic-tac-toe"],
        &["step", "reversi"],
        &["structure", "tic-tac-toe", "--json"],
        &["decompose", "double-tic-tac-toe", "--json"],
        &["subgame", "double-tic-tac-toe", "0"],
        &["solve", "tic-tac-toe"],
        &["simulate", "tic-tac-toe", "--playouts", "10"],
        &["regress", "nim-2-3-4", "--rules", "5"],
        &["regress", "--list"],
        &["match", "nim-2-3-4", "random", "random"],
        &["match", "nim-2-3-4", "random", "random", "--local"],
        &["tour", "nim-2-3-4"],
    ] {
        // The reader is gone before the first word.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gambol"));
        let output = command.args(arguments).stdout(writer).stderr(std::process::Stdio::piped());
        let output = output.spawn().unwrap().wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{arguments:?}: {:?} {said}",
            output.status
        );
    }
}
