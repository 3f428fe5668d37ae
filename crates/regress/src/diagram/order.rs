//! An order of the variables in which those that occur together stand together.
//!
//! The guards and assignments of the transitions are the edges of a hypergraph. Starting from
//! several orders each variable is moved to the mean place of the edges it is on until the sum of
//! the edges' spans no longer falls (the FORCE heuristic); the best order found is kept.

use gambol_index::{Id, IndexVec};

use crate::automaton::Automaton;
use crate::cube::VariableId;

/// The variables, first those that are tested first.
pub fn variable_order(automaton: &Automaton) -> Vec<VariableId> {
    let edges = edges(automaton);
    let given: Vec<VariableId> = automaton.layout.variables().collect();
    let starts = [given.clone(), breadth_first(&given, &edges)];
    let improved = starts.into_iter().flat_map(|start| {
        let moved = moved_together(start.clone(), &edges);
        [start, moved]
    });
    improved.min_by_key(|order| cost(order, &edges)).unwrap_or(given)
}

/// The sets of variables that occur in one transition, with how often they do.
fn edges(automaton: &Automaton) -> Vec<(Vec<VariableId>, u64)> {
    let layout = &automaton.layout;
    let mut edges: Vec<Vec<VariableId>> = Vec::new();
    for transition in &automaton.transitions {
        let assigned = transition.assignments.iter().map(|&(variable, _)| variable);
        let read = layout.variables().filter(|&v| layout.constrains(&transition.guard, v));
        let mut edge: Vec<VariableId> = assigned.chain(read).collect();
        edge.sort_unstable();
        edge.dedup();
        edges.push(edge);
    }
    edges.retain(|edge| edge.len() > 1);
    edges.sort_unstable();
    let groups = edges.chunk_by(|one, other| one == other);
    groups.map(|group| (group[0].clone(), group.len() as u64)).collect()
}

fn places(order: &[VariableId]) -> IndexVec<VariableId, u64> {
    let mut places = IndexVec::filled(0, order.len());
    order.iter().enumerate().for_each(|(place, &variable)| places[variable] = place as u64);
    places
}

/// The sum of the edges' spans.
fn cost(order: &[VariableId], edges: &[(Vec<VariableId>, u64)]) -> u64 {
    let places = places(order);
    let span = |edge: &[VariableId]| {
        let at = || edge.iter().map(|&variable| places[variable]);
        at().max().unwrap_or(0) - at().min().unwrap_or(0)
    };
    edges.iter().map(|(edge, weight)| weight * span(edge)).sum()
}

/// Neighbours after neighbours, from the variable on the fewest edges.
fn breadth_first(variables: &[VariableId], edges: &[(Vec<VariableId>, u64)]) -> Vec<VariableId> {
    let mut beside: IndexVec<VariableId, Vec<VariableId>> =
        IndexVec::filled(Vec::new(), variables.len());
    // Short edges first: they bind more tightly.
    let mut sorted: Vec<&(Vec<VariableId>, u64)> = edges.iter().collect();
    sorted.sort_by_key(|(edge, _)| edge.len());
    for (edge, _) in sorted {
        for &variable in edge {
            beside[variable].extend(edge.iter().filter(|&&other| other != variable));
        }
    }
    let mut by_degree = variables.to_vec();
    by_degree.sort_by_key(|&variable| beside[variable].len());
    let (mut order, mut done) = (Vec::new(), vec![false; variables.len()]);
    for &root in &by_degree {
        let mut next = order.len();
        if !std::mem::replace(&mut done[root.index()], true) {
            order.push(root);
        }
        while let Some(&variable) = order.get(next) {
            next += 1;
            for &other in &beside[variable] {
                if !std::mem::replace(&mut done[other.index()], true) {
                    order.push(other);
                }
            }
        }
    }
    order
}

fn moved_together(mut order: Vec<VariableId>, edges: &[(Vec<VariableId>, u64)]) -> Vec<VariableId> {
    let mut best = (cost(&order, edges), order.clone());
    let mut idle = 0;
    while idle < 5 {
        order = pulled(&order, edges);
        let cost = cost(&order, edges);
        idle += 1;
        if cost < best.0 {
            best = (cost, order.clone());
            idle = 0;
        }
    }
    best.1
}

/// Every variable at the mean of the centres of its edges.
fn pulled(order: &[VariableId], edges: &[(Vec<VariableId>, u64)]) -> Vec<VariableId> {
    let places = places(order);
    let mut pull: IndexVec<VariableId, (f64, f64)> = IndexVec::filled((0.0, 0.0), order.len());
    for (edge, weight) in edges {
        let sum: u64 = edge.iter().map(|&variable| places[variable]).sum();
        let centre = sum as f64 / edge.len() as f64;
        for &variable in edge {
            pull[variable].0 += centre * *weight as f64;
            pull[variable].1 += *weight as f64;
        }
    }
    let mut keyed: Vec<(f64, VariableId)> = order
        .iter()
        .map(|&variable| {
            let (sum, weight) = pull[variable];
            let place = if weight > 0.0 { sum / weight } else { places[variable] as f64 };
            (place, variable)
        })
        .collect();
    keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
    keyed.into_iter().map(|(_, variable)| variable).collect()
}
