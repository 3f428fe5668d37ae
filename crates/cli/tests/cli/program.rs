//! Running the program.

use std::process::Output;

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
