//! Automata in the making.

use gambol_index::IndexVec;

use crate::automaton::{
    AgentId, Automaton, Fact, Node, NodeId, Outcome, OutcomeId, Transition, Variable,
};
use crate::cube::{Cube, Layout, VariableId};

/// A transition and where it belongs.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) node: NodeId,
    pub(crate) group: usize,
    pub(crate) transition: Transition,
}

/// The parts of an automaton, transitions in any order.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) agents: IndexVec<AgentId, Box<str>>,
    pub(crate) variables: IndexVec<VariableId, Variable>,
    pub(crate) outcomes: IndexVec<OutcomeId, Outcome>,
    pub(crate) endless: IndexVec<AgentId, i64>,
    pub(crate) nodes: IndexVec<NodeId, Node>,
    pub(crate) moves: Vec<Move>,
    pub(crate) start: Option<(NodeId, Cube)>,
    pub(crate) forbidden: Vec<Cube>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) layout: Layout,
}

impl Draft {
    pub(crate) fn new(name: &str, layout: Layout) -> Self {
        Self {
            name: name.to_string(),
            agents: IndexVec::new(),
            variables: IndexVec::new(),
            outcomes: IndexVec::new(),
            endless: IndexVec::new(),
            nodes: IndexVec::new(),
            moves: Vec::new(),
            start: None,
            forbidden: Vec::new(),
            facts: Vec::new(),
            layout,
        }
    }

    /// Sorts the transitions by node and group. A draft has a start when it is finished.
    pub(crate) fn finish(mut self) -> Automaton {
        self.moves.sort_by_key(|one| (one.node, one.group));
        let mut transitions = IndexVec::new();
        let mut moves = self.moves.into_iter().peekable();
        for (id, node) in self.nodes.ids().zip(self.nodes.iter_mut()) {
            node.groups = vec![transitions.len() as u32];
            let mut group = None;
            while let Some(one) = moves.next_if(|one| one.node == id) {
                if group.is_some_and(|group| group != one.group) {
                    node.groups.push(transitions.len() as u32);
                }
                group = Some(one.group);
                transitions.push(one.transition);
            }
            if group.is_some() {
                node.groups.push(transitions.len() as u32);
            }
        }
        self.outcomes.push(Outcome { name: "endless".into(), rewards: self.endless });
        let (start_node, start) = self
            .start
            .unwrap_or((NodeId::new(0), self.layout.first_state(self.layout.everything())));
        Automaton {
            name: self.name.into(),
            agents: self.agents,
            variables: self.variables,
            outcomes: self.outcomes,
            nodes: self.nodes,
            transitions,
            start_node,
            start,
            forbidden: self.forbidden,
            facts: self.facts,
            layout: self.layout,
        }
    }
}

/// What play without end is worth if nothing is said: to a single agent less than any outcome, to
/// several the middle between each one's worst and best.
pub(crate) fn default_endless(
    agents: &IndexVec<AgentId, Box<str>>,
    outcomes: &IndexVec<OutcomeId, Outcome>,
) -> IndexVec<AgentId, i64> {
    let middle = |agent| {
        let rewards = || outcomes.iter().map(move |outcome: &Outcome| outcome.rewards[agent]);
        let (worst, best) = (rewards().min().unwrap_or(0), rewards().max().unwrap_or(0));
        if agents.len() == 1 { worst - 1 } else { (worst + best).div_euclid(2) }
    };
    agents.ids().map(middle).collect()
}
