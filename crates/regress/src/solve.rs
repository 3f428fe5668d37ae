//! The sound algorithm as a whole: classes for every state an automaton can be in.

use crate::automaton::Automaton;
use crate::class::ClassStore;
use crate::cover::Cover;
use crate::explain::Explainer;
use crate::limits::{Halt, Limits, Meter, Progress};
use crate::value::{Preferences, Value};

/// What a run of the sound algorithm found.
#[derive(Debug)]
pub struct Classes {
    /// The classes.
    pub store: ClassStore,
    /// The value of the start, if the run came so far.
    pub value: Option<Value>,
    /// How many cubes were regressed.
    pub regressions: u64,
    /// The limit that ended the run early, if one did.
    pub halt: Option<Halt>,
}

/// Explains the start, then covers every state that no invariant forbids.
pub fn regress_classes(
    automaton: &Automaton,
    preferences: &Preferences,
    only_start: bool,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress),
) -> Classes {
    let meter = Meter::start(limits);
    let explainer = Explainer::new(automaton, preferences, ClassStore::new(automaton), meter);
    let mut cover = Cover { explainer, watch, share: 0.0 };
    let (mut value, mut halt) = (None, None);
    match cover.explainer.explain(automaton.start_node, &automaton.start) {
        Ok(found) => value = Some(found),
        Err(limit) => halt = Some(limit),
    }
    if halt.is_none() && !only_start {
        let nodes: Vec<_> = automaton.choice_nodes().collect();
        let share = 1.0 / nodes.len() as f64;
        let everything = automaton.layout.everything();
        halt = nodes.into_iter().find_map(|node| cover.cover(node, everything, share).err());
    }
    let regressions = cover.explainer.regressions;
    Classes { store: cover.explainer.store, value, regressions, halt }
}
