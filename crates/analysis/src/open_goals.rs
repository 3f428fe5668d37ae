//! Goals that are still open: which values a role may yet end with, as far as is proved.
//!
//! This is dead-state removal for any number of players. That a role can no longer reach 100 makes
//! a state worthless to a player who plays alone; with others at the table it may still be the best
//! there is, or the best answer of an opponent. Two uses cannot change the value of a game:
//!
//! - a state is *settled* if every role has one open value at most: whatever is played, it ends
//!   with these, so it may be taken for a leaf;
//! - the best and the worst open value bound what a role will get, so a search that already has a
//!   line at least as good as the best open value may leave the state out.
//!
//! States may always be *ordered* by the best value still open.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Net, RoleId};

use crate::{DeadStates, Shape};

/// The goal values of each role and when they are out of reach.
#[derive(Clone, Debug)]
pub struct OpenGoals {
    /// By role, best first; values that no end has are left out.
    values: IndexVec<RoleId, Vec<(u32, DeadStates)>>,
}

/// Conjunctions that are looked at, per goal value: a search does so in every state, and many of them
/// (a line of marks) hold only when the game is over.
const MOST_CONJUNCTIONS: usize = 4;

impl OpenGoals {
    /// What is proved about all goals of a game.
    pub fn of(net: &Net, shape: &Shape) -> Self {
        let mut values: IndexVec<RoleId, Vec<(u32, DeadStates)>> =
            net.roles.ids().map(|_| Vec::new()).collect();
        for goal in &net.goals {
            let facts = shape.goals.iter().find(|facts| facts.goal == *goal);
            if !facts.is_some_and(|facts| facts.unreachable) {
                let mut dead = facts.map_or_else(DeadStates::none, DeadStates::of);
                dead.all_of.truncate(MOST_CONJUNCTIONS);
                values[goal.role].push((goal.value, dead));
            }
        }
        for role in net.roles.ids() {
            values[role].sort_by_key(|(value, _)| std::cmp::Reverse(*value));
        }
        Self { values }
    }

    /// Whether any state is known in which a value is out of reach.
    pub fn ever_closes(&self) -> bool {
        let closes = |dead: &DeadStates| !dead.any_of.is_empty() || !dead.all_of.is_empty();
        self.values.iter().flatten().any(|(_, dead)| closes(dead))
    }

    /// The values that a role may still end with, best first. A state is given by what is true in it.
    pub fn open(
        &self,
        role: RoleId,
        holds: impl Fn(FluentId) -> bool,
    ) -> impl Iterator<Item = u32> {
        let open = self.values[role].iter().filter(move |(_, dead)| !dead.is_dead(&holds));
        open.map(|(value, _)| *value)
    }

    /// The best value that a role may still end with.
    pub fn best(&self, role: RoleId, holds: impl Fn(FluentId) -> bool) -> Option<u32> {
        self.open(role, holds).next()
    }

    /// Whether nothing that is played from here changes what anybody gets.
    pub fn is_settled(&self, holds: impl Fn(FluentId) -> bool) -> bool {
        let roles = (0..self.values.len()).map(RoleId::from_index);
        roles.into_iter().all(|role| self.open(role, &holds).count() <= 1)
    }
}
