//! How long from rules to net? The number of fluents and moves is asserted.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gambol::Game;
use gambol::ground::{Limits, instantiate};

/// A bundled game, its fluents and its moves.
const GAMES: [(&str, usize, usize); 3] =
    [("tic-tac-toe", 29, 20), ("breakthrough", 130, 310), ("reversi", 130, 132)];

fn grounding(criterion: &mut Criterion) {
    for (name, fluents, moves) in GAMES {
        let game = Game::bundled(name).expect("a bundled game");
        let ground = instantiate(game.rules(), &Limits::default()).expect("it can be grounded");
        assert_eq!((ground.fluents.len(), ground.moves.len()), (fluents, moves), "{name}");
        criterion.bench_function(&format!("ground {name}"), |bencher| {
            bencher.iter(|| instantiate(black_box(game.rules()), &Limits::default()));
        });
    }
}

criterion_group!(benches, grounding);
criterion_main!(benches);
