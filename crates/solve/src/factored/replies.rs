//! Replies that keep a value in a game solved part by part: the product of the reduced parts says
//! which of the moves that can be made lead to blocks as good.

use gambol_index::Id;
use gambol_net::FluentId;
use rustc_hash::FxHashMap;

use super::quotient::Quotient;
use super::{hint, quotient};
use crate::listing::{Listing, list};
use crate::retrograde::{Forced, forced_values};
use crate::solve::Task;
use crate::{Dynamics, Limits, Looks};

/// Finds the moves by which roles keep what they can force.
pub(crate) struct PartReplies<'a> {
    quotient: Quotient<'a>,
    listing: Listing,
    forced: Vec<Forced>,
    /// The step of the context, by the context fluents that are true.
    steps: FxHashMap<Vec<FluentId>, usize>,
    /// The context fluents that are ever true, ascending.
    context: Vec<FluentId>,
}

impl<'a> PartReplies<'a> {
    /// Nothing if the game does not fall into parts, or the product is too large, or players choose
    /// at the same time.
    pub(crate) fn of(task: &Task<'a>, limits: &Limits) -> Option<Self> {
        let mut quotient = quotient(task, &hint(task), limits).ok()?;
        let start = quotient.start.clone();
        let listing = list(&mut quotient, &start, limits).ok()?;
        if !listing.is_alternating() {
            return None;
        }
        let contexts = &quotient.orbit.contexts;
        let mut context: Vec<FluentId> = contexts.iter().flatten().copied().collect();
        context.sort_unstable();
        context.dedup();
        let steps = contexts.iter().cloned().zip(0..).collect();
        let forced = (0..listing.roles).map(|role| forced_values(&listing, role)).collect();
        Some(Self { quotient, listing, forced, steps, context })
    }

    /// A move after which a role can still force as much, nearest to the end.
    pub(crate) fn reply(&mut self, role: usize, state: &[u64], looks: &Looks) -> Option<u32> {
        let own = looks.moves(0, role);
        if let [only] = own {
            return Some(*only);
        }
        let is_true =
            |fluent: &FluentId| state[fluent.index() / 64] >> (fluent.index() % 64) & 1 == 1;
        let now: Vec<FluentId> = self.context.iter().copied().filter(is_true).collect();
        let step = *self.steps.get(&now)?;
        let here = self.listing.store.find(&self.quotient.block_row(state, step))?;
        let mut joint = Vec::new();
        (0..own.len()).for_each(|number| looks.joint_move(0, number, &mut joint));
        let next = self.quotient.game.step(&state.repeat(own.len()), &joint);
        let Forced { values, rank } = &self.forced[role];
        let after = self.quotient.orbit.after(step);
        let known = next.chunks_exact(state.len()).zip(own).filter_map(|(row, &action)| {
            let id = self.listing.store.find(&self.quotient.block_row(row, after))?;
            Some((id, action))
        });
        let kept = known.filter(|(id, _)| values[id.index()] >= values[here.index()]);
        kept.min_by_key(|(id, _)| rank[id.index()]).map(|(_, action)| action)
    }
}
