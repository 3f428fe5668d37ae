//! Replies in a sum of games: moves that keep the sum won.

use super::quotient::Quotient;
use super::sum_evaluator::Judge;
use crate::listing::store::Store;
use crate::{Dynamics, Looks};

pub(crate) struct SumReplies<'a> {
    quotient: Quotient<'a>,
    judge: Judge,
    /// What the roles can force from the start.
    values: [u32; 2],
}

impl<'a> SumReplies<'a> {
    /// `None` if it takes too long to say who wins.
    pub(super) fn of(quotient: Quotient<'a>, mut judge: Judge) -> Option<Self> {
        let values = judge.values(&quotient.start).ok()?;
        Some(Self { quotient, judge, values })
    }

    /// Whether a role can force a value from the start.
    pub(super) fn secures(&self, role: usize, value: u32) -> bool {
        self.values[role] >= value
    }

    /// A move that keeps the sum won for who is to move; any move if it is lost. If there is a choice,
    /// one that leads to a state that is listed, or leaves little to play.
    pub(super) fn reply(
        &mut self,
        state: &[u64],
        (looks, own): (&Looks, &[u32]),
        listed: &Store,
    ) -> Option<u32> {
        let row = self.quotient.entry(state)?;
        let must_win = self.judge.mover_wins(&row).ok()?;
        let mut joint = Vec::new();
        (0..own.len()).for_each(|number| looks.joint_move(0, number, &mut joint));
        let next = self.quotient.game.step(&state.repeat(own.len()), &joint);
        let mut best: Option<(f64, u32)> = None;
        for (state, &action) in next.chunks_exact(state.len()).zip(own) {
            let row = self.quotient.entry(state)?;
            let known = listed.find(state).is_some();
            let size = if known { 0.0 } else { self.judge.size(&row) };
            if best.is_some_and(|(least, _)| least <= size) {
                continue;
            }
            if !must_win || !self.judge.mover_wins(&row).ok()? {
                best = Some((size, action));
            }
        }
        best.map(|(_, action)| action)
    }
}
