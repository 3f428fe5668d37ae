//! How often new games begin in lanes whose games are over.
//!
//! A refill costs gates for the goals and writes for the initial state, a lane that waits costs its
//! share of every step. With an interval of `n` steps a game of length `l` holds its lane for
//! `n · ceil(l / n)` steps: intervals as long as the longest game suit games of nearly fixed length,
//! short ones games whose length varies. Some games are played to see how long they are, always the
//! same, and all figures are counts of instructions, never of time, so that the same seed plays the same
//! games everywhere.

use crate::engine::batch::Interval;
use crate::engine::word::{Plain, Task};
use crate::playouts::blocks::Blocks;
use crate::playouts::simulator::{Request, Simulation};
use crate::{Circuit, Tally};

/// What steps and refills cost, in instructions.
#[derive(Clone, Copy, Debug)]
struct Costs {
    step: f64,
    refill: f64,
    /// The period of the phases: new games begin in the first phase only.
    period: usize,
}

/// How many games are looked at.
const GAMES: u64 = 128;
/// How many instructions they may take, about; longer games are cut off.
const WORK: f64 = 5e6;

/// What a step takes beside its gates and choices, and a refill beside goals and writes.
const DRAW: f64 = 100.0;
const REFILL: f64 = 300.0;
/// What it takes to count the ends in one cohort at each step, and in lanes one by one for a game.
const COHORT: f64 = 20.0;
const LANE: f64 = 12.0;
/// Lanes of a word, for the balance of the two.
const LANES: f64 = 512.0;

/// The interval at which a game is played fastest. It is found once.
pub(crate) fn interval_of(circuit: &Circuit) -> Interval {
    *circuit.batch().interval.get_or_init(|| fastest(circuit))
}

fn fastest(circuit: &Circuit) -> Interval {
    let batch = circuit.batch();
    let costs = Costs {
        step: batch.step_cost() + DRAW,
        refill: batch.refill_cost + REFILL,
        period: batch.phases.len(),
    };
    if batch.initial_terminal {
        return Interval { steps: 1, has_many_cohorts: false };
    }
    let max_steps = (WORK / costs.step).clamp(40.0, 4_000.0) as u64;
    let blocks = Blocks::of_games(GAMES);
    let request = Request::without_clock(&blocks, max_steps);
    let once = Interval { steps: u64::MAX, has_many_cohorts: false };
    let tally = Simulation::of_table(circuit, request, once).run::<Plain<1>>();
    best_interval(&lengths(&tally, max_steps), costs)
}

/// Pairs of a length and how many games have it. A game that got stuck frees its lane no earlier than
/// others do.
fn lengths(tally: &Tally, max_steps: u64) -> Vec<(u64, u64)> {
    let ended = (0..).zip(tally.lengths.iter().copied());
    ended.chain([(max_steps, tally.capped)]).filter(|&(_, games)| games > 0).collect()
}

fn best_interval(lengths: &[(u64, u64)], costs: Costs) -> Interval {
    let period = costs.period as u64;
    let longest = lengths.iter().map(|&(length, _)| length).max().unwrap_or(1).max(1);
    let games: u64 = lengths.iter().map(|&(_, games)| games).sum();
    let moves: u64 = lengths.iter().map(|&(length, games)| length * games).sum();
    let mean = (moves as f64 / games.max(1) as f64).max(1.0);
    // Most games are over after twice the mean, so that no more cohorts than that are running.
    let by_cohort = |interval: u64| COHORT * (2.0 * mean).min(longest as f64) / interval as f64;
    let by_lane = LANE * LANES / mean;
    let cost = |interval: u64| {
        let step = costs.step + by_cohort(interval).min(by_lane);
        let intervals = |&(length, games): &(u64, u64)| games * length.max(1).div_ceil(interval);
        let held: u64 = lengths.iter().map(intervals).sum();
        held as f64 * (interval as f64 * step + costs.refill)
    };
    let candidates = (1..=longest.div_ceil(period)).map(|count| count * period);
    let steps = candidates.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(period);
    Interval { steps, has_many_cohorts: by_cohort(steps) > by_lane }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs { step: 200.0, refill: 100.0, period: 2 };

    #[test]
    fn games_of_nearly_fixed_length_are_awaited() {
        let steps = |lengths: &[(u64, u64)], period| {
            best_interval(lengths, Costs { period, ..COSTS }).steps
        };
        assert_eq!(steps(&[(8, 200), (9, 312)], 2), 10);
        assert_eq!(steps(&[(9, 312)], 1), 9);
    }

    #[test]
    fn games_of_widely_varying_length_are_not() {
        let lengths: Vec<(u64, u64)> = (1..256).map(|length| (length, 2)).collect();
        let dear = Costs { step: 9_000.0, refill: 2_000.0, period: 2 };
        let interval = best_interval(&lengths, dear);
        assert!((4..20).contains(&interval.steps) && interval.has_many_cohorts, "{interval:?}");
    }

    #[test]
    fn a_game_that_does_not_end_is_not_awaited() {
        assert!(best_interval(&[(8, 500), (4_000, 1)], COSTS).steps < 30);
        assert_eq!(best_interval(&[], COSTS).steps, 2);
    }
}
