//! Families: fluents whose names differ in their leaves only.

use gambol_net::{BaseMarking, FluentId, Net};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::Term;

/// Fluents with one skeleton.
#[derive(Debug)]
pub(crate) struct Family<'a> {
    /// The first word of their names.
    pub(crate) function: &'a str,
    /// The fluents, in the order of the net, with their leaves.
    pub(crate) members: Vec<(FluentId, Vec<&'a str>)>,
    /// How many leaves each has.
    pub(crate) arity: usize,
}

/// How well some leaves determine the others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Fill {
    /// The share of keys for which a fluent is true, over all states looked at.
    pub(crate) mean: f64,
}

/// All families, in the order in which they first occur.
pub(crate) fn families(net: &Net) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    let mut by_skeleton: FxHashMap<String, usize> = FxHashMap::default();
    for (id, name) in net.fluents.iter_ids() {
        let term = Term::read(name);
        let at = *by_skeleton.entry(term.skeleton).or_insert_with(|| {
            let arity = term.leaves.len();
            families.push(Family { function: term.function, members: Vec::new(), arity });
            families.len() - 1
        });
        families[at].members.push((id, term.leaves));
    }
    families
}

impl<'a> Family<'a> {
    /// The different leaves at one place.
    pub(crate) fn domain(&self, place: usize) -> Vec<&'a str> {
        let mut values: Vec<&str> = self.members.iter().map(|(_, leaves)| leaves[place]).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// How many different combinations of leaves stand at these places.
    pub(crate) fn combinations(&self, places: &[usize]) -> usize {
        let keys: FxHashSet<Vec<&str>> =
            self.members.iter().map(|(_, leaves)| pick(leaves, places)).collect();
        keys.len()
    }

    /// Whether in every state at most one member is true for each combination of leaves at these
    /// places; and for how many of them one is.
    pub(crate) fn determined_by(&self, places: &[usize], states: &[BaseMarking]) -> Option<Fill> {
        let mut seen: FxHashSet<Vec<&str>> = FxHashSet::default();
        let mut true_members = 0;
        for state in states {
            seen.clear();
            for (fluent, leaves) in &self.members {
                if state.holds(*fluent) {
                    true_members += 1;
                    if !seen.insert(pick(leaves, places)) {
                        return None;
                    }
                }
            }
        }
        let keys = self.combinations(places) * states.len();
        Some(Fill { mean: true_members as f64 / keys.max(1) as f64 })
    }
}

/// The leaves at these places.
pub(crate) fn pick<'a>(leaves: &[&'a str], places: &[usize]) -> Vec<&'a str> {
    places.iter().map(|&place| leaves[place]).collect()
}
