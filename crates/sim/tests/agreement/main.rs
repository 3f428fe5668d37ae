//! The net is the game: under every setting of the short cuts of the grounder, of the rewrites of the
//! net and of the reductions of the circuit, a game gives the answers that the plain interpreter gives.
//!
//! `GAMBOL_CASES=20000 cargo test -p gambol-sim --test agreement` tries more games than usual, and
//! `GAMBOL_SEED=7` other ones.

mod formula;
mod found;
mod games;
mod judge;
mod settings;
#[path = "../../../../tests/generated/tape.rs"]
mod tape;
mod wide;

use judge::{Amount, compare};
use settings::{Setting, settings};
use tape::{Tape, shortest};

/// A setting of the environment.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Runs so many generated games under these settings. A game that differs is made as short as
/// possible first.
fn campaign(
    cases: u64,
    length: usize,
    amount: Amount,
    game_of: impl Fn(&mut Tape) -> String,
    settings: &[Setting],
) {
    let seed = number("GAMBOL_SEED", 1);
    let mut states = 0u64;
    for case in 0..cases {
        let difference = |numbers: &[u16]| {
            let text = game_of(&mut Tape::of(numbers));
            compare(&text, settings, case, amount).map_err(|error| format!("{error}\n{text}"))
        };
        let numbers = tape::random(seed.wrapping_mul(0x9e37_79b9).wrapping_add(case), length);
        match difference(&numbers) {
            Ok(compared) => states += compared as u64,
            Err(_) => {
                let short = shortest(&numbers, |numbers| difference(numbers).is_err());
                panic!("case {case}: {}", difference(&short).expect_err("it differed"));
            }
        }
    }
    assert!(states >= 2 * cases, "only {states} states were compared in {cases} games");
}

#[test]
fn random_games_are_what_the_interpreter_says() {
    let cases = number("GAMBOL_CASES", 400);
    campaign(cases, 400, Amount::default(), games::text, &settings());
}

#[test]
fn games_of_moderate_size_are_what_the_interpreter_says() {
    let cases = number("GAMBOL_CASES", 400).div_ceil(20);
    let amount = Amount { games: 1, steps: 3, given: 1 };
    campaign(cases, 40, amount, wide::moderate, &wide::settings());
}

#[test]
fn large_games_are_what_the_interpreter_says() {
    let cases = number("GAMBOL_CASES", 400).div_ceil(200);
    let amount = Amount { games: 1, steps: 2, given: 1 };
    let default = Setting::of("default", gambol_ground::Shortcuts::default());
    campaign(cases, 40, amount, wide::large, &[default]);
}
