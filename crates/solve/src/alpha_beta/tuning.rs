//! Weights by trial: positions of the game itself are solved with one set of weights after another, and the cheapest
//! set is kept.
//! and the cheapest set stays.

use std::sync::Arc;

use super::engine::{Engine, Halt};
use super::root_turn;
use super::search_problem::{SearchProblem, Turn};
use super::table::Table;
use super::weights::Weights;
use crate::Dynamics;
use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::Meter;
use crate::problem::Task;
use gambol_run::Random;

use crate::random_walk::walk;

/// How many positions are solved with each set.
const POSITIONS: usize = 16;
/// Positions are given up after this multiple of their cost with the first set.
const PATIENCE: u64 = 3;
/// A set must be so much better to be taken, as a logarithm: what it leaves out may matter in larger positions
/// than are tried.
const MARGIN: f64 = 0.1;
/// And by this many standard errors of the mean over the positions.
const DOUBT: f64 = 2.0;
/// What a node costs, in sweeps of 64 lanes by a circuit.
const NODE: f64 = 6.0;

struct Position<const K: usize> {
    state: [u64; K],
    turn: Turn,
    moves: Vec<u32>,
}

/// Tries weights on positions of a game that cost about this many nodes each.
pub(super) struct Trial<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) board: &'a SearchProblem,
    pub(super) meter: &'a Meter,
    pub(super) nodes: u64,
    /// How many nodes the whole search may take.
    pub(super) expected: u64,
    /// How many nodes all of it may cost.
    pub(super) budget: u64,
}

impl<'a> Trial<'a> {
    /// The cheapest weights near some others, for positions as they come up in random games and in
    /// the search so far.
    pub(super) fn improve<const K: usize>(
        self,
        weights: Weights,
        table: &Arc<Table<K>>,
    ) -> Weights {
        let mut random = Random::new(self.task.options.seed);
        let mut positions = self.searched_positions(table, &mut random);
        if positions.len() < POSITIONS {
            positions.extend(self.random_positions(POSITIONS - positions.len(), &mut random));
        }
        if positions.is_empty() { weights } else { self.descend(weights, &positions) }
    }

    fn descend<const K: usize>(mut self, weights: Weights, positions: &[Position<K>]) -> Weights {
        let (mut best, mut least) = (weights, self.cost(positions, weights));
        let plain = self.cost(positions, Weights::PLAIN);
        if plain.is_below(&least) {
            (best, least) = (Weights::PLAIN, plain);
        }
        for _ in 0..2 {
            let before = best;
            for weights in best.variations() {
                if self.budget == 0 || self.meter.check_time().is_err() {
                    return best;
                }
                // Variations are of the best so far, one respect at a time.
                let weights = merge(before, best, weights);
                let cost = self.cost(positions, weights);
                if cost.is_below(&least) {
                    (best, least) = (weights, cost);
                }
            }
            if best == before {
                break;
            }
        }
        best
    }

    fn engine<const K: usize>(&self) -> Engine<'a, K> {
        Engine::new(
            self.board,
            self.task.circuit,
            Arc::new(Table::within(512 * self.nodes)),
            self.meter.clone(),
        )
    }

    /// Positions of the search that cost about as much as is wanted.
    fn searched_positions<const K: usize>(
        &self,
        table: &Arc<Table<K>>,
        random: &mut Random,
    ) -> Vec<Position<K>> {
        let work = (64 - self.nodes.leading_zeros()) as u8;
        let entries = table.entries(work).filter(|(_, entry)| entry.work == work);
        let mut keys: Vec<[u64; K]> = entries.map(|(key, _)| key).collect();
        // A few of them, drawn in an order that depends on the seed alone.
        keys.sort_unstable();
        for place in 0..keys.len().min(POSITIONS) {
            let other = place + random.below(keys.len() - place);
            keys.swap(place, other);
        }
        keys.truncate(POSITIONS);
        let mut game = CircuitDynamics::new(self.task.net, self.task.circuit);
        keys.iter().filter_map(|key| position(&mut game, &key[..self.board.width])).collect()
    }

    /// Positions from random games, as far from the end as can be solved with some effort.
    fn random_positions<const K: usize>(
        &self,
        count: usize,
        random: &mut Random,
    ) -> Vec<Position<K>> {
        let mut game = CircuitDynamics::new(self.task.net, self.task.circuit);
        let mut engine = self.engine::<K>();
        let mut positions = Vec::new();
        for _ in 0..4 * count {
            let states = walk(&mut game, self.task.start, random);
            let mut hardest = None;
            for state in states.iter().rev().skip(1) {
                let Some(position) = position::<K>(&mut game, state) else { continue };
                engine.nodes = 0;
                engine.most_nodes = self.nodes;
                engine.table.clear();
                if self.solve(&mut engine, &position).is_err() {
                    break;
                }
                hardest = Some(position);
            }
            positions.extend(hardest);
            if positions.len() >= count || self.meter.check_time().is_err() {
                break;
            }
        }
        positions
    }

    /// Decides whether the first role gets the middle value.
    fn solve<const K: usize>(
        &self,
        engine: &mut Engine<'_, K>,
        position: &Position<K>,
    ) -> Result<(), Halt> {
        let top = self.board.top();
        for target in [top.div_ceil(2), top] {
            engine.question(&position.state, position.turn, &position.moves, target.max(1))?;
        }
        Ok(())
    }

    /// What a search costs that is as hard as is expected, as a logarithm: a share of the nodes that
    /// is saved at a small position is saved again at each larger one it is part of.
    fn cost<const K: usize>(&mut self, positions: &[Position<K>], weights: Weights) -> Cost {
        let mut engine = self.engine::<K>();
        engine.weights = weights;
        let levels = (self.expected as f64).ln() / (self.nodes as f64).ln();
        let mut by_position = Vec::with_capacity(positions.len());
        for position in positions {
            engine.table.clear();
            let before = engine.nodes;
            engine.most_nodes = before + PATIENCE * self.nodes;
            // A position that is given up has cost its share.
            let _ = self.solve(&mut engine, position);
            by_position.push(levels * ((engine.nodes - before) as f64).ln());
        }
        self.budget = self.budget.saturating_sub(engine.nodes);
        let per_node = NODE + engine.words_swept() as f64 / engine.nodes as f64;
        by_position.iter_mut().for_each(|cost| *cost += per_node.ln());
        Cost { by_position }
    }
}

/// What a search costs with some weights, by each of the positions.
struct Cost {
    by_position: Vec<f64>,
}

impl Cost {
    /// Whether the same positions cost less than with other weights by more than chance would have it.
    fn is_below(&self, other: &Cost) -> bool {
        let gains = || other.by_position.iter().zip(&self.by_position).map(|(a, b)| a - b);
        let count = self.by_position.len() as f64;
        let mean = gains().sum::<f64>() / count;
        let squares: f64 = gains().map(|gain| (gain - mean).powi(2)).sum();
        let error = (squares / (count * (count - 1.0).max(1.0))).sqrt();
        mean > MARGIN + DOUBT * error
    }
}

/// What a variation changed in `before`, changed in `best`.
fn merge(before: Weights, best: Weights, varied: Weights) -> Weights {
    let pick = |before: i64, best: i64, varied: i64| if varied == before { best } else { varied };
    let flip =
        |before: bool, best: bool, varied: bool| if varied == before { best } else { varied };
    Weights {
        threats: pick(before.threats, best.threats, varied.threats),
        paths: pick(before.paths, best.paths, varied.paths),
        lines: pick(before.lines, best.lines, varied.lines),
        growth: if varied.growth == before.growth { best.growth } else { varied.growth },
        replies: flip(before.replies, best.replies, varied.replies),
        bounds: flip(before.bounds, best.bounds, varied.bounds),
        peek: flip(before.peek, best.peek, varied.peek),
    }
}

fn position<const K: usize>(game: &mut impl Dynamics, state: &[u64]) -> Option<Position<K>> {
    let looks = game.look(state);
    if looks.over(0) {
        return None;
    }
    let (turn, moves) = root_turn(&looks).ok()?;
    let mut packed = [0; K];
    packed[..state.len()].copy_from_slice(state);
    Some(Position { state: packed, turn, moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chance_may_have_done_decides_nothing() {
        let usual = Cost { by_position: vec![10.0, 12.0, 11.0, 9.0] };
        let with = |gains: [f64; 4]| {
            let costs = usual.by_position.iter().zip(gains);
            Cost { by_position: costs.map(|(cost, gain)| cost - gain).collect() }
        };
        assert!(with([0.4, 0.5, 0.4, 0.5]).is_below(&usual));
        // As much on the whole, but by one position alone.
        assert!(!with([0.0, 1.8, 0.0, 0.0]).is_below(&usual));
        // For certain, but so little that larger positions may pay it back.
        assert!(!with([0.05; 4]).is_below(&usual));
        assert!(!usual.is_below(&usual));
    }
}
