//! What a state is worth, from its fluents.
//!
//! A linear function of the fluents, one weight for each, squeezed to a share of the best goal by the
//! logistic function. Where a fluent says which piece stands where, the weights are a piece-square table.

pub(crate) mod patterns;

use std::sync::Arc;

use gambol_index::Id;
use gambol_net::RoleId;

/// An evaluation of states.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    roles: usize,
    /// The weight of fluent `f` for role `r` is at `f * roles + r`.
    pub(crate) weights: Vec<f32>,
    /// What a state without any fluent is worth.
    pub(crate) bias: Vec<f32>,
    /// Whether what one of two roles gains the other loses.
    pub(crate) constant_sum: bool,
    /// The share of random games in what a leaf is worth.
    pub(crate) playout_weight: f32,
}

/// What own play has taught about a game: only what made the search stronger in trial matches.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Guidance {
    pub(crate) evaluation: Option<Arc<Evaluation>>,
    /// How often random games keep to moves that did well in the tree, in eighths.
    pub(crate) bias: u8,
}

/// What the logistic function makes of a weight.
pub(crate) fn share_of(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

impl Evaluation {
    pub(crate) fn nothing(fluents: usize, roles: usize) -> Self {
        Self {
            roles,
            weights: vec![0.0; fluents * roles],
            bias: vec![0.0; roles],
            constant_sum: false,
            playout_weight: 0.0,
        }
    }

    /// The same with another share of random games.
    pub(crate) fn with_playouts(&self, share: f32) -> Self {
        Self { playout_weight: share, ..self.clone() }
    }

    /// The weight of a state for a role.
    pub(crate) fn logit(&self, role: RoleId, state: &[u64]) -> f32 {
        let weights = ones(state).map(|fluent| self.weights[fluent * self.roles + role.index()]);
        self.bias[role.index()] + weights.sum::<f32>()
    }

    /// What a step changes in the weight of a state.
    pub(crate) fn change(&self, role: RoleId, before: &[u64], after: &[u64]) -> f32 {
        let mut change = 0.0;
        for (place, (&before, &after)) in before.iter().zip(after).enumerate() {
            let mut rest = before ^ after;
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                let weight = self.weights[(64 * place + bit) * self.roles + role.index()];
                change += if after >> bit & 1 == 1 { weight } else { -weight };
                rest &= rest - 1;
            }
        }
        change
    }

    /// What a state is worth to each role, as shares of their best goals.
    pub(crate) fn shares(&self, state: &[u64], shares: &mut [f32]) {
        for (role, share) in shares.iter_mut().enumerate() {
            *share = share_of(self.logit(RoleId::from_index(role), state));
        }
    }

    /// The share of random games in what a leaf is worth; the rest is what the evaluation says.
    pub fn playout_share(&self) -> f32 {
        self.playout_weight
    }

    /// The weight of each fluent for a role.
    pub fn weights(&self, role: RoleId) -> impl Iterator<Item = f32> {
        self.weights.iter().skip(role.index()).step_by(self.roles).copied()
    }
}

/// The numbers of the bits that are set.
pub(crate) fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(64 * place + bit)
        })
    })
}
