//! Every way to solve, on generated games, held to a plain judge of its own.
//!
//! `GAMBOL_CASES` says how many games of each kind, `GAMBOL_SEED` from which on.

mod generate;
mod judge;
mod sheet;

use std::time::Duration;

use gambol_net::FluentId;
use gambol_sim::{Circuit, CompileOptions};
use gambol_solve::{
    Choice, Meaning, Solution, SolveOptions, StrongClass, Unfinished, solve, strong,
};

use crate::generate::Kind;
use crate::judge::Judged;
use crate::sheet::{Sheet, net_of};

/// What averages may differ by in floating-point numbers.
const NEAR: f64 = 1e-5;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// How often something was answered, refused, or left open.
#[derive(Default, Debug)]
struct Tally {
    answered: usize,
    refused: usize,
    open: usize,
}

fn check_all(kind: Kind, cases: u64) -> Tally {
    let (first, mut tally) = (number("GAMBOL_SEED", 1), Tally::default());
    let cases = number("GAMBOL_CASES", cases);
    for seed in first..first + cases {
        let sheet = generate::sheet(kind, seed);
        check(&sheet, &format!("{kind:?} {seed}"), &mut tally);
    }
    tally
}

fn check(sheet: &Sheet, name: &str, tally: &mut Tally) {
    let Some(judged) = Judged::of(sheet) else { return };
    let (net, parts) = net_of(sheet);
    let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("the net is small");
    for (way, options) in ways(sheet, &parts) {
        match solve(&net, &circuit, &options) {
            Ok(solution) => {
                let open =
                    matches!(solution.unfinished, Some(Unfinished::Time | Unfinished::Memory));
                if open {
                    tally.open += 1;
                } else {
                    tally.answered += 1;
                }
                compare(&judged, &solution, &format!("{name} by {way}\n{sheet:?}"));
            }
            Err(_) => tally.refused += 1,
        }
    }
    if let Ok(Ok(classes)) = strong(&net, &circuit, &SolveOptions::default()) {
        compare_all(&judged, &classes, &format!("{name} by strong\n{sheet:?}"));
    }
}

fn ways(sheet: &Sheet, parts: &[Vec<FluentId>]) -> Vec<(String, SolveOptions)> {
    let choices = match sheet.roles {
        1 => vec![Choice::Auto, Choice::Search, Choice::Satisfiability, Choice::Factored],
        2 => vec![
            Choice::Auto,
            Choice::Listing,
            Choice::Search,
            Choice::ProofNumber,
            Choice::Factored,
        ],
        _ => vec![Choice::Auto, Choice::Listing, Choice::Factored],
    };
    let mut ways = Vec::new();
    for choice in choices {
        for pruning in [true, false] {
            let mut options = SolveOptions::default();
            (options.choice, options.pruning) = (choice, pruning);
            options.parts = Some(parts.to_vec());
            options.limits.time = Some(Duration::from_secs(20));
            options.limits.memory_mib = 8;
            ways.push((format!("{choice:?}, pruning {pruning}"), options));
        }
    }
    ways
}

/// A value that is claimed must be the value in the sense in which it is claimed.
fn compare(judged: &Judged, solution: &Solution, name: &str) {
    if let Meaning::Equilibrium { unique } = solution.meaning {
        let all = judged.equilibria().unwrap_or_else(|| panic!("{name}: no equilibrium"));
        let values: Vec<u32> = solution
            .values
            .iter()
            .map(|bounds| bounds.value().and_then(|value| value.whole()).expect("whole") as u32)
            .collect();
        assert!(all.contains(&values), "{name}: {values:?}, not one of {all:?}");
        assert!(!unique || all.len() == 1, "{name}: {all:?} are equilibria");
        return;
    }
    for (role, bounds) in solution.values.iter().enumerate() {
        let (worst, exact) = judged.secured(role, false);
        let (best, _) = judged.secured(role, true);
        let (least, most) = (bounds.least.as_f64(), bounds.most.as_f64());
        let slack = if exact { NEAR } else { 1.0 };
        assert!(least <= worst[0] + slack, "{name}: {role} gets {worst:?}, not {least} or more");
        assert!(most >= best[0] - NEAR, "{name}: {role} gets {best:?}, not {most} or less");
    }
}

/// The classes of all states must be those of all positions.
fn compare_all(judged: &Judged, classes: &[StrongClass], name: &str) {
    let count: u64 = classes.iter().map(|class| class.states).sum();
    assert_eq!(count, judged.positions.len() as u64, "{name}");
    for role in 0..judged.roles {
        let (worst, best) = (judged.secured(role, false), judged.secured(role, true));
        if !worst.1 || !best.1 {
            continue;
        }
        let both = worst.0.iter().zip(&best.0);
        let mut expected: Vec<Option<i64>> = both
            .map(|(worst, best)| {
                ((worst - best).abs() < NEAR).then(|| (worst * 1e4).round() as i64)
            })
            .collect();
        expected.sort_unstable();
        let mut found: Vec<Option<i64>> = Vec::new();
        for class in classes {
            let value = class.values[role].map(|value| (value.as_f64() * 1e4).round() as i64);
            found.extend(std::iter::repeat_n(value, class.states as usize));
        }
        found.sort_unstable();
        assert_eq!(found, expected, "{name}: {role}");
    }
}

#[test]
fn games_of_any_kind_are_worth_what_the_judge_says() {
    let tally = check_all(Kind::Any, 150);
    assert!(tally.answered > 3 * tally.refused, "{tally:?}");
}

#[test]
fn sums_of_games_are_worth_what_the_judge_says() {
    let tally = check_all(Kind::Sum, 60);
    assert_eq!(tally.open, 0, "{tally:?}");
}

#[test]
fn compounds_are_worth_what_the_judge_says() {
    let tally = check_all(Kind::Compound, 80);
    assert!(tally.answered > 3 * tally.refused, "{tally:?}");
}

/// Known by hand: matching pennies, a saddle point, and one of two rows that is never good.
#[test]
fn the_judge_solves_matrix_games() {
    for (matrix, value) in [
        (vec![vec![1.0, 0.0], vec![0.0, 1.0]], 0.5),
        (vec![vec![3.0, 5.0], vec![1.0, 9.0]], 3.0),
        (vec![vec![0.0, 100.0, 30.0], vec![100.0, 0.0, 30.0], vec![10.0, 10.0, 10.0]], 30.0),
    ] {
        assert!((judge::matrix_value(&matrix) - value).abs() < 1e-9, "{matrix:?}");
    }
}
