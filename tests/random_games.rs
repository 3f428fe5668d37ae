//! Interpreter, net and circuit agree on random small games, recursion and negation included.

#[path = "random_games/generator.rs"]
mod generator;

use gambol::syntax::ReadOptions;
use gambol::{Comparison, Game, compare_engines};
use generator::sketches;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn engines_agree_on_random_games(sketch in sketches(), seed in 0u64..1000) {
        let text = sketch.text();
        let game = Game::read(text.as_bytes(), &ReadOptions::default())
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let comparison = Comparison { games: 3, seed, max_steps: 8, stop: None };
        let agreement = compare_engines(&game, &comparison);
        prop_assert!(agreement.is_ok(), "{}\n{}", agreement.unwrap_err(), text);
    }
}
