//! Parts of a game that do not read one another.
//!
//! The *context* are the fluents that run by themselves: their next value depends on no move and on the context alone.
//! A *part* is a set of the other fluents whose next values depend on the part, the context and the moves only. That is
//! read off the gates, so it holds in every state; a hint only says which parts to take together.
//!
//! The *context* are the fluents that run by themselves: what they become depends on no move and on
//! the context alone. A *part* is a set of the other fluents such that what they become depends on
//! the part, the context and the moves only. That is read off the gates, so it holds in every state;
//! a hint says only which parts to take together.

use std::collections::HashSet;

use gambol_analysis::Clocks;
use gambol_index::{Id, IndexVec, UnionFind};
use gambol_net::{FluentId, Gate, MoveId, Net, Supports};

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

/// The parts of a game along the lines of a hint; `None` if there is only one.
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
    join_records(net, &supports, &mut classes);
    let mut boards = classes.classes();
    boards.retain(|board| !clocks.contains(board[0]));
    (boards.len() > 1).then_some(boards)
}

/// Cones of more gates than this in all are not made.
const MOST_CONES: usize = 50_000_000;

/// A class that neither legality nor the end nor a goal reads only records moves, as "this heap is empty" does. It
/// belongs to the board of those moves: alone it would be a board in which the moves of another act.
fn join_records(net: &Net, supports: &Supports, classes: &mut UnionFind<FluentId>) {
    let goals = net.goals.iter().map(|goal| goal.gate);
    let queries = net.legal.iter().copied().chain([net.terminal]).chain(goals);
    let read: HashSet<FluentId> =
        queries.flat_map(|gate| supports.fluents(gate)).map(|f| classes.find(f)).collect();
    let records: Vec<bool> =
        net.fluents.ids().map(|fluent| !read.contains(&classes.find(fluent))).collect();
    if !records.contains(&true) || net.fluents.len() * net.gate_count() > MOST_CONES {
        return;
    }
    let mut reader: IndexVec<MoveId, Option<FluentId>> = IndexVec::filled(None, net.moves.len());
    for records_only in [false, true] {
        let turn = net.fluents.ids().filter(|&fluent| records[fluent.index()] == records_only);
        for fluent in turn {
            for gate in net.cone([net.next[fluent]]) {
                let Gate::Does(action) = net.gate(gate) else { continue };
                match reader[action] {
                    Some(board) if records_only => _ = classes.union(fluent, board),
                    Some(_) => {}
                    None => reader[action] = Some(fluent),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing reads that a heap is empty: that fluent belongs to its heap all the same.
    #[test]
    fn a_heap_is_a_board_with_its_empty_state() {
        let text = include_bytes!("../../../../games/nim-six-heaps/rules.kif");
        let rules = gambol_syntax::read(text, &Default::default()).rules.expect("valid rules");
        let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("small");
        let net = gambol_net::simplify(&gambol_net::build(&ground).expect("small"));
        let sizes: Vec<usize> = boards(&net).expect("a sum").iter().map(Vec::len).collect();
        assert_eq!(sizes, [9, 10, 12, 14, 15, 16]);
    }
}
