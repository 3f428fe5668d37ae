//! Interpreter, net and circuit give the same answers on every bundled game.

use gambol::{Comparison, Game, bundled_games, compare_engines};

/// Games and steps enough to reach the end of most games, few enough for the interpreter.
const COMPARISON: Comparison<'static> =
    Comparison { games: 6, seed: 7, max_steps: 60, time: None, stop: None };

#[test]
fn three_engines_agree_on_every_bundled_game() {
    let games = bundled_games();
    assert!(!games.is_empty());
    for bundled in games {
        let name = bundled.name();
        let game = Game::bundled(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        match compare_engines(&game, &COMPARISON) {
            Ok(agreement) => assert!(agreement.states >= COMPARISON.games, "{name}"),
            Err(disagreement) => panic!("{name}: {disagreement}"),
        }
    }
}

#[test]
fn bundled_games_are_strictly_valid() {
    for bundled in bundled_games() {
        let options = gambol::syntax::ReadOptions::default();
        if let Err(error) = Game::read_strict(&bundled.rules(), &options) {
            panic!("{}: {error}", bundled.name());
        }
    }
}
