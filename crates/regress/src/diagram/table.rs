//! Diagrams as a table: the result of a run, without the decision-diagram library.
//!
//! A row tests one bit and names the next row; a row number with a complement mark is a set of states. A state is
//! looked up in as many steps as it has bits.
//!
//! A row tests one bit and says where to go on; a place in the table with a mark for "the opposite"
//! is a set of states. A state is looked up in as many steps as it has bits.

use gambol_index::IndexVec;
use oxidd::{BooleanFunction, Function, Manager};
use rustc_hash::FxHashMap;

use super::encode::Set;
use super::sets::ByOutcome;
use crate::automaton::{Automaton, NodeId, OutcomeId, TransitionId};
use crate::cube::{Cube, VariableId};
use crate::value::{Preferences, Value};

/// How the diagrams were made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiagramMethod {
    /// The states met in play, by depth.
    Layers,
    /// All states that the invariants allow.
    Fixpoint,
}

impl DiagramMethod {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Layers => "layers",
            Self::Fixpoint => "fixpoint",
        }
    }
}

/// A set of states: twice the place of its first row, and one more for the states that are not in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge(pub(crate) u32);

/// All states.
pub(crate) const EVERYTHING: Edge = Edge(0);

/// Tests one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub(crate) bit: u32,
    pub(crate) high: Edge,
    pub(crate) low: Edge,
}

/// The sets of one layer, by node and outcome.
pub(crate) type Layer = IndexVec<NodeId, IndexVec<OutcomeId, Edge>>;

/// A policy held in decision diagrams.
#[derive(Clone, Debug)]
pub struct DiagramPolicy {
    /// The automaton.
    pub automaton: Automaton,
    /// How it was found.
    pub method: DiagramMethod,
    /// Whether distances count.
    pub distances: bool,
    preferences: Preferences,
    /// The first bit of each variable and how many it has.
    pub(crate) bits: IndexVec<VariableId, (u32, u32)>,
    /// The first row stands for all states.
    pub(crate) rows: Vec<Row>,
    pub(crate) layers: Vec<Layer>,
}

impl DiagramPolicy {
    pub(crate) fn new(
        automaton: &Automaton,
        method: DiagramMethod,
        distances: bool,
        bits: IndexVec<VariableId, (u32, u32)>,
    ) -> Self {
        Self {
            preferences: Preferences::of(automaton, distances),
            automaton: automaton.clone(),
            method,
            distances,
            bits,
            rows: vec![Row { bit: 0, high: EVERYTHING, low: EVERYTHING }],
            layers: Vec::new(),
        }
    }

    /// How many rows the table has.
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// The value of a state; `None` if the policy does not decide it.
    pub fn value(&self, node: NodeId, state: &Cube) -> Option<Value> {
        if let Some(outcome) = self.automaton.outcome_of(node) {
            return Some(self.preferences.goal(outcome));
        }
        let bits = self.bits_of(state);
        let found = |layer: &Layer| {
            let mut sets = layer[node].iter_ids();
            sets.find(|(_, set)| self.contains(**set, &bits)).map(|(outcome, _)| outcome)
        };
        match self.method {
            DiagramMethod::Layers => {
                let outcome = self.layers.iter().find_map(found)?;
                Some(Value { outcome, distance: 0 })
            }
            DiagramMethod::Fixpoint => {
                let (last, rounds) = self.layers.split_last()?;
                let outcome = found(last)?;
                let settled = |round: &Layer| self.contains(round[node][outcome], &bits);
                let distance = rounds.iter().position(settled).unwrap_or(0) as u32;
                Some(Value { outcome, distance })
            }
        }
    }

    /// The first transition that attains the value of a state.
    pub fn best(&self, node: NodeId, state: &Cube) -> Option<TransitionId> {
        let value = self.value(node, state)?;
        let attains = |id: &TransitionId| {
            let transition = &self.automaton.transitions[*id];
            let next = self.value(transition.target, &transition.apply(state));
            next.map(|next| self.preferences.before(next)) == Some(value)
        };
        self.automaton.available(node, state).into_iter().find(attains)
    }

    fn bits_of(&self, state: &Cube) -> Vec<bool> {
        let last = self.bits.iter().map(|&(first, count)| first + count).max();
        let mut bits = vec![false; last.unwrap_or(0) as usize];
        for (variable, &(first, count)) in self.bits.iter_ids() {
            let value = self.automaton.layout.value(state, variable);
            (0..count).for_each(|bit| bits[(first + bit) as usize] = value >> bit & 1 == 1);
        }
        bits
    }

    fn contains(&self, mut set: Edge, bits: &[bool]) -> bool {
        let mut opposite = set.0 & 1;
        while set.0 > 1 {
            let row = &self.rows[(set.0 / 2) as usize];
            set = if bits[row.bit as usize] { row.high } else { row.low };
            opposite ^= set.0 & 1;
        }
        opposite == 0
    }
}

/// Writes sets down, rows that they share once.
pub(crate) struct Writer<'p> {
    policy: &'p mut DiagramPolicy,
    places: FxHashMap<usize, u32>,
}

impl<'p> Writer<'p> {
    pub(crate) fn new(policy: &'p mut DiagramPolicy) -> Self {
        Self { policy, places: FxHashMap::default() }
    }

    /// Adds a layer. Nothing is known of goals but what they are.
    pub(crate) fn layer(&mut self, layer: &IndexVec<NodeId, ByOutcome>) {
        let automaton = self.policy.automaton.clone();
        let edges = layer.iter_ids().map(|(node, sets)| {
            let is_goal = automaton.outcome_of(node).is_some();
            sets.iter().map(|set| if is_goal { EVERYTHING } else { self.set(set) }).collect()
        });
        let edges = edges.collect();
        self.policy.layers.push(edges);
    }

    /// The place of a set; the rows below it come first.
    fn set(&mut self, set: &Set) -> Edge {
        let mut open = vec![set.clone()];
        while let Some(set) = open.last().cloned() {
            let (id, _) = identity(&set);
            let Some((high, low)) = cofactors(&set).filter(|_| !self.places.contains_key(&id))
            else {
                open.pop();
                continue;
            };
            match (self.known(&high), self.known(&low)) {
                (Some(high), Some(low)) => {
                    self.places.insert(id, self.policy.rows.len() as u32);
                    self.policy.rows.push(Row { bit: level(&set), high, low });
                    open.pop();
                }
                (one, other) => {
                    open.extend(
                        [one.is_none().then_some(high), other.is_none().then_some(low)]
                            .into_iter()
                            .flatten(),
                    );
                }
            }
        }
        self.known(set).unwrap_or(EVERYTHING)
    }

    fn known(&self, set: &Set) -> Option<Edge> {
        let (id, opposite) = identity(set);
        if set.cofactors().is_none() {
            return Some(Edge(u32::from(!set.valid())));
        }
        self.places.get(&id).map(|place| Edge(place * 2 + u32::from(opposite)))
    }
}

/// What a set shares with its complement, and whether it is the complement.
fn identity(set: &Set) -> (usize, bool) {
    set.with_manager_shared(|_, edge| (edge.node_id(), edge.tag() != Default::default()))
}

/// The parts of a set, or of its complement if that is what is written down.
fn cofactors(set: &Set) -> Option<(Set, Set)> {
    let (high, low) = set.cofactors()?;
    match identity(set).1 {
        // Turning a set round costs nothing and cannot fail for want of memory.
        true => Some((high.not().ok()?, low.not().ok()?)),
        false => Some((high, low)),
    }
}

fn level(set: &Set) -> u32 {
    set.with_manager_shared(|manager, edge| manager.get_node(edge).level())
}
