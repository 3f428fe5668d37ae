//! The values of all states of a game, which include the value of the game.

use std::time::Instant;

use gambol_net::Net;
use gambol_sim::Circuit;

use crate::circuit_dynamics::CircuitDynamics;
use crate::layers::{Found, strong_by_graph};
use crate::limits::Limits;
use crate::listing::list;
use crate::listing::strong::classes_of_listing;
use crate::listing::values::of_listing;
use crate::problem::{Choice, chance_role, start_of};
use crate::{Solution, SolveError, SolveOptions};

/// What all states may take in a listing, and in a graph.
const LISTING_MIB: u64 = 8;
const GRAPH_MIB: u64 = 512;
/// The share of the time that may take.
const SHARE: f64 = 0.5;

/// One look at all states, if there are few of them or their graph is small; to be tried before a game is solved
/// without looking at all states. None if that is no way for this game.
pub fn look_at_all(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Option<Found>, SolveError> {
    let started = Instant::now();
    if options.choice != Choice::Auto || chance_role(net).is_some() || !net.percepts.is_empty() {
        return Ok(None);
    }
    let mut options = options.clone();
    options.limits.time = options.limits.time.map(|time| time.mul_f64(SHARE));
    if let Some(found) = few_states(net, circuit, &options)? {
        return Ok(Some(found));
    }
    options.limits = options.limits.left(started);
    // A limit that is met leaves some for other ways.
    Ok(strong_by_graph(net, circuit, &options, GRAPH_MIB)?.ok().flatten())
}

/// From a listing, if that is short and the value exact.
fn few_states(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Option<Found>, SolveError> {
    let start = start_of(net, circuit, options)?;
    let mut game = CircuitDynamics::new(net, circuit);
    let memory_mib = options.limits.memory_mib.min(LISTING_MIB);
    let limits = Limits { memory_mib, ..options.limits.clone() };
    let Ok(listing) = list(&mut game, &start, &limits) else { return Ok(None) };
    let solution = of_listing(&listing).ok().filter(Solution::is_exact);
    Ok(solution.and_then(|solution| Some((classes_of_listing(&listing).ok()?, Some(solution)))))
}
