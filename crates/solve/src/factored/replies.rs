//! Replies that keep a value, in a game solved part by part or by residues: which of the legal moves lead to states
//! that are as good.
//! of the moves that can be made lead to states as good.

use gambol_index::{Id, bits};
use gambol_net::FluentId;
use rustc_hash::FxHashMap;

use super::apart;
use super::quotient::Quotient;
use super::sum_evaluator::Judge;
use super::sum_replies::SumReplies;
use crate::limits::Meter;
use crate::listing::retrograde::{Forced, forced_values};
use crate::listing::store::Store;
use crate::listing::strategy_size::strategy_sizes;
use crate::listing::{Listing, list};
use crate::problem::Task;
use crate::reduction::abstraction::Reduced;
use crate::{Dynamics, Limits, Looks, Reading, Unobserved};

/// Finds the moves by which roles keep what they can force.
pub(crate) enum PartReplies<'a> {
    Sum(Box<SumReplies<'a>>),
    Listed(Box<ListedReplies<'a>>),
}

impl<'a> PartReplies<'a> {
    /// By parts or, if there are none, by residues. `None` if that is too large, or players choose at
    /// the same time.
    pub(crate) fn of(task: &Task<'a>, hint: &[Vec<FluentId>], limits: &Limits) -> Option<Self> {
        Self::of_parts(task, hint, limits).or_else(|| {
            let residues = View::Residues(Reduced::new(task.net, task.circuit, limits));
            ListedReplies::of(residues, task, limits).map(Box::new).map(Self::Listed)
        })
    }

    /// By parts only.
    pub(crate) fn of_parts(
        task: &Task<'a>,
        hint: &[Vec<FluentId>],
        limits: &Limits,
    ) -> Option<Self> {
        let meter = Meter::start(limits);
        let mut taken = apart(task, hint, &meter, &mut Unobserved).ok()?;
        if let Some(judge) = Judge::of(task.net, &mut taken.listed, &meter) {
            return SumReplies::of(taken.listed, judge).map(Box::new).map(Self::Sum);
        }
        let view = parts(taken.reduced(task, &meter));
        ListedReplies::of(view, task, limits).map(Box::new).map(Self::Listed)
    }

    /// Whether a role can force a value from the start.
    pub(crate) fn secures(&self, role: usize, value: u32) -> bool {
        match self {
            Self::Sum(replies) => replies.secures(role, value),
            Self::Listed(replies) => replies.forced[role].values[0] >= Some(value),
        }
    }

    /// A move after which a role can still force as much and is nearer to the end; if there is a
    /// choice one that leads to a state that is listed.
    pub(crate) fn reply(
        &mut self,
        role: usize,
        state: &[u64],
        looks: &Looks,
        listed: &Store,
    ) -> Option<u32> {
        match looks.moves(0, role) {
            [only] => Some(*only),
            own => match self {
                Self::Sum(replies) => replies.reply(state, (looks, own), listed),
                Self::Listed(replies) => replies.reply(role, state, (looks, own), listed),
            },
        }
    }
}

/// Replies in a game whose states are all listed, those made one that nothing tells apart.
pub(crate) struct ListedReplies<'a> {
    view: View<'a>,
    listing: Listing,
    forced: Vec<Forced>,
    /// For each role how long the proof is from each state on.
    sizes: Vec<Vec<f64>>,
}

/// Which states count as one.
enum View<'a> {
    Parts {
        quotient: Quotient<'a>,
        /// The step of the context, by the context fluents that are true.
        steps: FxHashMap<Vec<FluentId>, usize>,
        /// The context fluents that are ever true, ascending.
        context: Vec<FluentId>,
    },
    Residues(Reduced<'a>),
}

impl View<'_> {
    /// The row that stands for a state of the game.
    fn row(&mut self, state: &[u64]) -> Option<Vec<u64>> {
        match self {
            Self::Residues(game) => Some(game.standing(state)),
            Self::Parts { quotient, steps, context } => {
                let is_true = |f: &FluentId| bits::is_set(state, f.index());
                let now: Vec<FluentId> = context.iter().copied().filter(is_true).collect();
                Some(quotient.block_row(state, *steps.get(&now)?))
            }
        }
    }

    /// The states of the game after joint moves.
    fn step(&mut self, states: &[u64], joint_moves: &[u32]) -> Vec<u64> {
        match self {
            Self::Residues(game) => game.step(states, joint_moves),
            Self::Parts { quotient, .. } => quotient.game.step(states, joint_moves),
        }
    }

    fn list(&mut self, start: &[u64], limits: &Limits) -> Option<Listing> {
        let row = self.row(start)?;
        match self {
            Self::Residues(game) => list(game, &row, limits).ok(),
            Self::Parts { quotient, .. } => list(quotient, &row, limits).ok(),
        }
    }
}

impl<'a> ListedReplies<'a> {
    fn of(mut view: View<'a>, task: &Task<'a>, limits: &Limits) -> Option<Self> {
        let listing = view.list(task.start, limits)?;
        if !listing.is_alternating() {
            return None;
        }
        let roles = 0..listing.roles;
        let forced: Vec<Forced> =
            roles.map(|role| forced_values(&listing, role, Reading::Least)).collect();
        let sized = |(role, forced)| strategy_sizes(&listing, forced, role);
        let sizes = forced.iter().enumerate().map(sized).collect();
        Some(Self { view, listing, forced, sizes })
    }

    fn reply(
        &mut self,
        role: usize,
        state: &[u64],
        (looks, own): (&Looks, &[u32]),
        listed: &Store,
    ) -> Option<u32> {
        let here = self.listing.store.find(&self.view.row(state)?)?;
        let mut joint = Vec::new();
        (0..own.len()).for_each(|number| looks.joint_move(0, number, &mut joint));
        let next = self.view.step(&state.repeat(own.len()), &joint);
        let (rank, sizes) = (&self.forced[role].rank, &self.sizes[role]);
        let nearer = next.chunks_exact(state.len()).zip(own).filter_map(|(row, &action)| {
            let place = self.listing.store.find(&self.view.row(row)?)?;
            let size = if listed.find(row).is_some() { 0.0 } else { sizes[place.index()] };
            (rank[place.index()] < rank[here.index()]).then_some((size, action))
        });
        nearer.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, action)| action)
    }
}

fn parts(quotient: Quotient<'_>) -> View<'_> {
    let contexts = &quotient.orbit.contexts;
    let mut context: Vec<FluentId> = contexts.iter().flatten().copied().collect();
    context.sort_unstable();
    context.dedup();
    let steps = contexts.iter().cloned().zip(0..).collect();
    View::Parts { quotient, steps, context }
}
