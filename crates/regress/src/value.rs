//! What a state is worth, and who prefers what.
//!
//! An agent prefers the higher reward. Among equal rewards, if distances count, it prefers the
//! shorter way to an outcome that is better for it than play without end, and the longer way to one
//! that is worse; with neither, distance is not counted. What is then still equal is decided by the
//! order in which the outcomes are declared, so that every agent's preference is a total order and
//! backward induction has one answer. Outcomes with the same rewards are one and the same value.

use gambol_index::IndexVec;
use std::cmp::Ordering;

use crate::automaton::{AgentId, Automaton, OutcomeId};

/// An outcome, and in how many transitions it is reached (0 where distances do not count).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value {
    /// The outcome.
    pub outcome: OutcomeId,
    /// The number of transitions to it.
    pub distance: u32,
}

/// The preferences of all agents.
#[derive(Clone, Debug)]
pub struct Preferences {
    rewards: IndexVec<AgentId, IndexVec<OutcomeId, i64>>,
    canonical: IndexVec<OutcomeId, OutcomeId>,
    endless: OutcomeId,
    distances: bool,
}

impl Preferences {
    /// The preferences of an automaton's agents, with or without distances.
    pub fn of(automaton: &Automaton, distances: bool) -> Self {
        let outcomes = &automaton.outcomes;
        let rewards = |agent| outcomes.iter().map(|outcome| outcome.rewards[agent]).collect();
        let same = |outcome: OutcomeId| {
            let equal = |other: &OutcomeId| outcomes[*other].rewards == outcomes[outcome].rewards;
            outcomes.ids().find(equal).unwrap_or(outcome)
        };
        let canonical: IndexVec<OutcomeId, OutcomeId> = outcomes.ids().map(same).collect();
        Self {
            rewards: automaton.agents.ids().map(rewards).collect(),
            endless: canonical[automaton.endless()],
            canonical,
            distances,
        }
    }

    /// Whether distances count.
    pub fn counts_distances(&self) -> bool {
        self.distances
    }

    /// The value of play without end.
    pub fn endless(&self) -> Value {
        Value { outcome: self.endless, distance: 0 }
    }

    /// The value of being at a goal.
    pub fn goal(&self, outcome: OutcomeId) -> Value {
        Value { outcome: self.canonical[outcome], distance: 0 }
    }

    /// The value one transition earlier.
    #[inline]
    pub fn before(&self, value: Value) -> Value {
        let counts = self.distances && self.is_counted(value.outcome);
        Value { distance: value.distance + u32::from(counts), ..value }
    }

    /// Whether the way to an outcome has a length: not if it is worth what play without end is.
    fn is_counted(&self, outcome: OutcomeId) -> bool {
        self.rewards.iter().any(|rewards| rewards[outcome] != rewards[self.endless])
    }

    /// The different outcomes, best first.
    pub fn ranking(&self, agent: AgentId) -> Vec<OutcomeId> {
        let mut ranking: Vec<OutcomeId> =
            self.canonical.iter_ids().filter(|(id, same)| id == *same).map(|(id, _)| id).collect();
        ranking.sort_by_key(|&outcome| (std::cmp::Reverse(self.rewards[agent][outcome]), outcome));
        ranking
    }

    /// Whether the first value is better for an agent than the second.
    #[inline]
    pub fn is_better(&self, agent: AgentId, one: Value, other: Value) -> bool {
        self.compare(agent, one, other) == Ordering::Greater
    }

    fn compare(&self, agent: AgentId, one: Value, other: Value) -> Ordering {
        let rewards = &self.rewards[agent];
        let (mine, theirs) = (rewards[one.outcome], rewards[other.outcome]);
        let hurry = |ordering: Ordering| match mine.cmp(&rewards[self.endless]) {
            Ordering::Greater => ordering.reverse(),
            Ordering::Less => ordering,
            Ordering::Equal => Ordering::Equal,
        };
        mine.cmp(&theirs)
            .then_with(|| hurry(one.distance.cmp(&other.distance)))
            .then_with(|| other.outcome.cmp(&one.outcome))
            .then_with(|| other.distance.cmp(&one.distance))
    }

    /// Whether what is better for one agent is worse for the other, or there is only one agent.
    pub fn are_opposed(&self) -> bool {
        let outcomes = || self.canonical.ids();
        let opposed = |one: &IndexVec<OutcomeId, i64>, other: &IndexVec<OutcomeId, i64>| {
            outcomes().all(|x| outcomes().all(|y| one[x].cmp(&one[y]) == other[y].cmp(&other[x])))
        };
        match self.rewards.as_slice() {
            [_] => true,
            [one, other] => opposed(one, other),
            _ => false,
        }
    }

    /// Whether at most one outcome is better for an agent than play without end and at most one is
    /// worse: only then do all ways of counting distances agree.
    pub fn has_simple_distances(&self) -> bool {
        let endless = self.endless;
        self.rewards.iter().all(|rewards| {
            let side = |better: bool| {
                let beside = |&outcome: &OutcomeId| {
                    let ordering = rewards[outcome].cmp(&rewards[endless]);
                    ordering == if better { Ordering::Greater } else { Ordering::Less }
                };
                self.outcomes().filter(beside).count()
            };
            side(true) <= 1 && side(false) <= 1
        })
    }

    /// The best of several values for an agent and its place; the first of equals.
    pub(crate) fn best(&self, agent: AgentId, values: &[Value]) -> Option<(usize, Value)> {
        let mut places = values.iter().copied().enumerate();
        let first = places.next()?;
        Some(places.fold(
            first,
            |best, next| {
                if self.is_better(agent, next.1, best.1) { next } else { best }
            },
        ))
    }

    /// The reward of an outcome for an agent.
    pub fn reward(&self, agent: AgentId, outcome: OutcomeId) -> i64 {
        self.rewards[agent][outcome]
    }

    /// The different outcomes, in order of declaration.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = OutcomeId> + '_ {
        self.canonical.ids().filter(|&outcome| self.canonical[outcome] == outcome)
    }
}
