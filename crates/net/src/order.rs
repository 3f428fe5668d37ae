//! From a draft to a net: unread gates are left out, the others are numbered so that they can be
//! evaluated from the first to the last.
//!
//! Constants and propositions come first, then the gates that look at the state only, then those
//! that look at the moves as well. Gates that read one another are neighbours.

use std::ops::Range;

use gambol_index::{Components, Graph, IndexVec};

use crate::draft::{Draft, FALSE, TRUE, Wire};
use crate::frame::Frame;
use crate::net::Kind;
use crate::{GateId, GoalGate, Net, NetError, PerceptGate, ViewGate};

const UNNUMBERED: u32 = u32::MAX;

/// Orders the gates that the frame needs.
pub(crate) fn order(draft: &Draft, frame: Frame) -> Result<Net, NetError> {
    frame.check_moves()?;
    let needed = mark_needed(draft, &frame);
    let sequence = Sequence::of(draft, &needed);
    sequence.check_inverters(draft, &frame)?;
    let numbering = Numbering::of(draft, &frame, &sequence);
    Ok(write_net(draft, frame, numbering))
}

fn mark_needed(draft: &Draft, frame: &Frame) -> Vec<bool> {
    let mut needed = vec![false; draft.len()];
    let mut open: Vec<Wire> = frame.roots().collect();
    while let Some(wire) = open.pop() {
        if !std::mem::replace(&mut needed[wire.number() as usize], true) {
            open.extend(draft.inputs(wire).iter().filter(|input| !needed[input.number() as usize]));
        }
    }
    needed
}

/// The needed AND, OR and NOT gates, each after what it reads; those of a cycle are neighbours.
struct Sequence {
    wires: Vec<Wire>,
    cycles: Vec<Range<usize>>,
}

impl Sequence {
    fn of(draft: &Draft, needed: &[bool]) -> Self {
        let mut sequence = Self { wires: Vec::new(), cycles: Vec::new() };
        if draft.is_in_order() {
            let all = (0..number(draft.len())).map(Wire::new);
            let gates = all.filter(|wire| needed[wire.number() as usize]);
            sequence.wires.extend(gates.filter(|&wire| draft.kind(wire).is_logic()));
        } else {
            sequence.add_components(draft, needed);
        }
        sequence
    }

    fn add_components(&mut self, draft: &Draft, needed: &[bool]) {
        let graph = Graph::from_successors((0..number(draft.len())).map(|gate| {
            let inputs = if needed[gate as usize] { draft.inputs(Wire::new(gate)) } else { &[] };
            inputs.iter().map(|input| input.number())
        }));
        let components = Components::of(&graph);
        for component in 0..number(components.len()) {
            let members = components.members(component).iter().map(|&gate| Wire::new(gate));
            let is_gate =
                |wire: &Wire| needed[wire.number() as usize] && draft.kind(*wire).is_logic();
            let start = self.wires.len();
            self.wires.extend(members.filter(is_gate));
            if start < self.wires.len() && components.is_cyclic(&graph, component) {
                self.cycles.push(start..self.wires.len());
            }
        }
    }

    /// The places of single gates and of whole cycles, in order.
    fn groups(&self) -> impl Iterator<Item = (Range<usize>, bool)> {
        let mut place = 0;
        let mut cycles = self.cycles.iter().peekable();
        std::iter::from_fn(move || {
            if place == self.wires.len() {
                return None;
            }
            let cycle = cycles.next_if(|cycle| cycle.start == place);
            let group = cycle.cloned().unwrap_or(place..place + 1);
            place = group.end;
            Some((group, cycle.is_some()))
        })
    }

    fn check_inverters(&self, draft: &Draft, frame: &Frame) -> Result<(), NetError> {
        for cycle in &self.cycles {
            let members = &self.wires[cycle.clone()];
            if members.iter().any(|&wire| draft.kind(wire) == Kind::Not) {
                return Err(negative_cycle(frame, members));
            }
        }
        Ok(())
    }

    /// Which wires depend on a move.
    fn reads_moves(&self, draft: &Draft) -> Vec<bool> {
        let all = (0..number(draft.len())).map(Wire::new);
        let mut reads: Vec<bool> = all.map(|wire| draft.kind(wire) == Kind::Does).collect();
        for (group, _) in self.groups() {
            let members = &self.wires[group];
            let mut inputs = members.iter().flat_map(|&wire| draft.inputs(wire));
            let found = inputs.any(|input| reads[input.number() as usize]);
            members.iter().for_each(|wire| reads[wire.number() as usize] = found);
        }
        reads
    }
}

/// Which gate each wire becomes.
struct Numbering {
    gate_of: Vec<u32>,
    /// The wires of the logic gates, in their new order.
    gates: Vec<Wire>,
    first_step_gate: u32,
    cycles: Vec<Range<u32>>,
}

impl Numbering {
    fn of(draft: &Draft, frame: &Frame, sequence: &Sequence) -> Self {
        let leaves = number(2 + frame.fluents.len() + frame.moves.len());
        let reads_moves = sequence.reads_moves(draft);
        let mut numbering = Self {
            gate_of: leaf_gates(draft, number(frame.fluents.len())),
            gates: Vec::with_capacity(sequence.wires.len()),
            first_step_gate: leaves,
            cycles: Vec::new(),
        };
        for step in [false, true] {
            for (group, cyclic) in sequence.groups() {
                let members = &sequence.wires[group];
                if reads_moves[members[0].number() as usize] == step {
                    numbering.place(leaves, members, cyclic);
                }
            }
            if !step {
                numbering.first_step_gate = leaves + number(numbering.gates.len());
            }
        }
        numbering
    }

    fn place(&mut self, leaves: u32, members: &[Wire], cyclic: bool) {
        let start = leaves + number(self.gates.len());
        for (gate, &wire) in (start..).zip(members) {
            self.gate_of[wire.number() as usize] = gate;
            self.gates.push(wire);
        }
        if cyclic {
            self.cycles.push(start..start + number(members.len()));
        }
    }
}

/// Constants and propositions have fixed places.
fn leaf_gates(draft: &Draft, fluents: u32) -> Vec<u32> {
    let gate = |wire: Wire| match draft.kind(wire) {
        Kind::False => FALSE.number(),
        Kind::True => TRUE.number(),
        Kind::Fluent => 2 + draft.leaf(wire),
        Kind::Does => 2 + fluents + draft.leaf(wire),
        Kind::And | Kind::Or | Kind::Not => UNNUMBERED,
    };
    (0..number(draft.len())).map(Wire::new).map(gate).collect()
}

fn negative_cycle(frame: &Frame, members: &[Wire]) -> NetError {
    let view = frame.views.iter().find(|(_, wire)| members.contains(wire));
    let gate = match view {
        Some((atom, _)) => frame.names.atom_text(atom),
        None => format!("gate {}", members[0].number()),
    };
    NetError::NegativeCycle { gate }
}

fn write_net(draft: &Draft, frame: Frame, numbering: Numbering) -> Net {
    let gate = |wire: Wire| GateId::new(numbering.gate_of[wire.number() as usize]);
    let mut table = GateTable::with_leaves(frame.fluents.len(), frame.moves.len());
    for &wire in &numbering.gates {
        table.push(draft.kind(wire), draft.inputs(wire).iter().map(|&input| gate(input)));
    }
    let goals = frame.goals.iter();
    let goals = goals.map(|&(role, value, wire)| GoalGate { role, value, gate: gate(wire) });
    let percepts = frame.percepts.into_iter();
    let percepts = percepts.map(|(role, name, wire)| PerceptGate { role, name, gate: gate(wire) });
    let views = frame.views.into_iter();
    let views = views.map(|(atom, wire)| ViewGate { atom, gate: gate(wire) });
    Net {
        roles: frame.roles,
        fluents: frame.fluents,
        moves: frame.moves,
        initial: frame.initial,
        next: frame.next.iter().map(|&wire| gate(wire)).collect(),
        legal: frame.legal.iter().map(|&wire| gate(wire)).collect(),
        terminal: gate(frame.terminal),
        goals: goals.collect(),
        percepts: percepts.collect(),
        views: views.collect(),
        names: frame.names,
        cycles: numbering.cycles,
        first_step_gate: numbering.first_step_gate,
        kind: table.kind,
        first: table.first,
        inputs: table.inputs,
        cycle_readers: Default::default(),
    }
}

/// The flat arrays of [`Net`].
struct GateTable {
    kind: IndexVec<GateId, Kind>,
    first: Vec<u32>,
    inputs: Vec<GateId>,
}

impl GateTable {
    fn with_leaves(fluents: usize, moves: usize) -> Self {
        let mut table = Self { kind: IndexVec::new(), first: vec![0], inputs: Vec::new() };
        table.push(Kind::False, []);
        table.push(Kind::True, []);
        (0..number(fluents)).for_each(|fluent| table.push(Kind::Fluent, [GateId::new(fluent)]));
        (0..number(moves)).for_each(|action| table.push(Kind::Does, [GateId::new(action)]));
        table
    }

    fn push(&mut self, kind: Kind, inputs: impl IntoIterator<Item = GateId>) {
        self.kind.push(kind);
        self.inputs.extend(inputs);
        self.first.push(number(self.inputs.len()));
    }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).expect("a draft numbers its gates with 32 bits")
}
