//! What the moves of a role do in a state, part by part.

use gambol_index::IndexVec;
use gambol_net::{FluentId, MoveId, Net, RoleId};
use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::lanes::{LANES, Lanes, holds};
use crate::random::Random;
use crate::state::State;

/// The part a fluent belongs to, if any.
pub(crate) type PartOf = IndexVec<FluentId, Option<u32>>;

/// A state with its legal moves.
#[derive(Clone, Debug)]
pub(crate) struct Situation {
    pub(crate) state: State,
    pub(crate) terminal: bool,
    pub(crate) legal: IndexVec<RoleId, Vec<MoveId>>,
}

impl Situation {
    /// Whether play can go on.
    pub(crate) fn goes_on(&self) -> bool {
        !self.terminal && self.legal.iter().all(|moves| !moves.is_empty())
    }

    /// The roles that have something to choose.
    pub(crate) fn choosing(&self) -> impl Iterator<Item = RoleId> {
        self.legal.iter_ids().filter(|(_, moves)| moves.len() > 1).map(|(role, _)| role)
    }

    /// One legal move of each role, at random.
    pub(crate) fn random_moves(&self, random: &mut Random) -> Vec<MoveId> {
        self.legal.iter().map(|moves| moves[random.below(moves.len())]).collect()
    }
}

/// What a move does: for each part that it changes, in order, a number for the change. Parts that
/// keep their value are left out, so that equal changes of equal parts have equal numbers.
pub(crate) type Outcome = Vec<(u32, u64)>;

/// The change of a part that keeps its value.
pub(crate) const UNCHANGED: u64 = 0;

/// What an outcome does to a part.
pub(crate) fn change_of(outcome: &Outcome, part: u32) -> u64 {
    outcome
        .binary_search_by_key(&part, |&(part, _)| part)
        .map_or(UNCHANGED, |place| outcome[place].1)
}

/// Legality and termination of many states.
pub(crate) fn situations(lanes: &mut Lanes<'_>, states: Vec<State>) -> Vec<Situation> {
    let net = lanes.net();
    let mut situations = Vec::with_capacity(states.len());
    let mut states = states.into_iter().peekable();
    while states.peek().is_some() {
        let chunk: Vec<State> = states.by_ref().take(LANES).collect();
        lanes.load(&chunk);
        for (lane, state) in chunk.into_iter().enumerate() {
            situations.push(Situation {
                state,
                terminal: holds(lanes.terminal(), lane),
                legal: legal_in(net, lanes, lane),
            });
        }
    }
    situations
}

fn legal_in(net: &Net, lanes: &Lanes<'_>, lane: usize) -> IndexVec<RoleId, Vec<MoveId>> {
    let of_role = |role| {
        let moves = net.moves_of(role).map(MoveId::new);
        moves.filter(|&action| holds(lanes.legal(action), lane)).collect()
    };
    net.roles.ids().map(of_role).collect::<Vec<Vec<MoveId>>>().into()
}

/// A joint move in a state, to be tried.
pub(crate) struct Trial<'s> {
    pub(crate) state: &'s State,
    pub(crate) moves: Vec<MoveId>,
}

/// The outcomes of many trials.
pub(crate) fn outcomes(
    lanes: &mut Lanes<'_>,
    trials: &[Trial<'_>],
    part_of: &PartOf,
) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(trials.len());
    for chunk in trials.chunks(LANES) {
        lanes.load(chunk.iter().map(|trial| trial.state));
        lanes.step(chunk.iter().map(|trial| trial.moves.as_slice()));
        outcomes.extend(read_changes(lanes, chunk.len(), part_of));
    }
    outcomes
}

/// For each of the first lanes, the changes by part. Fluents are met in order, so that the same
/// changes give the same numbers.
fn read_changes(lanes: &Lanes<'_>, count: usize, part_of: &PartOf) -> Vec<Outcome> {
    let mut changes: Vec<Vec<(u32, FluentId, bool)>> = vec![Vec::new(); count];
    for (fluent, part) in part_of.iter_ids() {
        let Some(part) = *part else { continue };
        let (now, next) = (lanes.fluent(fluent), lanes.next(fluent));
        for lane in crate::lanes::lanes_of(&crate::lanes::xor(now, next)) {
            if lane < count {
                changes[lane].push((part, fluent, holds(next, lane)));
            }
        }
    }
    changes.into_iter().map(number_changes).collect()
}

fn number_changes(mut changes: Vec<(u32, FluentId, bool)>) -> Outcome {
    changes.sort_unstable();
    changes
        .chunk_by(|one, other| one.0 == other.0)
        .map(|changes| {
            let mut hasher = FxHasher::default();
            for (_, fluent, value) in changes {
                hasher.write_u32(fluent.number());
                hasher.write_u8(u8::from(*value));
            }
            (changes[0].0, hasher.finish().max(1))
        })
        .collect()
}
