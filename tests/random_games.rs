//! Interpreter, net and circuit agree on random small games, recursion and negation included.

#[path = "random_games/generator.rs"]
mod generator;

use gambol::syntax::ReadOptions;
use gambol::{Comparison, Game, compare_engines};
use generator::sketches;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn game_of(text: &str) -> Game {
    Game::read(text.as_bytes(), &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn comparison(seed: u64) -> Comparison<'static> {
    Comparison { games: 3, seed, max_steps: 8, time: None, stop: None }
}

proptest! {
    // The games are so small that many can be tried.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases * 8,
        ..ProptestConfig::default()
    })]

    #[test]
    fn engines_agree_on_random_games(sketch in sketches(), seed in 0u64..1000) {
        let text = sketch.text();
        let agreement = compare_engines(&game_of(&text), &comparison(seed));
        prop_assert!(agreement.is_ok(), "{}\n{}", agreement.unwrap_err(), text);
    }
}

#[test]
fn random_games_are_worth_comparing() {
    const GAMES: usize = 300;
    let mut runner = TestRunner::deterministic();
    let (mut long, mut recursive, mut busy) = (0, 0, 0);
    for _ in 0..GAMES {
        let text = sketches().new_tree(&mut runner).unwrap().current().text();
        let game = game_of(&text);
        let net = game.net().unwrap();
        recursive += usize::from(!net.cycles.is_empty());
        busy += usize::from(net.next.iter().any(|&gate| reads_moves(net, gate)));
        let agreement = compare_engines(&game, &comparison(1)).unwrap();
        long += usize::from(agreement.states >= 12);
    }
    assert!(long * 2 > GAMES, "only {long} of {GAMES} last for a while");
    assert!(recursive * 20 > GAMES, "only {recursive} of {GAMES} are recursive");
    assert!(busy * 3 > GAMES, "only in {busy} of {GAMES} do the moves matter");
}

fn reads_moves(net: &gambol::net::Net, gate: gambol::net::GateId) -> bool {
    use gambol::net::Gate;
    let mut seen = vec![false; net.gate_count()];
    let mut open = vec![gate];
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut seen[gate.number() as usize], true) {
            continue;
        }
        match net.gate(gate) {
            Gate::Does(_) => return true,
            Gate::And(inputs) | Gate::Or(inputs) => open.extend(inputs),
            Gate::Not(input) => open.push(input),
            Gate::Constant(_) | Gate::Fluent(_) => {}
        }
    }
    false
}
