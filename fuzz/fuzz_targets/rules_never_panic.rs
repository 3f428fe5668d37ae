//! Claim: no text makes the reader, the checks, the repair or the grounder panic.
#![no_main]

use std::time::Duration;

use gambol::ground::Limits;
use gambol::syntax::ReadOptions;
use gambol::{Game, examine};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    drop(examine(text, &Default::default()));
    if let Ok(game) = Game::read(text, &ReadOptions::default()) {
        let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
        drop(game.with_limits(limits).net().map(|net| net.gate_count()));
    }
});
