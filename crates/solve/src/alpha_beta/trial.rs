//! Weights by trial: positions of the game itself are solved with one set of weights after another,
//! and the cheapest set stays.

use super::board::{Board, Turn};
use super::engine::{Engine, Halt};
use super::root_turn;
use super::weights::Weights;
use crate::Dynamics;
use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::Meter;
use crate::random_walk::{Random, walk};
use crate::solve::Task;

/// How many positions are solved with each set.
const POSITIONS: usize = 12;
/// A position is worth solving if it costs about so many nodes.
const NODES: u64 = 3_000;
/// Positions are given up after so many times their cost with the first set.
const PATIENCE: u64 = 3;
/// A set must be so much better to be taken.
const MARGIN: f64 = 0.97;

struct Position<const K: usize> {
    state: [u64; K],
    turn: Turn,
    moves: Vec<u32>,
}

/// The cheapest weights for positions as they come up in random games.
pub(super) fn best_weights<const K: usize>(
    task: &Task<'_>,
    board: &Board,
    meter: &Meter,
    seed: u64,
) -> Weights {
    let mut trial = Trial { task, board, meter, nodes: NODES };
    let Some(positions) = trial.positions::<K>(&mut Random(seed)) else { return Weights::ALL };
    let mut best = Weights::ALL;
    let mut least = trial.cost(&positions, best);
    let plain = trial.cost(&positions, Weights::PLAIN);
    if plain < least {
        (best, least) = (Weights::PLAIN, plain);
    }
    for _ in 0..2 {
        let before = best;
        for weights in best.variations() {
            // Variations are of the best so far, one respect at a time.
            let weights = merge(before, best, weights);
            let cost = trial.cost(&positions, weights);
            if cost < least * MARGIN {
                (best, least) = (weights, cost);
            }
            if meter.check_time().is_err() {
                return best;
            }
        }
        if best == before {
            break;
        }
    }
    best
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

struct Trial<'a> {
    task: &'a Task<'a>,
    board: &'a Board,
    meter: &'a Meter,
    nodes: u64,
}

impl Trial<'_> {
    fn engine<const K: usize>(&self) -> Engine<'_, K> {
        Engine::new(self.board, self.task.circuit, 8 << 20, self.meter.clone())
    }

    /// Positions from random games, as far from the end as can be solved with some effort.
    fn positions<const K: usize>(&mut self, random: &mut Random) -> Option<Vec<Position<K>>> {
        let mut game = CircuitDynamics::new(self.task.net, self.task.circuit);
        let mut engine = self.engine::<K>();
        let mut positions = Vec::new();
        for _ in 0..4 * POSITIONS {
            let states = walk(&mut game, self.task.start, random);
            let mut hardest = None;
            for state in states.iter().rev().skip(1) {
                let Some(position) = position::<K>(&mut game, state) else { continue };
                engine.nodes = 0;
                engine.most_nodes = self.nodes;
                engine.table = super::table::Table::within(1 << 20);
                if self.solve(&mut engine, &position).is_err() {
                    break;
                }
                hardest = Some(position);
            }
            positions.extend(hardest);
            if positions.len() >= POSITIONS || self.meter.check_time().is_err() {
                break;
            }
        }
        (!positions.is_empty()).then_some(positions)
    }

    /// Decides whether the first role gets the middle value.
    fn solve<const K: usize>(
        &self,
        engine: &mut Engine<'_, K>,
        position: &Position<K>,
    ) -> Result<(), Halt> {
        let top = self.board.top();
        for target in [top.div_ceil(2), top] {
            engine.search(0, &position.state, position.turn, &position.moves, target.max(1))?;
        }
        Ok(())
    }

    /// What all positions cost, in sweeps of a circuit.
    fn cost<const K: usize>(&self, positions: &[Position<K>], weights: Weights) -> f64 {
        let mut engine = self.engine::<K>();
        engine.weights = weights;
        for position in positions {
            engine.table = super::table::Table::within(1 << 20);
            engine.most_nodes = engine.nodes + PATIENCE * self.nodes;
            // A position that is given up has cost its share.
            let _ = self.solve(&mut engine, position);
        }
        engine.sweeps as f64 + 0.5 * engine.nodes as f64
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
