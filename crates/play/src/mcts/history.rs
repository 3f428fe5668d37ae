//! What moves brought, wherever in the tree they were made.
//!
//! A move that was good in many states is likely to be good in the next (history heuristic; Schaeffer 1983). The
//! tree tries such moves first and favours them while little is known of them (progressive history; Nijssen and
//! Winands 2011), and random games may prefer them (move-average sampling of tree moves; Finnsson and Björnsson
//! 2010).

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, RoleId};
use gambol_sim::Bias;

use crate::mcts::tree_search::TreeSearch;

/// What came of a move, as shares of the best goal of its role.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    visits: f32,
    shares: f32,
}

/// What came of all moves.
#[derive(Clone, Debug)]
pub(crate) struct History {
    records: IndexVec<MoveId, Record>,
    /// How often something was noted.
    notes: u64,
}

/// What is worth knowing of a move that was never made.
const UNKNOWN: f32 = 0.5;
/// So much is left of the past when the game moves on.
const KEPT: f32 = 0.5;
/// Random games are told this often what to prefer.
const TOLD: u64 = 4096;
/// Fewer visits say nothing.
const FEWEST: f32 = 16.0;

impl History {
    pub(crate) fn new(moves: usize) -> Self {
        Self { records: IndexVec::filled(Record::default(), moves), notes: 0 }
    }

    pub(crate) fn note(&mut self, action: MoveId, share: f64) {
        let record = &mut self.records[action];
        record.visits += 1.0;
        record.shares += share as f32;
        self.notes += 1;
    }

    /// The mean share of a move.
    pub(crate) fn mean(&self, action: MoveId) -> f64 {
        let record = self.records[action];
        f64::from((record.shares + UNKNOWN) / (record.visits + 1.0))
    }

    /// The game has moved on.
    pub(crate) fn fade(&mut self) {
        for record in self.records.iter_mut() {
            record.visits *= KEPT;
            record.shares *= KEPT;
        }
    }

    /// The moves that do better than the moves of their role do on average.
    fn preferred(&self, role_of: &IndexVec<MoveId, RoleId>) -> Vec<bool> {
        let roles = role_of.iter().map(|role| role.index() + 1).max().unwrap_or(0);
        let mut sums = vec![Record::default(); roles];
        for (action, record) in self.records.iter_ids() {
            let sum = &mut sums[role_of[action].index()];
            sum.visits += record.visits;
            sum.shares += record.shares;
        }
        let better = |(action, record): (MoveId, &Record)| {
            let all = sums[role_of[action].index()];
            record.visits >= FEWEST && record.shares * all.visits > all.shares * record.visits
        };
        self.records.iter_ids().map(better).collect()
    }
}

impl TreeSearch<'_> {
    /// Tells random games now and then which moves to prefer.
    pub(crate) fn tell_playouts(&mut self) {
        if self.options.bias == 0 || self.history.notes - self.told < TOLD {
            return;
        }
        self.told = self.history.notes;
        let preferred = self.history.preferred(&self.roles_of_moves);
        let bias = Bias { preferred: &preferred, eighths: self.options.bias };
        self.rollouts.prefer(Some(&bias));
    }
}
