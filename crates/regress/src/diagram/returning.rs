//! Classes where play can return, read off a fixpoint.
//!
//! A state that settles in round `d` has a transition to one that settled in round `d - 1` with the
//! same outcome: the winner's quickest way, or the loser's longest. For each transition those states
//! are written as cubes; together with the transition, each is a class. A policy made of them makes
//! progress with every step. What neither side can force has no class.

use oxidd::BooleanFunction;

use super::cubes;
use super::encode::Set;
use super::fixpoint::Fixpoint;
use crate::automaton::{NodeId, OutcomeId};
use crate::class::ClassStore;
use crate::error::RegressError;
use crate::value::Value;

impl Fixpoint<'_> {
    /// The classes of all decided states. The fixpoint must have counted distances.
    pub fn classes(&mut self, most: usize, distances: bool) -> Result<ClassStore, RegressError> {
        let automaton = self.encoding.automaton;
        let mut store = ClassStore::new(automaton);
        let endless = self.preferences.endless().outcome;
        // Later classes are found first, and shorter distances are wanted first.
        for round in (1..self.rounds.len()).rev() {
            for node in automaton.choice_nodes() {
                for outcome in self.preferences.outcomes().filter(|&outcome| outcome != endless) {
                    let value = Value { outcome, distance: round as u32 };
                    self.classes_of(node, value, most, distances, &mut store)?;
                }
            }
        }
        Ok(store)
    }

    /// The states that settle in a round.
    fn settled(&self, node: NodeId, outcome: OutcomeId, round: usize) -> Result<Set, RegressError> {
        let now = &self.rounds[round][node][outcome];
        match round.checked_sub(1) {
            None => Ok(now.clone()),
            Some(before) => Ok(self.rounds[before][node][outcome].imp_strict(now)?),
        }
    }

    fn classes_of(
        &mut self,
        node: NodeId,
        value: Value,
        most: usize,
        distances: bool,
        store: &mut ClassStore,
    ) -> Result<(), RegressError> {
        let automaton = self.encoding.automaton;
        let round = value.distance as usize;
        let mut open = self.settled(node, value.outcome, round)?;
        if !open.satisfiable() {
            return Ok(());
        }
        let mut above = self.encoding.nothing();
        for group in 0..automaton.group_count(node) {
            for id in automaton.group(node, group) {
                let target = automaton.transitions[id].target;
                let next = self.settled(target, value.outcome, round - 1)?;
                let guard = self.encoding.guard(id).clone();
                let leads = self.encoding.regress(id, &next)?.and(&guard)?;
                let here = above.imp_strict(&open.and(&leads)?)?;
                // Where a higher group is in effect the class is not asked.
                let upper = here.or(&above)?.or(&self.impossible)?;
                let most = most.saturating_sub(store.len());
                let list = store.list(node, group);
                let kept = Value { distance: if distances { value.distance } else { 0 }, ..value };
                for cube in cubes::cubes(&self.encoding, &here, &upper, most)? {
                    store.push(list, kept, cube, Vec::new(), Some(id));
                }
                open = here.imp_strict(&open)?;
                self.encoding.look()?;
            }
            above = above.or(&self.encoding.group_guard(node, group)?)?;
        }
        Ok(())
    }
}
