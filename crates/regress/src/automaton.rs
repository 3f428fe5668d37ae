//! Automata whose transitions read and write variables.
//!
//! A node belongs to the agent that acts there, or is a goal with one outcome. A transition has a
//! guard (a cube), assignments and a target. At a node the transitions stand in priority groups:
//! those can be taken whose guard holds in the first group that has any.

use gambol_index::{Id, IndexVec, define_id};
use std::ops::Range;

use crate::cube::{Cube, Layout, ValueIndex, VariableId};
use crate::quote::quote;

define_id! {
    /// A node of an automaton.
    pub struct NodeId;
    /// A transition of an automaton.
    pub struct TransitionId;
    /// An outcome of an automaton.
    pub struct OutcomeId;
    /// An agent of an automaton.
    pub struct AgentId;
}

/// A variable and the names of its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Box<str>,
    /// What it can be.
    pub values: Vec<Box<str>>,
}

/// How things can end, and what that is worth to each agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Its name.
    pub name: Box<str>,
    /// One reward per agent.
    pub rewards: IndexVec<AgentId, i64>,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// An agent chooses a transition.
    Choice(AgentId),
    /// The end.
    Goal(OutcomeId),
}

/// A node and its transitions, highest priority first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its name.
    pub name: Box<str>,
    /// What it is.
    pub kind: NodeKind,
    /// Where each priority group begins in the automaton's list of transitions, and where the last
    /// one ends.
    pub(crate) groups: Vec<u32>,
}

/// A way from a node to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The name of the move; several transitions may share one.
    pub name: Box<str>,
    /// Where it leads.
    pub target: NodeId,
    /// When it can be taken.
    pub guard: Cube,
    /// What it assigns.
    pub assignments: Vec<(VariableId, ValueIndex)>,
    /// All bits of the assigned variables.
    cleared: Cube,
    /// The bits of the assigned values.
    set: Cube,
}

impl Transition {
    /// A transition; of several assignments to one variable the last counts.
    pub fn new(
        layout: &Layout,
        name: &str,
        target: NodeId,
        guard: Cube,
        assignments: Vec<(VariableId, ValueIndex)>,
    ) -> Self {
        let (mut cleared, mut set) = (layout.nothing().clone(), layout.nothing().clone());
        for &(variable, value) in &assignments {
            layout.free(&mut cleared, variable);
            layout.fix(&mut set, variable, value);
        }
        Self { name: name.into(), target, guard, assignments, cleared, set }
    }

    /// The state after the assignments.
    #[inline]
    pub fn apply(&self, state: &Cube) -> Cube {
        state.without(&self.cleared).or(&self.set)
    }

    /// The states that the assignments lead into a cube, wherever the guard holds.
    #[inline]
    pub fn regress(&self, cube: &Cube) -> Option<Cube> {
        self.set.is_within(cube).then(|| cube.or(&self.cleared))
    }
}

/// A term that is true in some states of the game an automaton was made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The term, in prefix form.
    pub term: Box<str>,
    /// Where it is true.
    pub place: FactPlace,
}

/// Where a term of a game is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactPlace {
    /// In every state.
    Always,
    /// At a node.
    Node(NodeId),
    /// Where a variable has a value.
    Value(VariableId, ValueIndex),
}

/// An automaton M = (Q, Σ, k, δ, s, F).
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What it is called.
    pub name: Box<str>,
    /// Who acts.
    pub agents: IndexVec<AgentId, Box<str>>,
    /// The variables.
    pub variables: IndexVec<VariableId, Variable>,
    /// The outcomes. The last is that of play without end.
    pub outcomes: IndexVec<OutcomeId, Outcome>,
    /// The nodes.
    pub nodes: IndexVec<NodeId, Node>,
    /// The transitions, by node and priority.
    pub transitions: IndexVec<TransitionId, Transition>,
    /// The node at the start.
    pub start_node: NodeId,
    /// The values at the start.
    pub start: Cube,
    /// Cubes that no state met in play is in.
    pub forbidden: Vec<Cube>,
    /// The terms of the game it was made of that can be true; none if it was not made of a game.
    pub facts: Vec<Fact>,
    /// How cubes are packed.
    pub layout: Layout,
}

impl Automaton {
    /// The outcome of play without end.
    pub fn endless(&self) -> OutcomeId {
        OutcomeId::from_index(self.outcomes.len() - 1)
    }

    /// The outcome of a goal node.
    pub fn outcome_of(&self, node: NodeId) -> Option<OutcomeId> {
        match self.nodes[node].kind {
            NodeKind::Goal(outcome) => Some(outcome),
            NodeKind::Choice(_) => None,
        }
    }

    /// Who acts at a node.
    pub fn agent_of(&self, node: NodeId) -> Option<AgentId> {
        match self.nodes[node].kind {
            NodeKind::Choice(agent) => Some(agent),
            NodeKind::Goal(_) => None,
        }
    }

    /// The choice nodes: those at which an agent acts.
    pub fn choice_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.ids().filter(|&node| self.agent_of(node).is_some())
    }

    /// How many priority groups a node has.
    pub fn group_count(&self, node: NodeId) -> usize {
        self.nodes[node].groups.len().saturating_sub(1)
    }

    /// The transitions of one priority group of a node.
    pub fn group(&self, node: NodeId, group: usize) -> impl Iterator<Item = TransitionId> + use<> {
        let groups = &self.nodes[node].groups;
        ids(groups[group]..groups[group + 1])
    }

    /// The transitions of a node in the groups before this one.
    pub fn above(&self, node: NodeId, group: usize) -> impl Iterator<Item = TransitionId> + use<> {
        let groups = &self.nodes[node].groups;
        ids(groups[0]..groups[group])
    }

    /// All transitions of a node.
    pub fn transitions_of(&self, node: NodeId) -> impl Iterator<Item = TransitionId> + use<> {
        let groups = &self.nodes[node].groups;
        let range = groups.first().zip(groups.last()).map_or(0..0, |(&first, &last)| first..last);
        ids(range)
    }

    /// The first group with a guard that holds. The number of groups if there is none.
    pub fn group_at(&self, node: NodeId, state: &Cube) -> usize {
        let holds = |group: &usize| {
            self.group(node, *group).any(|id| state.is_within(&self.transitions[id].guard))
        };
        let count = self.group_count(node);
        (0..count).find(holds).unwrap_or(count)
    }

    /// The transitions that can be taken.
    pub fn available(&self, node: NodeId, state: &Cube) -> Vec<TransitionId> {
        let group = self.group_at(node, state);
        if group == self.group_count(node) {
            return Vec::new();
        }
        let holds = |id: &TransitionId| state.is_within(&self.transitions[*id].guard);
        self.group(node, group).filter(holds).collect()
    }

    /// The group a transition of a node belongs to.
    pub fn group_of(&self, node: NodeId, id: TransitionId) -> usize {
        self.nodes[node].groups.partition_point(|&start| start <= id.number()) - 1
    }

    /// Whether no invariant forbids a state.
    pub fn is_possible(&self, state: &Cube) -> bool {
        !self.forbidden.iter().any(|cube| state.is_within(cube))
    }

    /// A state in words: the node and what each variable is. [`read_state`](crate::read_state) reads it back.
    pub fn describe(&self, node: NodeId, state: &Cube) -> String {
        let values = self.variables.iter_ids().map(|(id, variable)| {
            let value = &variable.values[usize::from(self.layout.value(state, id))];
            format!(" {}={}", quote(&variable.name), quote(value))
        });
        std::iter::once(quote(&self.nodes[node].name)).chain(values).collect()
    }
}

fn ids(range: Range<u32>) -> impl Iterator<Item = TransitionId> {
    range.map(TransitionId::new)
}
