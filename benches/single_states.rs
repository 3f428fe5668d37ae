//! How many moves a second does a search make? The tree to a fixed depth, every joint move of every
//! state; the number of states is asserted.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gambol::Game;
use gambol::sim::{Circuit, Evaluator, State};

/// A bundled game, a depth, and the paths of that length.
const GAMES: [(&str, u32, u64); 2] = [("connect-four", 4, 2401), ("breakthrough", 3, 11_132)];

/// Expands all successors of a state at once.
fn leaves_by_expansion(evaluator: &mut Evaluator<'_>, state: &State, depth: u32) -> u64 {
    let expansion = evaluator.expand(state);
    let live = expansion.iter().filter(|(_, successor)| !successor.terminal || depth == 1);
    match depth {
        1 => expansion.len() as u64,
        _ => live.map(|(_, next)| leaves_by_expansion(evaluator, next.state, depth - 1)).sum(),
    }
}

fn trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("states");
    for (name, depth, leaves) in GAMES {
        let game = Game::bundled(name).expect("a bundled game");
        let circuit: &Circuit = game.circuit().expect("it can be compiled");
        let (mut evaluator, start) = (Evaluator::new(circuit), circuit.initial());
        assert_eq!(leaves_by_expansion(&mut evaluator, &start, depth), leaves, "{name}");
        group.throughput(Throughput::Elements(leaves));
        group.bench_function(name, |bencher| {
            bencher.iter(|| leaves_by_expansion(&mut evaluator, &start, depth));
        });
    }
    group.finish();
}

criterion_group!(benches, trees);
criterion_main!(benches);
