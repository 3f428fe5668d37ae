//! Claim: interpreter, net and circuit give the same answers in every state of a line of play.
//!
//! The first byte gives the moves, the rest is the rulesheet.
#![no_main]

use std::time::Duration;

use gambol::ground::Limits;
use gambol::syntax::ReadOptions;
use gambol::{Engine, EngineKind, Game, State};
use libfuzzer_sys::fuzz_target;

const STEPS: usize = 8;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else { return };
    let Ok(game) = Game::read(text, &ReadOptions::default()) else { return };
    let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
    let game = game.with_limits(limits);
    let engines = EngineKind::ALL.map(|kind| game.engine(kind));
    let [Ok(mut judge), Ok(mut net), Ok(mut circuit)] = engines else { return };
    let Ok(mut state) = judge.initial() else { return };
    for _ in 0..STEPS {
        let Some(said) = answers(judge.as_mut(), &state) else { return };
        for engine in [net.as_mut(), circuit.as_mut()] {
            assert_eq!(answers(engine, &state).as_ref(), Some(&said), "in {state:?}");
        }
        let (terminal, legal, _) = &said;
        if *terminal || legal.iter().any(Vec::is_empty) {
            return;
        }
        let joint: Vec<String> =
            legal.iter().map(|moves| moves[usize::from(choice) % moves.len()].clone()).collect();
        let Ok(next) = judge.next(&state, &joint) else { return };
        for engine in [net.as_mut(), circuit.as_mut()] {
            assert_eq!(engine.next(&state, &joint).ok().as_ref(), Some(&next), "{joint:?}");
        }
        state = next;
    }
});

type Answers = (bool, Vec<Vec<String>>, Vec<Option<u32>>);

/// None if the interpreter has met a limit, or the state cannot be told.
fn answers(engine: &mut dyn Engine, state: &State) -> Option<Answers> {
    Some((engine.terminal(state).ok()?, engine.legal(state).ok()?, engine.goals(state).ok()?))
}
