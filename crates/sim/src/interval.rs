//! How often new games begin in lanes whose games are over.
//!
//! A refill costs gates for the goals and writes for the initial state, a lane that waits costs its
//! share of every step. With an interval of `n` steps a game of length `l` holds its lane for
//! `n · ceil(l / n)` steps: intervals as long as the longest game suit games of nearly fixed length,
//! short ones games whose length varies. Some games are played to see how long they are, always the
//! same, and all figures are counts of instructions, never of time, so that the same seed plays the same
//! games everywhere.

use crate::blocks::Blocks;
use crate::simulator::{Request, Simulation};
use crate::word::{Plain, Task};
use crate::{Circuit, Tally};

/// What steps and refills cost, in instructions.
#[derive(Clone, Copy, Debug)]
struct Costs {
    step: f64,
    refill: f64,
    /// New games begin in the first of so many phases only.
    period: usize,
}

/// How many games are looked at.
const GAMES: u64 = 128;
/// How many instructions they may take, about; longer games are cut off.
const WORK: f64 = 5e6;

/// The interval at which a game is played fastest.
pub(crate) fn interval_of(circuit: &Circuit) -> u64 {
    let batch = circuit.batch();
    let costs =
        Costs { step: batch.step_cost(), refill: batch.refill_cost, period: batch.phases.len() };
    if batch.initial_terminal {
        return 1;
    }
    let max_steps = (WORK / costs.step).clamp(40.0, 4_000.0) as u64;
    let blocks = Blocks::of_games(GAMES);
    let request = Request::without_clock(&blocks, max_steps);
    let tally = Simulation::of_table(circuit, request, u64::MAX).run::<Plain<1>>();
    best_interval(&lengths(&tally, max_steps), costs)
}

/// Pairs of a length and how many games have it. A game that got stuck frees its lane no earlier than
/// others do.
fn lengths(tally: &Tally, max_steps: u64) -> Vec<(u64, u64)> {
    let ended = (0..).zip(tally.lengths.iter().copied());
    ended.chain([(max_steps, tally.capped)]).filter(|&(_, games)| games > 0).collect()
}

fn best_interval(lengths: &[(u64, u64)], costs: Costs) -> u64 {
    let period = costs.period as u64;
    let longest = lengths.iter().map(|&(length, _)| length).max().unwrap_or(1).max(1);
    let cost = |interval: u64| {
        let intervals = |&(length, games): &(u64, u64)| games * length.max(1).div_ceil(interval);
        let held: u64 = lengths.iter().map(intervals).sum();
        held as f64 * (interval as f64 * costs.step + costs.refill)
    };
    let candidates = (1..=longest.div_ceil(period)).map(|count| count * period);
    candidates.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs { step: 200.0, refill: 100.0, period: 2 };

    #[test]
    fn games_of_nearly_fixed_length_are_awaited() {
        assert_eq!(best_interval(&[(8, 200), (9, 312)], COSTS), 10);
        assert_eq!(best_interval(&[(9, 312)], Costs { period: 1, ..COSTS }), 9);
    }

    #[test]
    fn games_of_widely_varying_length_are_not() {
        let lengths: Vec<(u64, u64)> = (1..256).map(|length| (length, 2)).collect();
        let interval = best_interval(&lengths, COSTS);
        assert!((4..40).contains(&interval), "{interval}");
    }

    #[test]
    fn a_game_that_does_not_end_is_not_awaited() {
        assert!(best_interval(&[(8, 500), (4_000, 1)], COSTS) < 30);
        assert_eq!(best_interval(&[], COSTS), 2);
    }
}
