//! Fewer and shorter rules for the same policy, read off a fixpoint.
//!
//! A decision list: for each outcome, the agent's best first, and each transition the states in which
//! it attains the outcome are written as an irredundant cover, and what an earlier rule has taken a
//! later one may cover again. For automata in which no state is met twice: where play can return,
//! rules that ignore distances could lead in circles.

use oxidd::BooleanFunction;

use super::cubes;
use super::encode::Set;
use super::fixpoint::Fixpoint;
use crate::automaton::{NodeId, OutcomeId, TransitionId};
use crate::class::ClassStore;
use crate::cube::Cube;
use crate::error::RegressError;
use crate::value::Value;

/// Rules of one transition, for one outcome.
type Rules = (OutcomeId, TransitionId, Vec<Cube>);

impl Fixpoint<'_> {
    /// A decision list for every node and group, with at most this many rules.
    pub fn compressed(&mut self, most: usize) -> Result<ClassStore, RegressError> {
        let automaton = self.encoding.automaton;
        let mut store = ClassStore::new(automaton);
        for node in automaton.choice_nodes() {
            let mut above = self.encoding.nothing();
            for group in 0..automaton.group_count(node) {
                let mut free = above.or(&self.impossible)?;
                let mut rules = Vec::new();
                let agent = automaton.agent_of(node).expect("somebody acts at a choice");
                for outcome in self.preferences.ranking(agent) {
                    let left = most.saturating_sub(store.len());
                    self.add_rules(node, group, outcome, &mut free, left, &mut rules)?;
                }
                // The newest is consulted first.
                let list = store.list(node, group);
                for (outcome, id, cubes) in rules.into_iter().rev() {
                    let value = Value { outcome, distance: 0 };
                    cubes.into_iter().rev().for_each(|cube| {
                        store.push(list, value, cube, Vec::new(), Some(id));
                    });
                }
                above = above.or(&self.encoding.group_guard(node, group)?)?;
            }
        }
        Ok(store)
    }

    /// Rules for the states of one outcome in which a group is in effect. In `free` states, which a
    /// group above or an earlier rule has, or which are impossible, they may say what they like.
    fn add_rules(
        &mut self,
        node: NodeId,
        group: usize,
        outcome: OutcomeId,
        free: &mut Set,
        most: usize,
        rules: &mut Vec<Rules>,
    ) -> Result<(), RegressError> {
        let automaton = self.encoding.automaton;
        let worth = self.unrestricted[node][outcome].clone();
        for id in automaton.group(node, group) {
            let target = automaton.transitions[id].target;
            let next = self.unrestricted[target][outcome].clone();
            let leads = self.encoding.regress(id, &next)?.and(self.encoding.guard(id))?;
            let attains = free.imp_strict(&leads.and(&worth)?)?;
            let found = cubes::cubes(&self.encoding, &attains, &attains.or(free)?, most)?;
            if !found.is_empty() {
                rules.push((outcome, id, found));
            }
            *free = free.or(&attains)?;
            self.encoding.look()?;
        }
        Ok(())
    }
}
