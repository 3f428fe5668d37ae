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
            started.elapsed() < Duration::from_secs(15),
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
