//! Potentials: quantities that no transition increases.
//!
//! For each variable whose values never come back once left, every value weighs as much as the
//! longest way on from it. The sum over the variables is the potential. A transition that surely
//! changes such a variable lowers it; if the others cannot lead a node back to itself, no state is
//! ever met twice, and play ends.

use gambol_index::{Id, IndexVec};

use crate::automaton::{Automaton, NodeId, TransitionId};
use crate::cube::{Cube, Layout, ValueIndex, VariableId};

/// A quantity that no transition increases.
#[derive(Clone, Debug)]
pub struct Potential {
    weights: IndexVec<VariableId, Vec<u32>>,
    falls: IndexVec<TransitionId, bool>,
    acyclic: bool,
}

impl Potential {
    /// The potential of an automaton.
    pub fn of(automaton: &Automaton) -> Self {
        let layout = &automaton.layout;
        let weights: IndexVec<VariableId, Vec<u32>> =
            layout.variables().map(|variable| weights(automaton, variable)).collect();
        let falls = automaton
            .transitions
            .iter()
            .map(|transition| {
                transition.assignments.iter().any(|&(variable, value)| {
                    let heavy = |from: ValueIndex| {
                        let weights = &weights[variable];
                        weights[usize::from(from)] > weights[usize::from(value)]
                    };
                    layout.values(&transition.guard, variable).all(heavy)
                })
            })
            .collect();
        let acyclic = never_returns(automaton, &falls);
        Self { weights, falls, acyclic }
    }

    /// Whether it proves that no state is met twice.
    pub fn is_acyclic(&self) -> bool {
        self.acyclic
    }

    /// Whether a transition surely lowers it.
    pub fn falls(&self, transition: TransitionId) -> bool {
        self.falls[transition]
    }

    /// The least and the greatest potential of the states of a cube.
    pub fn range(&self, layout: &Layout, cube: &Cube) -> (u32, u32) {
        let mut range = (0, 0);
        for (variable, weights) in self.weights.iter_ids() {
            let allowed = || layout.values(cube, variable).map(|value| weights[usize::from(value)]);
            range.0 += allowed().min().unwrap_or(0);
            range.1 += allowed().max().unwrap_or(0);
        }
        range
    }
}

/// The length of the longest way on from each value; all zero if a value can come back.
fn weights(automaton: &Automaton, variable: VariableId) -> Vec<u32> {
    let size = usize::from(automaton.layout.size(variable));
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); size];
    for transition in &automaton.transitions {
        for &(assigned, value) in &transition.assignments {
            if assigned == variable {
                let from = automaton.layout.values(&transition.guard, variable);
                from.filter(|&from| from != value)
                    .for_each(|from| next[usize::from(from)].push(usize::from(value)));
            }
        }
    }
    longest_ways(&mut next).unwrap_or_else(|| vec![0; size])
}

/// By repeated removal of what has no way on.
fn longest_ways(next: &mut [Vec<usize>]) -> Option<Vec<u32>> {
    next.iter_mut().for_each(|list| {
        list.sort_unstable();
        list.dedup();
    });
    let mut ways: Vec<Option<u32>> = vec![None; next.len()];
    loop {
        let mut changed = false;
        for value in 0..next.len() {
            let known: Option<Vec<u32>> = next[value].iter().map(|&to| ways[to]).collect();
            if let (None, Some(known)) = (ways[value], known) {
                ways[value] = Some(known.into_iter().max().map_or(0, |most| most + 1));
                changed = true;
            }
        }
        if !changed {
            return ways.into_iter().collect();
        }
    }
}

/// Whether the transitions that keep the potential cannot lead a node back to itself.
fn never_returns(automaton: &Automaton, falls: &IndexVec<TransitionId, bool>) -> bool {
    let mut edges: Vec<(NodeId, NodeId)> = Vec::new();
    for node in automaton.choice_nodes() {
        let level = automaton.transitions_of(node).filter(|&id| !falls[id]);
        edges.extend(level.map(|id| (node, automaton.transitions[id].target)));
    }
    let loops = edges.iter().any(|(from, to)| from == to);
    !loops && is_acyclic(automaton.nodes.len(), &edges)
}

fn is_acyclic(nodes: usize, edges: &[(NodeId, NodeId)]) -> bool {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    edges.iter().for_each(|(from, to)| next[from.index()].push(to.index()));
    longest_ways(&mut next).is_some()
}
