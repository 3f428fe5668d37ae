//! What runs by itself, in groups: which clocks there are, and what they gate.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, RoleId, State};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::evaluate::lanes::{Lanes, Trial};
use crate::partition::Partition;
use crate::sample::interventions::Met;
use crate::sample::outcome::{PartOf, Situation, differing, outcomes, situations};
use gambol_run::Random;

/// A group of fluents that runs by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Clock {
    pub(crate) fluents: Vec<FluentId>,
    /// Whether it comes round again, as turn markers do.
    pub(crate) comes_round: bool,
    /// Parts for which it decides what is legal.
    pub(crate) gates: Vec<u32>,
    /// Parts for which it decides what moves do.
    pub(crate) steers: Vec<u32>,
}

/// States that are looked at.
const STATES: usize = 192;
/// Moves tried per state.
const MOVES: usize = 12;
/// More pieces are gathered by what the rules say.
const MOST_PIECES: usize = 48;

/// Finds the groups. `pieces` are the units that run by themselves; `part_of` gives the parts that
/// moves change, and `acts_on` which of them a move acts on.
pub(crate) fn clocks(
    lanes: &mut Lanes<'_>,
    pieces: &[Vec<FluentId>],
    met: &[Met],
    part_of: &PartOf,
    acts_on: &IndexVec<MoveId, Vec<u32>>,
    seed: u64,
) -> Vec<Clock> {
    let gathered = gathered(lanes.net(), pieces, met);
    let pieces = gathered.as_slice();
    let mut influence = Influence::new(pieces.len());
    let mut random = Random::new(seed);
    if !met.is_empty() {
        for _ in 0..STATES / 16 {
            influence.look(lanes, pieces, met, part_of, acts_on, &mut random);
        }
    }
    let several = lanes.net().roles.len() > 1;
    let sets = influence.linked.sets();
    let split = |set: Vec<u32>| match several {
        true => influence.with_turns_apart(&set, pieces, met),
        false => vec![influence.clock(&set, pieces, met)],
    };
    sets.into_iter().flat_map(split).collect()
}

/// Where there are many pieces, those that the rules link are taken together, unseen; but for turns, which
/// everything looks at.
fn gathered(net: &Net, pieces: &[Vec<FluentId>], met: &[Met]) -> Vec<Vec<FluentId>> {
    if pieces.len() <= MOST_PIECES {
        return pieces.to_vec();
    }
    let several = net.roles.len() > 1;
    let is_turn = |piece: &Vec<FluentId>| several && comes_round(piece, met);
    let (turns, others): (Vec<Vec<FluentId>>, Vec<Vec<FluentId>>) =
        pieces.iter().cloned().partition(is_turn);
    let mut gathered = linked_by_rules(net, &others);
    gathered.extend(turns);
    gathered
}

/// The pieces that look at one another, taken together.
fn linked_by_rules(net: &Net, pieces: &[Vec<FluentId>]) -> Vec<Vec<FluentId>> {
    let mut piece_of: IndexVec<FluentId, Option<u32>> = IndexVec::filled(None, net.next.len());
    for (piece, fluents) in pieces.iter().enumerate() {
        fluents.iter().for_each(|&fluent| piece_of[fluent] = Some(piece as u32));
    }
    let mut linked = Partition::singletons(pieces.len());
    let mut visited = vec![u32::MAX; net.gate_count()];
    for (piece, fluents) in pieces.iter().enumerate() {
        let piece = piece as u32;
        let mut open: Vec<GateId> = fluents.iter().map(|&fluent| net.next[fluent]).collect();
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut visited[gate.index()], piece) == piece {
                continue;
            }
            if let Gate::Fluent(fluent) = net.gate(gate) {
                linked.join_all(piece_of[fluent].into_iter().chain([piece]));
            }
            open.extend(net.inputs_of(gate));
        }
    }
    let together =
        |set: Vec<u32>| set.iter().flat_map(|&p| pieces[p as usize].iter().copied()).collect();
    linked.sets().into_iter().map(together).collect()
}

struct Influence {
    linked: Partition,
    gates: Vec<FxHashSet<u32>>,
    steers: Vec<FxHashSet<u32>>,
}

/// A state in which one clock shows another time.
struct Shifted {
    piece: usize,
    base: usize,
    state: State,
}

impl Influence {
    fn new(pieces: usize) -> Self {
        Self {
            linked: Partition::singletons(pieces),
            gates: vec![FxHashSet::default(); pieces],
            steers: vec![FxHashSet::default(); pieces],
        }
    }

    /// Gives some states the time of others and sees what changes.
    fn look(
        &mut self,
        lanes: &mut Lanes<'_>,
        pieces: &[Vec<FluentId>],
        met: &[Met],
        part_of: &PartOf,
        acts_on: &IndexVec<MoveId, Vec<u32>>,
        random: &mut Random,
    ) {
        let states: Vec<State> =
            (0..16).map(|_| met[random.below(met.len())].state.clone()).collect();
        let bases = situations(lanes, states);
        let mut shifted = Vec::new();
        // Of very many pieces some are looked at each time.
        let stride = pieces.len().div_ceil(MOST_PIECES).max(1);
        let first = random.below(stride);
        for (base, situation) in bases.iter().enumerate().filter(|(_, base)| base.goes_on()) {
            for (piece, fluents) in pieces.iter().enumerate().skip(first).step_by(stride) {
                for _ in 0..3 {
                    let donor = &met[random.below(met.len())].state;
                    let mut state = situation.state.clone();
                    state.take(fluents, donor);
                    if state != situation.state {
                        shifted.push(Shifted { piece, base, state });
                        break;
                    }
                }
            }
        }
        let after = situations(lanes, shifted.iter().map(|one| one.state.clone()).collect());
        for (one, after) in shifted.iter().zip(&after).filter(|(_, after)| after.goes_on()) {
            self.compare_legal(one, &bases[one.base], after, acts_on);
        }
        self.compare_effects(lanes, pieces, &shifted, &bases, &after, part_of, random);
    }

    fn compare_legal(
        &mut self,
        one: &Shifted,
        before: &Situation,
        after: &Situation,
        acts_on: &IndexVec<MoveId, Vec<u32>>,
    ) {
        for (role, legal) in before.legal.iter_ids() {
            let others = &after.legal[role];
            let lost = legal.iter().filter(|action| others.binary_search(action).is_err());
            let gained = others.iter().filter(|action| legal.binary_search(action).is_err());
            for &action in lost.chain(gained) {
                self.gates[one.piece].extend(&acts_on[action]);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one step of a search, cut off to be read alone")]
    fn compare_effects(
        &mut self,
        lanes: &mut Lanes<'_>,
        pieces: &[Vec<FluentId>],
        shifted: &[Shifted],
        bases: &[Situation],
        after: &[Situation],
        part_of: &PartOf,
        random: &mut Random,
    ) {
        // Clocks are numbered after the parts, so that one outcome tells of both.
        let first = part_of.iter().flatten().max().map_or(0, |part| part + 1);
        let mut owner = part_of.clone();
        for (piece, fluents) in pieces.iter().enumerate() {
            fluents.iter().for_each(|&fluent| owner[fluent] = Some(first + piece as u32));
        }
        let (mut trials, mut of) = (Vec::new(), Vec::new());
        for (one, after) in shifted.iter().zip(after).filter(|(_, after)| after.goes_on()) {
            let before = &bases[one.base];
            for _ in 0..MOVES / 4 {
                let moves = common_moves(before, after, random);
                let same = moves.iter().all(|pair| pair.0 == pair.1);
                trials.push(Trial {
                    state: &before.state,
                    moves: moves.iter().map(|pair| pair.0).collect(),
                });
                trials.push(Trial {
                    state: &after.state,
                    moves: moves.iter().map(|pair| pair.1).collect(),
                });
                of.push((one.piece, same));
            }
        }
        let found = outcomes(lanes, &trials, &owner);
        for ((piece, same), pair) in of.into_iter().zip(found.chunks(2)) {
            self.note(piece, same, first, &pair[0], &pair[1]);
        }
    }

    fn note(
        &mut self,
        piece: usize,
        same_moves: bool,
        first: u32,
        before: &[(u32, u64)],
        after: &[(u32, u64)],
    ) {
        for part in differing(before, after) {
            match part.checked_sub(first) {
                Some(other) if other as usize != piece => {
                    self.linked.join(piece as u32, other);
                }
                None if same_moves => {
                    self.steers[piece].insert(part);
                }
                _ => {}
            }
        }
    }

    /// A group that goes on with the turn. If it decides anything, the turn is a clock of its own; if not, as a counter
    /// of rounds, it makes the turn no less of a turn.
    fn with_turns_apart(&self, set: &[u32], pieces: &[Vec<FluentId>], met: &[Met]) -> Vec<Clock> {
        let turns = |&piece: &u32| comes_round(&pieces[piece as usize], met);
        let (turn, others): (Vec<u32>, Vec<u32>) = set.iter().copied().partition(turns);
        let whole = self.clock(set, pieces, met);
        if whole.comes_round || turn.is_empty() || others.is_empty() {
            return vec![whole];
        }
        let rest = self.clock(&others, pieces, met);
        match rest.gates.is_empty() && rest.steers.is_empty() {
            true => vec![Clock { comes_round: true, ..whole }],
            false => vec![self.clock(&turn, pieces, met), rest],
        }
    }

    fn clock(&self, set: &[u32], pieces: &[Vec<FluentId>], met: &[Met]) -> Clock {
        let mut fluents: Vec<FluentId> =
            set.iter().flat_map(|&piece| pieces[piece as usize].iter().copied()).collect();
        fluents.sort_unstable();
        let parts = |sets: &[FxHashSet<u32>]| {
            let mut parts: Vec<u32> =
                set.iter().flat_map(|&piece| sets[piece as usize].iter().copied()).collect();
            parts.sort_unstable();
            parts.dedup();
            parts
        };
        Clock {
            comes_round: comes_round(&fluents, met),
            gates: parts(&self.gates),
            steers: parts(&self.steers),
            fluents,
        }
    }
}

/// A legal move of each role before and after, the same where that is possible.
fn common_moves(
    before: &Situation,
    after: &Situation,
    random: &mut Random,
) -> Vec<(MoveId, MoveId)> {
    let of_role = |role: RoleId| {
        let (one, other) = (&before.legal[role], &after.legal[role]);
        let common: Vec<MoveId> =
            one.iter().copied().filter(|action| other.binary_search(action).is_ok()).collect();
        match common.len() {
            0 => (one[random.below(one.len())], other[random.below(other.len())]),
            count => {
                let action = common[random.below(count)];
                (action, action)
            }
        }
    };
    (0..before.legal.len()).map(RoleId::from_index).map(of_role).collect()
}

/// Whether the group returns to a value that it had before.
fn comes_round(fluents: &[FluentId], met: &[Met]) -> bool {
    let follows: FxHashMap<Vec<bool>, Vec<bool>> =
        met.iter().map(|met| (met.state.values(fluents), met.next.values(fluents))).collect();
    let Some(first) = met.iter().map(|met| met.state.values(fluents)).min() else { return false };
    // From any value, as many steps as there are values lead into a cycle if there is one.
    let mut value = first;
    for _ in 0..follows.len() {
        match follows.get(&value) {
            Some(next) => value = next.clone(),
            None => return false,
        }
    }
    follows.get(&value).is_some_and(|next| *next != value)
}
