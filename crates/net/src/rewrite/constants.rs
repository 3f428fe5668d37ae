//! Constants: gates whose value does not depend on any proposition.
//!
//! Recursive gates that nothing outside can make true are constants too: their least fixpoint is
//! false. A transition that becomes constant stays a transition, since the first state need not
//! agree with it.

use super::copy::{Rewritten, copy, finish};
use crate::Net;
use crate::bounds::Bounds;

/// Replaces constant gates by constants and drops inputs that have no say.
pub fn fold_constants(net: &Net) -> Net {
    let constants = Bounds::of_free_propositions(net).constants(net);
    if constants.iter().skip(2).all(Option::is_none) {
        return net.clone();
    }
    finish(copy(net, |id| match constants[id] {
        Some(value) => Rewritten::Constant(value),
        None => Rewritten::Kept(net.gate(id)),
    }))
}
