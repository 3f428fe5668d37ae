//! Strong solutions: what every state is worth, not only the first.

use std::collections::BTreeMap;

use gambol_index::Id;
use gambol_net::Net;
use gambol_sim::Circuit;
use gambol_verify::Fraction;

use crate::circuit_dynamics::CircuitDynamics;
use crate::listing::list;
use crate::retrograde::{forced_values, secured_values};
use crate::solve::start_of;
use crate::{SolveError, SolveOptions, Unfinished};

/// States from which each role can secure the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrongClass {
    /// What each role can secure; nothing where it cannot force an end with a goal.
    pub values: Vec<Option<Fraction>>,
    /// How many states there are.
    pub states: u64,
}

/// Solves every state that can be reached, and counts states of equal worth, the best of the first
/// role first. Nothing but the limit that was met if there are too many states.
pub fn strong(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Result<Vec<StrongClass>, Unfinished>, SolveError> {
    let start = start_of(net, circuit, options)?;
    let mut game = CircuitDynamics::new(net, circuit);
    let listing = match list(&mut game, &start, &options.limits) {
        Ok(listing) => listing,
        Err(unfinished) => return Ok(Err(unfinished)),
    };
    let mut by_role: Vec<Vec<Option<Fraction>>> = Vec::new();
    for role in 0..listing.roles {
        by_role.push(if listing.is_alternating() {
            let forced = forced_values(&listing, role).values;
            forced.into_iter().map(|value| value.map(Fraction::from)).collect()
        } else {
            secured_values(&listing, role)?.into_iter().map(Some).collect()
        });
    }
    let mut classes: BTreeMap<Vec<Option<Fraction>>, u64> = BTreeMap::new();
    for state in listing.states() {
        let values = by_role.iter().map(|values| values[state.index()]).collect();
        *classes.entry(values).or_default() += 1;
    }
    let class = |(values, states)| StrongClass { values, states };
    Ok(Ok(classes.into_iter().rev().map(class).collect()))
}
