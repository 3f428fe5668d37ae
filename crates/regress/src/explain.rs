//! Explaining a state: a class that contains it, from classes that contain its successors.
//!
//! The value of a state is the best of its successors' values. The class keeps of each successor's
//! class what the argument needs: of the transition that attains the value that it can be taken and
//! where it leads; of every other that could have been better where it leads, or that it cannot be
//! taken. By induction every state of the class has the same value.

use crate::automaton::{AgentId, Automaton, NodeId, TransitionId};
use crate::class::ClassRef;
use crate::cube::Cube;
use crate::limits::{Halt, Meter};
use crate::overlay::Overlay;
use crate::value::{Preferences, Value};

/// Explains states of an automaton in which no state is met twice.
pub(crate) struct Explainer<'a, 's> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) preferences: &'a Preferences,
    pub(crate) store: Overlay<'s>,
    pub(crate) regressions: u64,
    pub(crate) meter: Meter,
    /// The first state met in which nothing can be done.
    pub(crate) stuck: Option<(NodeId, Cube)>,
    /// For each agent, the best outcome there is.
    best: Vec<Value>,
}

/// A state whose successors are being looked at.
struct Frame {
    node: NodeId,
    group: usize,
    state: Cube,
    agent: AgentId,
    available: Vec<TransitionId>,
    /// What is known of each successor.
    children: Vec<Option<Child>>,
}

#[derive(Clone, Copy)]
struct Child {
    value: Value,
    /// The class of the successor; a goal has none.
    class: Option<ClassRef>,
}

/// ψ and Φ in the making.
struct Explanation {
    transition: Option<TransitionId>,
    condition: Cube,
    exclusions: Vec<Cube>,
}

impl<'a, 's> Explainer<'a, 's> {
    pub(crate) fn new(
        automaton: &'a Automaton,
        preferences: &'a Preferences,
        store: Overlay<'s>,
        meter: Meter,
    ) -> Self {
        let best = |agent| Value { outcome: preferences.ranking(agent)[0], distance: 0 };
        let best = automaton.agents.ids().map(best).collect();
        Self { automaton, preferences, store, regressions: 0, meter, stuck: None, best }
    }

    /// A class that contains the state; an old one if there is one.
    pub(crate) fn explain(&mut self, node: NodeId, state: &Cube) -> Result<Value, Halt> {
        if let Some(outcome) = self.automaton.outcome_of(node) {
            return Ok(self.preferences.goal(outcome));
        }
        if let Some(class) = self.find(node, state) {
            return Ok(self.store.class(class).value);
        }
        let mut stack = vec![self.frame(node, state.clone())];
        loop {
            self.meter.tick(self.store.bytes())?;
            let frame = stack.last_mut().expect("the first frame is returned from below");
            if let Some(open) = self.open_child(frame) {
                let transition = &self.automaton.transitions[frame.available[open]];
                let next = transition.apply(&frame.state);
                // It may have been explained on the way to another.
                match self.find(transition.target, &next) {
                    Some(class) => frame.children[open] = Some(self.child(class)),
                    None => {
                        let target = transition.target;
                        stack.push(self.frame(target, next));
                    }
                }
                continue;
            }
            let frame = stack.pop().expect("looked at above");
            let value = self.conclude(&frame);
            if stack.is_empty() {
                return Ok(value);
            }
        }
    }

    /// The class of a state, if it has one already.
    pub(crate) fn find(&self, node: NodeId, state: &Cube) -> Option<ClassRef> {
        let group = self.automaton.group_at(node, state);
        self.store.find(self.store.list(node, group), state)
    }

    fn child(&self, class: ClassRef) -> Child {
        Child { value: self.preferences.before(self.store.class(class).value), class: Some(class) }
    }

    fn frame(&self, node: NodeId, state: Cube) -> Frame {
        let group = self.automaton.group_at(node, &state);
        let agent = self.automaton.agent_of(node).expect("goals are not explained");
        let available = self.automaton.available(node, &state);
        let known = |&id: &TransitionId| {
            let transition = &self.automaton.transitions[id];
            if let Some(outcome) = self.automaton.outcome_of(transition.target) {
                let value = self.preferences.before(self.preferences.goal(outcome));
                return Some(Child { value, class: None });
            }
            let class = self.find(transition.target, &transition.apply(&state))?;
            Some(self.child(class))
        };
        let children = available.iter().map(known).collect();
        Frame { node, group, state, agent, available, children }
    }

    /// A successor that has still to be looked at: none if what is known cannot be bettered.
    fn open_child(&self, frame: &Frame) -> Option<usize> {
        let open = frame.children.iter().position(Option::is_none)?;
        let settled = frame.children.iter().flatten().any(|child| {
            let better = |id| self.could_be_better(frame.agent, id, child.value);
            !self.automaton.group(frame.node, frame.group).any(better)
        });
        (!settled).then_some(open)
    }

    /// Whether some state exists, for all that is known, in which a transition leads to more.
    fn could_be_better(&self, agent: AgentId, id: TransitionId, value: Value) -> bool {
        let target = self.automaton.transitions[id].target;
        let bound = match self.automaton.outcome_of(target) {
            Some(outcome) => self.preferences.before(self.preferences.goal(outcome)),
            // The best outcome, one transition later than at once.
            None => {
                let best = self.best[gambol_index::Id::index(agent)];
                self.preferences.before(self.preferences.before(best))
            }
        };
        self.preferences.is_better(agent, bound, value)
    }

    /// Makes the class of a state whose successors are known.
    fn conclude(&mut self, frame: &Frame) -> Value {
        let known = || frame.children.iter().flatten().map(|child| child.value);
        let values: Vec<Value> = known().collect();
        let Some((_, value)) = self.preferences.best(frame.agent, &values) else {
            return self.conclude_stuck(frame);
        };
        let attains =
            |place: &usize| frame.children[*place].is_some_and(|child| child.value == value);
        let mut chosen: Option<Explanation> = None;
        for place in (0..frame.available.len()).filter(attains) {
            let explanation = self.explanation(frame, place, value);
            if chosen.as_ref().is_none_or(|chosen| explanation.rank() > chosen.rank()) {
                chosen = Some(explanation);
            }
        }
        let chosen = chosen.expect("the best value is that of some successor");
        self.add(frame, value, chosen);
        value
    }

    fn add(&mut self, frame: &Frame, value: Value, chosen: Explanation) {
        debug_assert!(frame.state.is_within(&chosen.condition));
        debug_assert!(!chosen.exclusions.iter().any(|cube| frame.state.is_within(cube)));
        let list = self.store.list(frame.node, frame.group);
        self.store.push(list, value, chosen.condition, chosen.exclusions, chosen.transition);
    }

    /// Nothing can be done: so it is wherever no guard holds, and nothing ever ends there.
    fn conclude_stuck(&mut self, frame: &Frame) -> Value {
        self.stuck.get_or_insert_with(|| (frame.node, frame.state.clone()));
        let value = self.preferences.endless();
        let condition = self.automaton.layout.everything().clone();
        self.add(frame, value, Explanation { transition: None, condition, exclusions: Vec::new() });
        value
    }

    fn explanation(&mut self, frame: &Frame, chosen: usize, value: Value) -> Explanation {
        let automaton = self.automaton;
        let id = frame.available[chosen];
        let mut explanation = Explanation {
            transition: Some(id),
            condition: automaton.transitions[id].guard.clone(),
            exclusions: Vec::new(),
        };
        self.keep(&mut explanation, id, frame.children[chosen].and_then(|child| child.class));
        for other in automaton.group(frame.node, frame.group).filter(|&other| other != id) {
            if !self.could_be_better(frame.agent, other, value) {
                continue;
            }
            match frame.available.binary_search(&other) {
                Ok(place) => {
                    let class = frame.children[place].and_then(|child| child.class);
                    self.keep(&mut explanation, other, class);
                }
                Err(_) => explanation.exclusions.push(automaton.transitions[other].guard.clone()),
            }
        }
        self.tidy(frame, &mut explanation);
        explanation
    }

    /// What a successor's class says, one transition earlier.
    fn keep(&mut self, explanation: &mut Explanation, id: TransitionId, class: Option<ClassRef>) {
        let Some(at) = class else { return };
        self.regressions += 1;
        let transition = &self.automaton.transitions[id];
        let class = self.store.class(at);
        let condition = transition.regress(&class.condition);
        let condition = condition.expect("the successor is in its class");
        explanation.condition = explanation.condition.and(&condition);
        let excluded = self.store.exclusions(at);
        explanation.exclusions.extend(excluded.filter_map(|cube| transition.regress(cube)));
        let (node, group) = self.store.place_of(at.list);
        let above = self.automaton.above(node, group);
        let guards = above.map(|id| &self.automaton.transitions[id].guard);
        explanation.exclusions.extend(guards.filter_map(|guard| transition.regress(guard)));
    }

    /// Drops exclusions that do not matter: outside ψ, said by another, or understood at the node.
    fn tidy(&self, frame: &Frame, explanation: &mut Explanation) {
        let layout = &self.automaton.layout;
        let condition = &explanation.condition;
        let mut parts: Vec<Cube> =
            explanation.exclusions.iter().filter_map(|cube| layout.meet(cube, condition)).collect();
        parts.sort_unstable();
        parts.dedup();
        let understood: Vec<&Cube> = self
            .automaton
            .above(frame.node, frame.group)
            .map(|id| &self.automaton.transitions[id].guard)
            .collect();
        let matters = |part: &&Cube| {
            !understood.iter().any(|guard| part.is_within(guard))
                && !parts.iter().any(|other| *part != other && part.is_within(other))
        };
        let kept = parts.iter().filter(matters).map(|part| {
            // Where ψ allows no more than the exclusion does, the exclusion need not say it.
            let mut cube = part.clone();
            for variable in layout.variables() {
                let said = (0..layout.size(variable)).all(|value| {
                    layout.allows(part, variable, value)
                        == layout.allows(condition, variable, value)
                });
                if said {
                    layout.free(&mut cube, variable);
                }
            }
            cube
        });
        explanation.exclusions = kept.collect();
    }
}

impl Explanation {
    /// Larger classes are better, and so are fewer exclusions.
    fn rank(&self) -> i64 {
        i64::from(self.condition.weight()) * 4 - self.exclusions.len() as i64
    }
}
