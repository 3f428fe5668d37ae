//! How many states a strategy has to answer for, counted as a tree: those that come up more than once
//! count more than once.
//!
//! Where several moves keep a value, the one with the smaller tree below makes the shorter proof.

use gambol_index::Id;

use crate::listing::Listing;
use crate::listing::retrograde::Forced;
use crate::listing::store::StateId;

/// For each state the least tree of states that come up when the role takes moves to states of lower
/// rank, about.
pub(crate) fn strategy_sizes(listing: &Listing, forced: &Forced, role: usize) -> Vec<f64> {
    let rank = &forced.rank;
    let mut order: Vec<StateId> = listing.states().collect();
    order.sort_by_key(|state| rank[state.index()]);
    let mut sizes = vec![f64::INFINITY; listing.len()];
    for state in order {
        let next = listing.successors(state).iter();
        let below = if listing.moves(state, role).len() > 1 {
            let nearer = next.filter(|next| rank[next.index()] < rank[state.index()]);
            nearer.map(|next| sizes[next.index()]).fold(f64::INFINITY, f64::min)
        } else {
            next.map(|next| sizes[next.index()]).sum()
        };
        sizes[state.index()] = if listing.over(state) { 0.0 } else { 1.0 + below };
    }
    sizes
}
