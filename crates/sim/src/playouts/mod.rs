//! Playouts: games in which every role chooses each move uniformly at random.

pub(crate) mod bias;
mod blocks;
mod clock;
mod interval;
pub(crate) mod simulator;
pub(crate) mod steps;
pub(crate) mod tally;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::engine::word::dispatch;
use crate::engine::{Code, Engine, Width};
use crate::playouts::blocks::Blocks;
use crate::playouts::interval::interval_of;
use crate::playouts::simulator::{Request, Simulation};
use crate::{Circuit, Tally};

/// How many playouts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// Exactly this many.
    Playouts(u64),
    /// As many as start within this time; those that have started are played to their end.
    Seconds(f64),
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
    let code = if options.code == Code::Auto { circuit.options.code } else { options.code };
    let engine = Engine::of(circuit.batch(), code, options.width);
    interval_of(circuit);
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
