//! Which places decided a game: those that the best goal of a winner rests on.
//!
//! A goal that is true has a reason: of a true disjunction one true input, of a true conjunction all of them, and so on
//! down to fluents. Of several reasons the shortest is taken, so that a recursive rule gives a shortest chain.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use gambol_net::{BaseMarking, FluentId, Gate, GateId, Net, NetEngine, RoleId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::boards::{Boards, Spot};

/// A reason that rests on more places than this tells nothing.
const MOST: usize = 14;

/// The places that a role's goal rests on; nothing if these are too many to tell anything.
pub fn decided(net: &Net, boards: &Boards, state: &BaseMarking, winner: RoleId) -> Vec<Spot> {
    let marking = NetEngine::new(net).marking(state, &[]);
    let goals = net.goals.iter().filter(|goal| goal.role == winner && marking.holds(goal.gate));
    let Some(goal) = goals.max_by_key(|goal| goal.value) else { return Vec::new() };
    let rank = ranks(net, goal.gate, &|gate| marking.holds(gate));
    let places = boards.places_of_fluents();
    let empty: FxHashSet<FluentId> = boards
        .occupants()
        .filter(|((board, _), one)| boards.is_nothing(*board, one.label))
        .map(|(_, one)| one.fluent)
        .collect();
    let fluents = reason(net, goal.gate, &rank);
    let spots = fluents.iter().filter(|fluent| !empty.contains(fluent));
    let mut spots: Vec<Spot> = spots.filter_map(|fluent| places.get(fluent).copied()).collect();
    spots.sort_unstable();
    spots.dedup();
    if spots.len() > MOST { Vec::new() } else { spots }
}

/// How long the shortest reason of each true gate below this one is.
fn ranks(net: &Net, top: GateId, holds: &dyn Fn(GateId) -> bool) -> FxHashMap<GateId, usize> {
    let mut readers: FxHashMap<GateId, Vec<GateId>> = FxHashMap::default();
    let (mut seen, mut open) = (FxHashSet::default(), vec![top]);
    let mut ready = VecDeque::new();
    while let Some(gate) = open.pop() {
        if !seen.insert(gate) || !holds(gate) {
            continue;
        }
        match net.gate(gate) {
            Gate::And(inputs) | Gate::Or(inputs) => {
                inputs.iter().for_each(|&input| readers.entry(input).or_default().push(gate));
                open.extend(inputs);
            }
            _ => ready.push_back(gate),
        }
    }
    let mut rank: FxHashMap<GateId, usize> = ready.iter().map(|&gate| (gate, 0)).collect();
    while let Some(gate) = ready.pop_front() {
        for &reader in readers.get(&gate).into_iter().flatten() {
            let inputs = match net.gate(reader) {
                Gate::And(inputs) => {
                    inputs.iter().map(|input| rank.get(input).copied()).collect::<Option<Vec<_>>>()
                }
                _ => Some(vec![rank[&gate]]),
            };
            let Some(longest) = inputs.and_then(|inputs| inputs.into_iter().max()) else {
                continue;
            };
            if let Entry::Vacant(entry) = rank.entry(reader) {
                entry.insert(longest + 1);
                ready.push_back(reader);
            }
        }
    }
    rank
}

/// The fluents at the bottom of the shortest reason.
fn reason(net: &Net, top: GateId, rank: &FxHashMap<GateId, usize>) -> Vec<FluentId> {
    let (mut fluents, mut seen, mut open) = (Vec::new(), FxHashSet::default(), vec![top]);
    while let Some(gate) = open.pop() {
        if !seen.insert(gate) {
            continue;
        }
        match net.gate(gate) {
            Gate::Fluent(fluent) => fluents.push(fluent),
            Gate::And(inputs) => open.extend(inputs),
            Gate::Or(inputs) => {
                let known = inputs.iter().filter(|input| rank.contains_key(input));
                open.extend(known.min_by_key(|input| rank[input]));
            }
            Gate::Not(_) | Gate::Does(_) | Gate::Constant(_) => {}
        }
    }
    fluents
}
