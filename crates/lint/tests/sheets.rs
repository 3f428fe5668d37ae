//! Every rulesheet of a collection, if there is one: `GAMBOL_SHEETS=dir` lists what is found.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gambol_ground::{Limits, instantiate_with_extent};
use gambol_lint::lint;
use gambol_syntax::{Colour, ReadOptions, Source, check, has_errors, read, repair, report};

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
#[expect(clippy::print_stdout, reason = "it is asked for the list")]
fn what_a_collection_gives() {
    let Some(directory) = std::env::var_os("GAMBOL_SHEETS") else { return };
    let limits = Limits { time: Some(Duration::from_secs(3)), ..Limits::default() };
    for path in sheets(Path::new(&directory)) {
        let text = std::fs::read(&path).unwrap();
        let reading = read(&text, &ReadOptions::default());
        let Some(rules) = reading.rules.filter(|_| !has_errors(&reading.diagnoses)) else {
            continue;
        };
        let Some(rules) = repair(rules).rules else { continue };
        let Ok((game, extent)) = instantiate_with_extent(&rules, &limits) else { continue };
        let started = Instant::now();
        let findings = lint(&rules, &check(&rules), Some((&game, &extent)));
        let seconds = started.elapsed().as_secs_f64();
        println!("SHEET {} {seconds:.3}", path.display());
        for finding in findings {
            let name = path.display().to_string();
            println!("{}", report(&finding, &Source::new(&text), &name, Colour::Never));
        }
    }
}
