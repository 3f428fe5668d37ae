//! What `facts.toml` says a bundled game is worth, against every way to solve.

use std::collections::BTreeMap;
use std::time::Duration;

use gambol_solve::{Choice, Fraction, SolveOptions, solve};

use crate::games::{bundled, folder};

/// The line `value_at_start = { white = 50, black = 50 }`.
fn stated(name: &str) -> Option<BTreeMap<String, u32>> {
    let text = std::fs::read_to_string(folder().join(name).join("facts.toml")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("value_at_start = {"))?;
    let pair = |pair: &str| {
        let (role, value) = pair.split_once('=')?;
        Some((role.trim().to_string(), value.trim().parse().ok()?))
    };
    line.trim_end_matches(['}', ' ']).split(',').map(pair).collect()
}

fn names() -> Vec<String> {
    let folders = std::fs::read_dir(folder()).expect("games are there");
    let mut names: Vec<String> = folders
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| stated(name).is_some())
        .collect();
    names.sort_unstable();
    names
}

/// Whatever is proved in the time must be true of what is stated; what comes to an end must agree.
fn check(choice: Choice, time: Duration) -> usize {
    let mut solved = 0;
    for name in names() {
        let (game, stated) = (bundled(&name), stated(&name).expect("it is stated"));
        let mut options = SolveOptions::default();
        options.choice = choice;
        options.limits.time = Some(time);
        options.limits.memory_mib = 256;
        let Ok(solution) = solve(&game.net, &game.circuit, &options) else { continue };
        for (role, bounds) in game.net.roles.iter().zip(&solution.values) {
            let value = Fraction::from(stated[&**role]);
            let within = bounds.least <= value && value <= bounds.most;
            assert!(within, "{name} by {choice:?}: {role} is worth {value}, not {bounds:?}");
        }
        solved += usize::from(solution.is_exact());
    }
    solved
}

#[test]
fn bundled_games_are_worth_what_is_stated() {
    assert!(names().len() >= 50);
    assert!(check(Choice::Auto, Duration::from_secs(3)) >= 35);
}

#[test]
fn bundled_games_are_worth_what_is_stated_in_every_way() {
    for choice in [
        Choice::Listing,
        Choice::Search,
        Choice::ProofNumber,
        Choice::Satisfiability,
        Choice::Factored,
    ] {
        check(choice, Duration::from_millis(200));
    }
}
