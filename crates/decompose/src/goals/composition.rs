//! How the parts of a game are put together, as far as playouts show it.

use std::collections::{BTreeMap, BTreeSet};

use gambol_index::IndexVec;
use gambol_net::{FluentId, MoveId, Net, State};
use rustc_hash::FxHashMap;

use crate::decomposition::Composition;
use crate::evaluate::lanes::{Lanes, Trial};
use crate::sample::interventions::Observation;
use crate::sample::outcome::{PartOf, change_of, outcomes, situations};
use gambol_run::Random;

/// So many moves of a role are compared with those of the others.
const MOVES_COMPARED: usize = 64;

/// What is known of the parts that depend on what is played.
pub(crate) struct Parts<'a> {
    /// The part of each fluent.
    pub(crate) part_of: &'a PartOf,
    /// The parts that each move acts on.
    pub(crate) acts_on: &'a IndexVec<MoveId, Vec<u32>>,
    /// Whether each part is useful.
    pub(crate) useful: &'a [bool],
    /// Whether they are played one after the other.
    pub(crate) serial: bool,
    /// Whether they fade while others are played; then moves touch all of them, but are meant for one.
    pub(crate) fading: bool,
}

/// Names the composition.
pub(crate) fn composition(
    lanes: &mut Lanes<'_>,
    parts: &Parts<'_>,
    seen: &Observation,
    states: &[&State],
) -> Composition {
    if parts.useful.len() < 2 {
        return Composition::None;
    }
    if parts.serial {
        return Composition::Serial;
    }
    if parts.useful.contains(&false) && parts.useful.contains(&true) {
        return Composition::Multiple;
    }
    if parts.fading && mostly_usual(lanes, parts, states) {
        return Composition::ParallelAsynchronous;
    }
    let several = parts.acts_on.iter().filter(|parts| parts.len() > 1).count();
    let acting = parts.acts_on.iter().filter(|parts| !parts.is_empty()).count();
    if several > 0 {
        return if 2 * several > acting { Composition::CompoundMoves } else { Composition::Mixed };
    }
    if is_impartial(lanes.net(), parts, seen) {
        return Composition::Impartial;
    }
    match is_synchronous(lanes, parts, states) {
        true => Composition::ParallelSynchronous,
        false => Composition::ParallelAsynchronous,
    }
}

/// Whether most moves do to most parts what most moves do: then each is meant for one part.
fn mostly_usual(lanes: &mut Lanes<'_>, parts: &Parts<'_>, states: &[&State]) -> bool {
    let mut random = Random::new(11);
    let count = 32.min(states.len());
    let chosen = (0..count).map(|_| states[random.below(states.len())].clone()).collect();
    let (mut usual, mut all) = (0, 0);
    for base in situations(lanes, chosen).iter().filter(|base| base.goes_on()) {
        let fixed = base.random_moves(&mut random);
        for role in base.choosing() {
            let with = |&action: &MoveId| {
                let mut moves = fixed.clone();
                moves[role.number() as usize] = action;
                Trial { state: &base.state, moves }
            };
            let trials: Vec<Trial<'_>> = base.legal[role].iter().map(with).collect();
            let found = outcomes(lanes, &trials, parts.part_of);
            for part in 0..parts.useful.len() as u32 {
                let mut changes: Vec<u64> = found.iter().map(|one| change_of(one, part)).collect();
                changes.sort_unstable();
                let most = changes.chunk_by(|a, b| a == b).map(<[u64]>::len).max();
                usual += most.unwrap_or(0);
                all += changes.len();
            }
        }
    }
    2 * usual > all
}

/// Whether each role has moves that change what the moves of the others change.
fn is_impartial(net: &Net, parts: &Parts<'_>, seen: &Observation) -> bool {
    if net.roles.len() < 2 {
        return false;
    }
    let mut changes: BTreeMap<MoveId, BTreeSet<FluentId>> = BTreeMap::new();
    for &(action, fluent) in
        sorted(&seen.effects).iter().filter(|(_, f)| parts.part_of[*f].is_some())
    {
        changes.entry(action).or_default().insert(fluent);
    }
    let mut of_roles = vec![Vec::new(); net.roles.len()];
    for (action, changed) in changes {
        of_roles[net.moves[action].role.number() as usize].push(changed);
    }
    let (first, others) = of_roles.split_at(1);
    let both =
        |other: &Vec<_>| mostly_matched(&first[0], other) && mostly_matched(other, &first[0]);
    others.iter().all(both)
}

/// What moves were seen to change, in the order of their numbers.
fn sorted(effects: &FxHashMap<(MoveId, FluentId), u32>) -> Vec<(MoveId, FluentId)> {
    let mut pairs: Vec<_> = effects.keys().copied().collect();
    pairs.sort_unstable();
    pairs
}

/// Whether for most of some moves there is one among others that changes nearly the same. Nearly, because
/// not all that a move can change is seen.
fn mostly_matched(moves: &[BTreeSet<FluentId>], others: &[BTreeSet<FluentId>]) -> bool {
    let alike = |one: &BTreeSet<FluentId>, other: &BTreeSet<FluentId>| {
        3 * one.intersection(other).count() >= 2 * one.union(other).count()
    };
    let chosen = moves.iter().step_by(moves.len().div_ceil(MOVES_COMPARED).max(1));
    let matched = |one: &&BTreeSet<FluentId>| others.iter().any(|other| alike(one, other));
    4 * chosen.clone().filter(matched).count() >= 3 * chosen.count()
}

/// Whether joint moves mostly act in several parts.
fn is_synchronous(lanes: &mut Lanes<'_>, parts: &Parts<'_>, states: &[&State]) -> bool {
    let mut random = Random::new(7);
    let chosen =
        (0..128.min(states.len())).map(|_| states[random.below(states.len())].clone()).collect();
    let bases = situations(lanes, chosen);
    let trials: Vec<Trial<'_>> = bases
        .iter()
        .filter(|base| base.goes_on())
        .map(|base| Trial { state: &base.state, moves: base.random_moves(&mut random) })
        .collect();
    let found = outcomes(lanes, &trials, parts.part_of);
    let several = |trial: &Trial<'_>| {
        let mut acted: Vec<u32> =
            trial.moves.iter().flat_map(|&action| parts.acts_on[action].iter().copied()).collect();
        acted.sort_unstable();
        acted.dedup();
        acted.len() > 1
    };
    2 * trials.iter().filter(|trial| several(trial)).count() > found.len()
}
