//! Claim: a game solved part by part has the value that it has as a whole.
#![no_main]

use std::time::Duration;

use gambol::Game;
use gambol::ground::Limits as GroundLimits;
use gambol::solve::{Choice, Limits, SolveOptions};
use gambol::syntax::ReadOptions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(game) = Game::read(text, &ReadOptions::default()) else { return };
    let time = Some(Duration::from_millis(200));
    let game = game.with_limits(GroundLimits { time, ..GroundLimits::default() });
    let solve = |choice: Choice| {
        let mut options = SolveOptions::default();
        options.choice = choice;
        options.limits = Limits { time, memory_mib: 128, ..Limits::default() };
        game.solve(&options).ok().filter(|solution| solution.is_exact())
    };
    if let (Some(parts), Some(whole)) = (solve(Choice::Factored), solve(Choice::Listing))
        && parts.meaning == whole.meaning
    {
        assert_eq!(parts.values, whole.values);
    }
});
