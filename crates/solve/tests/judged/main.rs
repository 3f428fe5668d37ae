//! Every way to solve, on generated games, held to a plain judge of its own.
//!
//! `GAMBOL_CASES` says how many games of each kind, `GAMBOL_SEED` from which on.

mod chance;
#[path = "../../../../tests/generated/components.rs"]
mod components;
mod generate;
mod judge;
mod played;
#[path = "../../../../tests/generated/rules.rs"]
mod rules;
mod sheet;
#[path = "../../../../tests/generated/tape.rs"]
mod tape;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use gambol_analysis::{ShapeOptions, shape};
use gambol_index::Id;
use gambol_net::{FluentId, Net, RoleId};
use gambol_reference::Interpreter;
use gambol_regress::{AgentId, Options, automaton_of_game, find_policy};
use gambol_sim::{Circuit, CompileOptions};
use gambol_solve::{
    Choice, Meaning, Shortcuts, Solution, SolveOptions, StrongClass, Unfinished, Use, certify,
    solve, strong,
};
use gambol_syntax::Rules;
use gambol_verify::{VerifyOptions, verify};

use crate::generate::Kind;
use crate::judge::{Game, Judged};
use crate::played::Played;
use crate::sheet::net_of;
use crate::tape::Tape;

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
    judged: usize,
}

fn check_all(kind: Kind, cases: u64) -> Tally {
    let (first, mut tally) = (number("GAMBOL_SEED", 1), Tally::default());
    let cases = number("GAMBOL_CASES", cases);
    for seed in first..first + cases {
        let mut sheet = generate::sheet(kind, seed);
        let (net, parts) = net_of(&sheet);
        let name = format!("{kind:?} {seed}\n{sheet:?}");
        let Some(judged) = Judged::of(&mut sheet, 4_000) else { continue };
        check(&mut sheet, &judged, &Made { net, parts: Some(parts) }, &name, &mut tally);
    }
    tally
}

/// A net for the solvers, and parts if they are known.
struct Made {
    net: Net,
    parts: Option<Vec<Vec<FluentId>>>,
}

fn check<G: Game>(game: &mut G, judged: &Judged<G>, made: &Made, name: &str, tally: &mut Tally) {
    let net = &made.net;
    let circuit = Circuit::compile(net, &CompileOptions::default()).expect("the net is small");
    for (way, options) in ways(judged.roles, &made.parts) {
        match solve(net, &circuit, &options) {
            Ok(solution) => {
                let open =
                    matches!(solution.unfinished, Some(Unfinished::Time | Unfinished::Memory));
                if open {
                    tally.open += 1;
                } else {
                    tally.answered += 1;
                }
                let name = format!("{way}: {name}");
                compare(judged, 0, &solution, &name);
                replay(game, net, &solution, &name);
            }
            Err(_) => tally.refused += 1,
        }
    }
    regress(judged, net, &format!("by regression: {name}"), tally);
    if let Ok(Ok(classes)) = strong(net, &circuit, &SolveOptions::default()) {
        compare_all(judged, &classes, &format!("by strong: {name}"));
    }
}

fn ways(roles: usize, parts: &Option<Vec<Vec<FluentId>>>) -> Vec<(String, SolveOptions)> {
    let choices = match roles {
        1 => vec![
            Choice::Auto,
            Choice::Search,
            Choice::Satisfiability,
            Choice::Factored,
            Choice::Phased,
        ],
        2 => vec![
            Choice::Auto,
            Choice::Listing,
            Choice::Search,
            Choice::ProofNumber,
            Choice::Factored,
            Choice::Phased,
        ],
        _ => vec![Choice::Auto, Choice::Listing, Choice::Factored],
    };
    let mut ways = Vec::new();
    for choice in choices {
        for (pruning, shortcuts) in shortcuts(choice) {
            let mut options = SolveOptions::default();
            (options.choice, options.pruning) = (choice, pruning);
            options.shortcuts = shortcuts;
            options.parts = parts.clone();
            // Satisfiability does not see that play goes on for ever.
            let millis = if choice == Choice::Satisfiability { 300 } else { 20_000 };
            options.limits.time = Some(Duration::from_millis(millis));
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
fn compare<G: Game>(judged: &Judged<G>, place: usize, solution: &Solution, name: &str) {
    if let Meaning::Equilibrium { unique } = solution.meaning {
        let Some(all) = judged.equilibria(place) else {
            // What the judge does not list may lie where play from here never comes.
            assert!(place > 0, "{name}: no equilibrium");
            return;
        };
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
        assert!(
            least <= worst[place] + slack,
            "{name}: {role} gets {}, not {least} or more",
            worst[place]
        );
        assert!(
            most >= best[place] - NEAR,
            "{name}: {role} gets {}, not {most} or less",
            best[place]
        );
    }
}

/// A line of play that comes to an end must be one of the game, and end with the values.
fn replay<G: Game>(game: &mut G, net: &Net, solution: &Solution, name: &str) {
    let mut position = game.start();
    for joint in &solution.line {
        assert!(!game.over(&position), "{name}: the line goes on after the end");
        let joint: Vec<G::Choice> = joint.iter().map(|&action| game.choice(net, action)).collect();
        for (role, choice) in joint.iter().enumerate() {
            assert!(game.legal(&position, role).contains(choice), "{name}: illegal for {role}");
        }
        position = game.next(&position, &joint);
    }
    if solution.unfinished.is_some() || !game.over(&position) {
        return;
    }
    for (role, bounds) in solution.values.iter().enumerate().filter(|_| !solution.line.is_empty()) {
        let (least, most) = game.payoff(&position, role);
        let value = bounds.least.as_f64();
        let within = f64::from(least) <= value && value <= f64::from(most);
        assert!(within, "{name}: the line gives {role} {least} to {most}, not {value}");
    }
}

/// What each role can secure, by regression of the goals.
fn regress<G: Game>(judged: &Judged<G>, net: &Net, name: &str, tally: &mut Tally) {
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
fn compare_all<G: Game>(judged: &Judged<G>, classes: &[StrongClass], name: &str) {
    let count: u64 = classes.iter().map(|class| class.states).sum();
    assert_eq!(count, judged.positions.len() as u64, "{name}");
    for role in 0..judged.roles {
        let (worst, best) = (judged.secured(role, false), judged.secured(role, true));
        if !worst.1 || !best.1 {
            continue;
        }
        let both = worst.0.iter().zip(&best.0);
        let mut expected: Vec<Option<f64>> =
            both.map(|(worst, best)| ((worst - best).abs() < NEAR).then_some(*worst)).collect();
        let mut found: Vec<Option<f64>> = Vec::new();
        for class in classes {
            let value = class.values[role].map(|value| value.as_f64());
            found.extend(std::iter::repeat_n(value, class.states as usize));
        }
        // No value comes first, as if it were less than nothing.
        for values in [&mut expected, &mut found] {
            values.sort_by(|one, other| one.unwrap_or(-1.0).total_cmp(&other.unwrap_or(-1.0)));
        }
        let near = |(one, other): (&Option<f64>, &Option<f64>)| match (one, other) {
            (Some(one), Some(other)) => (one - other).abs() < NEAR,
            (one, other) => one == other,
        };
        let same = found.len() == expected.len() && found.iter().zip(&expected).all(near);
        assert!(same, "{name}: {role} gets {expected:?}, not {found:?}");
    }
}

/// Rules of every kind, judged by the interpreter. Rules that are wrongly solved are made as short as
/// possible first.
fn check_rules(cases: u64) -> Tally {
    let (seed, mut tally) = (number("GAMBOL_SEED", 1), Tally::default());
    for case in 0..number("GAMBOL_CASES", cases) {
        let numbers = tape::random(seed.wrapping_mul(0x9e37_79b9).wrapping_add(case), 160);
        let fails = |numbers: &[u16]| {
            catch_unwind(|| check_text(numbers, case, &mut Tally::default())).is_err()
        };
        if catch_unwind(AssertUnwindSafe(|| check_text(&numbers, case, &mut tally))).is_err() {
            let short = tape::shortest(&numbers, fails);
            check_text(&short, case, &mut tally);
        }
    }
    tally
}

fn check_text(numbers: &[u16], case: u64, tally: &mut Tally) {
    let text = rules::text(&mut Tape::of(numbers));
    let rules = played::rules_of(&text);
    let Ok(ground) = gambol_ground::instantiate(&rules, &Default::default()) else { return };
    let Ok(net) = gambol_net::build(&ground) else { return };
    let net = gambol_net::simplify(&net);
    let mut game = Played::new(&rules);
    let Some(judged) = Judged::of(&mut game, 400) else { return };
    let name = format!("rules {case}\n{text}");
    let made = Made { net, parts: None };
    check(&mut game, &judged, &made, &name, tally);
    check_certificate(&rules, &made.net, &name);
    check_elsewhere(&game, &judged, &made.net, case, &name);
    check_queries(&game, &judged, &made.net, &name);
    tally.judged += 1;
}

/// What the solver writes down as a proof, the checker accepts.
fn check_certificate(rules: &Rules, net: &Net, name: &str) {
    let circuit = Circuit::compile(net, &CompileOptions::default()).expect("the net is small");
    let options = SolveOptions::default();
    let Ok(solution) = solve(net, &circuit, &options) else { return };
    let Ok(certificate) = certify(net, &circuit, &options, &solution) else { return };
    let interpreter = Interpreter::new(rules).expect("the rules can be interpreted");
    let accepted = verify(&interpreter, &certificate, VerifyOptions::default());
    accepted.unwrap_or_else(|refusal| panic!("certificate: {refusal}: {name}"));
}

/// One position that play can come to, solved as if play began there.
fn check_elsewhere(game: &Played, judged: &Judged<Played>, net: &Net, case: u64, name: &str) {
    let place = case as usize * 7 % judged.positions.len();
    let circuit = Circuit::compile(net, &CompileOptions::default()).expect("the net is small");
    let at = &judged.positions[place];
    for choice in [Choice::Auto, Choice::Listing, Choice::Search, Choice::Factored] {
        let mut options = SolveOptions::default();
        (options.choice, options.at) = (choice, Some(game.fluents(net, at)));
        options.limits.time = Some(Duration::from_secs(20));
        options.limits.memory_mib = 8;
        if let Ok(solution) = solve(net, &circuit, &options) {
            let name = format!("{choice:?} at {}: {name}", game.text(at));
            compare(judged, place, &solution, &name);
        }
    }
}

/// A policy says of every position what the judge says.
fn check_queries(game: &Played, judged: &Judged<Played>, net: &Net, name: &str) {
    let limits = gambol_regress::Limits::default();
    let shape = shape(net, &ShapeOptions::default());
    let Ok(made) = automaton_of_game("rules", net, &shape, &limits) else { return };
    for (role, best) in (0..judged.roles).flat_map(|role| [(role, false), (role, true)]) {
        let asked = made.secured_by(RoleId::from_index(role), best);
        let Ok(found) = find_policy(&asked, &Options::default(), &mut |_| ()) else { continue };
        let expected = judged.secured(role, best).0;
        for (place, position) in judged.positions.iter().enumerate() {
            let (node, state) = made.state_of(&game.fluents(net, position));
            let Some(answer) = found.policy.query(node, &state) else { continue };
            let reward = asked.outcomes[answer.value.outcome].rewards[AgentId::new(0)] as f64;
            let near = (reward - expected[place]).abs() < NEAR;
            let about = || format!("query at {}: {name}", game.text(position));
            assert!(near, "{}: {role} gets {}, not {reward}", about(), expected[place]);
        }
    }
}

#[test]
fn rules_of_any_kind_are_worth_what_the_interpreter_says() {
    let tally = check_rules(120);
    println!("{tally:?}");
    assert!(tally.answered > tally.refused, "{tally:?}");
}

#[test]
fn rules_with_chance_are_worth_what_the_judge_says() {
    let seed = number("GAMBOL_SEED", 1);
    let cases = 0..number("GAMBOL_CASES", 120);
    let numbers = cases.map(|case| tape::random(seed.wrapping_mul(0x9e37_79b9) + case, 160));
    let found: Vec<bool> = numbers.filter_map(|numbers| chance::check_chance(&numbers)).collect();
    let solved = found.iter().filter(|&&solved| solved).count();
    assert!(2 * solved > found.len(), "{solved} of {}", found.len());
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
