//! A phase as a game of its own, from a state in which it begins.
//!
//! It has the fluents and moves of the whole game. Play is over where the next crossing point is passed; what is then
//! worth how much is up to whoever knows the value of what follows.

use gambol_net::rewrite::{Paid, ended_by, from_state};
use gambol_net::{FluentId, Net, State};

use crate::decomposition::Phase;

/// The state in which a phase begins with the interface of a state: what is handed on, with what is always the same
/// there. The other fluents have no influence any more and are false.
pub fn phase_entry(net: &Net, phase: &Phase, state: &State) -> State {
    if phase.begins.is_none() {
        return State::initial(net);
    }
    let mut entry = State::empty(net.next.len());
    phase.entry.iter().for_each(|literal| entry.put(literal.fluent, literal.holds));
    phase.interface.iter().for_each(|&fluent| entry.put(fluent, state.holds(fluent)));
    entry
}

/// A phase from a state in which it begins, given by its true fluents. `next` is the phase that follows, if one does.
/// Who comes to its crossing point is paid what is given, or what the goals of the whole say there if nothing is.
pub fn phase_net(net: &Net, next: Option<&Phase>, entry: &[FluentId], paid: &[Paid]) -> Net {
    let (there, _) = from_state(net, entry);
    match next.and_then(|next| next.begins.as_ref()) {
        Some(ends) => ended_by(&there, ends, paid),
        None => there,
    }
}
