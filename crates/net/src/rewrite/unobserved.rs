//! Unobserved gates: those that no transition, legality, end, goal, percept or view leads to.

use super::copy::{Rewritten, copy, finish};
use crate::Net;

/// Whether view propositions count as observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Views {
    /// A named gate stays although nothing reads it.
    Keep,
    /// Only play counts; the result has no views.
    Drop,
}

/// Leaves out the gates that nothing reads.
pub fn drop_unobserved(net: &Net, views: Views) -> Net {
    let (draft, mut frame) = copy(net, |id| Rewritten::Kept(net.gate(id)));
    if views == Views::Drop {
        frame.views.clear();
    }
    finish((draft, frame))
}
