//! Constants: gates whose value does not depend on any proposition.
//!
//! Recursive gates that nothing outside can make true are constants too: their least fixpoint is
//! false. A transition that becomes constant stays a transition, since the first state need not
//! agree with it.

use gambol_index::Id;

use super::copy::{Rewritten, copy, finish};
use crate::Net;
use crate::evaluate::known_values;

/// Replaces constant gates by constants and drops inputs that have no say.
pub fn fold_constants(net: &Net) -> Net {
    let values = known_values(net, |_| None);
    if values.iter().skip(2).all(|value| value.value().is_none()) {
        return net.clone();
    }
    finish(copy(net, |id| match values[id.index()].value() {
        Some(value) => Rewritten::Constant(value),
        None => Rewritten::Kept(net.gate(id)),
    }))
}
