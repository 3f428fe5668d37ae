//! The referee among players that do not behave.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::program::{Listening, fails, gambol, succeeds};

/// A player that answers everything with these bytes; where it `stays` the connection is kept open.
fn player(answer: &'static [u8], stays: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut piece = [0; 1 << 16];
            let _ = stream.set_read_timeout(Some(Duration::from_millis(300)));
            let _ = stream.read(&mut piece);
            let _ = stream.write_all(answer);
            if stays {
                open.push(stream);
            }
        }
    });
    address
}

#[test]
fn what_a_player_sends_never_reaches_the_terminal_raw_and_is_cut() {
    let long: &'static [u8] = Box::leak(
        [b"HTTP/1.0 200 OK\r\n\r\n".to_vec(), b"(\x1b[2J\x07 \x9b".to_vec(), vec![b'x'; 500_000]]
            .concat()
            .into_boxed_slice(),
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match").display().to_string();
    let address = player(long, false);
    let arguments =
        ["match", "tic-tac-toe", &address, "random", "--start", "1", "--play", "1", "--out", &path];
    for json in [&[][..], &["--json"]] {
        let output =
            gambol().args(arguments).args(json).args(["--max-steps", "2"]).output().unwrap();
        for bytes in [&output.stdout, &output.stderr] {
            let plain = |byte: &u8| matches!(byte, b'\n' | 0x20..=0x7e | 0x80..);
            assert!(bytes.iter().all(plain), "{:?}", String::from_utf8_lossy(bytes));
            assert!(bytes.len() < 10_000, "{} bytes", bytes.len());
        }
    }
    let record = std::fs::read_to_string(&path).unwrap();
    assert!(record.contains("illegal") && record.len() < 20_000, "{}", record.len());
}

#[test]
fn a_player_that_names_a_length_and_keeps_the_connection_is_heard() {
    let address = player(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwait", true);
    let arguments = ["match", "tic-tac-toe", "random", &address, "--start", "2", "--play", "2"];
    let output = gambol().args(arguments).args(["--json", "--max-steps", "1"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["faults"].as_array().unwrap().len(), 0, "{report}");
}

#[test]
fn a_match_in_which_a_player_never_answered_is_no_success() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let arguments = ["match", "nim-2-3-4", &closed, "random", "--start", "1", "--play", "1"];
    let output = fails(1, gambol().args(arguments));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("nothing was heard of the player of first"), "{said}");
}

/// The first line of a command that listens, and what it says beside.
fn listens(command: &str, address: &str) -> (Value, String) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_gambol"))
        .args([command, "--port", "0", "--json", "--time", "1", "--listen", address])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut out, mut err) = (String::new(), String::new());
    process.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    process.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    process.wait().unwrap();
    (serde_json::from_str(out.lines().next().unwrap_or("null")).unwrap(), err)
}

#[test]
fn who_listens_beyond_loopback_is_warned() {
    for command in ["player", "serve"] {
        let (_, quiet) = listens(command, "127.0.0.1");
        assert!(!quiet.contains("everybody"), "{quiet}");
        let (_, warned) = listens(command, &Ipv4Addr::UNSPECIFIED.to_string());
        assert!(warned.contains("everybody who can reach this address"), "{command}: {warned}");
    }
}

#[test]
fn loopback_of_version_six_works() {
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        return;
    }
    let player = Listening::start_on("player", &["--listen", "::1"]);
    assert!(player.address.starts_with("[::1]:"), "{}", player.address);
    let first = ["match", "nim-2-3-4", &player.address, "random", "--start", "1", "--play", "1"];
    assert!(succeeds(&first).contains("first: "));
    let explorer = Listening::start_on("serve", &["--listen", "::1"]);
    let mut stream = std::net::TcpStream::connect(&explorer.address).unwrap();
    write!(stream, "GET / HTTP/1.0\r\nHost: {}\r\n\r\n", explorer.address).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.0 200") || answer.starts_with("HTTP/1.1 200"), "{answer}");
}
