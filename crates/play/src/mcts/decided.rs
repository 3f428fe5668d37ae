//! Whether a search may end before its time: no ways that are still to come could change the choice.
//!
//! The move that was tried most is made. If another could not catch up with it, though all ways to come went there,
//! more time would be of no use to this decision (Huang, Coulom and Lin 2011).

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::RoleId;

use crate::mcts::tree::Chooser;
use crate::mcts::tree_search::TreeSearch;

/// A decision that is being searched for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    role: RoleId,
    begun: Instant,
    /// Ways from the state that were known before.
    ways: u32,
}

/// Before so much of the time has passed nobody knows how fast the search is.
const FIRST_LOOK: f64 = 0.1;

impl TreeSearch<'_> {
    /// Searches on behalf of a role until the deadline, until stopped, or until its choice is decided.
    pub(crate) fn search_until_decided(
        &mut self,
        role: RoleId,
        deadline: Instant,
        stop: &AtomicBool,
    ) {
        self.decision = Some(Decision { role, begun: Instant::now(), ways: self.ways() });
        self.search(deadline, stop);
        self.decision = None;
    }

    /// Whether the choice that is searched for is made, if one is. Where moves are mixed, it never is.
    pub(crate) fn has_decided(&self, now: Instant, deadline: Instant) -> bool {
        let Some(Decision { role, begun, ways }) = self.decision else { return false };
        if self.tree.node(self.root).chooser != Chooser::One(role) {
            return false;
        }
        let visits = self.tree.arms(self.root, role).iter().map(|arm| arm.visits - arm.pending);
        let spent = now.saturating_duration_since(begun);
        let left = deadline.saturating_duration_since(now);
        is_decided(visits, self.ways().saturating_sub(ways), spent, left)
    }
}

/// Whether no move can be tried as often as the first, if ways are made as fast as so far.
fn is_decided(
    visits: impl Iterator<Item = u32>,
    made: u32,
    spent: Duration,
    left: Duration,
) -> bool {
    let (mut first, mut second) = (0, 0);
    for visits in visits {
        second = second.max(visits.min(first));
        first = first.max(visits);
    }
    let (spent, left) = (spent.as_secs_f64(), left.as_secs_f64());
    let to_come = f64::from(made) * left / spent.max(f64::MIN_POSITIVE);
    spent >= FIRST_LOOK * (spent + left) && f64::from(first - second) > to_come
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(visits: &[u32], made: u32, spent: u64, left: u64, expected: bool) {
        let [spent, left] = [spent, left].map(Duration::from_millis);
        assert_eq!(is_decided(visits.iter().copied(), made, spent, left), expected, "{visits:?}");
    }

    #[test]
    fn a_choice_is_decided_if_nothing_can_catch_up() {
        check(&[900, 50, 50], 1_000, 500, 400, true);
        check(&[50, 900, 50], 1_000, 500, 400, true);
        // 850 behind, and 860 ways to come.
        check(&[900, 50, 50], 1_000, 500, 430, false);
        check(&[450, 450], 1_000, 900, 100, false);
        // What was known from earlier moves counts as well.
        check(&[5_000, 50], 100, 500, 500, true);
    }

    #[test]
    fn nothing_is_decided_at_once() {
        check(&[5_000, 50], 0, 0, 1_000, false);
        check(&[5_000, 50], 1, 99, 901, false);
        check(&[5_000, 50], 1, 100, 900, true);
        check(&[10, 10], 20, 1_000, 0, false);
    }
}
