//! Playouts: games in which every role chooses each move uniformly at random.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::blocks::Blocks;
use crate::engine::Engine;
use crate::simulator::{Request, Simulation};
use crate::word::dispatch;
use crate::{Circuit, Tally};

/// How many playouts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// Exactly this many.
    Playouts(u64),
    /// As many as start within this time; those that have started are played to their end.
    Seconds(f64),
}

/// How many games a thread plays side by side. It does not change which games are played. On an x86-64
/// without AVX2 it is always 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// As many as suit the processor and the game.
    Auto,
    /// 64 games.
    W64,
    /// 256 games.
    W256,
    /// 512 games.
    W512,
}

/// How the gates are run. It does not change which games are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// Machine code if the processor and the width allow it, else the table.
    Auto,
    /// A table of gates and a loop.
    Table,
    /// Machine code of AVX2 instructions, at 256 or 512 lanes; the table where that is impossible.
    Avx2,
    /// Machine code of AVX-512 instructions, at 256 or 512 lanes; the table where that is impossible.
    Avx512,
    /// Machine code of AArch64's vector instructions, at 256 or 512 lanes; the table where that is
    /// impossible.
    Neon,
}

/// What to play, and how.
#[derive(Clone, Debug)]
pub struct PlayoutOptions {
    /// How many games.
    pub amount: Amount,
    /// The same seed gives the same games, if the amount is a number.
    pub seed: u64,
    /// How many threads.
    pub threads: usize,
    /// How many games side by side.
    pub width: Width,
    /// How the gates are run.
    pub code: Code,
    /// Games that have not ended after this many steps are cut off and counted as capped. At least 1.
    pub max_steps: u32,
    /// Set it to stop at once; games not ended by then do not count.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for PlayoutOptions {
    fn default() -> Self {
        Self {
            amount: Amount::Playouts(10_000),
            seed: 1,
            threads: 1,
            width: Width::Auto,
            code: Code::Auto,
            max_steps: 10_000,
            stop: None,
        }
    }
}

/// Plays random games from the start.
pub fn playouts(circuit: &Circuit, options: &PlayoutOptions) -> Tally {
    // What is compiled when first needed does not count.
    let engine = Engine::of(circuit.batch(), options.code, options.width);
    circuit.interval();
    let threads = options.threads.max(1);
    let blocks = match options.amount {
        Amount::Playouts(games) => Blocks::of_games(games),
        Amount::Seconds(_) => Blocks::endless(),
    };
    let begin = Instant::now();
    let simulate = || {
        let request = Request::of(options, &blocks, begin);
        dispatch(engine.width, engine.registers, Simulation::new(circuit, engine, request))
    };
    let mut total = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(simulate)).collect();
        let mut total = simulate();
        for other in others {
            total.merge(&other.join().expect("a simulator does not panic"));
        }
        total
    });
    total.seconds = begin.elapsed().as_secs_f64();
    total
}
