//! What a step does to the boards: which things change their place, and which places change.

use gambol_net::BaseMarking;
use rustc_hash::FxHashMap;

use crate::boards::{Boards, Spot};

/// Things that leave one place and turn up on another; only those that do so alone of their kind and board.
pub fn slide(boards: &Boards, before: &BaseMarking, after: &BaseMarking) -> Vec<(Spot, Spot)> {
    let mut changes: FxHashMap<(usize, usize), (Vec<Spot>, Vec<Spot>)> = FxHashMap::default();
    for (spot, one) in boards.occupants() {
        if boards.is_nothing(spot.0, one.label) {
            continue;
        }
        match (before.holds(one.fluent), after.holds(one.fluent)) {
            (true, false) => changes.entry((spot.0, one.label)).or_default().0.push(spot),
            (false, true) => changes.entry((spot.0, one.label)).or_default().1.push(spot),
            _ => {}
        }
    }
    let alone = |(gone, come): &(Vec<Spot>, Vec<Spot>)| match (gone.as_slice(), come.as_slice()) {
        ([from], [to]) => Some((*from, *to)),
        _ => None,
    };
    let mut slides: Vec<(Spot, Spot)> = changes.values().filter_map(alone).collect();
    slides.sort_unstable();
    slides
}

/// The places that hold something else than before.
pub fn changed(boards: &Boards, before: &BaseMarking, after: &BaseMarking) -> Vec<Spot> {
    let differs = boards
        .occupants()
        .filter(|(_, one)| before.holds(one.fluent) != after.holds(one.fluent))
        .map(|(spot, _)| spot);
    let mut spots: Vec<Spot> = differs.collect();
    spots.dedup();
    spots
}
