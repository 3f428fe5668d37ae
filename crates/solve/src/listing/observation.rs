//! Whether every role can tell the state, always.
//!
//! A role that knows the state knows the next one if its own move and its percepts leave no other. So nothing is hidden
//! if, in every state that can come up, joint moves with the same own move and the same percepts lead to one state.
//! This is checked for all of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use gambol_index::Id;
use gambol_index::bits::ones_of_row;
use gambol_net::{FluentId, Lanes, MoveId, Net};
use gambol_sim::Circuit;

use crate::circuit_dynamics::CircuitDynamics;
use crate::listing::store::StateId;
use crate::listing::{Listing, list};
use crate::problem::{chance_role, start_of};
use crate::store_error::Stopped;
use crate::{SolveError, SolveOptions};

/// It was checked that every role can tell the state; only [`check_seen`] says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen(());

/// Checks that every role can tell the state: at once where there are no percepts, otherwise by a listing.
pub fn check_seen(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Seen, SolveError> {
    if net.percepts.is_empty() {
        return Ok(Seen(()));
    }
    let start = start_of(net, circuit, options)?;
    let mut game = CircuitDynamics::new(net, circuit);
    let listing = list(&mut game, &start, &options.limits).map_err(Stopped::from)?;
    sees_all(net, &listing).map(|()| Seen(())).map_err(SolveError::HiddenInformation)
}

/// Whether every role can tell the state; otherwise one that cannot. What chance knows does not matter.
pub(crate) fn sees_all(net: &Net, listing: &Listing) -> Result<(), String> {
    if net.percepts.is_empty() {
        return Ok(());
    }
    let chance = chance_role(net);
    let mut steps = Steps::new(net, listing);
    for state in listing.states() {
        let (successors, percepts) = (listing.successors(state), steps.percepts(state));
        for (role, name) in net.roles.iter().enumerate().filter(|&(role, _)| Some(role) != chance) {
            let mut after: HashMap<(u32, Vec<u64>), StateId> = HashMap::new();
            for (number, &next) in successors.iter().enumerate() {
                let own = listing.joint_move(state, number)[role];
                match after.entry((own, percepts.of(role, number))) {
                    Entry::Vacant(free) => _ = free.insert(next),
                    Entry::Occupied(known) if *known.get() == next => {}
                    Entry::Occupied(_) => return Err(name.to_string()),
                }
            }
        }
    }
    Ok(())
}

/// The percepts of joint moves, 64 at a time.
struct Steps<'a> {
    net: &'a Net,
    listing: &'a Listing,
    lanes: Lanes<'a>,
}

/// For each percept the joint moves of a state after which it is perceived, as bits.
struct Perceived<'a> {
    net: &'a Net,
    lanes: Vec<Vec<u64>>,
}

impl<'a> Steps<'a> {
    fn new(net: &'a Net, listing: &'a Listing) -> Self {
        let lanes = Lanes::of(net, net.percepts.iter().map(|percept| percept.gate));
        Self { net, listing, lanes }
    }

    fn percepts(&mut self, state: StateId) -> Perceived<'a> {
        let joint_moves = self.listing.successors(state).len();
        let mut perceived = vec![Vec::new(); self.net.percepts.len()];
        for first in (0..joint_moves).step_by(64) {
            self.lanes.clear_fluents();
            self.lanes.clear_moves();
            for fluent in ones_of_row(self.listing.store.row(state)) {
                self.lanes.set(FluentId::from_index(fluent), !0);
            }
            for number in first..joint_moves.min(first + 64) {
                for action in self.listing.joint_move(state, number) {
                    self.lanes.add_move(MoveId::new(action), number - first);
                }
            }
            self.lanes.run();
            for (lanes, percept) in perceived.iter_mut().zip(&self.net.percepts) {
                lanes.push(self.lanes.value(percept.gate));
            }
        }
        Perceived { net: self.net, lanes: perceived }
    }
}

impl Perceived<'_> {
    /// What a role perceives after a joint move: a bit for each of its percepts.
    fn of(&self, role: usize, joint: usize) -> Vec<u64> {
        let own = self
            .net
            .percepts
            .iter()
            .zip(&self.lanes)
            .filter(|(percept, _)| percept.role.index() == role);
        let seen = own.map(|(_, lanes)| lanes[joint / 64] >> (joint % 64) & 1);
        let mut words = vec![0; self.net.percepts.len().div_ceil(64)];
        for (place, bit) in seen.enumerate() {
            words[place / 64] |= bit << (place % 64);
        }
        words
    }
}
