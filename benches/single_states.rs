//! How many moves a second does a search make? The tree to a fixed depth, every joint move of every
//! state; the number of states is asserted.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gambol::Game;
use gambol::sim::{Circuit, Evaluator, Expansion, State};

/// A bundled game, a depth, and the paths of that length.
const GAMES: [(&str, usize, u64); 2] = [("connect-four", 4, 2401), ("breakthrough", 3, 11_132)];

/// Expands all successors of a state at once, those of each depth into memory of their own.
fn leaves_by_expansion<'a>(
    evaluator: &mut Evaluator<'a>,
    state: &State,
    levels: &mut [Expansion<'a>],
) -> u64 {
    let [expansion, deeper @ ..] = levels else { return 1 };
    evaluator.expand_into(state, expansion);
    if deeper.is_empty() {
        return expansion.len() as u64;
    }
    let live = expansion.iter().filter(|(_, successor)| !successor.terminal);
    live.map(|(_, next)| leaves_by_expansion(evaluator, &next.state(), deeper)).sum()
}

fn trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("states");
    for (name, depth, leaves) in GAMES {
        let game = Game::bundled(name).expect("a bundled game");
        let circuit: &Circuit = game.circuit().expect("it can be compiled");
        let (mut evaluator, start) = (Evaluator::new(circuit), circuit.initial());
        let mut levels = vec![Expansion::new(circuit); depth];
        assert_eq!(leaves_by_expansion(&mut evaluator, &start, &mut levels), leaves, "{name}");
        group.throughput(Throughput::Elements(leaves));
        group.bench_function(name, |bencher| {
            bencher.iter(|| leaves_by_expansion(&mut evaluator, &start, &mut levels));
        });
    }
    group.finish();
}

criterion_group!(benches, trees);
criterion_main!(benches);
