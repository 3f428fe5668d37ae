//! The parts that were found, as a [`Decomposition`].

use std::cmp::Reverse;

use gambol_analysis::{FixedFluents, Literal};
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net, State};
use rustc_hash::FxHashMap;

use crate::decomposition::{
    Basis, CrossingPoint, Decomposition, FoundBy, RoleInGoal, Subgame, SubgameId, Times,
};
use crate::evaluate::lanes::{Lanes, cone};
use crate::goals::composition::{Parts, composition};
use crate::goals::step_limit::safe_limits;
use crate::goals::subgoal::Conditions;
use crate::goals::termination::termination;
use crate::parts::meta_action::{Signatures, meta_actions};
use crate::sample::interventions::Observation;
use crate::sample::matrix::DependencyMatrix;
use crate::sample::outcome::PartOf;
use crate::variables::clock::Clock;

/// The parts, numbered anyhow, and what is known of them.
pub(crate) struct Draft<'a> {
    pub(crate) net: &'a Net,
    pub(crate) part_of: PartOf,
    pub(crate) clocks: Vec<Clock>,
    pub(crate) acts_on: IndexVec<MoveId, Vec<u32>>,
    pub(crate) serial: bool,
    /// Whether the parts fade while others are played.
    pub(crate) fading: bool,
    pub(crate) stages: Vec<Option<u32>>,
    pub(crate) conditions: &'a Conditions,
    pub(crate) fixed: &'a FixedFluents,
    pub(crate) seen: &'a Observation,
    /// Whether the rules decide about what playouts do not reach.
    pub(crate) by_rules: bool,
    /// Whether the limits were met before everything was tried.
    pub(crate) hurried: bool,
}

pub(crate) fn assemble(
    lanes: &mut Lanes<'_>,
    mut draft: Draft<'_>,
    states: &[&State],
    seed: u64,
) -> Decomposition {
    draft.renumber();
    let claimed = if draft.by_rules { draft.claim_unseen() } else { Vec::new() };
    let reads = Reads::of(draft.net);
    let count = draft.part_count();
    let signatures = (!states.is_empty())
        .then(|| Signatures::of(lanes, states, &draft.part_of, seed.wrapping_add(2)));
    let mut subgames: Vec<Subgame> =
        (0..count as u32).map(|part| draft.dependent(part, &reads, signatures.as_ref())).collect();
    draft.spread_use(&mut subgames);
    for (part, subgame) in (0..).zip(&mut subgames) {
        if draft.hurried || claimed.binary_search(&part).is_ok() {
            subgame.basis = Basis::Assumed;
        }
    }
    let useful: Vec<bool> = subgames.iter().map(|subgame| subgame.useful).collect();
    let parts = Parts {
        part_of: &draft.part_of,
        acts_on: &draft.acts_on,
        useful: &useful,
        serial: draft.serial,
        fading: draft.fading,
    };
    let composition = composition(lanes, &parts, draft.seen, states);
    subgames.extend(draft.clocks.iter().map(|clock| draft.independent(clock, &reads)));
    let taken: Vec<FluentId> = subgames.iter().flat_map(|one| one.fluents.clone()).collect();
    let mut left: IndexVec<FluentId, bool> = IndexVec::filled(true, draft.net.next.len());
    taken.iter().for_each(|&fluent| left[fluent] = false);
    let basis = subgames.iter().map(|one| one.basis).reduce(Basis::and).unwrap_or(Basis::Sampled);
    let limits = safe_limits(lanes, &draft.acts_on, &subgames, seed);
    for (subgame, limit) in subgames.iter_mut().zip(limits) {
        subgame.safe_until = limit;
    }
    Decomposition {
        subgames: subgames.into(),
        rest: left.iter_ids().filter(|(_, left)| **left).map(|(fluent, _)| fluent).collect(),
        composition,
        termination: termination(draft.net, &draft.part_of),
        crossing_points: draft.crossing_points(),
        phases: Vec::new(),
        matrix: draft.matrix(),
        repairs: Vec::new(),
        sound: basis,
        classes_exact: basis,
        scores_split: basis,
        scores: Vec::new(),
        basis,
        invariants: Vec::new(),
        by_stage: false,
        complete: true,
        found_by: FoundBy::Play,
        playouts: draft.seen.playouts,
        times: Times::default(),
    }
}

/// What goals and the end look at.
struct Reads {
    goal: Vec<bool>,
    end: Vec<bool>,
}

impl Reads {
    fn of(net: &Net) -> Self {
        Self {
            goal: cone(net, net.goals.iter().map(|goal| goal.gate)),
            end: cone(net, [net.terminal]),
        }
    }
}

impl Draft<'_> {
    /// Numbers the parts: in a series by stage; otherwise large ones first.
    fn renumber(&mut self) {
        let mut sizes: FxHashMap<u32, (usize, u32)> = FxHashMap::default();
        for (fluent, part) in self.part_of.iter_ids() {
            if let Some(part) = part {
                sizes.entry(*part).or_insert((0, fluent.number())).0 += 1;
            }
        }
        let acting = |part: u32| self.acts_on.iter().filter(|parts| parts.contains(&part)).count();
        let mut order: Vec<_> = sizes
            .into_iter()
            .map(|(part, (size, first))| {
                let stage = self.stages.get(part as usize).copied().flatten();
                (stage, Reverse((size, acting(part))), first, part)
            })
            .collect();
        order.sort_unstable();
        let parts = order.iter().map(|&(_, _, _, part)| part);
        let numbers: FxHashMap<u32, u32> = parts.zip(0..).collect();
        for part in self.part_of.iter_mut().flatten() {
            *part = numbers[part];
        }
        self.clocks
            .sort_by_key(|clock| (Reverse(clock.fluents.len()), clock.fluents.first().copied()));
        for parts in self.acts_on.iter_mut() {
            *parts = parts.iter().filter_map(|part| numbers.get(part).copied()).collect();
            parts.sort_unstable();
        }
        let mut stages = vec![None; numbers.len()];
        for (part, stage) in self.stages.iter().enumerate() {
            if let Some(&number) = numbers.get(&(part as u32)) {
                stages[number as usize] = *stage;
            }
        }
        self.stages = stages;
    }

    fn part_count(&self) -> usize {
        self.part_of.iter().flatten().max().map_or(0, |&part| part as usize + 1)
    }

    /// Gives fluents that may change, but were not seen to, to the part that they read or that reads
    /// them, if there is only one such part. Says which parts rest on that, if there are several.
    fn claim_unseen(&mut self) -> Vec<u32> {
        let net = self.net;
        let clock: Vec<FluentId> = self.clocks.iter().flat_map(|c| c.fluents.clone()).collect();
        let unseen: Vec<FluentId> = net
            .fluents
            .ids()
            .filter(|&fluent| {
                self.part_of[fluent].is_none()
                    && self.fixed.value(fluent).is_none()
                    && !clock.contains(&fluent)
            })
            .collect();
        if self.part_count() == 1 {
            unseen.into_iter().for_each(|fluent| self.part_of[fluent] = Some(0));
            return Vec::new();
        }
        let claims: Vec<(FluentId, Option<u32>)> =
            unseen.into_iter().map(|fluent| (fluent, self.claim(fluent))).collect();
        let mut claiming: Vec<u32> = claims.iter().filter_map(|&(_, part)| part).collect();
        claiming.sort_unstable();
        claiming.dedup();
        for &(fluent, part) in &claims {
            self.part_of[fluent] = part;
        }
        claiming.retain(|&part| {
            let of_part = claims.iter().filter(|(_, claimed)| *claimed == Some(part));
            self.is_read_elsewhere(part, of_part.map(|&(fluent, _)| fluent))
        });
        claiming
    }

    /// Whether what another part becomes, or a move that acts elsewhere, looks at one of these fluents. If not,
    /// the rules themselves say that they belong to this part alone.
    fn is_read_elsewhere(&self, part: u32, fluents: impl Iterator<Item = FluentId>) -> bool {
        let others = self.part_of.iter_ids().filter(|(_, of)| of.is_some_and(|of| of != part));
        let next = others.map(|(fluent, _)| self.net.next[fluent]);
        let acts = self.acts_on.iter_ids().filter(|(_, parts)| parts.iter().any(|&of| of != part));
        let legal = acts.map(|(action, _)| self.net.legal[action]);
        let read = cone(self.net, next.chain(legal));
        fluents.into_iter().any(|fluent| read[self.net.fluent_gate(fluent).index()])
    }

    fn claim(&self, fluent: FluentId) -> Option<u32> {
        let read =
            crate::goals::joins::parts_read(self.net, [self.net.next[fluent]], &self.part_of);
        match read.as_slice() {
            [part] => Some(*part),
            _ => None,
        }
    }

    fn dependent(&self, part: u32, reads: &Reads, signatures: Option<&Signatures>) -> Subgame {
        let fluents: Vec<FluentId> =
            self.net.fluents.ids().filter(|&f| self.part_of[f] == Some(part)).collect();
        let acts = |action: MoveId| self.acts_on[action].binary_search(&part).is_ok();
        let meta_actions = signatures
            .map(|signatures| meta_actions(self.net, part, &acts, signatures))
            .unwrap_or_default();
        let like = meta_actions.iter().filter(|class| !class.idle).flat_map(|class| &class.moves);
        let acting = self.net.moves.ids().filter(|&action| acts(action));
        let mut moves: Vec<MoveId> = acting.chain(like.copied()).collect();
        moves.sort_unstable();
        moves.dedup();
        let seen_with = self.seen_with(&fluents);
        Subgame {
            moves,
            meta_actions,
            action_dependent: true,
            seen_with,
            ..self.subgame(fluents, reads)
        }
    }

    /// A state in which one of these fluents was up to the players; the initial one if that will do.
    fn seen_with(&self, fluents: &[FluentId]) -> Vec<FluentId> {
        let initial = State::initial(self.net);
        let states: Vec<&State> =
            fluents.iter().flat_map(|&fluent| self.seen.witnesses_of(fluent)).collect();
        let chosen = match states.iter().find(|&&state| *state == initial) {
            Some(state) => Some(*state),
            None => states.first().copied(),
        };
        chosen.unwrap_or(&initial).ones().map(FluentId::from_index).collect()
    }

    fn independent(&self, clock: &Clock, reads: &Reads) -> Subgame {
        self.subgame(clock.fluents.clone(), reads)
    }

    fn subgame(&self, fluents: Vec<FluentId>, reads: &Reads) -> Subgame {
        let read = |marks: &[bool]| {
            fluents.iter().any(|&fluent| marks[self.net.fluent_gate(fluent).index()])
        };
        let ends_game = read(&reads.end);
        let role_in_goal = match read(&reads.goal) {
            false => RoleInGoal::None,
            true if self.wins_alone(&fluents) => RoleInGoal::Decides,
            true => RoleInGoal::Contributes,
        };
        Subgame {
            useful: ends_game || role_in_goal != RoleInGoal::None,
            fluents,
            moves: Vec::new(),
            meta_actions: Vec::new(),
            action_dependent: false,
            ends_game,
            role_in_goal,
            basis: Basis::Sampled,
            ties: Vec::new(),
            finest: false,
            seen_with: self.net.initial.clone(),
            safe_until: None,
        }
    }

    fn wins_alone(&self, fluents: &[FluentId]) -> bool {
        self.conditions.victories.iter().any(|victory| {
            !victory.fluents.is_empty()
                && victory.fluents.iter().all(|fluent| fluents.binary_search(fluent).is_ok())
        })
    }

    /// In a series, what leads to a useful part is useful.
    fn spread_use(&self, subgames: &mut [Subgame]) {
        let useful = subgames.iter().zip(&self.stages).filter(|(one, _)| one.useful);
        let last = useful.filter_map(|(_, stage)| *stage).max();
        for (subgame, stage) in subgames.iter_mut().zip(&self.stages) {
            let leads = self.serial && stage.is_some() && *stage < last;
            subgame.useful |= leads && self.is_needed_by_later(subgame, *stage);
        }
    }

    /// Whether a later part looks at this one: its end is what the later part waits for.
    fn is_needed_by_later(&self, subgame: &Subgame, stage: Option<u32>) -> bool {
        let later = self.net.fluents.ids().filter(|&fluent| {
            self.part_of[fluent].is_some_and(|part| self.stages[part as usize] > stage)
        });
        let read = cone(self.net, later.map(|fluent| self.net.next[fluent]));
        subgame.fluents.iter().any(|&fluent| read[self.net.fluent_gate(fluent).index()])
    }

    /// Between one stage and the next: the fluents that are true while the later part is played and
    /// never while the earlier one is.
    fn crossing_points(&self) -> Vec<CrossingPoint> {
        let mut stages: Vec<u32> = self.stages.iter().flatten().copied().collect();
        stages.sort_unstable();
        stages.dedup();
        let of = |stage: u32| -> Vec<SubgameId> {
            let parts = self.stages.iter().enumerate().filter(|(_, s)| **s == Some(stage));
            parts.map(|(part, _)| SubgameId::from_index(part)).collect()
        };
        let point = |pair: &[u32]| CrossingPoint {
            literals: self.crossing_literals(pair[0], pair[1]),
            before: of(pair[0]),
            after: of(pair[1]),
        };
        stages.windows(2).map(point).collect()
    }

    fn crossing_literals(&self, before: u32, after: u32) -> Vec<Literal> {
        let states = |stage: u32| -> Vec<&State> {
            let in_stage = |fluent: &FluentId| {
                self.part_of[*fluent].is_some_and(|p| self.stages[p as usize] == Some(stage))
            };
            let fluents = self.net.fluents.ids().filter(in_stage);
            fluents.flat_map(|fluent| self.seen.witnesses_of(fluent)).collect()
        };
        let (earlier, later) = (states(before), states(after));
        if earlier.is_empty() || later.is_empty() {
            return Vec::new();
        }
        let marks = |fluent: &FluentId| {
            // The first step of the later part may come before the mark.
            4 * later.iter().filter(|state| state.holds(*fluent)).count() >= 3 * later.len()
                && earlier.iter().all(|state| !state.holds(*fluent))
        };
        self.net.fluents.ids().filter(marks).map(Literal::is).collect()
    }

    fn matrix(&self) -> DependencyMatrix {
        let often = |(&(action, fluent), &count): (&(MoveId, FluentId), &u32)| {
            let tried = self.seen.tried[action].max(count).max(1);
            ((action, fluent), count as f32 / tried as f32)
        };
        let effects = self.seen.effects.iter().map(often).collect();
        DependencyMatrix::of(self.net, &effects, &|fluent| self.part_of[fluent].is_some())
    }
}
