//! What the rules read: the connected parts of the net (chapter 11).
//!
//! A piece is tied to every piece that its transition looks at. A move that acts in one part only ties
//! that part to what its legality looks at; where moves act in several parts, it is left to the
//! test of free choice whether these are one.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net};

use crate::evaluate::lanes::cone;
use crate::partition::Partition;

/// The pieces in parts, by what the rules read.
pub(crate) fn connected(
    net: &Net,
    pieces: &[Vec<FluentId>],
    acts_on: &IndexVec<MoveId, Vec<u32>>,
) -> Partition {
    let mut piece_of: IndexVec<FluentId, Option<u32>> = IndexVec::filled(None, net.next.len());
    for (piece, fluents) in pieces.iter().enumerate() {
        fluents.iter().for_each(|&fluent| piece_of[fluent] = Some(piece as u32));
    }
    let read = |read: &[bool]| -> Vec<u32> {
        let fluents = net.fluents.ids().filter(|&f| read[net.fluent_gate(f).index()]);
        fluents.filter_map(|fluent| piece_of[fluent]).collect()
    };
    let mut parts = Partition::singletons(pieces.len());
    for (piece, fluents) in pieces.iter().enumerate() {
        let reads = read(&cone(net, fluents.iter().map(|&fluent| net.next[fluent])));
        parts.join_all(std::iter::once(piece as u32).chain(reads));
    }
    for (action, acted) in acts_on.iter_ids() {
        let mut of_parts: Vec<u32> = acted.iter().map(|&piece| parts.find(piece)).collect();
        of_parts.sort_unstable();
        of_parts.dedup();
        if let [part] = of_parts.as_slice() {
            let reads = read(&cone(net, [net.legal[action]]));
            parts.join_all(std::iter::once(*part).chain(reads));
        }
    }
    parts
}
