//! The commands of the README do what it shows.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of the README and the output shown below it.
struct Shown {
    command: String,
    output: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands in `console` blocks: lines that begin with `$`, each followed by its output.
fn shown_in(text: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            shown.push(Shown { command: command.to_string(), output: Vec::new() });
        } else if inside && let Some(last) = shown.last_mut() {
            last.output.push(line.to_string());
        }
    }
    for one in &mut shown {
        while one.output.last().is_some_and(String::is_empty) {
            one.output.pop();
        }
    }
    shown
}

/// What was measured is another number each time; everything else must be as shown.
fn comparable(line: &str) -> String {
    let measured = [" s", "games/s", "MiB", "mean"].iter().any(|word| line.contains(word));
    if !measured {
        return line.to_string();
    }
    // Which code runs the circuit depends on the processor.
    let codes = ["AVX-512 code, ", "AVX2 code, ", "NEON code, ", "table, "];
    let line = codes.iter().fold(line.to_string(), |line, code| line.replace(code, ""));
    let blanked: String =
        line.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect();
    blanked.split('#').filter(|part| !matches!(*part, "" | "," | ".")).collect::<Vec<_>>().join("#")
}

fn run(command: &str) -> Vec<String> {
    let program = assert_cmd::cargo::cargo_bin("gambol");
    let folder = program.parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", command])
        .env("PATH", path)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<String> = text.lines().map(ToString::to_string).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[cfg(unix)]
#[test]
fn the_readme_tells_the_truth() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let shown = shown_in(&text);
    assert!(shown.len() >= 4, "the README shows too little");
    for Shown { command, output } in shown {
        let found = run(&command);
        let [found, expected] =
            [found, output].map(|lines| lines.iter().map(|it| comparable(it)).collect::<Vec<_>>());
        assert_eq!(found, expected, "{command}");
    }
}
