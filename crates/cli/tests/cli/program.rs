//! Running the program.

use std::io::{BufRead, BufReader};
use std::process::{Child, Output, Stdio};

use assert_cmd::Command;
use serde_json::Value;

/// The program, with nothing said yet.
pub(crate) fn gambol() -> Command {
    Command::cargo_bin("gambol").unwrap()
}

/// Its output; it must end with 0.
pub(crate) fn succeeds(arguments: &[&str]) -> String {
    let output = gambol().args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What it says when it ends with this code. It must say something.
pub(crate) fn fails(code: i32, command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!output.stderr.is_empty() || !output.stdout.is_empty());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    output
}

/// The one JSON object it prints, and its exit code.
pub(crate) fn json(command: &mut Command) -> (Value, i32) {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "not one line: {text}");
    (serde_json::from_str(&text).unwrap(), output.status.code().unwrap())
}

/// A command that listens on a free port until dropped.
pub(crate) struct Listening {
    process: Child,
    pub(crate) address: String,
}

impl Listening {
    pub(crate) fn start(command: &str) -> Self {
        Self::start_on(command, &[])
    }

    pub(crate) fn start_on(command: &str, arguments: &[&str]) -> Self {
        let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_gambol"))
            .args([command, "--port", "0", "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("it says where it listens");
        let said: Value = serde_json::from_str(&line).expect("in JSON");
        let address = said["listening"].as_str().expect("an address").to_string();
        Self { process, address }
    }
}

impl Listening {
    /// One that was started otherwise.
    pub(crate) fn of(process: Child, address: String) -> Self {
        Self { process, address }
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
