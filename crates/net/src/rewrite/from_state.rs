//! A game from a state on: what has become fixed there is a constant from then on.
//!
//! Fluents that have latched, and moves that can no longer be made, say nothing any more. Without them
//! less is read of what is left, and a game may fall apart that was one before.

use super::fixed::{Fixed, find_fixed, replace_fixed};
use super::flatten::flatten;
use crate::{FluentId, Net};

/// The net of what can still be played from a state, given by the fluents that are true in it, and
/// what is fixed there. Fluents and moves keep their ids.
///
/// The net gives the same answers in every state in which the fixed fluents have their values, and
/// every legal step from such a state leads to another.
pub fn from_state(net: &Net, state: &[FluentId]) -> (Net, Fixed) {
    let mut there = net.clone();
    there.initial = state.to_vec();
    there.initial.sort_unstable();
    there.initial.dedup();
    let fixed = find_fixed(&there);
    (flatten(&replace_fixed(&there, &fixed)), fixed)
}
