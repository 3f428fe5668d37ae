//! What runs by itself: clocks, turn markers and whatever else no move can change.
//!
//! The largest set of units such that what they become is a function of themselves alone, as far as
//! play was seen, and which by the rules look at nothing that depends on what is played: a guard whom nobody
//! has met yet seems to walk by himself.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, GateId, Net, Readers, State};
use rustc_hash::FxHashMap;

use crate::sample::interventions::{Met, Observation};
use crate::variables::unit::{UnitId, Units};

/// How a unit behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Behaviour {
    /// It never changed.
    Constant,
    /// It runs by itself.
    Independent,
    /// What is played changes it, or changes something that it follows.
    Dependent,
}

/// How each unit behaves.
pub(crate) fn behaviours(units: &Units, seen: &Observation) -> IndexVec<UnitId, Behaviour> {
    let mut behaviours: IndexVec<UnitId, Behaviour> = units
        .fluents
        .iter()
        .map(|fluents| {
            if fluents.iter().any(|&fluent| seen.dependent[fluent]) {
                Behaviour::Dependent
            } else if fluents.iter().any(|&fluent| seen.changes[fluent]) {
                Behaviour::Independent
            } else {
                Behaviour::Constant
            }
        })
        .collect::<Vec<_>>()
        .into();
    let met: Vec<&Met> = seen.met.iter().chain(&seen.steps).collect();
    while let Some(broken) = reads_others(units, &behaviours, &met) {
        broken.into_iter().for_each(|unit| behaviours[unit] = Behaviour::Dependent);
    }
    behaviours
}

/// Units that look at something that depends on what is played depend on it too, seen or not.
pub(crate) fn spread_by_rules(
    net: &Net,
    units: &Units,
    behaviours: &mut IndexVec<UnitId, Behaviour>,
) {
    let readers = Readers::of(net);
    let mut becomes: FxHashMap<GateId, Vec<UnitId>> = FxHashMap::default();
    for (fluent, &gate) in net.next.iter_ids() {
        becomes.entry(gate).or_default().push(units.of_fluent[fluent]);
    }
    let gates_of = |unit: UnitId| units.fluents[unit].iter().map(|&fluent| net.fluent_gate(fluent));
    let dependent = behaviours.iter_ids().filter(|(_, b)| **b == Behaviour::Dependent);
    let mut open: Vec<GateId> = dependent.flat_map(|(unit, _)| gates_of(unit)).collect();
    let mut reached = vec![false; net.gate_count()];
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut reached[gate.index()], true) {
            continue;
        }
        open.extend(readers.of_gate(gate).iter().filter(|reader| !reached[reader.index()]));
        for &unit in becomes.get(&gate).into_iter().flatten() {
            if behaviours[unit] == Behaviour::Independent {
                behaviours[unit] = Behaviour::Dependent;
                open.extend(gates_of(unit));
            }
        }
    }
}

/// The fluents of the units that run by themselves.
pub(crate) fn independent_fluents(
    units: &Units,
    behaviours: &IndexVec<UnitId, Behaviour>,
) -> Vec<FluentId> {
    let mut fluents: Vec<FluentId> = behaviours
        .iter_ids()
        .filter(|&(_, &behaviour)| behaviour == Behaviour::Independent)
        .flat_map(|(unit, _)| units.fluents[unit].iter().copied())
        .collect();
    fluents.sort_unstable();
    fluents
}

/// Units that became different things in two states in which all independent units were alike.
fn reads_others(
    units: &Units,
    behaviours: &IndexVec<UnitId, Behaviour>,
    met: &[&Met],
) -> Option<Vec<UnitId>> {
    let mut mask = State::empty(units.of_fluent.len());
    independent_fluents(units, behaviours).into_iter().for_each(|fluent| mask.set(fluent));
    let mut followed_by: FxHashMap<State, State> = FxHashMap::default();
    let mut broken = Vec::new();
    for met in met {
        let next = met.next.masked(&mask);
        let first = followed_by.entry(met.state.masked(&mask)).or_insert_with(|| next.clone());
        if *first != next {
            let differs = first.difference(&next);
            broken
                .extend(differs.ones().map(|fluent| units.of_fluent[FluentId::from_index(fluent)]));
        }
    }
    broken.sort_unstable();
    broken.dedup();
    (!broken.is_empty()).then_some(broken)
}
