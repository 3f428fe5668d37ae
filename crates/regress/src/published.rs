//! Goal regression as published by Murtagh and Utgoff (the AUTRE algorithm).
//!
//! Tuples (s, o, ψ, Φ) are regressed breadth-first from the goals through every transition; a new
//! tuple that an older one of at least equal value contains is dropped, and an older one that a
//! better new one contains is invalidated. Right for one agent. For opposed agents it is not: a
//! tuple at an opponent's node says that the opponent *has* a transition to the outcome and is
//! regressed as if it would be taken.

use gambol_index::IndexVec;
use std::collections::VecDeque;

use crate::automaton::{Automaton, NodeId, OutcomeId, TransitionId};
use crate::class::ClassStore;
use crate::cube::Cube;
use crate::limits::{Halt, Limits, Meter, Progress};
use crate::value::{Preferences, Value};

/// A set of states and what the algorithm says about them.
#[derive(Clone, Debug)]
pub struct Tuple {
    /// The outcome.
    pub outcome: OutcomeId,
    /// How many transitions lead to it.
    pub distance: u32,
    /// What must hold.
    pub positive: Cube,
    /// None of which may hold.
    pub negative: Vec<Cube>,
    /// The transition to take; none at a goal.
    pub transition: Option<TransitionId>,
}

impl Tuple {
    /// Whether a state is one of the tuple's.
    pub fn contains(&self, state: &Cube) -> bool {
        state.is_within(&self.positive) && !self.negative.iter().any(|cube| state.is_within(cube))
    }
}

/// The decision lists at the end of a run: for each node, tuples in the order they are consulted.
#[derive(Clone, Debug)]
pub struct Published {
    /// The lists.
    pub lists: IndexVec<NodeId, Vec<Tuple>>,
    /// The same, with all that is needed where an entry stands alone.
    in_full: IndexVec<NodeId, Vec<Tuple>>,
    /// How many regressions were performed.
    pub regressions: u64,
    /// How many tuples were marked invalid.
    pub invalidated: u64,
    /// The limit that ended the run early, if one did.
    pub halt: Option<Halt>,
}

/// Runs the published algorithm.
pub fn regress_as_published(
    automaton: &Automaton,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress),
) -> Published {
    let mut run = Run::new(automaton);
    let halt = run.regress_all(&mut Meter::start(limits), watch).err();
    let (regressions, invalidated) = (run.regressions, run.invalidated);
    let in_full = run.into_lists();
    let mut lists = in_full.clone();
    lists.iter_mut().for_each(|list| drop_said_before(list));
    Published { lists, in_full, regressions, invalidated, halt }
}

struct Run<'a> {
    automaton: &'a Automaton,
    preferences: Preferences,
    /// All tuples of a node that are valid, in order of creation.
    tuples: Vec<Tuple>,
    valid: Vec<bool>,
    at_node: IndexVec<NodeId, Vec<u32>>,
    /// For each node the transitions that lead there, with where they start.
    into: IndexVec<NodeId, Vec<(NodeId, TransitionId)>>,
    queue: VecDeque<(NodeId, u32)>,
    regressions: u64,
    invalidated: u64,
}

impl<'a> Run<'a> {
    fn new(automaton: &'a Automaton) -> Self {
        let mut into = IndexVec::filled(Vec::new(), automaton.nodes.len());
        for node in automaton.choice_nodes() {
            for id in automaton.transitions_of(node) {
                into[automaton.transitions[id].target].push((node, id));
            }
        }
        let mut run = Self {
            automaton,
            preferences: Preferences::of(automaton, false),
            tuples: Vec::new(),
            valid: Vec::new(),
            at_node: IndexVec::filled(Vec::new(), automaton.nodes.len()),
            into,
            queue: VecDeque::new(),
            regressions: 0,
            invalidated: 0,
        };
        for node in automaton.nodes.ids() {
            if let Some(outcome) = automaton.outcome_of(node) {
                let positive = automaton.layout.everything().clone();
                let outcome = run.preferences.goal(outcome).outcome;
                let tuple = Tuple {
                    outcome,
                    distance: 0,
                    positive,
                    negative: Vec::new(),
                    transition: None,
                };
                run.add(node, tuple);
            }
        }
        run
    }

    fn add(&mut self, node: NodeId, tuple: Tuple) {
        let place = self.tuples.len() as u32;
        self.tuples.push(tuple);
        self.valid.push(true);
        self.at_node[node].push(place);
        self.queue.push_back((node, place));
    }

    fn regress_all(
        &mut self,
        meter: &mut Meter,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), Halt> {
        while let Some((node, place)) = self.queue.pop_front() {
            if !self.valid[place as usize] {
                continue;
            }
            for (from, transition) in self.into[node].clone() {
                meter.tick(self.bytes())?;
                self.regressions += 1;
                let new = self.regress(from, transition, &self.tuples[place as usize]);
                if let Some(new) = new.filter(|new| !self.is_subsumed(from, new)) {
                    self.invalidate_worse(from, &new);
                    self.add(from, new);
                }
            }
            if self.regressions.is_multiple_of(64) {
                watch(&self.progress());
            }
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.tuples.len() * 400
    }

    fn progress(&self) -> Progress {
        let classes = self.tuples.len() - self.invalidated as usize;
        Progress { share: None, classes, regressions: self.regressions, bytes: self.bytes() }
    }

    /// The update rules of the paper's figure 1, and the guards of higher priority as context.
    fn regress(&self, from: NodeId, id: TransitionId, tuple: &Tuple) -> Option<Tuple> {
        let (automaton, layout) = (self.automaton, &self.automaton.layout);
        let transition = &automaton.transitions[id];
        let positive = layout.meet(&transition.regress(&tuple.positive)?, &transition.guard)?;
        let carried = tuple.negative.iter().filter_map(|cube| transition.regress(cube));
        let above = automaton.above(from, automaton.group_of(from, id));
        let context = above.map(|other| automaton.transitions[other].guard.clone());
        let mut negative: Vec<Cube> =
            carried.chain(context).filter(|cube| !layout.is_disjoint(cube, &positive)).collect();
        negative.sort_unstable();
        negative.dedup();
        if negative.iter().any(|cube| positive.is_within(cube)) {
            return None;
        }
        let distance = tuple.distance + 1;
        Some(Tuple { outcome: tuple.outcome, distance, positive, negative, transition: Some(id) })
    }

    /// Whether the first is at least as good for the agent at the node: the reward, then the
    /// shorter way, for a loser too.
    fn is_as_good(&self, node: NodeId, one: &Tuple, other: &Tuple) -> bool {
        let key = |tuple: &Tuple| self.key(node, tuple);
        key(one) <= key(other)
    }

    fn key(&self, node: NodeId, tuple: &Tuple) -> (i64, u32) {
        let agent = self.automaton.agent_of(node).expect("tuples are regressed to choices");
        (-self.preferences.reward(agent, tuple.outcome), tuple.distance)
    }

    fn is_subsumed(&self, node: NodeId, new: &Tuple) -> bool {
        let old = self.at_node[node].iter().map(|&place| &self.tuples[place as usize]);
        old.into_iter().any(|old| self.contains(old, new) && self.is_as_good(node, old, new))
    }

    fn invalidate_worse(&mut self, node: NodeId, new: &Tuple) {
        let places = std::mem::take(&mut self.at_node[node]);
        let (gone, kept): (Vec<u32>, Vec<u32>) = places.into_iter().partition(|&place| {
            let old = &self.tuples[place as usize];
            self.contains(new, old) && self.is_as_good(node, new, old)
        });
        self.at_node[node] = kept;
        self.invalidated += gone.len() as u64;
        gone.into_iter().for_each(|place| self.valid[place as usize] = false);
    }

    /// Whether all states of `inner` are states of `outer`, as far as single cubes show it.
    fn contains(&self, outer: &Tuple, inner: &Tuple) -> bool {
        let layout = &self.automaton.layout;
        let excluded = |cube: &Cube| {
            let Some(part) = layout.meet(cube, &inner.positive) else { return true };
            inner.negative.iter().any(|other| part.is_within(other))
        };
        inner.positive.is_within(&outer.positive) && outer.negative.iter().all(excluded)
    }

    /// The valid tuples of each node, best first.
    fn into_lists(self) -> IndexVec<NodeId, Vec<Tuple>> {
        let list = |node: NodeId| {
            let mut list: Vec<Tuple> = self.at_node[node]
                .iter()
                .map(|&place| self.tuples[place as usize].clone())
                .collect();
            if self.automaton.agent_of(node).is_some() {
                list.sort_by_key(|tuple| self.key(node, tuple));
            }
            list
        };
        self.automaton.nodes.ids().map(list).collect()
    }
}

/// Drops of a tuple's negative cubes those that an earlier entry without any of its own already
/// says. They were needed for regression, not for lookup.
fn drop_said_before(list: &mut [Tuple]) {
    for place in 0..list.len() {
        let (before, rest) = list.split_at_mut(place);
        let said = |cube: &Cube| {
            before.iter().any(|tuple| tuple.negative.is_empty() && tuple.positive == *cube)
        };
        rest[0].negative.retain(|cube| !said(cube));
    }
}

impl Published {
    /// The first tuple of a node's list that contains a state.
    pub fn find(&self, node: NodeId, state: &Cube) -> Option<&Tuple> {
        self.lists[node].iter().find(|tuple| tuple.contains(state))
    }

    /// The tuples as classes, worst first, since the newest is found first.
    ///
    /// What the lists leave out because an earlier entry says it is said in full again.
    pub(crate) fn into_store(self, automaton: &Automaton, distances: bool) -> ClassStore {
        let mut store = ClassStore::new(automaton);
        for (node, tuples) in self.in_full.iter_ids() {
            for tuple in tuples.iter().rev() {
                let Some(id) = tuple.transition else { continue };
                let list = store.list(node, automaton.group_of(node, id));
                let distance = if distances { tuple.distance } else { 0 };
                let value = Value { outcome: tuple.outcome, distance };
                let (condition, excluded) = (tuple.positive.clone(), tuple.negative.clone());
                store.push(list, value, condition, excluded, Some(id));
            }
        }
        store
    }

    /// How many tuples the lists hold, those of the goals left out.
    pub fn len(&self) -> usize {
        self.lists.iter().flatten().filter(|tuple| tuple.transition.is_some()).count()
    }

    /// Whether the lists are empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
