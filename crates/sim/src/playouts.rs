//! Playouts: games in which every role chooses each move uniformly at random.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::random::split_mix;
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

/// How many games a thread plays side by side. A processor whose registers are narrower plays
/// fewer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// As many as the processor's widest registers have bits.
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
    /// Machine code made for the game; the table where that is impossible.
    Machine,
}

/// What to play, and how.
#[derive(Clone, Debug)]
pub struct PlayoutOptions {
    /// How many games.
    pub amount: Amount,
    /// The same seed, threads and width give the same games, if the amount is a number.
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
    let width = options.width.resolve();
    let machine = match options.code {
        Code::Table => None,
        Code::Auto | Code::Machine if width == Width::W512 => circuit.batch().machine(),
        Code::Auto | Code::Machine => None,
    };
    // What is compiled when first needed does not count.
    circuit.batch();
    let threads = options.threads.max(1);
    let begin = Instant::now();
    let mut mixer = options.seed;
    let requests: Vec<Request> = (0..threads)
        .map(|thread| Request::of(options, thread, threads, begin, split_mix(&mut mixer)))
        .collect();
    let simulate = |request: Request| dispatch(width, Simulation::new(circuit, machine, request));
    let tallies: Vec<Tally> = if threads == 1 {
        requests.into_iter().map(simulate).collect()
    } else {
        std::thread::scope(|scope| {
            let simulate = &simulate;
            let handles: Vec<_> = requests
                .into_iter()
                .map(|request| scope.spawn(move || simulate(request)))
                .collect();
            handles.into_iter().map(|h| h.join().expect("a simulator does not panic")).collect()
        })
    };
    let mut tallies = tallies.into_iter();
    let mut total = tallies.next().expect("there is one thread at least");
    tallies.for_each(|tally| total.merge(&tally));
    total.seconds = begin.elapsed().as_secs_f64();
    total
}
