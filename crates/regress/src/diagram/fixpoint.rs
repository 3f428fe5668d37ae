//! Fixpoints: all states the invariants allow, decided from the goals back until nothing changes.
//!
//! Round `d` gives the value of the game that is broken off after `d` transitions and then counts as
//! endless. Where play can return this needs opposed agents, and what neither can force remains
//! endless; the round at which a state settles is its distance.

use gambol_index::IndexVec;
use oxidd::BooleanFunction;

use super::encode::{Encoding, Set, shared_size};
use super::sets::{ByOutcome, back_up, goal_states, no_states};
use super::table::{DiagramMethod, DiagramPolicy, Writer};
use crate::automaton::{Automaton, NodeId};
use crate::cube::Cube;
use crate::error::RegressError;
use crate::exhaustive::Unsettled;
use crate::limits::{Limits, Progress};
use crate::potential::Potential;
use crate::value::{Preferences, Value};

/// All possible states, by node and outcome.
pub struct Fixpoint<'a> {
    pub(super) encoding: Encoding<'a>,
    pub(super) preferences: &'a Preferences,
    values: IndexVec<NodeId, ByOutcome>,
    /// The same before impossible states are left out.
    pub(super) unrestricted: IndexVec<NodeId, ByOutcome>,
    /// If distances count, the values after every round.
    pub(super) rounds: Vec<IndexVec<NodeId, ByOutcome>>,
    /// What the invariants forbid, and codes that stand for no value.
    pub(super) impossible: Set,
    /// How many states are decided, goals left out.
    pub states: f64,
    /// How many rounds it took.
    pub round_count: usize,
    /// The nodes of the diagrams that hold the values.
    pub nodes: usize,
}

/// Decides all states that no invariant forbids.
pub fn regress_to_fixpoint<'a>(
    automaton: &'a Automaton,
    preferences: &'a Preferences,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Fixpoint<'a>, RegressError> {
    let opposed = preferences.are_opposed();
    if !opposed && !Potential::of(automaton).is_acyclic() {
        return Err(Unsettled.into());
    }
    if preferences.counts_distances() && !(opposed && preferences.has_simple_distances()) {
        return Err(RegressError::Distances);
    }
    let encoding = Encoding::new(automaton, limits)?;
    let (values, impossible) = (IndexVec::new(), encoding.nothing());
    let mut fixpoint = Fixpoint {
        encoding,
        preferences,
        values,
        unrestricted: IndexVec::new(),
        rounds: Vec::new(),
        impossible,
        states: 0.0,
        round_count: 0,
        nodes: 0,
    };
    fixpoint.iterate(watch)?;
    fixpoint.nodes = shared_size(fixpoint.values.iter().flatten());
    Ok(fixpoint)
}

impl Fixpoint<'_> {
    fn iterate(&mut self, watch: &mut dyn FnMut(&Progress)) -> Result<(), RegressError> {
        let automaton = self.encoding.automaton;
        let possible = self.encoding.possible()?;
        self.impossible = possible.not()?;
        self.states = self.encoding.count(&possible) * automaton.choice_nodes().count() as f64;
        let endless = self.preferences.endless().outcome;
        // If play leads from possible to impossible states, what those are worth is asked too.
        let domain = match self.is_closed(&possible)? {
            true => possible.clone(),
            false => self.encoding.everything(),
        };
        let first = |encoding: &Encoding<'_>, node| match automaton.outcome_of(node) {
            Some(outcome) => goal_states(encoding, self.preferences, outcome),
            None => {
                let mut sets = no_states(encoding);
                sets[endless] = domain.clone();
                sets
            }
        };
        self.values = automaton.nodes.ids().map(|node| first(&self.encoding, node)).collect();
        loop {
            if self.preferences.counts_distances() {
                self.rounds.push(self.values.clone());
            }
            let next = self.round(&domain)?;
            let settled = same(&next, &self.values);
            self.values = next;
            watch(&self.encoding.progress_report(None));
            if settled {
                break;
            }
            self.round_count += 1;
        }
        self.unrestricted = self.values.clone();
        self.keep_only(&possible)
    }

    /// Whether no transition leads out of a set.
    fn is_closed(&mut self, set: &Set) -> Result<bool, RegressError> {
        let automaton = self.encoding.automaton;
        for node in automaton.choice_nodes() {
            let mut rest = set.clone();
            for group in 0..automaton.group_count(node) {
                for id in automaton.group(node, group) {
                    let into = self.encoding.regress(id, set)?;
                    let from = rest.and(self.encoding.guard(id))?;
                    let goal = automaton.outcome_of(automaton.transitions[id].target).is_some();
                    if !goal && into.imp_strict(&from)?.satisfiable() {
                        return Ok(false);
                    }
                }
                rest = self.encoding.group_guard(node, group)?.imp_strict(&rest)?;
            }
        }
        Ok(true)
    }

    fn round(&mut self, domain: &Set) -> Result<IndexVec<NodeId, ByOutcome>, RegressError> {
        let automaton = self.encoding.automaton;
        let mut next = self.values.clone();
        for node in automaton.choice_nodes() {
            // With distances every round looks one transition further, no more.
            let known = if self.preferences.counts_distances() { &self.values } else { &next };
            let known = known.clone();
            let (encoding, preferences) = (&mut self.encoding, self.preferences);
            next[node] = back_up(encoding, preferences, node, domain, &known)?;
        }
        Ok(next)
    }

    fn keep_only(&mut self, possible: &Set) -> Result<(), RegressError> {
        for node in self.encoding.automaton.choice_nodes() {
            for set in self.values[node].iter_mut() {
                *set = set.and(possible)?;
            }
        }
        Ok(())
    }

    /// The value of a state that no invariant forbids.
    pub fn value(&self, node: NodeId, state: &Cube) -> Option<Value> {
        if let Some(outcome) = self.encoding.automaton.outcome_of(node) {
            return Some(self.preferences.goal(outcome));
        }
        let mut sets = self.values[node].iter_ids();
        let (outcome, _) = sets.find(|(_, set)| self.encoding.contains(set, state))?;
        let settled = |round: &IndexVec<NodeId, ByOutcome>| {
            self.encoding.contains(&round[node][outcome], state)
        };
        let distance = self.rounds.iter().position(settled).unwrap_or(0) as u32;
        Some(Value { outcome, distance })
    }

    /// What was found, to keep.
    pub fn policy(&self) -> DiagramPolicy {
        let Encoding { automaton, bits, .. } = &self.encoding;
        let distances = self.preferences.counts_distances();
        let mut policy =
            DiagramPolicy::new(automaton, DiagramMethod::Fixpoint, distances, bits.clone());
        let mut writer = Writer::new(&mut policy);
        self.rounds.iter().chain([&self.values]).for_each(|layer| writer.layer(layer));
        policy
    }

    /// How many regressions were performed.
    pub fn regressions(&self) -> u64 {
        self.encoding.regressions
    }

    /// The most nodes that were held at one time, garbage included.
    pub fn peak_nodes(&self) -> usize {
        self.encoding.peak
    }
}

fn same(one: &IndexVec<NodeId, ByOutcome>, other: &IndexVec<NodeId, ByOutcome>) -> bool {
    one.iter().zip(other).all(|(one, other)| one.as_slice() == other.as_slice())
}
