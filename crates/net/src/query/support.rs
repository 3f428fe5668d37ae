//! What gates read: for each gate the fluents it depends on, and whether it depends on moves.

use gambol_index::{Id, IndexVec, bits};

use crate::{FluentId, Gate, GateId, Net};

/// Sets of fluents larger than this in all are not made.
const MOST_WORDS: usize = 60_000_000;

/// Row `g` of `width` words is the set of fluents that gate `g` depends on.
pub struct Supports {
    width: usize,
    rows: Vec<u64>,
    moves: IndexVec<GateId, bool>,
}

impl Supports {
    /// `None` if the net is too large.
    pub fn of(net: &Net) -> Option<Self> {
        let width = net.fluents.len().div_ceil(64).max(1);
        if width.checked_mul(net.gate_count())? > MOST_WORDS {
            return None;
        }
        let mut supports = Self {
            width,
            rows: vec![0; width * net.gate_count()],
            moves: IndexVec::filled(false, net.gate_count()),
        };
        // Gates stand after what they read, but for cycles: what one member reads all members read. A
        // cycle may read another, so this goes on until nothing is added.
        loop {
            let before =
                (!net.cycles.is_empty()).then(|| (supports.rows.clone(), supports.moves.clone()));
            net.gate_ids().for_each(|id| supports.add(net, id));
            net.cycles.iter().for_each(|cycle| supports.join(cycle.clone()));
            if before.is_none_or(|(rows, moves)| rows == supports.rows && moves == supports.moves) {
                return Some(supports);
            }
        }
    }

    fn add(&mut self, net: &Net, id: GateId) {
        match net.gate(id) {
            Gate::Constant(_) => {}
            Gate::Fluent(fluent) => {
                self.rows[id.index() * self.width + fluent.index() / 64] |=
                    1 << (fluent.index() % 64);
            }
            Gate::Does(_) => self.moves[id] = true,
            Gate::Not(input) => self.add_input(id, input),
            Gate::And(inputs) | Gate::Or(inputs) => {
                inputs.iter().for_each(|&input| self.add_input(id, input));
            }
        }
    }

    fn add_input(&mut self, id: GateId, input: GateId) {
        for word in 0..self.width {
            let bits = self.rows[input.index() * self.width + word];
            self.rows[id.index() * self.width + word] |= bits;
        }
        self.moves[id] |= self.moves[input];
    }

    fn join(&mut self, cycle: std::ops::Range<u32>) {
        let members: Vec<usize> = cycle.map(|member| member as usize).collect();
        for word in 0..self.width {
            let all = members.iter().fold(0, |all, m| all | self.rows[m * self.width + word]);
            members.iter().for_each(|m| self.rows[m * self.width + word] = all);
        }
        let any = members.iter().any(|&m| self.moves[GateId::from_index(m)]);
        members.iter().for_each(|&m| self.moves[GateId::from_index(m)] = any);
    }

    /// The fluents a gate depends on, as bits.
    pub fn row(&self, gate: GateId) -> &[u64] {
        &self.rows[gate.index() * self.width..(gate.index() + 1) * self.width]
    }

    /// The fluents a gate depends on.
    pub fn fluents(&self, gate: GateId) -> impl Iterator<Item = FluentId> + '_ {
        bits::ones_of_row(self.row(gate)).map(FluentId::from_index)
    }

    /// Whether a gate depends on moves.
    pub fn reads_moves(&self, gate: GateId) -> bool {
        self.moves[gate]
    }
}
