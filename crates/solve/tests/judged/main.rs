//! Every way to solve, on generated games, held to a plain judge of its own.
//!
//! `GAMBOL_CASES` says how many games of each kind, `GAMBOL_SEED` from which on.

mod generate;
mod judge;
mod sheet;

use std::time::Duration;

use gambol_analysis::{ShapeOptions, shape};
use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net, RoleId};
use gambol_regress::{AgentId, Options, automaton_of_game, find_policy};
use gambol_sim::{Circuit, CompileOptions};
use gambol_solve::{
    Choice, Meaning, Shortcuts, Solution, SolveOptions, StrongClass, Unfinished, Use, solve, strong,
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
                let name = format!("{name} by {way}\n{sheet:?}");
                compare(&judged, &solution, &name);
                replay(sheet, &net, &solution, &name);
            }
            Err(_) => tally.refused += 1,
        }
    }
    regress(&judged, &net, &format!("{name} by regression\n{sheet:?}"), tally);
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
        for (pruning, shortcuts) in shortcuts(choice) {
            let mut options = SolveOptions::default();
            (options.choice, options.pruning) = (choice, pruning);
            options.shortcuts = shortcuts;
            options.parts = Some(parts.to_vec());
            // Satisfiability does not see that play goes on for ever.
            let seconds = if choice == Choice::Satisfiability { 1 } else { 20 };
            options.limits.time = Some(Duration::from_secs(seconds));
            options.limits.memory_mib = 8;
            ways.push((format!("{choice:?}, pruning {pruning}, {shortcuts:?}"), options));
        }
    }
    ways
}

/// Short cuts that bear on a way to solve, each always and never.
fn shortcuts(choice: Choice) -> Vec<(bool, Shortcuts)> {
    let but = |change: fn(&mut Shortcuts)| {
        let mut shortcuts = Shortcuts::default();
        change(&mut shortcuts);
        (true, shortcuts)
    };
    let mut all = vec![but(|_| ()), (false, Shortcuts::default())];
    match choice {
        Choice::Auto => all.push(but(|it| it.looks = Use::Never)),
        Choice::Search => {
            all.push(but(|it| (it.symmetries, it.residues) = (Use::Never, Use::Never)))
        }
        Choice::Factored => {
            all.push(but(|it| it.residues = Use::Always));
            all.push(but(|it| (it.residues, it.sums) = (Use::Never, Use::Never)));
            all.push(but(|it| it.quotients = Use::Always));
        }
        _ => {}
    }
    all
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

/// A line of play that comes to an end must be one of the game, and end with the values.
fn replay(sheet: &Sheet, net: &Net, solution: &Solution, name: &str) {
    let mut position = sheet.start();
    for joint in &solution.line {
        assert!(!sheet.holds(&position, &sheet.over), "{name}: the line goes on after the end");
        let choice = |action: &MoveId| net.moves[*action].name.strip_prefix('m')?.parse().ok();
        let joint: Vec<Option<usize>> = joint.iter().map(choice).collect();
        for (role, choice) in joint.iter().enumerate() {
            assert!(sheet.legal(&position, role).contains(choice), "{name}: {choice:?} of {role}");
        }
        position = sheet.next(&position, &joint);
    }
    if solution.unfinished.is_some() || !sheet.holds(&position, &sheet.over) {
        return;
    }
    for (role, bounds) in solution.values.iter().enumerate().filter(|_| !solution.line.is_empty()) {
        let (least, most) = sheet.payoff(&position, role);
        let value = bounds.least.as_f64();
        let within = f64::from(least) <= value && value <= f64::from(most);
        assert!(within, "{name}: the line gives {role} {least} to {most}, not {value}");
    }
}

/// What each role can secure, by regression of the goals.
fn regress(judged: &Judged, net: &Net, name: &str, tally: &mut Tally) {
    let mut options = ShapeOptions::default();
    options.inhibitors = false;
    let limits = gambol_regress::Limits::default();
    let Ok(made) = automaton_of_game("table", net, &shape(net, &options), &limits) else {
        tally.refused += 1;
        return;
    };
    for role in 0..judged.roles {
        for best in [false, true] {
            let asked = made.secured_by(RoleId::from_index(role), best);
            let options = Options { only_start: true, ..Options::default() };
            let Ok(found) = find_policy(&asked, &options, &mut |_| ()) else {
                tally.refused += 1;
                continue;
            };
            let value = found.policy.start_value().expect("the start was asked for");
            let reward = asked.outcomes[value.outcome].rewards[AgentId::new(0)] as f64;
            let expected = judged.secured(role, best).0[0];
            assert!(
                (reward - expected).abs() < NEAR,
                "{name}: {role} gets {expected}, not {reward}"
            );
            tally.answered += 1;
        }
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
    assert!(tally.answered > tally.refused, "{tally:?}");
}

#[test]
fn sums_of_games_are_worth_what_the_judge_says() {
    let tally = check_all(Kind::Sum, 60);
    assert_eq!(tally.open, 0, "{tally:?}");
}

#[test]
fn compounds_are_worth_what_the_judge_says() {
    let tally = check_all(Kind::Compound, 80);
    assert!(tally.answered > tally.refused, "{tally:?}");
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
