//! One way in: an automaton to a policy, by the method that is sound for it.

use crate::automaton::Automaton;
use crate::checkpoint::{Checkpoint, checkpoint_to_text};
use crate::class::ClassStore;
use crate::diagram::regress_to_fixpoint;
use crate::error::RegressError;
use crate::limits::{Halt, Limits, Meter, Progress};
use crate::policy::{Method, Policy};
use crate::potential::Potential;
use crate::published::regress_as_published;
use crate::rounds::Run;
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
    /// How many threads may work; the policy does not depend on it.
    pub threads: usize,
    /// Whether to cover the states of a node in one piece, not in strata along the potential.
    pub undivided: bool,
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
    find_policy_saving(automaton, options, None, watch, &mut |_| ())
}

/// Like [`find_policy`], for long runs: `save` is offered a checkpoint now and then, as a function
/// that writes it as text, and a run can be continued from one. It ends in the same policy.
pub fn find_policy_saving(
    automaton: &Automaton,
    options: &Options,
    resume: Option<Checkpoint>,
    watch: &mut dyn FnMut(&Progress),
    save: &mut dyn FnMut(&dyn Fn() -> String),
) -> Result<Found, RegressError> {
    let returns = !Potential::of(automaton).is_acyclic();
    if options.published || (returns && automaton.agents.len() == 1) {
        return Ok(by_published(automaton, options, watch));
    }
    if returns {
        return by_fixpoint(automaton, options, watch);
    }
    by_cover(automaton, options, resume, watch, save)
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

/// The same policy as a decision list of fewer and shorter rules, read off a fixpoint of diagrams. For automata in
/// which no state is met twice; distances are not kept.
pub fn compress(policy: &Policy, limits: &Limits) -> Result<Policy, RegressError> {
    let automaton = &policy.automaton;
    if !Potential::of(automaton).is_acyclic() {
        // Made of irredundant covers already, one for each distance.
        return Ok(policy.clone());
    }
    let preferences = Preferences::of(automaton, false);
    let mut fixpoint = regress_to_fixpoint(automaton, &preferences, limits, &mut |_| ())?;
    let store = fixpoint.compressed(MOST_CLASSES)?;
    let (automaton, method) = (automaton.clone(), Method::List);
    Ok(Policy { automaton, method, distances: false, complete: true, store })
}

/// Explains the start, then covers every state that no invariant forbids.
fn by_cover(
    automaton: &Automaton,
    options: &Options,
    resume: Option<Checkpoint>,
    watch: &mut dyn FnMut(&Progress),
    save: &mut dyn FnMut(&dyn Fn() -> String),
) -> Result<Found, RegressError> {
    let preferences = Preferences::of(automaton, options.distances);
    let meter = Meter::start(&options.limits);
    let fresh = || Checkpoint { store: ClassStore::new(automaton), regressions: 0, done: 0 };
    let begins = resume.is_none();
    let Checkpoint { store, regressions, done } = resume.unwrap_or_else(fresh);
    let undivided = options.undivided;
    let mut run = Run { automaton, preferences: &preferences, store, regressions, done, undivided };
    let mut halt = None;
    if begins {
        match run.explain_start(&meter) {
            Ok(None) => {}
            Ok(Some((node, state))) => {
                return Err(RegressError::Stuck(automaton.describe(node, &state)));
            }
            Err(limit) => halt = Some(limit),
        }
    }
    if halt.is_none() && !options.only_start {
        let mut save = |run: &Run<'_>| {
            save(&|| {
                let store = run.store.clone();
                let policy = policy(automaton, options, Method::Cover, false, store);
                checkpoint_to_text(&policy, run.regressions, run.done)
            });
        };
        halt = run.cover(options.threads.max(1), &meter, watch, &mut save).err();
    }
    let complete = halt.is_none() && !options.only_start;
    let policy = policy(automaton, options, Method::Cover, complete, run.store);
    Ok(Found { policy, regressions: run.regressions, halt })
}
