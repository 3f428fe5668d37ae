//! How the parts of a game are put together, as far as playouts show it.

use gambol_index::IndexVec;
use gambol_net::{FluentId, MoveId, Net};
use rustc_hash::FxHashSet;

use crate::decomposition::Composition;
use crate::lanes::Lanes;
use crate::observation::Observation;
use crate::outcome::{PartOf, Trial, change_of, outcomes, situations};
use crate::random::Random;
use crate::state::State;

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

/// Whether all roles make the same fluents true, in every part.
fn is_impartial(net: &Net, parts: &Parts<'_>, seen: &Observation) -> bool {
    if net.roles.len() < 2 {
        return false;
    }
    let mut effects: Vec<FxHashSet<FluentId>> = vec![FxHashSet::default(); net.roles.len()];
    let caused: Vec<(MoveId, FluentId)> = {
        let mut caused: Vec<_> = seen.effects.keys().copied().collect();
        caused.sort_unstable();
        caused
    };
    for (action, fluent) in caused.into_iter().filter(|&(_, f)| parts.part_of[f].is_some()) {
        effects[net.moves[action].role.number() as usize].insert(fluent);
    }
    // The first mover may reach a few values that the others cannot, and the other way round.
    let all: FxHashSet<FluentId> = effects.iter().flatten().copied().collect();
    effects.iter().all(|of_role| 4 * of_role.len() >= 3 * all.len())
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
