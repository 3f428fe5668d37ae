//! States of a net evaluated 64 at once: lane `i` belongs to state `i`.

use gambol_index::Id;
use gambol_net::{FluentId, GateId, Lanes, MoveId, Net, State};

/// The values of all gates in 64 states.
pub(crate) struct Sweep<'a> {
    net: &'a Net,
    lanes: Lanes<'a>,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(net: &'a Net) -> Self {
        Self { net, lanes: Lanes::new(net) }
    }

    /// Puts up to 64 states in place and evaluates the gates that look at the state only.
    pub(crate) fn load<'s>(&mut self, states: impl IntoIterator<Item = &'s State>) {
        self.lanes.clear_fluents();
        for (lane, state) in states.into_iter().enumerate() {
            state.ones().for_each(|fluent| self.lanes.add(FluentId::from_index(fluent), lane));
        }
        self.lanes.run_state();
    }

    /// Puts the same state in all places.
    pub(crate) fn load_everywhere(&mut self, state: &State) {
        self.lanes.clear_fluents();
        state.ones().for_each(|fluent| self.lanes.set(FluentId::from_index(fluent), !0));
        self.lanes.run_state();
    }

    /// Does joint moves, one per lane, and evaluates the gates that look at moves.
    pub(crate) fn step<'m>(&mut self, moves: impl IntoIterator<Item = &'m [MoveId]>) {
        self.lanes.clear_moves();
        for (lane, joint) in moves.into_iter().enumerate() {
            joint.iter().for_each(|&action| self.lanes.add_move(action, lane));
        }
        self.lanes.run_step();
    }

    /// The value of a gate in all lanes.
    #[inline]
    pub(crate) fn value(&self, gate: GateId) -> u64 {
        self.lanes.value(gate)
    }

    /// The state that follows in one lane.
    pub(crate) fn successor(&self, lane: usize) -> State {
        let mut state = State::empty(self.net.next.len());
        for (fluent, &gate) in self.net.next.iter_ids() {
            if self.value(gate) >> lane & 1 == 1 {
                state.set(fluent);
            }
        }
        state
    }
}
