//! The coarsest bisimulation of the states of a part.
//!
//! Two states differ if the rest of the game reads different values of the part, or if their successors differ. To the
//! rest, a joint move is what it does there. If two joint moves do the same to the rest, it does not matter which of
//! them leads to a state: only the *sets* of successors count. Where several players act on a part at the same time,
//! each joint move counts by itself.
//!
//! Two states are told apart by what the rest of the game reads of the part, or by what can follow.
//! A joint move is, to the rest, what it does there. If two joint moves do the same to the rest, it
//! does not matter which of them leads to a state; only the *sets* of what can follow count. Where
//! several players act on a part at the same time, each joint move counts by itself.

use gambol_index::Id;
use gambol_net::{FluentId, Gate, GateId, Lanes, Net, Supports};
use rustc_hash::FxHashMap;

use super::context::{Moment, Orbit};
use super::transition_system::{Local, NONE, load_part};

/// For each state of a part the number of its block; equal numbers are not told apart.
pub(crate) fn blocks(
    net: &Net,
    supports: &Supports,
    orbit: &Orbit,
    part: usize,
    locals: &[&Local],
) -> Vec<u32> {
    let local = locals[part];
    let gates = read_gates(net, supports, &roots(net, orbit), &local.fluents);
    let choices = choices(orbit, part, locals);
    let mut block = observe(net, local, &gates);
    let mut count = 0;
    loop {
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let next: Vec<u32> = local
            .states()
            .map(|state| {
                let signature = signature(local, &choices, &block, state.index());
                let fresh = known.len() as u32;
                *known.entry(signature).or_insert(fresh)
            })
            .collect();
        let found = known.len();
        block = next;
        if found == count {
            return block;
        }
        count = found;
    }
}

/// The columns among which it makes no difference to the rest of the game which is taken: sets of
/// them, each once.
fn choices(orbit: &Orbit, part: usize, locals: &[&Local]) -> Vec<Vec<usize>> {
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for (number, moment) in orbit.moments.iter().enumerate() {
        let columns = &locals[part].column_of[number];
        if moment.is_simultaneous() && !acts_alone(orbit, number, locals) {
            choices.extend(columns.iter().map(|&column| vec![column]));
            continue;
        }
        let mut rest: FxHashMap<Vec<usize>, Vec<usize>> = FxHashMap::default();
        for (place, &column) in columns.iter().enumerate() {
            let others = locals.iter().enumerate().filter(|(other, _)| *other != part);
            let mut key: Vec<usize> =
                others.map(|(_, local)| local.column_of[number][place]).collect();
            for condition in &moment.legality[place].shared {
                key.push(2 * condition.gate.index() + usize::from(condition.holds));
            }
            rest.entry(key).or_default().push(column);
        }
        choices.extend(rest.into_values().map(sorted));
    }
    sorted(choices)
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

/// Whether in a moment each part heeds the move of one player at most.
fn acts_alone(orbit: &Orbit, number: usize, locals: &[&Local]) -> bool {
    let moment = &orbit.moments[number];
    let heeds = |local: &Local, role: usize| heeds(moment, &local.column_of[number], role);
    moment.legality.iter().all(|legality| legality.shared.is_empty())
        && locals
            .iter()
            .all(|local| (0..moment.choices.len()).filter(|&role| heeds(local, role)).count() <= 1)
}

/// Whether a part heeds what a player does.
fn heeds(moment: &Moment, column_of: &[usize], role: usize) -> bool {
    let stride: usize = moment.choices[role + 1..].iter().product();
    let first = |place: usize| place - place / stride % moment.choices[role] * stride;
    (0..column_of.len()).any(|place| column_of[place] != column_of[first(place)])
}

/// What the rest of the game looks at: the end, the goals, and the legality of moves that no part
/// decides alone.
fn roots(net: &Net, orbit: &Orbit) -> Vec<GateId> {
    let mut roots: Vec<GateId> = net.goals.iter().map(|goal| goal.gate).collect();
    roots.push(net.terminal);
    let legality = orbit.moments.iter().flat_map(|moment| &moment.legality);
    roots.extend(legality.flat_map(|legality| legality.shared.iter().map(|c| c.gate)));
    sorted(roots)
}

/// The gates that depend on the part alone and are read by others, or are roots.
fn read_gates(
    net: &Net,
    supports: &Supports,
    roots: &[GateId],
    fluents: &[FluentId],
) -> Vec<GateId> {
    let pure =
        |gate: GateId| supports.fluents(gate).all(|fluent| fluents.binary_search(&fluent).is_ok());
    let touches =
        |gate: GateId| supports.fluents(gate).any(|fluent| fluents.binary_search(&fluent).is_ok());
    let mut seen = vec![false; net.gate_count()];
    let mut open: Vec<GateId> = roots.to_vec();
    let mut found = Vec::new();
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut seen[gate.index()], true) || !touches(gate) {
            continue;
        }
        if pure(gate) {
            found.push(gate);
            continue;
        }
        match net.gate(gate) {
            Gate::And(inputs) | Gate::Or(inputs) => open.extend(inputs),
            Gate::Not(input) => open.push(input),
            Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => {}
        }
    }
    found.sort_unstable();
    found
}

/// Blocks by what is read of the states.
fn observe(net: &Net, local: &Local, gates: &[GateId]) -> Vec<u32> {
    let width = local.fluents.len().div_ceil(64).max(1);
    let mut sweep = Lanes::new(net);
    let mut known: FxHashMap<Vec<bool>, u32> = FxHashMap::default();
    let mut blocks = Vec::with_capacity(local.store.len());
    let all = local.store.rows(0..local.store.len());
    for states in all.chunks(64 * width) {
        load_part(&mut sweep, &local.fluents, width, states);
        sweep.run();
        for lane in 0..states.len() / width {
            let seen = gates.iter().map(|&gate| sweep.value(gate) >> lane & 1 == 1).collect();
            let fresh = known.len() as u32;
            blocks.push(*known.entry(seen).or_insert(fresh));
        }
    }
    blocks
}

fn signature(local: &Local, choices: &[Vec<usize>], block: &[u32], state: usize) -> Vec<u32> {
    let mut signature = vec![block[state]];
    for columns in choices {
        let first = signature.len() + 1;
        signature.push(0);
        for &column in columns {
            match local.columns[column][state] {
                NONE => {}
                next => signature.push(block[next as usize]),
            }
        }
        let found = sorted(signature.split_off(first));
        signature[first - 1] = found.len() as u32;
        signature.extend(found);
    }
    signature
}
