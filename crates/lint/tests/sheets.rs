//! Every rulesheet of a collection, if there is one: `GAMBOL_SHEETS=dir` lists what is found.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gambol_ground::Limits;
use gambol_lint::{Examination, examine};
use gambol_syntax::{Colour, Parts, Source, render};

/// Sheets under a directory, sorted.
fn sheets(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "kif" || ending == "hrf") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_a_collection_gives() {
    let Some(directory) = std::env::var_os("GAMBOL_SHEETS") else { return };
    let examination = Examination {
        lenient: true,
        limits: Limits { time: Some(Duration::from_secs(3)), ..Limits::default() },
        ..Examination::default()
    };
    for path in sheets(Path::new(&directory)) {
        let text = std::fs::read(&path).unwrap();
        let started = Instant::now();
        let findings = examine(&text, &examination);
        println!("SHEET {} {:.3}", path.display(), started.elapsed().as_secs_f64());
        for finding in findings {
            let parts = Parts {
                severity: finding.severity,
                category: finding.category,
                span: finding.span,
                message: &finding.message,
                hint: finding.hint.as_deref(),
                also: finding.also,
            };
            let name = path.display().to_string();
            println!("{}", render(&parts, &Source::new(&text), &name, Colour::Never));
        }
    }
}
