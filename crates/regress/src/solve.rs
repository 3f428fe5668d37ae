//! One way in: an automaton to a policy, by the method that is sound for it.

use crate::automaton::Automaton;
use crate::class::ClassStore;
use crate::cover::Cover;
use crate::diagram::regress_to_fixpoint;
use crate::error::RegressError;
use crate::explain::Explainer;
use crate::limits::{Halt, Limits, Meter, Progress};
use crate::policy::{Method, Policy};
use crate::potential::Potential;
use crate::published::regress_as_published;
use crate::value::Preferences;

/// What to find.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether values have distances: fastest win, slowest loss.
    pub distances: bool,
    /// Whether to use the published algorithm, sound or not.
    pub published: bool,
    /// Whether the value of the start is enough.
    pub only_start: bool,
    /// What it may cost.
    pub limits: Limits,
}

/// A policy and how it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The policy.
    pub policy: Policy,
    /// How many cubes or sets were regressed.
    pub regressions: u64,
    /// The limit that ended the run early, if one did.
    pub halt: Option<Halt>,
}

/// Classes beyond this many are not read off a diagram.
const MOST_CLASSES: usize = 20_000_000;

/// Finds a policy made of classes.
///
/// Where no state is met twice by explain and cover; where play can return, for one agent by the
/// published algorithm and for two opposed ones through a fixpoint of diagrams.
pub fn find_policy(
    automaton: &Automaton,
    options: &Options,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Found, RegressError> {
    let returns = !Potential::of(automaton).is_acyclic();
    if options.published || (returns && automaton.agents.len() == 1) {
        return Ok(by_published(automaton, options, watch));
    }
    if returns {
        return by_fixpoint(automaton, options, watch);
    }
    by_cover(automaton, options, watch)
}

fn policy(
    automaton: &Automaton,
    options: &Options,
    method: Method,
    complete: bool,
    store: ClassStore,
) -> Policy {
    Policy { automaton: automaton.clone(), method, distances: options.distances, complete, store }
}

fn by_published(
    automaton: &Automaton,
    options: &Options,
    watch: &mut dyn FnMut(&Progress),
) -> Found {
    let published = regress_as_published(automaton, &options.limits, watch);
    let (regressions, halt) = (published.regressions, published.halt);
    let store = published.into_store(automaton, options.distances);
    let policy = policy(automaton, options, Method::Published, halt.is_none(), store);
    Found { policy, regressions, halt }
}

fn by_fixpoint(
    automaton: &Automaton,
    options: &Options,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Found, RegressError> {
    // Without distances a policy could go round in circles and never win.
    let preferences = Preferences::of(automaton, true);
    let mut fixpoint = regress_to_fixpoint(automaton, &preferences, &options.limits, watch)?;
    let store = fixpoint.classes(MOST_CLASSES, options.distances)?;
    let policy = policy(automaton, options, Method::Fixpoint, true, store);
    Ok(Found { policy, regressions: fixpoint.regressions(), halt: None })
}

/// Explains the start, then covers every state that no invariant forbids.
fn by_cover(
    automaton: &Automaton,
    options: &Options,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Found, RegressError> {
    let preferences = Preferences::of(automaton, options.distances);
    let meter = Meter::start(&options.limits);
    let explainer = Explainer::new(automaton, &preferences, ClassStore::new(automaton), meter);
    let mut cover = Cover { explainer, watch, share: 0.0 };
    let mut halt = cover.explainer.explain(automaton.start_node, &automaton.start).err();
    if let Some((node, state)) = &cover.explainer.stuck {
        return Err(RegressError::Stuck(automaton.describe(*node, state)));
    }
    if halt.is_none() && !options.only_start {
        let nodes: Vec<_> = automaton.choice_nodes().collect();
        let share = 1.0 / nodes.len() as f64;
        let everything = automaton.layout.everything();
        halt = nodes.into_iter().find_map(|node| cover.cover(node, everything, share).err());
    }
    let (regressions, store) = (cover.explainer.regressions, cover.explainer.store);
    let complete = halt.is_none() && !options.only_start;
    let policy = policy(automaton, options, Method::Cover, complete, store);
    Ok(Found { policy, regressions, halt })
}
