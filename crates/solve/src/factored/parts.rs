//! Parts of a game that do not look at one another.
//!
//! The *context* are the fluents that run by themselves: what they become depends on no move and on
//! the context alone. A *part* is a set of the other fluents such that what they become depends on
//! the part, the context and the moves only. That is read off the gates, so it holds in every state;
//! a hint says only which parts to take together.

use gambol_analysis::Clocks;
use gambol_index::{IndexVec, UnionFind};
use gambol_net::{FluentId, Net, Supports};

/// The context and the parts, disjoint; together all fluents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    pub(crate) clocks: Clocks,
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
    let clocks = Clocks::everywhere(net, supports);
    let context: IndexVec<FluentId, bool> =
        net.fluents.ids().map(|fluent| clocks.contains(fluent)).collect();
    let mut classes: UnionFind<FluentId> = UnionFind::new(net.fluents.len());
    for fluent in net.fluents.ids().filter(|&fluent| !context[fluent]) {
        let read = supports.fluents(net.next[fluent]);
        read.filter(|&other| !context[other]).for_each(|other| _ = classes.union(fluent, other));
    }
    let mut hinted: IndexVec<FluentId, bool> = IndexVec::filled(false, net.fluents.len());
    for group in hint {
        let mut members = group.iter().copied().filter(|&fluent| !context[fluent]);
        let Some(first) = members.next() else { continue };
        hinted[first] = true;
        for member in members {
            hinted[member] = true;
            classes.union(first, member);
        }
    }
    // What no hint speaks of is one part.
    let named: Vec<FluentId> =
        net.fluents.ids().filter(|&f| hinted[f]).map(|f| classes.find(f)).collect();
    let others = net.fluents.ids().filter(|&f| !context[f]);
    let mut others = others.filter(|&f| !named.contains(&classes.clone().find(f)));
    if let Some(first) = others.next() {
        let rest: Vec<FluentId> = others.collect();
        rest.into_iter().for_each(|other| _ = classes.union(first, other));
    }
    let mut parts = classes.classes();
    parts.retain(|part| !context[part[0]]);
    (parts.len() > 1).then_some(Parts { clocks, parts })
}

/// Fluents that are read together where a fluent changes or a move is legal: boards of a sum, if it is
/// one. None if there is only one such class.
pub(crate) fn boards(net: &Net) -> Option<Vec<Vec<FluentId>>> {
    let supports = Supports::of(net)?;
    let clocks = Clocks::everywhere(net, &supports);
    let mut classes: UnionFind<FluentId> = UnionFind::new(net.fluents.len());
    let changes = net.next.iter_ids().map(|(fluent, &gate)| (Some(fluent), gate));
    let legality = net.legal.iter().map(|&gate| (None, gate));
    for (fluent, gate) in changes.chain(legality) {
        let read = fluent.into_iter().chain(supports.fluents(gate));
        classes.union_all(read.filter(|&fluent| !clocks.contains(fluent)));
    }
    let mut boards = classes.classes();
    boards.retain(|board| !clocks.contains(board[0]));
    (boards.len() > 1).then_some(boards)
}
