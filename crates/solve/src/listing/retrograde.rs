//! Values of a listed game: from the ends backwards.
//!
//! A role *can force* a value if, whatever the others do, the game ends with at least that value.
//! Play that never ends forces nothing, and neither does a state in which a role has no move: who can
//! force nothing is sure of 0 only. Ends with several goals, or none, are read in the worst way for
//! the role or in the best.

use std::collections::VecDeque;

use gambol_index::Id;
use gambol_verify::Fraction;

use crate::Reading;
use crate::listing::Listing;
use crate::listing::store::StateId;
use crate::matrix_game::{MatrixSolution, NoMatrixValue, matrix_value};

/// What a role can force from each state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forced {
    /// For each state the most the role can force; none where it cannot force an end.
    pub values: Vec<Option<u32>>,
    /// The order in which the values were found: a role that moves to a state of equal value and
    /// lower rank comes to an end.
    pub rank: Vec<u32>,
}

/// The most that a role can force against all others together. At most one role may have a choice
/// in each state.
pub fn forced_values(listing: &Listing, role: usize, reading: Reading) -> Forced {
    let goal_of =
        |state: StateId| listing.over(state).then(|| listing.goal(state, role).read(reading));
    let mut goals: Vec<u32> = listing.states().filter_map(goal_of).collect();
    goals.sort_unstable();
    goals.dedup();
    let before = Predecessors::of(listing);
    let mut values: Vec<Option<u32>> = vec![None; listing.len()];
    let (mut rank, mut found) = (vec![u32::MAX; listing.len()], 0);
    // For each state the successors that are not yet known to be good enough.
    let mut open: Vec<u32> =
        listing.states().map(|state| listing.successors(state).len() as u32).collect();
    for &goal in goals.iter().rev() {
        let ends = listing.states().filter(|&state| goal_of(state) == Some(goal));
        // First come, first served: so fewer steps give a lower rank.
        let mut reached: VecDeque<StateId> = ends.collect();
        while let Some(state) = reached.pop_front() {
            if values[state.index()].is_some() {
                continue;
            }
            values[state.index()] = Some(goal);
            rank[state.index()] = found;
            found += 1;
            for &previous in before.of_state(state) {
                open[previous.index()] -= 1;
                let chooses = listing.moves(previous, role).len() > 1;
                if chooses || open[previous.index()] == 0 {
                    reached.push_back(previous);
                }
            }
        }
    }
    Forced { values, rank }
}

/// From which states each state can be reached in one step, once per joint move.
struct Predecessors {
    first: Vec<u64>,
    states: Vec<StateId>,
}

impl Predecessors {
    fn of(listing: &Listing) -> Self {
        let mut first = vec![0u64; listing.len() + 1];
        for state in listing.states() {
            listing.successors(state).iter().for_each(|next| first[next.index() + 1] += 1);
        }
        for state in 0..listing.len() {
            first[state + 1] += first[state];
        }
        let mut cursor = first.clone();
        let mut states = vec![StateId::new(0); first[listing.len()] as usize];
        for state in listing.states() {
            for next in listing.successors(state) {
                states[cursor[next.index()] as usize] = state;
                cursor[next.index()] += 1;
            }
        }
        Self { first, states }
    }

    fn of_state(&self, state: StateId) -> &[StateId] {
        &self.states[self.first[state.index()] as usize..self.first[state.index() + 1] as usize]
    }
}

/// What all roles get when each prefers its own goal (max-n), and whether no tie leaves it open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equilibrium {
    /// For each state the values of the roles, `roles` in a row.
    values: Vec<u32>,
    unique: Vec<bool>,
    roles: usize,
}

impl Equilibrium {
    /// What each role gets from a state on.
    pub fn values(&self, state: StateId) -> &[u32] {
        &self.values[state.index() * self.roles..(state.index() + 1) * self.roles]
    }

    /// Whether these values are the only ones: no role is ever indifferent between moves that
    /// differ for another.
    pub fn is_unique(&self, state: StateId) -> bool {
        self.unique[state.index()]
    }
}

/// Backward induction for any number of roles of whom one moves at a time. None if play can go
/// on for ever, two roles choose at once, a role is stuck, or an end has several goals or none.
pub fn max_n(listing: &Listing) -> Option<Equilibrium> {
    let roles = listing.roles;
    let mut found = Equilibrium {
        values: vec![0; listing.len() * roles],
        unique: vec![true; listing.len()],
        roles,
    };
    for state in listing.backwards()? {
        let row = state.index() * roles;
        if listing.over(state) {
            for role in 0..roles {
                found.values[row + role] = listing.goal(state, role).value()?;
            }
            continue;
        }
        let successors = listing.successors(state);
        let mut choosers = listing.choosers(state);
        let chooser = choosers.next();
        if choosers.next().is_some() || successors.is_empty() {
            return None;
        }
        let worth = |next: &StateId| chooser.map_or(0, |role| found.values(*next)[role]);
        let best = successors.iter().map(worth).max()?;
        let mut bests = successors.iter().filter(|next| worth(next) == best);
        let first = *bests.next()?;
        let tied = bests.any(|&next| found.values(next) != found.values(first));
        // A move that looks worse now might be as good in another equilibrium of what follows.
        let unique = !tied && successors.iter().all(|&next| found.is_unique(next));
        let values = found.values(first).to_vec();
        found.values[row..row + roles].copy_from_slice(&values);
        found.unique[state.index()] = unique;
    }
    Some(found)
}

/// What a role can secure on average from each state on, whatever all others do together: each
/// state is a matrix game of the role against the rest.
pub fn secured_values(
    listing: &Listing,
    role: usize,
    reading: Reading,
) -> Result<Vec<Fraction>, NoMatrixValue> {
    secured_mixtures(listing, role, reading, |_, _| {})
}

/// The same; `tell` hears the solution of each state that has successors, those first.
pub(crate) fn secured_mixtures(
    listing: &Listing,
    role: usize,
    reading: Reading,
    mut tell: impl FnMut(StateId, MatrixSolution),
) -> Result<Vec<Fraction>, NoMatrixValue> {
    let order = listing.backwards().ok_or(NoMatrixValue::Endless)?;
    let mut values = vec![Fraction::ZERO; listing.len()];
    for state in order {
        values[state.index()] = if listing.over(state) {
            Fraction::from(listing.goal(state, role).read(reading))
        } else if listing.successors(state).is_empty() {
            Fraction::ZERO
        } else {
            let worth = |next: &StateId| values[next.index()];
            let entries: Vec<Fraction> = listing.successors(state).iter().map(worth).collect();
            let (matrix, columns) = by_rows_of(listing, state, role, &entries);
            let solution = matrix_value(&matrix, columns).ok_or(NoMatrixValue::Digits)?;
            let value = solution.value;
            tell(state, solution);
            value
        };
    }
    Ok(values)
}

/// The entries with the role's moves as rows and the others' joint moves as columns, and how many
/// columns there are.
fn by_rows_of(
    listing: &Listing,
    state: StateId,
    role: usize,
    entries: &[Fraction],
) -> (Vec<Fraction>, usize) {
    let later: usize = (role + 1..listing.roles).map(|r| listing.moves(state, r).len()).product();
    let rows = listing.moves(state, role).len();
    let earlier = entries.len() / (rows * later);
    let mut matrix = Vec::with_capacity(entries.len());
    for row in 0..rows {
        for block in 0..earlier {
            let first = (block * rows + row) * later;
            matrix.extend_from_slice(&entries[first..first + later]);
        }
    }
    (matrix, earlier * later)
}

/// What the goals of two roles add up to in every end, if that is always the same.
pub fn constant_sum(listing: &Listing) -> Option<u32> {
    if listing.roles != 2 {
        return None;
    }
    let mut ends = listing
        .states()
        .filter(|&state| listing.over(state))
        .map(|state| Some(listing.goal(state, 0).value()? + listing.goal(state, 1).value()?));
    let first = ends.next()??;
    ends.all(|sum| sum == Some(first)).then_some(first)
}
