//! What the moves of a role do in a state, part by part.

use gambol_index::IndexVec;
use gambol_net::{FluentId, MoveId, RoleId, State};
use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::evaluate::lanes::{LANES, Lanes, Trial, and, first_lanes, holds, lanes_of, xor};
use gambol_run::Random;

/// The part a fluent belongs to, if any.
pub(crate) type PartOf = IndexVec<FluentId, Option<u32>>;

/// A state with its legal moves.
#[derive(Clone, Debug)]
pub(crate) struct Situation {
    pub(crate) state: State,
    /// Whether the game is over, or the phase of it that is looked at.
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

/// The parts that two outcomes change differently, in order.
pub(crate) fn differing(one: &[(u32, u64)], other: &[(u32, u64)]) -> Vec<u32> {
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    let mut parts = Vec::new();
    loop {
        let (a, b) = match (left.peek(), right.peek()) {
            (None, None) => return parts,
            (a, b) => (a.map_or(u32::MAX, |a| a.0), b.map_or(u32::MAX, |b| b.0)),
        };
        let before = if a <= b { left.next() } else { None };
        let after = if b <= a { right.next() } else { None };
        if before != after {
            parts.push(a.min(b));
        }
    }
}

/// Legality and termination of many states.
pub(crate) fn situations(lanes: &mut Lanes<'_>, states: Vec<State>) -> Vec<Situation> {
    let mut situations = Vec::with_capacity(states.len());
    let mut states = states.into_iter().peekable();
    while states.peek().is_some() {
        let chunk: Vec<State> = states.by_ref().take(LANES).collect();
        lanes.load(&chunk);
        let legal = legal_moves(lanes, chunk.len());
        let inside = lanes.inside();
        for (lane, (state, legal)) in chunk.into_iter().zip(legal).enumerate() {
            let terminal = holds(lanes.terminal(), lane) || !holds(&inside, lane);
            situations.push(Situation { state, terminal, legal });
        }
    }
    situations
}

/// The legal moves in each of the first lanes.
fn legal_moves(lanes: &Lanes<'_>, count: usize) -> Vec<IndexVec<RoleId, Vec<MoveId>>> {
    let net = lanes.net();
    let mut legal = vec![IndexVec::filled(Vec::new(), net.roles.len()); count];
    let used = first_lanes(count);
    for (action, done) in net.moves.iter_ids() {
        for lane in lanes_of(&and(lanes.legal(action), &used)) {
            legal[lane][done.role].push(action);
        }
    }
    legal
}

/// Which fluents a trial changed, in order, and to what.
pub(crate) type Changes = Vec<(FluentId, bool)>;

/// The changes that many trials make to some fluents.
pub(crate) fn changes(
    lanes: &mut Lanes<'_>,
    trials: &[Trial<'_>],
    fluents: &[FluentId],
) -> Vec<Changes> {
    let mut found = Vec::with_capacity(trials.len());
    for chunk in trials.chunks(LANES) {
        let moves = chunk.iter().map(|trial| trial.moves.as_slice());
        lanes.pass(chunk.iter().map(|trial| trial.state), moves);
        let mut of_lane: Vec<Changes> = vec![Vec::new(); chunk.len()];
        let used = first_lanes(chunk.len());
        for &fluent in fluents {
            let (now, next) = (lanes.fluent(fluent), lanes.next(fluent));
            for lane in lanes_of(&and(&xor(now, next), &used)) {
                of_lane[lane].push((fluent, holds(next, lane)));
            }
        }
        found.extend(of_lane);
    }
    found
}

/// Changes by part.
pub(crate) fn outcome(changes: &Changes, part_of: &PartOf) -> Outcome {
    let mut by_part: Vec<(u32, FluentId, bool)> = changes
        .iter()
        .filter_map(|&(fluent, value)| Some((part_of[fluent]?, fluent, value)))
        .collect();
    by_part.sort_unstable();
    by_part
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

/// The outcomes of many trials.
pub(crate) fn outcomes(
    lanes: &mut Lanes<'_>,
    trials: &[Trial<'_>],
    part_of: &PartOf,
) -> Vec<Outcome> {
    let fluents: Vec<FluentId> =
        part_of.iter_ids().filter(|(_, part)| part.is_some()).map(|(fluent, _)| fluent).collect();
    changes(lanes, trials, &fluents).iter().map(|changes| outcome(changes, part_of)).collect()
}
