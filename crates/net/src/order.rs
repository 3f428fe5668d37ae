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
    let graph = Graph::from_successors((0..number(draft.len())).map(|gate| {
        let inputs = if needed[gate as usize] { draft.inputs(Wire::new(gate)) } else { &[] };
        inputs.iter().map(|input| input.number())
    }));
    let components = Components::of(&graph);
    let mut numbering = Numbering::new(draft, &frame);
    numbering.read_moves(draft, &components);
    for step in [false, true] {
        for component in 0..number(components.len()) {
            if needed[components.members(component)[0] as usize] {
                let cyclic = components.is_cyclic(&graph, component);
                numbering.place(draft, &frame, components.members(component), cyclic, step)?;
            }
        }
        if !step {
            numbering.first_step_gate = number(numbering.gates.len());
        }
    }
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

/// Which gate each wire becomes.
struct Numbering {
    gate_of: Vec<u32>,
    reads_moves: Vec<bool>,
    /// The wires of the logic gates, in their new order.
    gates: Vec<Wire>,
    /// How many gates stand before the logic gates.
    leaves: u32,
    /// Counted from the first logic gate.
    first_step_gate: u32,
    cycles: Vec<Range<u32>>,
}

impl Numbering {
    /// Constants and propositions have fixed places.
    fn new(draft: &Draft, frame: &Frame) -> Self {
        let (fluents, moves) = (number(frame.fluents.len()), number(frame.moves.len()));
        let gate_of = (0..number(draft.len())).map(|gate| {
            let wire = Wire::new(gate);
            match draft.kind(wire) {
                Kind::False => FALSE.number(),
                Kind::True => TRUE.number(),
                Kind::Fluent => 2 + draft.leaf(wire),
                Kind::Does => 2 + fluents + draft.leaf(wire),
                Kind::And | Kind::Or | Kind::Not => UNNUMBERED,
            }
        });
        Self {
            gate_of: gate_of.collect(),
            reads_moves: vec![false; draft.len()],
            gates: Vec::new(),
            leaves: 2 + fluents + moves,
            first_step_gate: 0,
            cycles: Vec::new(),
        }
    }

    fn read_moves(&mut self, draft: &Draft, components: &Components) {
        for members in components.iter() {
            let reads = members.iter().any(|&gate| {
                draft.kind(Wire::new(gate)) == Kind::Does
                    || draft.inputs(Wire::new(gate)).iter().any(|input| self.reads(*input))
            });
            members.iter().for_each(|&gate| self.reads_moves[gate as usize] = reads);
        }
    }

    fn reads(&self, wire: Wire) -> bool {
        self.reads_moves[wire.number() as usize]
    }

    /// Numbers the gates of a component if they look at the moves (`step`) or do not.
    fn place(
        &mut self,
        draft: &Draft,
        frame: &Frame,
        members: &[u32],
        cyclic: bool,
        step: bool,
    ) -> Result<(), NetError> {
        let is_leaf = self.gate_of[members[0] as usize] != UNNUMBERED;
        if is_leaf || self.reads_moves[members[0] as usize] != step {
            return Ok(());
        }
        let start = self.leaves + number(self.gates.len());
        for &gate in members {
            if cyclic && draft.kind(Wire::new(gate)) == Kind::Not {
                return Err(negative_cycle(frame, members));
            }
            self.gate_of[gate as usize] = self.leaves + number(self.gates.len());
            self.gates.push(Wire::new(gate));
        }
        if cyclic {
            self.cycles.push(start..self.leaves + number(self.gates.len()));
        }
        Ok(())
    }
}

fn negative_cycle(frame: &Frame, members: &[u32]) -> NetError {
    let view = frame.views.iter().find(|(_, wire)| members.contains(&wire.number()));
    let gate = match view {
        Some((atom, _)) => frame.names.atom_text(atom),
        None => format!("gate {}", members[0]),
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
        first_step_gate: numbering.leaves + numbering.first_step_gate,
        kind: table.kind,
        first: table.first,
        inputs: table.inputs,
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
