//! How long do a hundred thousand random games take? Their mean length is asserted.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gambol::Game;
use gambol::sim::{Amount, PlayoutOptions, playouts};

const PLAYOUTS: u64 = 100_000;
/// A bundled game and the mean length of its random games, known to two digits from millions of them.
const GAMES: [(&str, f64); 2] = [("tic-tac-toe", 7.63), ("breakthrough", 64.1)];

fn random_games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("playouts");
    group.throughput(Throughput::Elements(PLAYOUTS)).sample_size(20);
    for (name, length) in GAMES {
        let game = Game::bundled(name).expect("a bundled game");
        let circuit = game.circuit().expect("it can be compiled");
        let options =
            PlayoutOptions { amount: Amount::Playouts(PLAYOUTS), ..PlayoutOptions::default() };
        let mean = playouts(circuit, &options).mean_length();
        assert!((mean / length - 1.0).abs() < 0.005, "{name}: {mean}");
        group.bench_function(name, |bencher| bencher.iter(|| playouts(circuit, &options)));
    }
    group.finish();
}

criterion_group!(benches, random_games);
criterion_main!(benches);
