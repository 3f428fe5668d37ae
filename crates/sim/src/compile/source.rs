//! The part of a net that runs: what its roots read, in evaluation order.
//!
//! A [`Source`] drops the views and everything only they need, so it is small enough to be kept
//! beside the code made from it: the same game is compiled several times, once per phase.

use std::ops::Range;

use gambol_index::Id;
use gambol_net::{Gate as NetGate, GateId, MoveId, Net, RoleId, When};

use crate::SimError;

/// A gate; inputs are numbers of gates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gate<'a> {
    Constant(bool),
    Fluent(u32),
    Does(u32),
    And(&'a [u32]),
    Or(&'a [u32]),
    Not(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    False,
    True,
    Fluent,
    Does,
    And,
    Or,
    Not,
}

/// Gates in evaluation order, and the roots that read them. Gate `g` reads
/// `inputs[first[g]..first[g + 1]]`; a fluent or move stores its number there.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    kind: Vec<Kind>,
    first: Vec<u32>,
    inputs: Vec<u32>,
    /// Ranges of gates that mean their least fixpoint, in order and disjoint.
    pub(crate) cycles: Vec<Range<u32>>,
    pub(crate) role_count: usize,
    /// The moves of each role, as ranges.
    pub(crate) moves_of: Vec<Range<u32>>,
    /// Whether each fluent is true at the start.
    pub(crate) initial: Vec<bool>,
    pub(crate) next: Vec<u32>,
    pub(crate) legal: Vec<u32>,
    pub(crate) terminal: u32,
    pub(crate) goals: Vec<u32>,
    pub(crate) percepts: Vec<u32>,
    /// Which rules are tried when the gates are reduced.
    pub(crate) reductions: When,
    /// Whether moves are chosen by groups.
    pub(crate) grouping: When,
}

impl Source {
    /// Takes what runs from a net, and checks the order that everything later relies on.
    pub(crate) fn of(net: &Net) -> Result<Self, SimError> {
        check_order(net)?;
        let renumbered = Renumbering::of(net);
        let mut source = Self {
            kind: Vec::new(),
            first: vec![0],
            inputs: Vec::new(),
            cycles: renumbered.cycles(net),
            role_count: net.roles.len(),
            moves_of: net.roles.ids().map(|role| net.moves_of(role)).collect(),
            initial: vec![false; net.fluents.len()],
            next: net.next.iter().map(|&gate| renumbered.gate(gate)).collect(),
            legal: net.legal.iter().map(|&gate| renumbered.gate(gate)).collect(),
            terminal: renumbered.gate(net.terminal),
            goals: net.goals.iter().map(|goal| renumbered.gate(goal.gate)).collect(),
            percepts: net.percepts.iter().map(|percept| renumbered.gate(percept.gate)).collect(),
            reductions: When::default(),
            grouping: When::default(),
        };
        for &fluent in &net.initial {
            source.initial[fluent.index()] = true;
        }
        for id in net.gate_ids().filter(|id| renumbered.keeps(*id)) {
            source.push(net.gate(id), &renumbered);
        }
        Ok(source)
    }

    fn push(&mut self, gate: NetGate<'_>, renumbered: &Renumbering) {
        let kind = match gate {
            NetGate::Constant(false) => Kind::False,
            NetGate::Constant(true) => Kind::True,
            NetGate::Fluent(fluent) => {
                self.inputs.push(fluent.number());
                Kind::Fluent
            }
            NetGate::Does(action) => {
                self.inputs.push(action.number());
                Kind::Does
            }
            NetGate::And(inputs) => {
                self.inputs.extend(inputs.iter().map(|&input| renumbered.gate(input)));
                Kind::And
            }
            NetGate::Or(inputs) => {
                self.inputs.extend(inputs.iter().map(|&input| renumbered.gate(input)));
                Kind::Or
            }
            NetGate::Not(input) => {
                self.inputs.push(renumbered.gate(input));
                Kind::Not
            }
        };
        self.kind.push(kind);
        self.first.push(self.inputs.len() as u32);
    }

    pub(crate) fn gate_count(&self) -> usize {
        self.kind.len()
    }

    pub(crate) fn fluent_count(&self) -> usize {
        self.next.len()
    }

    pub(crate) fn move_count(&self) -> usize {
        self.legal.len()
    }

    /// The role of each move.
    pub(crate) fn role_of_moves(&self) -> Vec<u32> {
        let mut roles = vec![0; self.move_count()];
        for (role, moves) in self.moves_of.iter().enumerate() {
            roles[moves.start as usize..moves.end as usize].fill(role as u32);
        }
        roles
    }

    #[inline]
    pub(crate) fn gate(&self, number: u32) -> Gate<'_> {
        let row = number as usize;
        let inputs = &self.inputs[self.first[row] as usize..self.first[row + 1] as usize];
        match self.kind[row] {
            Kind::False => Gate::Constant(false),
            Kind::True => Gate::Constant(true),
            Kind::Fluent => Gate::Fluent(inputs[0]),
            Kind::Does => Gate::Does(inputs[0]),
            Kind::And => Gate::And(inputs),
            Kind::Or => Gate::Or(inputs),
            Kind::Not => Gate::Not(inputs[0]),
        }
    }

    /// The gates a gate reads.
    #[inline]
    pub(crate) fn inputs(&self, number: u32) -> &[u32] {
        let row = number as usize;
        match self.kind[row] {
            Kind::False | Kind::True | Kind::Fluent | Kind::Does => &[],
            Kind::And | Kind::Or | Kind::Not => {
                &self.inputs[self.first[row] as usize..self.first[row + 1] as usize]
            }
        }
    }

    /// Which gates depend on what is done in this step.
    pub(crate) fn reads_does(&self) -> Vec<bool> {
        let mut reads = vec![false; self.gate_count()];
        let mut mark = |range: Range<u32>, fallback: bool| {
            let mut found = false;
            for gate in range {
                reads[gate as usize] |= fallback
                    || matches!(self.gate(gate), Gate::Does(_))
                    || self.inputs(gate).iter().any(|&input| reads[input as usize]);
                found |= reads[gate as usize];
            }
            found
        };
        let mut gate = 0;
        for cycle in &self.cycles {
            mark(gate..cycle.start, false);
            // Every gate of a cycle depends on every other one.
            if mark(cycle.clone(), false) {
                mark(cycle.clone(), true);
            }
            gate = cycle.end;
        }
        mark(gate..self.gate_count() as u32, false);
        reads
    }
}

/// New numbers for the gates that are kept; order is preserved.
struct Renumbering {
    number: Vec<u32>,
}

const DROPPED: u32 = u32::MAX;

impl Renumbering {
    fn of(net: &Net) -> Self {
        let mut number = vec![DROPPED; net.gate_count()];
        let mut open: Vec<GateId> = Vec::new();
        open.extend(net.next.iter().chain(net.legal.iter()).copied());
        open.push(net.terminal);
        open.extend(net.goals.iter().map(|goal| goal.gate));
        open.extend(net.percepts.iter().map(|percept| percept.gate));
        while let Some(gate) = open.pop() {
            if number[gate.index()] == DROPPED {
                number[gate.index()] = 0;
                open.extend_from_slice(inputs_of(net, gate).as_slice());
            }
        }
        for (kept, place) in number.iter_mut().filter(|place| **place != DROPPED).enumerate() {
            *place = kept as u32;
        }
        Self { number }
    }

    fn keeps(&self, gate: GateId) -> bool {
        self.number[gate.index()] != DROPPED
    }

    fn gate(&self, gate: GateId) -> u32 {
        self.number[gate.index()]
    }

    fn cycles(&self, net: &Net) -> Vec<Range<u32>> {
        let kept = |range: &Range<u32>| {
            let mut numbers = range.clone().map(|gate| self.number[gate as usize]);
            let start = numbers.find(|&number| number != DROPPED)?;
            let rest = numbers.filter(|&number| number != DROPPED).count() as u32;
            Some(start..start + 1 + rest)
        };
        net.cycles.iter().filter_map(kept).collect()
    }
}

enum Inputs<'a> {
    Many(&'a [GateId]),
    One([GateId; 1]),
}

impl Inputs<'_> {
    fn as_slice(&self) -> &[GateId] {
        match self {
            Inputs::Many(inputs) => inputs,
            Inputs::One(input) => input,
        }
    }
}

fn inputs_of(net: &Net, gate: GateId) -> Inputs<'_> {
    match net.gate(gate) {
        NetGate::Constant(_) | NetGate::Fluent(_) | NetGate::Does(_) => Inputs::Many(&[]),
        NetGate::And(inputs) | NetGate::Or(inputs) => Inputs::Many(inputs),
        NetGate::Not(input) => Inputs::One([input]),
    }
}

/// A gate reads smaller numbers, or numbers in its own cycle, which holds no inverter; the moves
/// of a role stand together.
fn check_order(net: &Net) -> Result<(), SimError> {
    let mut cycles = net.cycles.iter().peekable();
    for id in net.gate_ids() {
        let gate = id.number();
        while cycles.next_if(|cycle| cycle.end <= gate).is_some() {}
        let cycle = cycles.peek().filter(|cycle| cycle.contains(&gate));
        let limit = cycle.map_or(gate, |cycle| cycle.end);
        if inputs_of(net, id).as_slice().iter().any(|input| input.number() >= limit) {
            return Err(SimError::NotInOrder { gate });
        }
        if cycle.is_some() && matches!(net.gate(id), NetGate::Not(_)) {
            return Err(SimError::InverterInCycle { gate });
        }
    }
    check_moves(net)
}

fn check_moves(net: &Net) -> Result<(), SimError> {
    let known = |role: RoleId| role.index() < net.roles.len();
    let mut last = RoleId::new(0);
    for (id, action) in net.moves.iter_ids() {
        if !known(action.role) || action.role < last {
            let id: MoveId = id;
            return Err(SimError::MovesNotSorted { action: id.number() });
        }
        last = action.role;
    }
    Ok(())
}
