//! What is stated of the values of the bundled games, held against every method of solving.
//!
//! A method that does not fit a game says so. One that has not finished gives bounds, and the value must
//! lie between them, however fast the machine is.

use std::collections::BTreeMap;
use std::time::Duration;

use gambol::solve::{Choice, Limits, Meaning, Solution, SolveError, SolveOptions};
use gambol::{Facts, Game, StageError, bundled_games};

const METHODS: [Choice; 6] = [
    Choice::Listing,
    Choice::Search,
    Choice::ProofNumber,
    Choice::Satisfiability,
    Choice::Factored,
    Choice::Auto,
];

/// For each method and game: small games need less, large ones give bounds.
const TIME: Duration = Duration::from_millis(60);

fn options(choice: Choice) -> SolveOptions {
    let mut options = SolveOptions::default();
    options.choice = choice;
    options.limits = Limits { time: Some(TIME), memory_mib: 256, ..Limits::default() };
    options
}

fn check(context: &str, game: &Game, facts: &Facts, solution: &Solution) {
    // What a player can secure by itself may be less than what it gets in an equilibrium.
    if solution.meaning == Meaning::Secured {
        return;
    }
    for (role, bounds) in game.roles().unwrap().into_iter().zip(&solution.values) {
        let stated = f64::from(facts.value_at_start[role]);
        let (least, most) = (bounds.least.as_f64(), bounds.most.as_f64());
        assert!(
            (least..=most).contains(&stated),
            "{context}: {role} gets {stated}, not {bounds:?}"
        );
    }
}

#[test]
fn every_method_finds_the_values_that_are_stated() {
    let mut settled: BTreeMap<String, usize> = BTreeMap::new();
    for bundled in bundled_games() {
        let facts = bundled.facts().unwrap();
        if facts.value_at_start.is_empty() {
            continue;
        }
        let game = Game::bundled(bundled.name()).unwrap();
        for choice in METHODS {
            let context = format!("{} by {choice:?}", bundled.name());
            match game.solve(&options(choice)) {
                Ok(solution) => {
                    check(&context, &game, &facts, &solution);
                    let exact = usize::from(solution.is_exact());
                    *settled.entry(format!("{choice:?}")).or_default() += exact;
                }
                Err(StageError::Solve(SolveError::Method { .. })) => {}
                Err(error) => panic!("{context}: {error}"),
            }
        }
    }
    // That bounds are right is worth nothing if nobody ever finds a value.
    assert_eq!(settled.len(), METHODS.len(), "{settled:?}");
    assert!(settled.values().all(|&games| games > 0), "{settled:?}");
}
