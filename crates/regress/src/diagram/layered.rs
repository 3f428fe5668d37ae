//! Layers: forward from the start to the states met after one, two, … transitions, then backward.
//!
//! For automata in which no state is met twice. Only states that are met are decided.

use gambol_index::IndexVec;
use oxidd::BooleanFunction;

use super::encode::{Encoding, Set, per_node, shared_size};
use super::sets::{ByOutcome, back_up, goal_states, no_states};
use super::table::{DiagramMethod, DiagramPolicy, Writer};
use crate::automaton::{Automaton, NodeId};
use crate::cube::Cube;
use crate::error::RegressError;
use crate::limits::{Limits, Progress};
use crate::potential::Potential;
use crate::value::{Preferences, Value};

/// The states met in play, by depth, node and outcome.
pub struct Layered<'a> {
    encoding: Encoding<'a>,
    preferences: &'a Preferences,
    reached: Vec<IndexVec<NodeId, Set>>,
    values: Vec<IndexVec<NodeId, ByOutcome>>,
    /// How many states are met in play, goals left out.
    pub states: f64,
    /// The nodes of the diagrams that hold the values.
    pub nodes: usize,
}

/// Decides all states met in play.
pub fn regress_in_layers<'a>(
    automaton: &'a Automaton,
    preferences: &'a Preferences,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Layered<'a>, RegressError> {
    if preferences.counts_distances() {
        return Err(RegressError::Distances);
    }
    if !Potential::of(automaton).is_acyclic() {
        return Err(RegressError::Endless);
    }
    let encoding = Encoding::new(automaton, limits)?;
    let (reached, values) = (Vec::new(), Vec::new());
    let mut layered = Layered { encoding, preferences, reached, values, states: 0.0, nodes: 0 };
    layered.go_forward(watch)?;
    layered.go_backward(watch)?;
    let sets = layered.values.iter().flatten().flatten();
    layered.nodes = shared_size(sets);
    Ok(layered)
}

impl Layered<'_> {
    fn go_forward(&mut self, watch: &mut dyn FnMut(&Progress)) -> Result<(), RegressError> {
        let automaton = self.encoding.automaton;
        let mut layer = per_node(&self.encoding);
        layer[automaton.start_node] = self.encoding.cube(&automaton.start)?;
        while automaton.choice_nodes().any(|node| layer[node].satisfiable()) {
            let next = self.successors(&layer)?;
            let choices = automaton.choice_nodes();
            self.states += choices.map(|node| self.encoding.count(&layer[node])).sum::<f64>();
            self.reached.push(layer);
            layer = next;
            self.report(None, watch);
        }
        Ok(())
    }

    fn successors(
        &mut self,
        layer: &IndexVec<NodeId, Set>,
    ) -> Result<IndexVec<NodeId, Set>, RegressError> {
        let automaton = self.encoding.automaton;
        let mut next = per_node(&self.encoding);
        for node in automaton.choice_nodes() {
            let mut rest = layer[node].clone();
            for group in 0..automaton.group_count(node) {
                let guard = self.encoding.group_guard(node, group)?;
                for id in automaton.group(node, group) {
                    let target = automaton.transitions[id].target;
                    // What happens at a goal no longer matters.
                    if automaton.outcome_of(target).is_none() {
                        let from = rest.and(self.encoding.guard(id))?;
                        let to = self.encoding.progress(id, &from)?;
                        next[target] = next[target].or(&to)?;
                    }
                    self.encoding.look()?;
                }
                rest = guard.imp_strict(&rest)?;
            }
        }
        Ok(next)
    }

    fn go_backward(&mut self, watch: &mut dyn FnMut(&Progress)) -> Result<(), RegressError> {
        let automaton = self.encoding.automaton;
        let leaf = |encoding: &Encoding<'_>, node| match automaton.outcome_of(node) {
            Some(outcome) => goal_states(encoding, self.preferences, outcome),
            None => no_states(encoding),
        };
        let leaves: IndexVec<NodeId, ByOutcome> =
            automaton.nodes.ids().map(|node| leaf(&self.encoding, node)).collect();
        let mut later = leaves.clone();
        let depth = self.reached.len();
        for place in (0..depth).rev() {
            let mut layer = leaves.clone();
            for node in automaton.choice_nodes() {
                let domain = self.reached[place][node].clone();
                if domain.satisfiable() {
                    let (encoding, preferences) = (&mut self.encoding, self.preferences);
                    layer[node] = back_up(encoding, preferences, node, &domain, &later)?;
                }
            }
            self.values.push(layer.clone());
            later = layer;
            self.report(Some(1.0 - place as f64 / depth as f64), watch);
        }
        self.values.reverse();
        Ok(())
    }

    fn report(&self, share: Option<f64>, watch: &mut dyn FnMut(&Progress)) {
        watch(&self.encoding.progress_report(share));
    }

    /// The value of a state that is met in play.
    pub fn value(&self, node: NodeId, state: &Cube) -> Option<Value> {
        if let Some(outcome) = self.encoding.automaton.outcome_of(node) {
            return Some(self.preferences.goal(outcome));
        }
        let met = |place: &usize| self.encoding.contains(&self.reached[*place][node], state);
        let place = (0..self.reached.len()).find(met)?;
        let sets = self.values[place][node].iter_ids();
        let mut outcomes = sets.filter(|(_, set)| self.encoding.contains(set, state));
        outcomes.next().map(|(outcome, _)| Value { outcome, distance: 0 })
    }

    /// What was found, to keep.
    pub fn policy(&self) -> DiagramPolicy {
        let Encoding { automaton, bits, .. } = &self.encoding;
        let mut policy = DiagramPolicy::new(automaton, DiagramMethod::Layers, false, bits.clone());
        let mut writer = Writer::new(&mut policy);
        self.values.iter().for_each(|layer| writer.layer(layer));
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
