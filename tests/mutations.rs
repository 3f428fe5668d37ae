//! Damaged rules are refused or played, and played alike by every engine; nothing panics.

use std::time::Duration;

use gambol::analysis::{Budget, ShapeOptions, shape};
use gambol::decompose::{DecomposeOptions, decompose, finite_subgame_net, write_gdl};
use gambol::ground::Limits;
use gambol::regress::{
    Limits as RegressLimits, Options as RegressOptions, automaton_of_game, compare_with_circuit,
    find_policy,
};
use gambol::solve::{SolveOptions, solve};
use gambol::syntax::ReadOptions;
use gambol::{Agreement, Comparison, Disagreement, Game, bundled_game, compare_engines};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Small games, so that many damages can be tried.
const GAMES: [&str; 8] = [
    "tic-tac-toe",
    "nim-2-3-4",
    "buttons-and-lights",
    "four-lamps",
    "wolf-goat-cabbage",
    "rock-paper-scissors",
    "hex-3x3",
    "monty-hall",
];

/// What happens to the tokens of a text.
#[derive(Clone, Debug)]
enum Damage {
    /// One is lost.
    Lose(usize),
    /// One is written twice.
    Double(usize),
    /// One is written over by another.
    Copy(usize, usize),
    /// Two change places.
    Swap(usize, usize),
}

fn damages() -> impl Strategy<Value = Damage> {
    let place = || any::<prop::sample::Index>().prop_map(|index| index.index(1 << 20));
    prop_oneof![
        1 => place().prop_map(Damage::Lose),
        1 => place().prop_map(Damage::Double),
        4 => (place(), place()).prop_map(|(from, to)| Damage::Copy(from, to)),
        2 => (place(), place()).prop_map(|(one, other)| Damage::Swap(one, other)),
    ]
}

/// Names and parentheses; comments are lost.
fn tokens(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or(""));
    let spaced = lines.collect::<Vec<_>>().join("\n").replace('(', " ( ").replace(')', " ) ");
    spaced.split_whitespace().map(ToString::to_string).collect()
}

/// Parentheses change only with parentheses, and names with names: else hardly any text would be
/// read at all.
fn damage(tokens: &mut Vec<String>, damage: &Damage) {
    let size = tokens.len();
    let names: Vec<usize> =
        (0..size).filter(|&index| !matches!(tokens[index].as_str(), "(" | ")")).collect();
    let name = |number: usize| names[number % names.len()];
    match *damage {
        Damage::Lose(number) => drop(tokens.remove(name(number))),
        Damage::Double(number) => {
            let index = name(number);
            tokens.insert(index, tokens[index].clone());
        }
        Damage::Copy(from, to) => tokens[name(to)] = tokens[name(from)].clone(),
        Damage::Swap(one, other) => tokens.swap(name(one), name(other)),
    }
}

fn limits() -> Limits {
    Limits { time: Some(Duration::from_millis(500)), memory_mib: Some(256), ..Limits::default() }
}

fn damaged(game: &str, damages: &[Damage]) -> String {
    let rules = bundled_game(game).unwrap().rules();
    let mut tokens = tokens(&String::from_utf8_lossy(&rules));
    damages.iter().for_each(|one| damage(&mut tokens, one));
    tokens.join(" ")
}

/// `None` if the text is no game.
fn compare(text: &str) -> Option<Result<Agreement, Disagreement>> {
    let game = Game::read(text.as_bytes(), &ReadOptions::default()).ok()?.with_limits(limits());
    let comparison = Comparison { games: 2, seed: 1, max_steps: 6, time: None, stop: None };
    Some(compare_engines(&game, &comparison))
}

fn cases() -> impl Strategy<Value = (&'static str, Vec<Damage>)> {
    (prop::sample::select(&GAMES), prop::collection::vec(damages(), 1..4))
}

proptest! {
    // Most are refused or small, so many can be tried.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases * 8,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_games_are_refused_or_played_alike((game, damages) in cases()) {
        let text = damaged(game, &damages);
        // Rules that cannot be grounded in the time are no disagreement.
        if let Some(Err(differs @ Disagreement::Differs { .. })) = compare(&text) {
            prop_assert!(false, "{differs}\n{text}");
        }
    }
}

/// Takes a game through everything that can be done with it, with very little time for each. How far it came.
fn take_through(text: &str) -> usize {
    let moment = Duration::from_millis(40);
    let Ok(game) = Game::read(text.as_bytes(), &ReadOptions::default()) else { return 0 };
    let game = game.with_limits(limits());
    let Ok(net) = game.net() else { return 1 };
    let mut options = ShapeOptions::default();
    options.budget = Budget { time: Some(moment), stop: None };
    let shape = shape(net, &options);
    let mut options = DecomposeOptions::default();
    (options.playouts, options.time, options.prove) = (100, Some(moment), true);
    let found = decompose(net, &options);
    for id in found.subgames.ids() {
        let _ = finite_subgame_net(net, &found, id).map(|part| write_gdl(&part));
    }
    let Ok(circuit) = game.circuit() else { return 2 };
    let mut options = SolveOptions::default();
    options.limits.time = Some(moment);
    options.limits.memory_mib = 64;
    let solved = solve(net, circuit, &options).is_ok();
    let little = RegressLimits { time: Some(moment), memory_mib: Some(256), stop: None };
    if let Ok(made) = automaton_of_game("damaged", net, &shape, &little)
        && compare_with_circuit(&made, net, circuit, 5, 1).is_ok()
    {
        let options = RegressOptions { limits: little, ..RegressOptions::default() };
        let _ = find_policy(&made.automaton, &options, &mut |_| ());
        return 5;
    }
    if solved { 4 } else { 3 }
}

/// `GAMBOL_CASES` says how many games; 20,000 is a long run.
#[test]
fn the_whole_pipeline_survives_damaged_games() {
    let count = std::env::var("GAMBOL_CASES").ok().and_then(|count| count.parse().ok());
    let mut runner = TestRunner::deterministic();
    let mut reached = [0; 6];
    for _ in 0..count.unwrap_or(60) {
        let (game, damages) = cases().new_tree(&mut runner).unwrap().current();
        let text = damaged(game, &damages);
        let came = std::panic::catch_unwind(|| take_through(&text));
        reached[came.unwrap_or_else(|_| panic!("a panic on {text}"))] += 1;
    }
    assert!(reached[3..].iter().sum::<usize>() * 4 > reached.iter().sum::<usize>(), "{reached:?}");
}

#[test]
fn a_role_without_a_move_is_no_reason_to_panic() {
    let stuck = "(role a) (init p) (<= (legal a go) (true z)) (<= (next q) (does a go))
        (<= terminal (true q)) (goal a 100)";
    take_through(stuck);
    take_through(&stuck.replace("(role a)", "(role b) (role a)"));
    take_through("(role a) (init p) (<= (next q) (true p)) (<= terminal (true q)) (goal a 100)");
}

#[test]
fn many_damaged_games_are_still_played() {
    const CASES: usize = 300;
    let mut runner = TestRunner::deterministic();
    let played = (0..CASES).filter(|_| {
        let (game, damages) = cases().new_tree(&mut runner).unwrap().current();
        matches!(compare(&damaged(game, &damages)), Some(Ok(agreement)) if agreement.states >= 4)
    });
    let played = played.count();
    assert!(played * 5 > CASES, "only {played} of {CASES}");
}
