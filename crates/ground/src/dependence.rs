//! Which relations depend on the state or the moves, and in which order relations can be built.

use gambol_index::{Components, Graph, IndexVec};
use gambol_syntax::keyword;

use crate::program::{Key, Program, RelationId, Sign, shaped_argument};

/// For each relation, whether it must become part of the circuit: it depends on `true` or `does`, or
/// on its own negation as far as names tell (the ground rules then decide whether that is real).
pub(crate) fn dynamic_relations(program: &Program) -> IndexVec<RelationId, bool> {
    let graph = dependencies(program);
    let mut dynamic: IndexVec<RelationId, bool> =
        program.relations.iter().map(|info| reads_play(info.key)).collect();
    mark_self_negating(program, &graph, &mut dynamic);
    spread(&graph, &mut dynamic);
    dynamic
}

fn reads_play(key: Key) -> bool {
    match key {
        Key::Shape(name, ..) => matches!(name, keyword::TRUE | keyword::DOES),
        Key::Named(name, arity) => {
            matches!((name, arity), (keyword::TRUE, 1) | (keyword::DOES, 2))
        }
        Key::Auxiliary(_) => false,
    }
}

/// Relations as nodes; an edge from each head to every relation of its body, and between a game
/// relation's shapes and its open relation.
pub(crate) fn dependencies(program: &Program) -> Graph {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    let mut open_heads: Vec<RelationId> = Vec::new();
    for rule in &program.rules {
        edges.extend(
            rule.body.iter().map(|literal| (rule.head.number(), literal.relation.number())),
        );
        if let Key::Named(..) = program.relations[rule.head].key {
            open_heads.push(rule.head);
        }
    }
    open_heads.sort_unstable();
    for (open, info) in program.relations.iter_ids() {
        let Key::Named(name, arity) = info.key else { continue };
        if shaped_argument(name, arity as usize).is_none() {
            continue;
        }
        for (shape, ..) in program.shapes_of(name) {
            edges.push((open.number(), shape.number()));
            if open_heads.binary_search(&open).is_ok() {
                edges.push((shape.number(), open.number()));
            }
        }
    }
    Graph::from_edges(program.relations.len(), &edges)
}

fn mark_self_negating(program: &Program, graph: &Graph, dynamic: &mut IndexVec<RelationId, bool>) {
    let components = Components::of(graph);
    for rule in &program.rules {
        let component = components.component_of(rule.head.number());
        let negates_itself = rule.body.iter().any(|literal| {
            literal.sign == Sign::Negative
                && components.component_of(literal.relation.number()) == component
        });
        if negates_itself {
            for &member in components.members(component) {
                dynamic[RelationId::new(member)] = true;
            }
        }
    }
}

fn spread(graph: &Graph, dynamic: &mut IndexVec<RelationId, bool>) {
    // Components come dependencies first, so one pass is enough.
    let components = Components::of(graph);
    for members in components.iter() {
        let reached = members.iter().any(|&member| {
            dynamic[RelationId::new(member)]
                || graph.successors(member).iter().any(|&to| dynamic[RelationId::new(to)])
        });
        if reached {
            for &member in members {
                dynamic[RelationId::new(member)] = true;
            }
        }
    }
}
