//! Phases: fluents that come round in a fixed rhythm, whatever is played.
//!
//! A turn marker depends on nothing but itself. If a set of fluents is closed, that is, each of their
//! transitions reads only fluents of the set, and after `P` steps from the start they are what they
//! were, then they repeat with period `P` for ever. All games that started together are then in the
//! same phase, and each phase gets a circuit of its own in which these fluents are constants.

use crate::compile::source::{Gate, Source};

/// Longer periods are left alone: every phase costs a circuit, and a finished game waits for phase 0.
const LONGEST: usize = 4;

/// What is known about each phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phases {
    /// Per phase and fluent, its value if it is known.
    pub(crate) known: Vec<Vec<Option<bool>>>,
}

impl Phases {
    /// One phase, nothing known.
    pub(crate) fn none(source: &Source) -> Self {
        Self { known: vec![vec![None; source.fluent_count()]] }
    }

    /// The fluents whose value is known, with their value in each phase.
    pub(crate) fn rhythm(&self) -> Vec<(u32, Vec<bool>)> {
        let values = |fluent: usize| -> Option<Vec<bool>> {
            self.known.iter().map(|phase| phase[fluent]).collect()
        };
        let fluents = 0..self.known.first().map_or(0, Vec::len);
        fluents.filter_map(|fluent| Some((fluent as u32, values(fluent)?))).collect()
    }

    /// The period in which most fluents change, and the values it fixes.
    pub(crate) fn of(source: &Source) -> Self {
        let readers = Readers::of(source);
        let free = readers.closed(source, &vec![true; source.fluent_count()]);
        let history = simulate(source, &free);
        let periodic = |period: usize| {
            let candidate = |fluent: usize| {
                free[fluent]
                    && (0..history.len() - period)
                        .all(|step| history[step][fluent] == history[step + period][fluent])
            };
            let candidates: Vec<bool> = (0..source.fluent_count()).map(candidate).collect();
            readers.closed(source, &candidates)
        };
        let changing = |closed: &[bool]| {
            (0..closed.len())
                .filter(|&f| closed[f] && history.iter().any(|s| s[f] != history[0][f]))
                .count()
        };
        let mut best = (1, periodic(1));
        for period in 2..=LONGEST {
            let closed = periodic(period);
            if changing(&closed) > changing(&best.1) {
                best = (period, closed);
            }
        }
        let (period, closed) = best;
        let value = |step: usize, fluent: usize| closed[fluent].then_some(history[step][fluent]);
        let phase = |step| (0..closed.len()).map(|fluent| value(step, fluent)).collect();
        Self { known: (0..period).map(phase).collect() }
    }
}

/// Which gates read each gate.
struct Readers {
    first: Vec<u32>,
    readers: Vec<u32>,
}

impl Readers {
    fn of(source: &Source) -> Self {
        let gates = source.gate_count();
        let mut first = vec![0u32; gates + 1];
        for gate in 0..gates as u32 {
            for &input in source.inputs(gate) {
                first[input as usize + 1] += 1;
            }
        }
        for gate in 0..gates {
            first[gate + 1] += first[gate];
        }
        let mut cursor = first.clone();
        let mut readers = vec![0; first[gates] as usize];
        for gate in 0..gates as u32 {
            for &input in source.inputs(gate) {
                readers[cursor[input as usize] as usize] = gate;
                cursor[input as usize] += 1;
            }
        }
        Self { first, readers }
    }

    fn of_gate(&self, gate: u32) -> &[u32] {
        let gate = gate as usize;
        &self.readers[self.first[gate] as usize..self.first[gate + 1] as usize]
    }

    /// The candidates that depend on candidates alone, directly and through others. Recursive rules
    /// are taken to depend on everything: no turn marker needs them.
    fn closed(&self, source: &Source, candidates: &[bool]) -> Vec<bool> {
        let gates = source.gate_count();
        let mut closed = candidates.to_vec();
        let mut fluent_gates: Vec<Vec<u32>> = vec![Vec::new(); candidates.len()];
        let mut next_of: Vec<Vec<u32>> = vec![Vec::new(); gates];
        for (fluent, &gate) in source.next.iter().enumerate() {
            next_of[gate as usize].push(fluent as u32);
        }
        let mut open: Vec<u32> = source.cycles.iter().cloned().flatten().collect();
        for gate in 0..gates as u32 {
            match source.gate(gate) {
                Gate::Does(_) => open.push(gate),
                Gate::Fluent(fluent) if !candidates[fluent as usize] => open.push(gate),
                Gate::Fluent(fluent) => fluent_gates[fluent as usize].push(gate),
                _ => {}
            }
        }
        let mut touched = vec![false; gates];
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut touched[gate as usize], true) {
                continue;
            }
            open.extend_from_slice(self.of_gate(gate));
            for &fluent in &next_of[gate as usize] {
                closed[fluent as usize] = false;
                open.append(&mut fluent_gates[fluent as usize]);
            }
        }
        closed
    }
}

/// The first states, as far as fluents that depend on themselves alone are concerned.
fn simulate(source: &Source, free: &[bool]) -> Vec<Vec<bool>> {
    let mut needed = vec![false; source.gate_count()];
    for (fluent, &gate) in source.next.iter().enumerate() {
        needed[gate as usize] |= free[fluent];
    }
    for gate in (0..source.gate_count() as u32).rev() {
        if needed[gate as usize] {
            source.inputs(gate).iter().for_each(|&input| needed[input as usize] = true);
        }
    }
    let mut history = vec![source.initial.clone()];
    let mut values = vec![false; source.gate_count()];
    for step in 0..2 * LONGEST {
        let state = &history[step];
        for gate in (0..source.gate_count() as u32).filter(|&gate| needed[gate as usize]) {
            let value = |&input: &u32| values[input as usize];
            values[gate as usize] = match source.gate(gate) {
                Gate::Constant(value) => value,
                Gate::Fluent(fluent) => state[fluent as usize],
                Gate::Does(_) => false,
                Gate::And(inputs) => inputs.iter().all(value),
                Gate::Or(inputs) => inputs.iter().any(value),
                Gate::Not(input) => !values[input as usize],
            };
        }
        let next = |(fluent, &gate): (usize, &u32)| free[fluent] && values[gate as usize];
        history.push(source.next.iter().enumerate().map(next).collect());
    }
    history
}
