//! Strong solutions: what every state is worth, not only the first.

use std::collections::BTreeMap;

use gambol_index::Id;
use gambol_net::Net;
use gambol_sim::Circuit;
use gambol_verify::Fraction;

use crate::circuit_dynamics::CircuitDynamics;
use crate::listing::observation::sees_all;
use crate::listing::retrograde::{forced_values, secured_values};
use crate::listing::store::StateId;
use crate::listing::{Listing, list};
use crate::matrix_game::NoMatrixValue;
use crate::problem::{chance_role, start_of};
use crate::{Bounds, Reading, SolveError, SolveOptions, Unfinished};

/// States from which each role can secure the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrongClass {
    /// What each role can secure, 0 where it can force no end; none where that depends on how an end
    /// with several goals, or none, is read.
    pub values: Vec<Option<Fraction>>,
    /// Whether the values are rounded to whole numbers: of exact ones there are too many, or only bounds are known.
    pub about: bool,
    /// How many states there are.
    pub states: u64,
}

/// With more classes than this values are rounded.
const CLASSES: usize = 200;

/// States of equal worth, the best of the first role first, from how many states lie between which bounds.
pub(crate) fn classes_of(bounds: BTreeMap<Vec<Bounds>, u64>) -> Vec<StrongClass> {
    let is_rounded = |bounds: &Bounds| bounds.is_settled() && bounds.value().is_none();
    let about = bounds.keys().flatten().any(is_rounded) || bounds.len() > CLASSES;
    let value = |bounds: &Bounds| match about {
        false => bounds.value(),
        true => bounds.is_settled().then(|| Fraction::from(bounds.least.as_f64().round() as u32)),
    };
    let mut classes: BTreeMap<Vec<Option<Fraction>>, u64> = BTreeMap::new();
    for (bounds, states) in bounds.into_iter().filter(|&(_, states)| states > 0) {
        *classes.entry(bounds.iter().map(value).collect()).or_default() += states;
    }
    let class = |(values, states)| StrongClass { values, about, states };
    classes.into_iter().rev().map(class).collect()
}

/// Every state that can be reached, with what each role can secure there.
#[derive(Clone, Debug)]
pub struct StateValues {
    /// The states.
    pub listing: Listing,
    /// By role and state; as in [`StrongClass`].
    by_role: Vec<Vec<Option<Fraction>>>,
}

impl StateValues {
    /// What a state is worth to each role.
    pub fn values(&self, state: StateId) -> Vec<Option<Fraction>> {
        self.by_role.iter().map(|values| values[state.index()]).collect()
    }

    /// What a state is worth to a role.
    pub fn value(&self, state: StateId, role: usize) -> Option<Fraction> {
        self.by_role[role][state.index()]
    }

    /// The role that chooses alone in a state, and the moves that keep what it can secure. None if nobody chooses,
    /// several do, or a value is not clear.
    pub fn best_moves(&self, state: StateId) -> Option<(usize, Vec<u32>)> {
        let mut choosers = self.listing.choosers(state);
        let role = choosers.next().filter(|_| choosers.next().is_none())?;
        let after = self.listing.successors(state).iter();
        let after: Option<Vec<Fraction>> = after.map(|&next| self.value(next, role)).collect();
        let after = after?;
        let best = after.iter().copied().max()?;
        let keep = after.iter().zip(self.listing.moves(state, role));
        Some((role, keep.filter(|(value, _)| **value == best).map(|(_, &own)| own).collect()))
    }
}

/// Solves every state that can be reached, by a listing in memory, slowly and plainly. Nothing but the limit that was
/// met if there are too many states.
pub fn state_values(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Result<StateValues, Unfinished>, SolveError> {
    if chance_role(net).is_some() {
        return Err(SolveError::Chance);
    }
    let start = start_of(net, circuit, options)?;
    let mut game = CircuitDynamics::new(net, circuit);
    let listing = match list(&mut game, &start, &options.limits) {
        Ok(listing) => listing,
        Err(unfinished) => return Ok(Err(unfinished)),
    };
    sees_all(net, &listing).map_err(SolveError::HiddenInformation)?;
    let by_role = by_role(&listing)?;
    Ok(Ok(StateValues { listing, by_role }))
}

/// By role and state what the role can secure there; none where that depends on how ends are read.
fn by_role(listing: &Listing) -> Result<Vec<Vec<Option<Fraction>>>, NoMatrixValue> {
    let clear = listing.has_clear_ends();
    let of_role = |role: usize| {
        let worst = secured(listing, role, Reading::Least)?;
        if clear {
            return Ok(worst.into_iter().map(Some).collect());
        }
        let best = secured(listing, role, Reading::Most)?;
        let both = worst.into_iter().zip(best);
        Ok(both.map(|(worst, best)| (worst == best).then_some(worst)).collect())
    };
    (0..listing.roles).map(of_role).collect()
}

/// The same; counts states of equal worth, the best of the first role first.
pub fn strong_by_listing(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Result<Vec<StrongClass>, Unfinished>, SolveError> {
    let solved = match state_values(net, circuit, options)? {
        Ok(solved) => solved,
        Err(unfinished) => return Ok(Err(unfinished)),
    };
    Ok(Ok(counted(&solved.by_role)))
}

/// The same of a listing.
pub(crate) fn classes_of_listing(listing: &Listing) -> Result<Vec<StrongClass>, NoMatrixValue> {
    Ok(counted(&by_role(listing)?))
}

fn counted(by_role: &[Vec<Option<Fraction>>]) -> Vec<StrongClass> {
    let mut classes: BTreeMap<Vec<Option<Fraction>>, u64> = BTreeMap::new();
    for state in 0..by_role.first().map_or(0, Vec::len) {
        *classes.entry(by_role.iter().map(|values| values[state]).collect()).or_default() += 1;
    }
    let class = |(values, states)| StrongClass { values, about: false, states };
    classes.into_iter().rev().map(class).collect()
}

/// What a role can secure from each state on, in one reading of the ends.
fn secured(
    listing: &Listing,
    role: usize,
    reading: Reading,
) -> Result<Vec<Fraction>, NoMatrixValue> {
    if listing.is_alternating() {
        let forced = forced_values(listing, role, reading).values;
        return Ok(forced.into_iter().map(|value| Fraction::from(value.unwrap_or(0))).collect());
    }
    secured_values(listing, role, reading)
}
