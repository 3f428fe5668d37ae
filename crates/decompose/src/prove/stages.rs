//! Proof by stages, for parts that are played one after the other.
//!
//! The later part of a series waits for the earlier one to be over, so as it stands it reads the
//! earlier one. What it may read is one bit that changes once: at a crossing point the earlier parts are
//! *over* when no move that acts in them is legal. If it is proved that what is over stays over, and
//! that nothing can be done in the later parts before, then conditions need to hold only for two
//! states of the same stage.
//!
//! Which moves act in a part may turn out in the course of the proof. Stages are then other ones, and what was
//! proved by the old ones is forgotten.

use gambol_analysis::{Encoding, Frame, Lit, Proof};
use gambol_net::MoveId;

use crate::decomposition::{CrossingPoint, SubgameId};
use crate::evaluate::lanes::Lanes;
use crate::prove::prover::{Case, EFFORT};
use crate::prove::refutation::Open;

/// How often stages may change in one proof.
const MOST_STAGINGS: usize = 3;

impl Case<'_> {
    /// Tries the conditions that are open for states of the same stage; says which are still open, or
    /// `None` if the parts are no series.
    pub(crate) fn settle_by_stage(&mut self, lanes: &mut Lanes<'_>) -> Option<Vec<Open>> {
        for _ in 0..MOST_STAGINGS {
            self.by_stage = Some(self.is_series()?);
            let stages = self.stages();
            let open = self.settle(lanes);
            if self.stages() == stages {
                return Some(open);
            }
            self.forget_stages();
        }
        None
    }

    /// Forgets what was proved by stages.
    pub(crate) fn forget_stages(&mut self) {
        let ids: Vec<SubgameId> = self.found.subgames.ids().collect();
        for id in ids {
            if std::mem::take(&mut self.known.staged[id]) {
                self.known.parts[id] = None;
                self.known.quiet[id] = None;
            }
        }
        self.by_stage = None;
    }

    /// For each crossing point the moves that act before it: they are what stages are made of.
    fn stages(&self) -> Vec<Vec<MoveId>> {
        let points = self.found.crossing_points.iter();
        points.map(|point| self.moves_in(&point.before)).collect()
    }

    /// Whether the parts are a series, and its crossing points are what they should be.
    pub(crate) fn is_series(&self) -> Option<Proof> {
        let points = self.found.crossing_points.iter();
        let proofs = points.map(|point| Some(self.stays_over(point)?.and(self.waits(point)?)));
        let proofs: Option<Vec<Proof>> = proofs.collect();
        Proof::all("the parts are a series", proofs?)
    }

    /// The moves that act in some parts.
    fn moves_in(&self, parts: &[SubgameId]) -> Vec<MoveId> {
        let moves = parts.iter().flat_map(|&id| &self.found.subgames[id].moves);
        moves.copied().collect()
    }

    /// Whether something can be done in the parts before a crossing point.
    fn active(&self, encoding: &mut Encoding<'_>, frame: Frame, point: &CrossingPoint) -> Lit {
        self.legal_any(encoding, frame, &self.moves_in(&point.before))
    }

    /// Whether no legal step leads back before a crossing point.
    fn stays_over(&self, point: &CrossingPoint) -> Option<Proof> {
        let mut encoding = self.encoding();
        let state = encoding.state();
        encoding.assume(state, self.invariants);
        let next = encoding.step(state);
        let goes_on = !encoding.gate(next, self.net.terminal);
        let before = self.active(&mut encoding, state, point);
        let after = self.active(&mut encoding, next, point);
        encoding.prove("what is over stays over", &[!before, after, goes_on], EFFORT)
    }

    /// Whether nothing can be done in the later parts as long as something can be done in the earlier.
    fn waits(&self, point: &CrossingPoint) -> Option<Proof> {
        let mut encoding = self.encoding();
        let state = encoding.state();
        encoding.assume(state, self.invariants);
        let goes_on = !encoding.gate(state, self.net.terminal);
        let before = self.active(&mut encoding, state, point);
        let after = self.legal_any(&mut encoding, state, &self.moves_in(&point.after));
        encoding.prove("the later part waits", &[before, after, goes_on], EFFORT)
    }

    /// Two states are of the same stage, if stages are what is gone by.
    pub(crate) fn same_stage(&self, encoding: &mut Encoding<'_>, one: Frame, other: Frame) {
        if self.by_stage.is_none() {
            return;
        }
        for point in &self.found.crossing_points {
            let here = self.active(encoding, one, point);
            let there = self.active(encoding, other, point);
            encoding.add(&[!here, there]);
            encoding.add(&[here, !there]);
        }
    }
}
