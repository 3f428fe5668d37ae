//! Claims about every input. Each takes bytes and panics if they break it; it returns whether the bytes came far enough
//! for the claim to say anything.

use std::time::Duration;

use gambol::ground::Limits;
use gambol::solve::{Choice, Solution, SolveOptions, certify};
use gambol::syntax::{Notation, ReadOptions, check, read, repair};
use gambol::verify::{Certificate, VerifyOptions, verify};
use gambol::{Comparison, Disagreement, Game, compare_engines};

use crate::rules;
use crate::tape::Tape;

/// No text makes a reader of rules, the repair, or the grounder panic, whatever the notation.
pub(crate) fn rules_never_panic(bytes: &[u8]) -> bool {
    let mut reached = false;
    for notation in [Notation::Prefix, Notation::Infix] {
        let options = ReadOptions { syntax: Some(notation), ..ReadOptions::default() };
        let Some(rules) = read(bytes, &options).rules else { continue };
        drop(check(&rules));
        drop(repair(rules));
        let mut limits = Limits::default();
        (limits.time, limits.memory_mib) = (Some(Duration::from_secs(1)), Some(64));
        if let Ok(game) = Game::read(bytes, &options) {
            reached |= game.with_limits(limits).circuit().is_ok();
        }
    }
    reached
}

/// Net and circuit give the answers of the interpreter.
pub(crate) fn engines_agree(bytes: &[u8]) -> bool {
    let (game, text) = generated(bytes);
    let comparison = Comparison { games: 4, seed: 1, max_steps: 12, time: None, stop: None };
    match compare_engines(&game, &comparison) {
        Ok(agreement) => agreement.states > 0,
        Err(difference @ Disagreement::Differs { .. }) => panic!("{difference}\n{text}"),
        Err(_) => false,
    }
}

/// Part by part, by search, or by what fits: a game is worth what a listing of its states says.
pub(crate) fn methods_agree(bytes: &[u8]) -> bool {
    let (game, text) = generated(bytes);
    let by = |choice| game.solve(&options(choice)).ok().filter(Solution::is_exact);
    let Some(listed) = by(Choice::Listing) else { return false };
    let mut compared = false;
    for choice in [Choice::Factored, Choice::Search, Choice::Auto] {
        let Some(solution) = by(choice) else { continue };
        // In another sense a game may be worth something else.
        if solution.meaning == listed.meaning {
            assert_eq!(solution.values, listed.values, "{choice:?}\n{text}");
            compared = true;
        }
    }
    compared
}

/// A certificate that is valid is accepted, and one that claims another value is not.
pub(crate) fn verify_refuses_changes(bytes: &[u8]) -> bool {
    let (change, bytes) = bytes.split_at(bytes.len().min(2));
    let (game, text) = generated(bytes);
    let options = options(Choice::Auto);
    let Some(solution) = game.solve(&options).ok().filter(Solution::is_exact) else { return false };
    let (net, circuit) =
        (game.net().expect("it was solved"), game.circuit().expect("it was solved"));
    let Ok(valid) = certify(net, circuit, &options, &solution) else { return false };
    let interpreter = game.interpreter().expect("it was solved");
    let accepted = |certificate: &Certificate| {
        verify(&interpreter, certificate, VerifyOptions::default())
            .map_err(|error| error.to_string())
    };
    accepted(&valid).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut lie = valid.clone();
    let role = usize::from(change.first().copied().unwrap_or(0)) % lie.value.len();
    let value = lie.value.values_mut().nth(role).expect("there is such a role");
    let other = i128::from(change.get(1).copied().unwrap_or(0)) % 101;
    let other = if value.whole() == Some(other) { (other + 1) % 101 } else { other };
    *value = other.to_string().parse().expect("a whole number");
    lie.digest = lie.compute_digest();
    assert!(accepted(&lie).is_err(), "{other} was accepted instead of {:?}\n{text}", valid.value);
    true
}

/// The game that the bytes stand for, two to a number, and its text.
fn generated(bytes: &[u8]) -> (Game, String) {
    let numbers: Vec<u16> =
        bytes.as_chunks().0.iter().map(|&pair| u16::from_le_bytes(pair)).collect();
    let text = rules::text(&mut Tape::of(&numbers));
    let game = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    (game, text)
}

fn options(choice: Choice) -> SolveOptions {
    let mut options = SolveOptions::default().seconds(5.0);
    (options.choice, options.limits.memory_mib) = (choice, 16);
    options
}
