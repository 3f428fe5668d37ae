//! States of a part that nothing tells apart: the coarsest bisimulation.
//!
//! Two states are told apart by what the rest of the game reads of the part, or by what can follow.
//! If every move acts in one part alone and its legality is a matter of that part, only the *sets* of
//! what can follow count, for own moves and for moves elsewhere; else each joint move counts.

use gambol_index::Id;
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};
use rustc_hash::FxHashMap;

use super::context::Orbit;
use super::gate_sweep::GateSweep;
use super::local::{Local, NONE, load_part};
use super::parts::Parts;
use super::support::Supports;

/// How the moves relate to the parts.
pub(crate) struct Ownership {
    /// For each moment and joint move the part it acts in, if each acts in one alone.
    pub(crate) owner: Option<Vec<Vec<Option<usize>>>>,
}

impl Ownership {
    /// Whether every joint move acts in one part at most, and that part decides its legality.
    pub(crate) fn of(
        net: &Net,
        supports: &Supports,
        orbit: &Orbit,
        parts: &Parts,
        locals: &[Local],
    ) -> Self {
        let mut owner = Vec::new();
        for (number, moment) in orbit.moments.iter().enumerate() {
            let mut owners = Vec::new();
            for joint in &moment.joint_moves {
                match owner_of(net, supports, parts, joint) {
                    Some(found) => owners.push(found),
                    None => return Self { owner: None },
                }
            }
            // Moves that are not a part's own must all be the same to it.
            for (part, local) in locals.iter().enumerate() {
                let columns = local.column_of[number].iter().zip(&owners);
                let mut others = columns.filter(|(_, owner)| **owner != Some(part));
                let first = others.next().map(|(&column, _)| column);
                if others.any(|(&column, _)| Some(column) != first) {
                    return Self { owner: None };
                }
            }
            owner.push(owners);
        }
        Self { owner: Some(owner) }
    }
}

/// The part that decides the legality of a joint move's moves: `Some(None)` if none does, nothing if
/// several do.
fn owner_of(
    net: &Net,
    supports: &Supports,
    parts: &Parts,
    joint: &[MoveId],
) -> Option<Option<usize>> {
    let mut owner = None;
    for &action in joint {
        for fluent in supports.fluents(net.legal[action]) {
            let part = parts.parts.iter().position(|part| part.binary_search(&fluent).is_ok());
            if let Some(part) = part {
                if owner.is_some_and(|owner| owner != part) {
                    return None;
                }
                owner = Some(part);
            }
        }
    }
    Some(owner)
}

/// For each state of a part the number of its block; equal numbers are not told apart.
pub(crate) fn blocks(
    net: &Net,
    supports: &Supports,
    orbit: &Orbit,
    part: usize,
    local: &Local,
    ownership: &Ownership,
) -> Vec<u32> {
    let roots = roots(net, orbit, ownership);
    let gates = read_gates(net, supports, &roots, &local.fluents);
    let mut block = observe(net, local, &gates);
    let mut count = 0;
    loop {
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let next: Vec<u32> = local
            .states()
            .map(|state| {
                let signature = signature(local, part, ownership, &block, state.index());
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

/// What the rest of the game looks at: the end, the goals, and the legality of moves that are not a
/// part's own.
fn roots(net: &Net, orbit: &Orbit, ownership: &Ownership) -> Vec<GateId> {
    let mut roots: Vec<GateId> = net.goals.iter().map(|goal| goal.gate).collect();
    roots.push(net.terminal);
    for (number, moment) in orbit.moments.iter().enumerate() {
        for (place, joint) in moment.joint_moves.iter().enumerate() {
            let owned =
                ownership.owner.as_ref().is_some_and(|owner| owner[number][place].is_some());
            if !owned {
                roots.extend(joint.iter().map(|&action| net.legal[action]));
            }
        }
    }
    roots.sort_unstable();
    roots.dedup();
    roots
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
    let mut sweep = GateSweep::new(net);
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

fn signature(
    local: &Local,
    part: usize,
    ownership: &Ownership,
    block: &[u32],
    state: usize,
) -> Vec<u32> {
    let mut signature = vec![block[state]];
    let follows = |column: &Vec<u32>| match column[state] {
        NONE => NONE,
        next => block[next as usize],
    };
    for (moment, columns) in local.columns.iter().enumerate() {
        let Some(owner) = &ownership.owner else {
            signature.extend(columns.iter().map(follows));
            continue;
        };
        let labels = local.column_of[moment].iter().zip(&owner[moment]);
        let own = labels.clone().filter(|(_, owner)| **owner == Some(part));
        let mut set: Vec<u32> = own.map(|(&column, _)| follows(&columns[column])).collect();
        set.sort_unstable();
        set.dedup();
        set.retain(|&next| next != NONE);
        let idle = labels.clone().find(|(_, owner)| **owner != Some(part));
        signature.push(set.len() as u32);
        signature.extend(set);
        signature.push(idle.map_or(NONE, |(&column, _)| follows(&columns[column])));
    }
    signature
}
