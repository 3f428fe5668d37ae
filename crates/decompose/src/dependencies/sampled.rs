//! Dependencies found by interventions on states of play.
//!
//! Parts are bound if they are not free of one another ([`crate::dependencies::lossless_join`]), or if one reads the
//! other: a state of play is given one part of another such state; if then a move does something else
//! in a second part, or something that was possible there no longer is (or is now), the two are tied.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, RoleId, State};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dependencies::lossless_join::{
    Idle, Meanwhile, active_pairs, is_product, join_bound_clusters, join_bound_pairs, meanwhile,
    open_parts,
};
use crate::evaluate::lanes::{LANES, Lanes, Trial};
use crate::partition::Partition;
use crate::sample::outcome::{
    Changes, Outcome, PartOf, Situation, UNCHANGED, change_of, changes, differing, outcome,
    situations,
};
use gambol_run::{Deadline, Random};

/// The pieces to begin with, and the states to look at.
pub(crate) struct Material<'s> {
    /// The fluents of each piece.
    pub(crate) pieces: Vec<Vec<FluentId>>,
    /// What runs by itself. States are compared only where it is the same.
    pub(crate) independent: Vec<FluentId>,
    /// States met in play.
    pub(crate) states: Vec<&'s State>,
    /// For each piece, states in which it was up to the players; places in `states`.
    pub(crate) witnesses: Vec<Vec<usize>>,
    /// The stage of a series that each piece belongs to; all the same if there is none.
    pub(crate) stages: Vec<Option<u32>>,
    /// The pieces that each move acts on.
    pub(crate) acts_on: IndexVec<MoveId, Vec<u32>>,
    /// The parts to begin with.
    pub(crate) beginning: Partition,
}

/// Moves of one role that are tried in a state; where there are more, free choice is not tested.
const MOST_MOVES: usize = 3_000;
/// Moves that are tried in a round, about.
const MOST_TRIALS: usize = 4_000;
/// Moves that are tried again after an exchange.
const REPEATED: usize = 10;
/// Moves that became legal by an exchange and are tried.
const FRESH: usize = 48;
/// States in a row without a new tie after which there is none.
const PATIENCE: usize = 96;
/// States that are looked at in all.
const MOST_STATES: usize = 600;
/// States looked at together.
const BATCH: usize = 24;
/// States from which a part is taken, at random, until it differs.
const DONORS: usize = 6;
/// States that are looked through after that.
const SCANNED: usize = 400;
/// Exchanges tried per state.
const MOST_EXCHANGES: usize = 96;
/// What may be read of gates: a few seconds of work.
const EFFORT: u64 = 400_000_000;

/// Who says what parts read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reads {
    /// The rules; the parts to begin with are as they say.
    Rules,
    /// What happens after an exchange.
    Exchanges,
}

/// Pairs of pieces, or of parts, the smaller first.
pub(crate) type Pairs = FxHashSet<(u32, u32)>;

/// Parts of which play never showed that they can be chosen freely: a move acts in both, but it was never seen to do so
/// at once. `combined` are the pieces of which it was.
pub(crate) fn untested(
    combined: &Pairs,
    acts_on: &IndexVec<MoveId, Vec<u32>>,
    parts: &mut Partition,
) -> Vec<(u32, u32)> {
    let of_parts = |&(one, other): &(u32, u32)| ordered(parts.find(one), parts.find(other));
    let combined: Pairs = combined.iter().map(of_parts).collect();
    let mut untested = Vec::new();
    for pieces in acts_on {
        let mut acted: Vec<u32> = pieces.iter().map(|&piece| parts.find(piece)).collect();
        acted.sort_unstable();
        acted.dedup();
        for (place, &one) in acted.iter().enumerate() {
            let others = acted[place + 1..].iter().map(|&other| (one, other));
            untested.extend(others.filter(|both| !combined.contains(both)));
        }
    }
    untested
}

/// Joins parts that can never be played one after the other: the choice between them does not come again.
pub(crate) fn join_alternatives(
    lanes: &mut Lanes<'_>,
    material: &Material<'_>,
    parts: Partition,
    seed: u64,
    deadline: &Deadline,
) -> Partition {
    let mut search = Search::new(lanes, material, Idle::Unchanged, seed);
    search.parts = parts;
    let mut order = Order::default();
    for _ in 0..ROUNDS {
        if !deadline.is_over() {
            search.note_order(&mut order);
        }
    }
    order.join(&mut search.parts);
    search.parts
}

/// Two parts that are open to a role.
type Pair = (RoleId, (u32, u32));

/// Whether parts can be played one after the other, as far as it was seen.
#[derive(Default)]
struct Order {
    /// One move acted in both, so that their order is no matter.
    at_once: FxHashSet<Pair>,
    /// One was still open to the role after a move in the other.
    in_turn: FxHashSet<Pair>,
    /// One was not open any more after a move in the other; how often.
    cut_short: FxHashMap<Pair, u32>,
}

/// Times that one of two parts could not be played after the other before it is believed that it never can.
const CUT_SHORT: u32 = 8;
/// Moves in a state after which play is followed.
const FOLLOWED: usize = 4;
/// Times that states are looked at for the order of play.
const ROUNDS: usize = 4;

impl Order {
    fn join(mut self, parts: &mut Partition) {
        self.cut_short.retain(|pair, times| {
            *times >= CUT_SHORT && !self.in_turn.contains(pair) && !self.at_once.contains(pair)
        });
        let mut never: Vec<Pair> = self.cut_short.into_keys().collect();
        never.sort_unstable();
        for (_, (one, other)) in never {
            parts.join(one, other);
        }
    }
}

/// A move of a role, and what it does.
struct Followed<'b> {
    base: &'b Base,
    place: usize,
    /// The parts with a choice that it acts in.
    acted: Vec<u32>,
    /// Those that it leaves alone.
    left: Vec<u32>,
}

impl<'b> Followed<'b> {
    fn of(base: &'b Base, open: &[u32], place: usize) -> Self {
        let acts = |part: &&u32| {
            let idle = base.meanwhile.get(part).copied().unwrap_or(UNCHANGED);
            change_of(&base.outcomes[place], **part) != idle
        };
        let (acted, left) = open.iter().partition(acts);
        Self { base, place, acted, left }
    }

    /// The parts that it acts in, each with one that it leaves alone.
    fn pairs(&self, left: u32) -> impl Iterator<Item = Pair> {
        self.acted.iter().map(move |&one| (self.base.role, ordered(one, left)))
    }

    /// Notes that what it left alone could not be played after it, but for some.
    fn cut_short(&self, excused: &FxHashSet<u32>, order: &mut Order) {
        for &other in self.left.iter().filter(|other| !excused.contains(other)) {
            self.pairs(other).for_each(|pair| *order.cut_short.entry(pair).or_default() += 1);
        }
    }
}

fn ordered(one: u32, other: u32) -> (u32, u32) {
    (one.min(other), one.max(other))
}

/// The finest partition of the pieces without a tie that was seen, and what else was seen.
pub(crate) fn tie(
    lanes: &mut Lanes<'_>,
    material: &Material<'_>,
    idle: Idle,
    reads: Reads,
    seed: u64,
    deadline: &Deadline,
) -> (Partition, Pairs) {
    let mut search = Search::new(lanes, material, idle, seed);
    // What is cheap comes first.
    search.run(Steps::Moves, deadline);
    if reads == Reads::Exchanges {
        search.run(Steps::Exchanges, deadline);
    }
    (search.parts, search.combined)
}

/// Joins three and more parts that are bound although all pairs are free. To be done last: squares of
/// one board would seem bound as long as nothing else has joined them.
pub(crate) fn tie_clusters(
    lanes: &mut Lanes<'_>,
    material: &Material<'_>,
    parts: Partition,
    seed: u64,
    deadline: &Deadline,
) -> Partition {
    let mut search = Search::new(lanes, material, Idle::Unchanged, seed);
    search.parts = parts;
    search.run(Steps::Clusters, deadline);
    search.parts
}

/// What is tried in a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    /// Free choice of pairs.
    Moves,
    /// Exchanges as well.
    Exchanges,
    /// Free choice of larger sets only.
    Clusters,
}

impl Steps {
    /// States in a row without a new tie after which there is none.
    fn patience(self) -> usize {
        match self {
            Self::Moves | Self::Clusters => PATIENCE / 2,
            Self::Exchanges => PATIENCE,
        }
    }
}

struct Search<'a, 'n> {
    lanes: &'a mut Lanes<'n>,
    material: &'a Material<'a>,
    idle: Idle,
    random: Random,
    parts: Partition,
    /// Pieces that a move was seen to act in at once.
    combined: Pairs,
    /// The fluents of all pieces, sorted.
    fluents: Vec<FluentId>,
    /// States that agree on what runs by itself.
    alike: Vec<Vec<usize>>,
    alike_of: Vec<usize>,
}

/// A state, the moves fixed for the roles, and what each move of one of them does.
struct Base {
    situation: Situation,
    fixed: Vec<MoveId>,
    role: RoleId,
    moves: Vec<MoveId>,
    changes: Vec<Changes>,
    outcomes: Vec<Outcome>,
    /// How many of the moves make each change of a part.
    makers: FxHashMap<(u32, u64), usize>,
    /// What others do to parts meanwhile.
    meanwhile: Meanwhile,
    /// Whether these are all moves of the role.
    whole: bool,
    place: usize,
}

impl Base {
    /// The move at a place, with those that are fixed for the others.
    fn trial(&self, place: usize) -> Trial<'_> {
        let moves = with_move(&self.fixed, self.role, self.moves[place]);
        Trial { state: &self.situation.state, moves }
    }
}

/// A state that has one part from another state.
struct Exchange {
    base: usize,
    part: u32,
    state: State,
}

impl<'a, 'n> Search<'a, 'n> {
    fn new(lanes: &'a mut Lanes<'n>, material: &'a Material<'a>, idle: Idle, seed: u64) -> Self {
        let mask = State::of(lanes.net(), &material.independent);
        let mut by_key: FxHashMap<State, usize> = FxHashMap::default();
        let mut alike: Vec<Vec<usize>> = Vec::new();
        let mut alike_of = Vec::new();
        for (place, state) in material.states.iter().enumerate() {
            let group = *by_key.entry(state.masked(&mask)).or_insert(alike.len());
            if group == alike.len() {
                alike.push(Vec::new());
            }
            alike[group].push(place);
            alike_of.push(group);
        }
        let parts = material.beginning.clone();
        let mut fluents = material.pieces.concat();
        fluents.sort_unstable();
        let (random, combined) = (Random::new(seed), Pairs::default());
        Self { lanes, material, idle, random, parts, combined, fluents, alike, alike_of }
    }

    /// Looks at states until nothing new is found for a while.
    fn run(&mut self, steps: Steps, deadline: &Deadline) {
        let (mut quiet, mut looked) = (0, 0);
        let spent = self.lanes.effort();
        while quiet < steps.patience() && looked < MOST_STATES && !deadline.is_over() {
            if self.parts.len() < 2 || self.lanes.effort() - spent > EFFORT {
                break;
            }
            let before = self.parts.len();
            self.round(steps, deadline);
            looked += BATCH;
            quiet = if self.parts.len() < before { 0 } else { quiet + BATCH };
        }
    }

    /// Looks at some states.
    fn round(&mut self, steps: Steps, deadline: &Deadline) {
        let mut bases = self.bases();
        self.number(&mut bases);
        if steps == Steps::Clusters {
            for base in bases.iter().filter(|base| base.whole) {
                join_bound_clusters(&base.outcomes, self.idle, &base.meanwhile, &mut self.parts);
            }
            return;
        }
        self.join_contested(&bases);
        for base in bases.iter().filter(|base| base.whole) {
            let pairs =
                join_bound_pairs(&base.outcomes, self.idle, &base.meanwhile, &mut self.parts);
            self.combined.extend(pairs);
        }
        let serial = self.material.stages.iter().any(Option::is_some);
        if steps == Steps::Moves && self.lanes.net().roles.len() == 1 && !serial {
            self.number(&mut bases);
            self.join_forfeited(&bases);
        }
        if steps == Steps::Exchanges && !deadline.is_over() {
            self.number(&mut bases);
            self.exchange(&bases);
        }
    }

    /// Joins parts of which one forfeits the other: what could have been done in the second is no longer possible
    /// after a move in the first, though the second is as it was. Then it is not the same to do one after
    /// the other. Asked only where there is one role: others would move in between.
    fn join_forfeited(&mut self, bases: &[Base]) {
        let mut plans: Vec<(usize, usize)> = Vec::new();
        for (number, base) in bases.iter().enumerate().filter(|(_, base)| base.whole) {
            let place = self.random.below(base.moves.len());
            if base.makers.len() > base.outcomes[place].len() && !base.outcomes[place].is_empty() {
                plans.push((number, place));
            }
        }
        let trials = plans.iter().map(|&(base, place)| bases[base].trial(place));
        let trials: Vec<Trial<'_>> = trials.collect();
        let after = self.after(&trials);
        let part_of = self.part_of();
        for ((base, place), later) in plans.into_iter().zip(after) {
            let base = &bases[base];
            if !later.goes_on() || later.legal[base.role].len() > MOST_MOVES {
                continue;
            }
            let trial = |&action: &MoveId| Trial { state: &later.state, moves: vec![action] };
            let trials: Vec<Trial<'_>> = later.legal[base.role].iter().map(trial).collect();
            if self.lanes.leaving(&trials).contains(&true) {
                continue;
            }
            let still = changes(self.lanes, &trials, &self.fluents);
            let still: FxHashSet<(u32, u64)> =
                still.iter().flat_map(|one| outcome(one, &part_of)).collect();
            let done = &base.outcomes[place];
            let left_alone = |part: u32| done.iter().all(|&(acted, _)| acted != part);
            let gone = base.makers.keys().filter(|one| left_alone(one.0) && !still.contains(one));
            let mut gone: Vec<u32> = gone.map(|one| one.0).collect();
            gone.sort_unstable();
            gone.dedup();
            for lost in gone {
                // What can be had in one move need not be had one after the other.
                let apart = |acted: u32| is_product(&base.outcomes, acted, lost);
                for &(acted, _) in done.iter().filter(|one| !apart(one.0)) {
                    self.parts.join(acted, lost);
                }
            }
        }
    }

    fn after(&mut self, trials: &[Trial<'_>]) -> Vec<Situation> {
        let after: Vec<State> =
            trials.chunks(LANES).flat_map(|chunk| self.lanes.successors(chunk)).collect();
        situations(self.lanes, after)
    }

    /// Notes of the parts that a move of a role leaves alone whether they are open to the role when it has a choice
    /// again, if nothing has happened to them till then; all roles play at random meanwhile.
    fn note_order(&mut self, order: &mut Order) {
        let mut bases = self.bases();
        self.number(&mut bases);
        let mut followed = Vec::new();
        for base in bases.iter().filter(|base| base.whole) {
            let together = active_pairs(&base.outcomes, self.idle, &base.meanwhile);
            order.at_once.extend(together.into_iter().map(|both| (base.role, both)));
            let open = open_parts(&base.outcomes);
            for _ in 0..FOLLOWED {
                let place = self.random.below(base.moves.len());
                followed.push(Followed::of(base, &open, place));
            }
        }
        followed.retain(|one| !one.acted.is_empty() && !one.left.is_empty());
        let trials: Vec<Trial<'_>> = followed.iter().map(|one| one.base.trial(one.place)).collect();
        let mut walks: Vec<(&Followed<'_>, Situation)> =
            followed.iter().zip(self.after(&trials)).collect();
        let nothing = FxHashSet::default();
        for _ in 0..2 * self.lanes.net().roles.len() {
            let mut going = Vec::new();
            for (one, now) in std::mem::take(&mut walks) {
                match now.legal[one.base.role].len() {
                    _ if !now.goes_on() => one.cut_short(&nothing, order),
                    1 => going.push((one, now)),
                    2..=MOST_MOVES => self.note_open(one, &now, order),
                    _ => {}
                }
            }
            let random = &mut self.random;
            let trial = |(_, now): &'_ (_, Situation)| now.random_moves(random);
            let moves: Vec<Vec<MoveId>> = going.iter().map(trial).collect();
            let trials = going.iter().zip(moves);
            let trials: Vec<Trial<'_>> =
                trials.map(|((_, now), moves)| Trial { state: &now.state, moves }).collect();
            let later = self.after(&trials);
            walks = going.iter().map(|(one, _)| *one).zip(later).collect();
        }
        walks.iter().for_each(|(one, _)| one.cut_short(&nothing, order));
    }

    /// Notes what is still, or no longer, open to a role that has a choice again.
    fn note_open(&mut self, one: &Followed<'_>, now: &Situation, order: &mut Order) {
        let base = one.base;
        let is_known = |&left: &u32| one.pairs(left).all(|pair| order.in_turn.contains(&pair));
        if one.left.iter().all(is_known) {
            return;
        }
        let fixed: Vec<MoveId> = now.legal.iter().map(|moves| moves[0]).collect();
        let trial = |&action: &MoveId| Trial {
            state: &now.state,
            moves: with_move(&fixed, base.role, action),
        };
        let trials: Vec<Trial<'_>> = now.legal[base.role].iter().map(trial).collect();
        if self.lanes.leaving(&trials).contains(&true) {
            return;
        }
        let part_of = self.part_of();
        let found = changes(self.lanes, &trials, &self.fluents);
        let open: FxHashSet<(u32, u64)> =
            found.iter().flat_map(|one| outcome(one, &part_of)).collect();
        let before = &base.situation.state;
        let moved = |fluent: &&FluentId| before.holds(**fluent) != now.state.holds(**fluent);
        let moved = self.fluents.iter().filter(moved).filter_map(|&fluent| part_of[fluent]);
        let moved: FxHashSet<u32> = moved.collect();
        // Of what others have moved meanwhile it is enough that it is open at all.
        let again = open.iter().filter(|change| moved.contains(&change.0));
        let still = base.makers.keys().filter(|change| open.contains(change)).chain(again);
        let still: FxHashSet<u32> = still.map(|change| change.0).collect();
        for &left in one.left.iter().filter(|left| still.contains(left)) {
            order.in_turn.extend(one.pairs(left));
        }
        let excused: FxHashSet<u32> = moved.union(&still).copied().collect();
        one.cut_short(&excused, order);
    }

    /// Joins the parts that several roles act on in the same step: what each of them makes of one
    /// depends on what the others do, and that is one choice for all these parts. Two of them are apart only
    /// if each of these roles has one move for every two changes: with moves made one after the other, the
    /// others would have moved in between.
    fn join_contested(&mut self, bases: &[Base]) {
        for same_state in bases.chunk_by(|one, other| one.place == other.place) {
            // The same state may have been picked twice: what counts is how many roles there are.
            let of_base = |base: &Base| {
                let role = base.role;
                open_parts(&base.outcomes).into_iter().map(move |part| (part, role))
            };
            let mut open: Vec<(u32, RoleId)> = same_state.iter().flat_map(of_base).collect();
            open.sort_unstable();
            open.dedup();
            let contested = open.chunk_by(|a, b| a.0 == b.0).filter(|roles| roles.len() > 1);
            let contested: Vec<u32> = contested.map(|roles| roles[0].0).collect();
            for (place, &one) in contested.iter().enumerate() {
                for &other in &contested[place + 1..] {
                    let apart = |base: &Base| base.whole && is_product(&base.outcomes, one, other);
                    if self.parts.find(one) != self.parts.find(other)
                        && !same_state.iter().all(apart)
                    {
                        self.parts.join(one, other);
                    }
                }
            }
        }
    }

    fn part_of(&mut self) -> PartOf {
        let mut part_of: PartOf = IndexVec::filled(None, self.lanes.net().next.len());
        for (piece, fluents) in self.material.pieces.iter().enumerate() {
            let part = self.parts.find(piece as u32);
            fluents.iter().for_each(|&fluent| part_of[fluent] = Some(part));
        }
        part_of
    }

    /// Random states with the changes that all moves of a role make; of every role with a choice.
    fn bases(&mut self) -> Vec<Base> {
        let places: Vec<usize> = (0..BATCH).map(|number| self.pick(number % 2 == 0)).collect();
        let states = places.iter().map(|&place| self.material.states[place].clone()).collect();
        let mut bases = Vec::new();
        for (situation, &place) in situations(self.lanes, states).into_iter().zip(&places) {
            let tried: usize = bases.iter().map(|base: &Base| base.moves.len()).sum();
            if !situation.goes_on() || tried > MOST_TRIALS {
                continue;
            }
            let fixed = situation.random_moves(&mut self.random);
            let mut roles: Vec<RoleId> = situation.choosing().collect();
            if roles.is_empty() {
                roles.push(RoleId::new(0));
            }
            for role in roles {
                let mut moves = situation.legal[role].clone();
                let whole = moves.len() <= MOST_MOVES;
                moves.truncate(MOST_MOVES);
                let (situation, fixed) = (situation.clone(), fixed.clone());
                let (changes, outcomes, makers, meanwhile) = Default::default();
                bases.push(Base {
                    situation,
                    fixed,
                    role,
                    moves,
                    changes,
                    outcomes,
                    makers,
                    meanwhile,
                    whole,
                    place,
                });
            }
        }
        self.keep_inside(&mut bases);
        self.fill_changes(&mut bases);
        bases
    }

    /// Drops states in which a move leads out of the phase that is looked at: what it does is no part of it.
    fn keep_inside(&mut self, bases: &mut Vec<Base>) {
        let places = bases.iter().flat_map(|base| (0..base.moves.len()).map(|p| base.trial(p)));
        let mut leaving = self.lanes.leaving(&places.collect::<Vec<_>>()).into_iter();
        bases.retain(|base| !leaving.by_ref().take(base.moves.len()).fold(false, |a, b| a | b));
    }

    /// A state: any, or one in which a random piece is up to the players.
    fn pick(&mut self, any: bool) -> usize {
        if !any {
            let parts = self.parts.sets();
            let part = &parts[self.random.below(parts.len())];
            let piece = part[self.random.below(part.len())];
            let witnesses = &self.material.witnesses[piece as usize];
            if !witnesses.is_empty() {
                return witnesses[self.random.below(witnesses.len())];
            }
        }
        self.random.below(self.material.states.len())
    }

    fn fill_changes(&mut self, bases: &mut [Base]) {
        let trials: Vec<Trial<'_>> = bases
            .iter()
            .flat_map(|base| {
                base.moves.iter().map(|&action| Trial {
                    state: &base.situation.state,
                    moves: with_move(&base.fixed, base.role, action),
                })
            })
            .collect();
        let mut found = changes(self.lanes, &trials, &self.fluents).into_iter();
        for base in bases {
            base.changes = found.by_ref().take(base.moves.len()).collect();
        }
    }

    /// The outcomes by the parts as they are now.
    fn number(&mut self, bases: &mut [Base]) {
        let part_of = self.part_of();
        for base in bases {
            base.outcomes = base.changes.iter().map(|one| outcome(one, &part_of)).collect();
            base.makers = makers(base.outcomes.iter());
            base.meanwhile = self.of_others(base);
        }
    }

    /// What others do to parts while the role acts elsewhere, where that is always the same.
    fn of_others(&mut self, base: &Base) -> Meanwhile {
        let mut parts_of = |action: MoveId| -> Vec<u32> {
            let pieces = self.material.acts_on[action].iter();
            pieces.map(|&piece| self.parts.find(piece)).collect()
        };
        let others = base.fixed.iter().enumerate().filter(|(role, _)| *role != base.role.index());
        let theirs: FxHashSet<u32> = others.flat_map(|(_, &action)| parts_of(action)).collect();
        if theirs.is_empty() {
            return Meanwhile::default();
        }
        let mine: Vec<Vec<u32>> = base.moves.iter().map(|&action| parts_of(action)).collect();
        meanwhile(&base.outcomes, theirs, |place, part| mine[place].contains(&part))
    }

    /// Gives the states parts of others, and joins what that shows to be tied.
    fn exchange(&mut self, bases: &[Base]) {
        let part_of = self.part_of();
        let sets = self.parts.sets();
        let masks: Vec<State> = sets.iter().map(|set| self.mask(set)).collect();
        let mut exchanges = Vec::new();
        for (number, base) in bases.iter().enumerate() {
            self.add_exchanges(number, base, &sets, &masks, &mut exchanges);
        }
        let states = exchanges.iter().map(|one| one.state.clone()).collect();
        let changed = situations(self.lanes, states);
        self.compare(bases, &exchanges, &changed, &part_of);
    }

    /// For each part a state that has this part from another state, where it is different.
    fn add_exchanges(
        &mut self,
        number: usize,
        base: &Base,
        sets: &[Vec<u32>],
        masks: &[State],
        exchanges: &mut Vec<Exchange>,
    ) {
        let stage = self.stage_of_moves(&base.moves);
        let mut order: Vec<usize> = (0..sets.len()).collect();
        if sets.len() > MOST_EXCHANGES {
            for place in 0..MOST_EXCHANGES {
                let other = place + self.random.below(order.len() - place);
                order.swap(place, other);
            }
            order.truncate(MOST_EXCHANGES);
        }
        for (set, mask) in order.into_iter().map(|place| (&sets[place], &masks[place])) {
            let of_set = set.iter().find_map(|&piece| self.material.stages[piece as usize]);
            if stage.is_some() && of_set.is_some() && stage != of_set {
                continue;
            }
            if let Some(state) = self.exchanged(base, mask) {
                exchanges.push(Exchange { base: number, part: set[0], state });
            }
        }
    }

    /// The fluents of a part.
    fn mask(&self, set: &[u32]) -> State {
        let mut mask = State::empty(self.lanes.net().next.len());
        let pieces = set.iter().map(|&piece| &self.material.pieces[piece as usize]);
        pieces.flatten().for_each(|&fluent| mask.set(fluent));
        mask
    }

    /// The state with a part from another state of play.
    fn exchanged(&mut self, base: &Base, part: &State) -> Option<State> {
        let group = &self.alike[self.alike_of[base.place]];
        let own = &base.situation.state;
        let random: Vec<usize> = (0..DONORS).map(|_| self.random.below(group.len())).collect();
        // What is seldom otherwise is looked for in turn.
        let first = self.random.below(group.len());
        let in_turn = (first..group.len()).chain(0..first).take(SCANNED);
        let donors = random.into_iter().chain(in_turn);
        let differs = |donor: &&State| own.differs_within(part, donor);
        let donor = donors.map(|place| self.material.states[group[place]]).find(differs)?;
        let mut state = own.clone();
        state.take_within(part, donor);
        Some(state)
    }

    /// The stage of the series that moves act in.
    fn stage_of_moves(&self, moves: &[MoveId]) -> Option<u32> {
        let pieces = moves.iter().flat_map(|&action| &self.material.acts_on[action]);
        pieces.filter_map(|&piece| self.material.stages[piece as usize]).max()
    }

    fn compare(
        &mut self,
        bases: &[Base],
        exchanges: &[Exchange],
        changed: &[Situation],
        part_of: &PartOf,
    ) {
        let mut plans = Vec::new();
        for (one, situation) in exchanges.iter().zip(changed) {
            plans.extend(self.plan(&bases[one.base], one, situation));
        }
        let trials: Vec<Trial<'_>> = plans
            .iter()
            .flat_map(|plan| {
                let base = &bases[plan.base];
                plan.repeated.iter().chain(&plan.fresh).map(|&action| Trial {
                    state: &plan.situation.state,
                    moves: with_move(&plan.fixed, base.role, action),
                })
            })
            .collect();
        let mut leaving = self.lanes.leaving(&trials).into_iter();
        let mut found = changes(self.lanes, &trials, &self.fluents).into_iter();
        for plan in &plans {
            let count = plan.repeated.len() + plan.fresh.len();
            if leaving.by_ref().take(count).fold(false, |a, b| a | b) {
                found.by_ref().take(count).for_each(drop);
                continue;
            }
            let after: Vec<Outcome> =
                found.by_ref().take(count).map(|one| outcome(&one, part_of)).collect();
            let tied = plan.tied(&bases[plan.base], &after);
            self.parts.join_all(std::iter::once(plan.part).chain(tied));
        }
    }

    /// Which moves to try after an exchange; `None` if it leads out of the game or of the stage.
    fn plan<'p>(
        &mut self,
        base: &Base,
        exchange: &Exchange,
        situation: &'p Situation,
    ) -> Option<Plan<'p>> {
        if !situation.goes_on() {
            return None;
        }
        let legal = &situation.legal[base.role];
        if self.stage_of_moves(legal) != self.stage_of_moves(&base.moves) {
            return None;
        }
        let mut fixed = base.fixed.clone();
        let mut replaced: Vec<MoveId> = Vec::new();
        for (role, moves) in situation.legal.iter_ids().filter(|&(role, _)| role != base.role) {
            let before = fixed[role.index()];
            if moves.binary_search(&before).is_err() {
                let after = moves[self.random.below(moves.len())];
                fixed[role.index()] = after;
                replaced.extend([before, after]);
            }
        }
        if !replaced.is_empty() {
            let others = replaced.iter().flat_map(|&action| &self.material.acts_on[action]);
            let disturbed: Vec<u32> = others.map(|&piece| self.parts.find(piece)).collect();
            // The others cannot do the same, so only what is possible at all can be compared.
            let mut fresh = legal.clone();
            let whole = fresh.len() <= FRESH && base.whole;
            fresh.truncate(FRESH);
            let (common, repeated) = (Vec::new(), Vec::new());
            let (base, part) = (exchange.base, exchange.part);
            let same_others = false;
            return Some(Plan {
                base,
                part,
                situation,
                fixed,
                common,
                repeated,
                fresh,
                whole,
                same_others,
                disturbed,
            });
        }
        let (common, mut fresh): (Vec<MoveId>, Vec<MoveId>) =
            legal.iter().partition(|action| base.moves.binary_search(action).is_ok());
        let mut repeated = common.clone();
        while repeated.len() > REPEATED {
            let place = self.random.below(repeated.len());
            repeated.swap_remove(place);
        }
        let whole = fresh.len() <= FRESH && base.whole;
        fresh.truncate(FRESH);
        let (base, part) = (exchange.base, exchange.part);
        let same_others = true;
        let disturbed = Vec::new();
        Some(Plan {
            base,
            part,
            situation,
            fixed,
            common,
            repeated,
            fresh,
            whole,
            same_others,
            disturbed,
        })
    }
}

pub(crate) fn with_move(fixed: &[MoveId], role: RoleId, action: MoveId) -> Vec<MoveId> {
    let mut moves = fixed.to_vec();
    moves[role.index()] = action;
    moves
}

/// What to try after a part was exchanged.
struct Plan<'p> {
    base: usize,
    part: u32,
    situation: &'p Situation,
    /// What the other roles do.
    fixed: Vec<MoveId>,
    /// Moves that are legal before and after.
    common: Vec<MoveId>,
    /// Some of them.
    repeated: Vec<MoveId>,
    /// Moves that are legal only after.
    fresh: Vec<MoveId>,
    /// Whether all such moves are tried.
    whole: bool,
    /// Whether the other roles do what they did before.
    same_others: bool,
    /// Parts in which they act, where they do not.
    disturbed: Vec<u32>,
}

impl Plan<'_> {
    /// The parts that behave otherwise after the exchange.
    fn tied(&self, base: &Base, after: &[Outcome]) -> FxHashSet<u32> {
        let mut tied = FxHashSet::default();
        let (repeated, fresh) = after.split_at(self.repeated.len());
        for (action, outcome) in self.repeated.iter().zip(repeated) {
            let before = outcome_of(base, *action);
            tied.extend(before.into_iter().flat_map(|before| differing(before, outcome)));
        }
        if self.same_others {
            self.gained(base, fresh, &mut tied);
        }
        if self.whole {
            self.lost(base, fresh, &mut tied);
        }
        tied.remove(&self.part);
        tied
    }

    /// Parts that can now change as they could not.
    fn gained(&self, base: &Base, fresh: &[Outcome], tied: &mut FxHashSet<u32>) {
        let new = fresh.iter().flatten().filter(|change| !base.makers.contains_key(change));
        tied.extend(new.map(|change| change.0));
    }

    /// Parts that can no longer change as they could: all moves that made the change are gone.
    fn lost(&self, base: &Base, fresh: &[Outcome], tied: &mut FxHashSet<u32>) {
        if self.common.len() == base.moves.len() {
            return;
        }
        let open = match self.same_others {
            true => Vec::new(),
            false => open_parts(&base.outcomes),
        };
        let counts = |part: u32| {
            self.same_others || open.binary_search(&part).is_ok() && !self.disturbed.contains(&part)
        };
        let gone = base.moves.iter().zip(&base.outcomes);
        let gone = gone.filter(|(action, _)| self.common.binary_search(action).is_err());
        let gone = makers(gone.map(|(_, outcome)| outcome));
        let again: FxHashSet<(u32, u64)> = fresh.iter().flatten().copied().collect();
        let lost = gone.into_iter().filter(|(change, makers)| {
            counts(change.0) && base.makers.get(change) == Some(makers) && !again.contains(change)
        });
        tied.extend(lost.map(|(change, _)| change.0));
    }
}

/// How many outcomes have each change.
fn makers<'o>(outcomes: impl Iterator<Item = &'o Outcome>) -> FxHashMap<(u32, u64), usize> {
    let mut makers = FxHashMap::default();
    for &change in outcomes.flatten() {
        *makers.entry(change).or_default() += 1;
    }
    makers
}

fn outcome_of(base: &Base, action: MoveId) -> Option<&Outcome> {
    base.moves.binary_search(&action).ok().and_then(|place| base.outcomes.get(place))
}
