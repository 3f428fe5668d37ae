//! Ties between parts: which pieces of the state cannot be looked at alone.
//!
//! Parts are bound if they are not free of one another ([`crate::freedom`]), or if one reads the
//! other: a state of play is given one part of another such state; if then a move does something else
//! in a second part, or something that was possible there no longer is (or is now), the two are tied.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, RoleId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deadline::Deadline;
use crate::freedom::{Idle, join_bound_clusters, join_bound_pairs};
use crate::lanes::Lanes;
use crate::outcome::{Outcome, PartOf, Situation, Trial, change_of, outcomes, situations};
use crate::partition::Partition;
use crate::random::Random;
use crate::state::State;

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
}

/// Moves of one role that are tried in a state; where there are more, free choice is not tested.
const MOST_MOVES: usize = 3_000;
/// Moves that are tried again after an exchange.
const REPEATED: usize = 16;
/// Moves that became legal by an exchange and are tried.
const FRESH: usize = 48;
/// States in a row without a new tie after which there is none.
const PATIENCE: usize = 96;
/// States that are looked at in all.
const MOST_STATES: usize = 600;
/// States looked at together.
const BATCH: usize = 12;
/// Exchanges tried per state.
const MOST_EXCHANGES: usize = 256;

/// The finest partition of the pieces without a tie that was seen.
pub(crate) fn tie(
    lanes: &mut Lanes<'_>,
    material: &Material<'_>,
    idle: Idle,
    seed: u64,
    deadline: &Deadline,
) -> Partition {
    let mut search = Search::new(lanes, material, idle, seed);
    // Larger sets are looked at last: their members may be bound in pairs that are found only later.
    search.run(Free::Pairs, deadline);
    search.run(Free::Clusters, deadline);
    search.parts
}

/// Whether free choice is tested for pairs of parts only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Free {
    Pairs,
    Clusters,
}

struct Search<'a, 'n> {
    lanes: &'a mut Lanes<'n>,
    material: &'a Material<'a>,
    idle: Idle,
    random: Random,
    parts: Partition,
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
    outcomes: Vec<Outcome>,
    /// Whether these are all moves of the role.
    whole: bool,
    place: usize,
}

impl<'a, 'n> Search<'a, 'n> {
    fn new(lanes: &'a mut Lanes<'n>, material: &'a Material<'a>, idle: Idle, seed: u64) -> Self {
        let mut by_key: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
        let mut alike: Vec<Vec<usize>> = Vec::new();
        let mut alike_of = Vec::new();
        for (place, state) in material.states.iter().enumerate() {
            let group = *by_key.entry(state.values(&material.independent)).or_insert(alike.len());
            if group == alike.len() {
                alike.push(Vec::new());
            }
            alike[group].push(place);
            alike_of.push(group);
        }
        let parts = Partition::singletons(material.pieces.len());
        Self { lanes, material, idle, random: Random::new(seed), parts, alike, alike_of }
    }

    fn run(&mut self, free: Free, deadline: &Deadline) {
        let (mut quiet, mut looked) = (0, 0);
        while quiet < PATIENCE && looked < MOST_STATES && !deadline.is_over() {
            if self.parts.len() < 2 {
                break;
            }
            let before = self.parts.len();
            self.round(free);
            looked += BATCH;
            quiet = if self.parts.len() < before { 0 } else { quiet + BATCH };
        }
    }

    /// Looks at some states.
    fn round(&mut self, free: Free) {
        let part_of = self.part_of();
        let bases = self.bases(&part_of);
        let mut parts = self.parts.clone();
        for base in bases.iter().filter(|base| base.whole) {
            if !join_bound_pairs(&base.outcomes, self.idle, &mut parts) && free == Free::Clusters {
                join_bound_clusters(&base.outcomes, self.idle, &mut parts);
            }
        }
        self.parts = parts;
        let part_of = self.part_of();
        let bases: Vec<Base> =
            bases.into_iter().map(|base| self.renumber(base, &part_of)).collect();
        self.exchange(&bases, &part_of);
    }

    fn part_of(&mut self) -> PartOf {
        let mut part_of: PartOf = IndexVec::filled(None, self.lanes.net().next.len());
        for (piece, fluents) in self.material.pieces.iter().enumerate() {
            let part = self.parts.find(piece as u32);
            fluents.iter().for_each(|&fluent| part_of[fluent] = Some(part));
        }
        part_of
    }

    /// Random states with the outcomes of all moves of a role that has a choice; all roles if few.
    fn bases(&mut self, part_of: &PartOf) -> Vec<Base> {
        let places: Vec<usize> = (0..BATCH).map(|number| self.pick(number % 2 == 0)).collect();
        let states = places.iter().map(|&place| self.material.states[place].clone()).collect();
        let mut bases = Vec::new();
        for (situation, &place) in situations(self.lanes, states).into_iter().zip(&places) {
            if !situation.goes_on() {
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
                bases.push(Base {
                    situation: situation.clone(),
                    fixed: fixed.clone(),
                    role,
                    moves,
                    outcomes: Vec::new(),
                    whole,
                    place,
                });
            }
        }
        self.fill_outcomes(&mut bases, part_of);
        bases
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

    fn fill_outcomes(&mut self, bases: &mut [Base], part_of: &PartOf) {
        for base in bases {
            let trials: Vec<Trial<'_>> = base
                .moves
                .iter()
                .map(|&action| Trial {
                    state: &base.situation.state,
                    moves: with_move(&base.fixed, base.role, action),
                })
                .collect();
            base.outcomes = outcomes(self.lanes, &trials, part_of);
        }
    }

    /// The outcomes by the parts as they are now.
    fn renumber(&mut self, mut base: Base, part_of: &PartOf) -> Base {
        self.fill_outcomes(std::slice::from_mut(&mut base), part_of);
        base
    }

    /// Gives the states parts of others, and joins what that shows to be tied.
    fn exchange(&mut self, bases: &[Base], part_of: &PartOf) {
        let sets = self.parts.sets();
        for base in bases {
            let exchanges = self.exchanges(base, &sets);
            let states = exchanges.iter().map(|(_, state)| state.clone()).collect();
            let changed = situations(self.lanes, states);
            self.compare(base, &exchanges, changed, part_of);
        }
    }

    /// For each part a state that has this part from another state, where it is different.
    fn exchanges(&mut self, base: &Base, sets: &[Vec<u32>]) -> Vec<(u32, State)> {
        let mut exchanges = Vec::new();
        let stage = self.stage_of_moves(&base.moves);
        let mut order: Vec<usize> = (0..sets.len()).collect();
        if sets.len() > MOST_EXCHANGES {
            for place in 0..MOST_EXCHANGES {
                let other = place + self.random.below(order.len() - place);
                order.swap(place, other);
            }
            order.truncate(MOST_EXCHANGES);
        }
        for set in order.into_iter().map(|place| &sets[place]) {
            let of_set = set.iter().find_map(|&piece| self.material.stages[piece as usize]);
            if stage.is_some() && of_set.is_some() && stage != of_set {
                continue;
            }
            let group = &self.alike[self.alike_of[base.place]];
            for _ in 0..4 {
                let donor = self.material.states[group[self.random.below(group.len())]];
                let mut state = base.situation.state.clone();
                for &piece in set {
                    state.take(&self.material.pieces[piece as usize], donor);
                }
                if state != base.situation.state {
                    exchanges.push((set[0], state));
                    break;
                }
            }
        }
        exchanges
    }

    /// The stage of the series that moves act in.
    fn stage_of_moves(&self, moves: &[MoveId]) -> Option<u32> {
        let pieces = moves.iter().flat_map(|&action| &self.material.acts_on[action]);
        pieces.filter_map(|&piece| self.material.stages[piece as usize]).max()
    }

    fn compare(
        &mut self,
        base: &Base,
        exchanges: &[(u32, State)],
        changed: Vec<Situation>,
        part_of: &PartOf,
    ) {
        let mut plans = Vec::new();
        for ((part, _), situation) in exchanges.iter().zip(&changed) {
            if let Some(plan) = self.plan(base, *part, situation) {
                plans.push(plan);
            }
        }
        let trials: Vec<Trial<'_>> = plans
            .iter()
            .flat_map(|plan| {
                plan.repeated.iter().chain(&plan.fresh).map(|&action| Trial {
                    state: &plan.situation.state,
                    moves: with_move(&base.fixed, base.role, action),
                })
            })
            .collect();
        let mut found = outcomes(self.lanes, &trials, part_of).into_iter();
        for plan in &plans {
            let after: Vec<Outcome> =
                found.by_ref().take(plan.repeated.len() + plan.fresh.len()).collect();
            self.parts.join_all(std::iter::once(plan.part).chain(plan.tied(base, &after)));
        }
    }

    /// Which moves to try after an exchange; nothing if it leads out of the game or of the stage.
    fn plan<'p>(&mut self, base: &Base, part: u32, situation: &'p Situation) -> Option<Plan<'p>> {
        let others_legal = base.fixed.iter().enumerate().all(|(role, action)| {
            let role = RoleId::from_index(role);
            role == base.role || situation.legal[role].binary_search(action).is_ok()
        });
        if !situation.goes_on() || !others_legal {
            return None;
        }
        let legal = &situation.legal[base.role];
        if self.stage_of_moves(legal) != self.stage_of_moves(&base.moves) {
            return None;
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
        Some(Plan { part, situation, common, repeated, fresh, whole })
    }
}

fn with_move(fixed: &[MoveId], role: RoleId, action: MoveId) -> Vec<MoveId> {
    let mut moves = fixed.to_vec();
    moves[role.index()] = action;
    moves
}

/// What to try after a part was exchanged.
struct Plan<'p> {
    part: u32,
    situation: &'p Situation,
    /// Moves that are legal before and after.
    common: Vec<MoveId>,
    /// Some of them.
    repeated: Vec<MoveId>,
    /// Moves that are legal only after.
    fresh: Vec<MoveId>,
    /// Whether all such moves are tried.
    whole: bool,
}

impl Plan<'_> {
    /// The parts that behave otherwise after the exchange.
    fn tied(&self, base: &Base, after: &[Outcome]) -> FxHashSet<u32> {
        let mut tied = FxHashSet::default();
        let (repeated, fresh) = after.split_at(self.repeated.len());
        for (action, outcome) in self.repeated.iter().zip(repeated) {
            let before = outcome_of(base, *action);
            tied.extend(before.into_iter().flat_map(|before| differences(before, outcome)));
        }
        self.gained(base, fresh, &mut tied);
        if self.whole {
            self.lost(base, fresh, &mut tied);
        }
        tied.remove(&self.part);
        tied
    }

    /// Parts that can now change as they could not.
    fn gained(&self, base: &Base, fresh: &[Outcome], tied: &mut FxHashSet<u32>) {
        let before: FxHashSet<(u32, u64)> = base.outcomes.iter().flatten().copied().collect();
        tied.extend(
            fresh
                .iter()
                .flatten()
                .filter(|change| !before.contains(*change))
                .map(|change| change.0),
        );
    }

    /// Parts that can no longer change as they could.
    fn lost(&self, base: &Base, fresh: &[Outcome], tied: &mut FxHashSet<u32>) {
        let kept = self.common.iter().filter_map(|&action| outcome_of(base, action));
        let after: FxHashSet<(u32, u64)> = kept.chain(fresh).flatten().copied().collect();
        let before = base.outcomes.iter().flatten();
        tied.extend(before.filter(|change| !after.contains(*change)).map(|change| change.0));
    }
}

fn outcome_of(base: &Base, action: MoveId) -> Option<&Outcome> {
    base.moves.binary_search(&action).ok().and_then(|place| base.outcomes.get(place))
}

/// The parts that two outcomes change differently.
fn differences(one: &Outcome, other: &Outcome) -> Vec<u32> {
    let parts = one.iter().chain(other).map(|&(part, _)| part);
    parts.filter(|&part| change_of(one, part) != change_of(other, part)).collect()
}
