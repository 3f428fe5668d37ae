//! Parts of a game that do not look at one another.
//!
//! The *context* are the fluents that run by themselves: what they become depends on no move and on
//! the context alone. A *part* is a set of the other fluents such that what they become depends on
//! the part, the context and the moves only. That is read off the gates, so it holds in every state;
//! a hint says only which parts to take together.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Net};

use super::support::Supports;

/// The context and the parts, disjoint; together all fluents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    pub(crate) context: Vec<FluentId>,
    pub(crate) parts: Vec<Vec<FluentId>>,
}

impl Parts {
    /// The part a fluent belongs to; nothing for the context.
    pub(crate) fn part_of(&self, fluent: FluentId) -> Option<usize> {
        self.parts.iter().position(|part| part.binary_search(&fluent).is_ok())
    }
}

/// The parts of a game along the lines of a hint; nothing if there is only one.
pub(crate) fn parts(net: &Net, supports: &Supports, hint: &[Vec<FluentId>]) -> Option<Parts> {
    let context = context(net, supports);
    let mut classes = Classes::new(net.fluents.len());
    for fluent in net.fluents.ids().filter(|&fluent| !context[fluent]) {
        let read = supports.fluents(net.next[fluent]);
        read.filter(|&other| !context[other]).for_each(|other| classes.join(fluent, other));
    }
    let mut hinted: IndexVec<FluentId, bool> = IndexVec::filled(false, net.fluents.len());
    for group in hint {
        let mut members = group.iter().copied().filter(|&fluent| !context[fluent]);
        let Some(first) = members.next() else { continue };
        hinted[first] = true;
        for member in members {
            hinted[member] = true;
            classes.join(first, member);
        }
    }
    // What no hint speaks of is one part.
    let named: Vec<FluentId> =
        net.fluents.ids().filter(|&f| hinted[f]).map(|f| classes.root(f)).collect();
    let others = net.fluents.ids().filter(|&f| !context[f]);
    let mut others = others.filter(|&f| !named.contains(&classes.clone().root(f)));
    if let Some(first) = others.next() {
        let rest: Vec<FluentId> = others.collect();
        rest.into_iter().for_each(|other| classes.join(first, other));
    }
    let mut parts: IndexVec<FluentId, Vec<FluentId>> =
        IndexVec::filled(Vec::new(), net.fluents.len());
    for fluent in net.fluents.ids().filter(|&fluent| !context[fluent]) {
        parts[classes.root(fluent)].push(fluent);
    }
    let parts: Vec<Vec<FluentId>> =
        parts.into_vec().into_iter().filter(|part| !part.is_empty()).collect();
    let context = net.fluents.ids().filter(|&fluent| context[fluent]).collect();
    (parts.len() > 1).then_some(Parts { context, parts })
}

/// Which fluents run by themselves.
pub(crate) fn context(net: &Net, supports: &Supports) -> IndexVec<FluentId, bool> {
    let mut context: IndexVec<FluentId, bool> = net
        .fluents
        .ids()
        .map(|fluent| !supports.reads_moves(net.next[fluent]))
        .collect::<Vec<_>>()
        .into();
    loop {
        let leaves = |&fluent: &FluentId| {
            context[fluent] && !supports.fluents(net.next[fluent]).all(|other| context[other])
        };
        let leaving: Vec<FluentId> = net.fluents.ids().filter(leaves).collect();
        if leaving.is_empty() {
            return context;
        }
        leaving.into_iter().for_each(|fluent| context[fluent] = false);
    }
}

/// Fluents that belong together (union-find).
#[derive(Clone)]
struct Classes(IndexVec<FluentId, FluentId>);

impl Classes {
    fn new(count: usize) -> Self {
        Self((0..count).map(FluentId::from_index).collect::<Vec<_>>().into())
    }

    fn root(&mut self, fluent: FluentId) -> FluentId {
        let mut root = fluent;
        while self.0[root] != root {
            self.0[root] = self.0[self.0[root]];
            root = self.0[root];
        }
        root
    }

    fn join(&mut self, one: FluentId, other: FluentId) {
        let (one, other) = (self.root(one), self.root(other));
        let (low, high) = (one.min(other), one.max(other));
        self.0[high] = low;
    }
}
