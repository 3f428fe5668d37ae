//! The record of a match is taken as it was written, or refused.

use std::fs;

use crate::program::{fails, gambol, succeeds};

/// A match that was broken off after ten steps.
fn record(path: &str) -> String {
    fails(
        1,
        gambol().args([
            "match",
            "connect-four",
            "random",
            "random",
            "--max-steps",
            "10",
            "--out",
            path,
        ]),
    );
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 12);
    // Without the end it was broken off.
    lines[..11].iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_broken_off_match_goes_on_and_its_record_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match").display().to_string();
    let text = record(&path);
    fs::write(&path, &text).unwrap();
    succeeds(&["match", "--resume", &path]);
    assert!(fs::read_to_string(&path).unwrap().starts_with(&text));
    succeeds(&["replay", "connect-four", &path]);
}

#[test]
fn a_match_that_does_not_begin_costs_no_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match").display().to_string();
    let text = record(&path);
    fs::write(&path, &text).unwrap();
    for players in [&["nowhere.invalid:1", "random"][..], &["random"]] {
        fails(2, gambol().args(["match", "connect-four", "--out", &path]).args(players));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_damaged_record_is_refused_or_ends_earlier() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match").display().to_string();
    let text = record(&path).into_bytes();
    let mut refused = 0;
    let cases =
        std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60);
    for case in 0..cases {
        let mut damaged = text.clone();
        let place = case * 7919 % text.len();
        match case % 3 {
            // A line is cut off: that is a match broken off earlier, and right as it is.
            0 => damaged.truncate(place),
            _ => damaged[place] ^= 1 << (case % 7),
        }
        fs::write(&path, &damaged).unwrap();
        let output =
            gambol().args(["match", "--resume", &path, "--max-steps", "10"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("panicked"), "{said}");
        if case % 3 == 0 {
            continue;
        }
        // A flip in the last line's end may look like a torn line.
        let last = text[..text.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap();
        assert!(output.status.code() != Some(0) || place > last, "{place}: {said}");
        refused += usize::from(said.contains("damaged") || said.contains("not a recorded playout"));
    }
    assert!(refused > cases / 3, "{refused} of {cases}");
}

#[test]
fn a_record_of_other_rules_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match").display().to_string();
    fs::write(&path, record(&path)).unwrap();
    let said = fails(4, gambol().args(["match", "tic-tac-toe", "--resume", &path])).stderr;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("other rules"), "{said}");
}
