//! Policies: what to do in every state, with the rule that says so.

use std::fmt::Write;

use crate::automaton::{Automaton, NodeId, TransitionId};
use crate::class::{ClassRef, ClassStore};
use crate::cube::Cube;
use crate::file::condition;
use crate::value::{Preferences, Value};

/// How a policy was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Explain and cover: sound for any agents, where no state is met twice.
    Cover,
    /// The published algorithm. Sound for one agent only.
    Published,
    /// Classes read off a fixpoint of decision diagrams.
    Fixpoint,
    /// A decision list: of several rules that apply the one that is consulted first is right.
    List,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 4] = [Method::Cover, Method::Published, Method::Fixpoint, Method::List];

    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            Method::Cover => "cover",
            Method::Published => "published",
            Method::Fixpoint => "fixpoint",
            Method::List => "list",
        }
    }
}

/// Classes for the states of an automaton.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The automaton.
    pub automaton: Automaton,
    /// How it was found.
    pub method: Method,
    /// Whether values have distances.
    pub distances: bool,
    /// Whether every state that no invariant forbids has its value.
    pub complete: bool,
    /// The classes.
    pub store: ClassStore,
}

/// What a policy says about a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What the state is worth.
    pub value: Value,
    /// What to do; `None` at a goal, where nothing can be done, or where nothing can be forced.
    pub transition: Option<TransitionId>,
    /// The class that says so, if one does.
    pub class: Option<ClassRef>,
}

impl Policy {
    /// What the policy says about a state; `None` if it is not complete and has no class for it.
    pub fn query(&self, node: NodeId, state: &Cube) -> Option<Answer> {
        let preferences = Preferences::of(&self.automaton, self.distances);
        if let Some(outcome) = self.automaton.outcome_of(node) {
            let value = preferences.goal(outcome);
            return Some(Answer { value, transition: None, class: None });
        }
        let group = self.automaton.group_at(node, state);
        let Some(at) = self.store.find(self.store.list(node, group), state) else {
            let value = preferences.endless();
            // Only what can be forced has classes here.
            let silent = self.complete && self.method != Method::Cover;
            return silent.then_some(Answer { value, transition: None, class: None });
        };
        let class = self.store.class(at);
        Some(Answer { value: class.value, transition: class.transition, class: Some(at) })
    }

    /// The value of the start.
    pub fn start_value(&self) -> Option<Value> {
        self.query(self.automaton.start_node, &self.automaton.start).map(|answer| answer.value)
    }

    /// A class as a rule to read.
    pub fn rule(&self, at: ClassRef) -> String {
        let class = self.store.class(at);
        let (node, group) = self.store.place_of(at.list);
        let automaton = &self.automaton;
        let mut text = format!("at {}", automaton.nodes[node].name);
        let condition_text = condition(automaton, &class.condition);
        if !condition_text.is_empty() {
            text += " when";
            text += &condition_text;
        }
        for (place, cube) in self.store.exclusions(class).enumerate() {
            let word = if place == 0 { "unless" } else { "or" };
            // Writing to a string cannot fail.
            let _ = write!(text, " {word} ({})", condition(automaton, cube).trim_start());
        }
        if group > 0 && group < automaton.group_count(node) {
            text += ", nothing of higher priority applying";
        }
        if matches!(self.method, Method::List | Method::Published) {
            text += ", no rule before it applying";
        }
        match class.transition {
            Some(id) => text += &format!(": {}", automaton.transitions[id].name),
            None => text += ": nothing can be done",
        }
        text += &format!(", worth {}", automaton.outcomes[class.value.outcome].name);
        if self.distances && class.value.distance > 0 {
            let _ = write!(text, " in {}", class.value.distance);
        }
        text
    }

    /// How many literals the conditions and exclusions of all classes have.
    pub fn literals(&self) -> u64 {
        let layout = &self.automaton.layout;
        let count = |cube: &Cube| layout.told_apart(layout.everything(), cube).count() as u64;
        let classes = self.store.list_ids().flat_map(|list| self.store.classes(list));
        classes
            .map(|class| {
                count(&class.condition) + self.store.exclusions(class).map(&count).sum::<u64>()
            })
            .sum()
    }
}
