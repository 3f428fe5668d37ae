//! Writes a net anew, gate by gate.
//!
//! The draft that receives the gates shares equal ones and folds constants by itself; a rewrite says
//! only which inputs a gate gets, or that it is something else altogether.

use gambol_index::IndexVec;

use crate::draft::{Draft, FALSE, Wire};
use crate::frame::Frame;
use crate::net::Kind;
use crate::order::order;
use crate::{Gate, GateId, Net};

/// A net being copied: the new gates, and what each old one became.
pub(super) struct Copy<'a> {
    pub(super) net: &'a Net,
    pub(super) draft: Draft,
    wire_of: IndexVec<GateId, Wire>,
}

/// What a rewrite makes of a gate.
pub(super) enum Rewritten<'a> {
    /// The same as this constant.
    Constant(bool),
    /// The gate with its old inputs.
    Kept(Gate<'a>),
    /// A gate of the same kind with these inputs.
    Inputs(Vec<GateId>),
    /// It is not needed.
    Left,
}

/// Copies a net. `rewrite` is asked for each gate in evaluation order.
pub(super) fn copy<'a>(
    net: &'a Net,
    rewrite: impl FnMut(GateId) -> Rewritten<'a>,
) -> (Draft, Frame) {
    let (draft, wire_of) = copy_gates(net, rewrite);
    let frame = Frame::of(net, |gate| wire_of[gate]);
    (draft, frame)
}

/// The new gates alone, and what each old one became.
pub(super) fn copy_gates<'a>(
    net: &'a Net,
    rewrite: impl FnMut(GateId) -> Rewritten<'a>,
) -> (Draft, IndexVec<GateId, Wire>) {
    let mut copy =
        Copy { net, draft: Draft::new(), wire_of: IndexVec::filled(FALSE, net.gate_count()) };
    copy.all(rewrite);
    (copy.draft, copy.wire_of)
}

/// The net of a copy.
pub(super) fn finish((draft, frame): (Draft, Frame)) -> Net {
    // Leaving out gates and inputs cannot put an inverter on a cycle that had none.
    order(&draft, frame).expect("a rewrite makes no new cycle")
}

impl<'a> Copy<'a> {
    fn all(&mut self, mut rewrite: impl FnMut(GateId) -> Rewritten<'a>) {
        let mut gate = 0;
        for cycle in &self.net.cycles {
            (gate..cycle.start).for_each(|id| self.one(GateId::new(id), &mut rewrite));
            self.cycle(cycle.clone(), &mut rewrite);
            gate = cycle.end;
        }
        (gate..self.net.gate_count() as u32).for_each(|id| self.one(GateId::new(id), &mut rewrite));
    }

    fn one(&mut self, id: GateId, rewrite: &mut impl FnMut(GateId) -> Rewritten<'a>) {
        self.wire_of[id] = match rewrite(id) {
            Rewritten::Constant(value) => Draft::constant(value),
            Rewritten::Left => FALSE,
            Rewritten::Inputs(inputs) => self.junction(self.net.kind[id], &inputs),
            Rewritten::Kept(gate) => match gate {
                Gate::Constant(value) => Draft::constant(value),
                Gate::Fluent(fluent) => self.draft.fluent(fluent),
                Gate::Does(action) => self.draft.does(action),
                Gate::And(inputs) => self.junction(Kind::And, inputs),
                Gate::Or(inputs) => self.junction(Kind::Or, inputs),
                Gate::Not(input) => self.draft.not(self.wire_of[input]),
            },
        };
    }

    fn junction(&mut self, kind: Kind, inputs: &[GateId]) -> Wire {
        let Self { draft, wire_of, .. } = self;
        draft.junction(kind, inputs.iter().map(|&input| wire_of[input]))
    }

    /// All gates of a cycle are opened before any is given its inputs.
    fn cycle(
        &mut self,
        cycle: std::ops::Range<u32>,
        rewrite: &mut impl FnMut(GateId) -> Rewritten<'a>,
    ) {
        let mut opened = Vec::new();
        for id in cycle.map(GateId::new) {
            self.wire_of[id] = match rewrite(id) {
                Rewritten::Constant(value) => Draft::constant(value),
                Rewritten::Left => FALSE,
                kept => {
                    opened.push((id, kept));
                    self.draft.open(self.net.kind[id])
                }
            };
        }
        for (id, kept) in opened {
            let Self { draft, wire_of, .. } = self;
            let wire = |&input: &GateId| wire_of[input];
            match kept {
                Rewritten::Kept(Gate::And(inputs) | Gate::Or(inputs)) => {
                    draft.close(wire_of[id], inputs.iter().map(wire));
                }
                Rewritten::Inputs(inputs) => draft.close(wire_of[id], inputs.iter().map(wire)),
                // A cycle consists of AND and OR gates.
                Rewritten::Kept(_) | Rewritten::Constant(_) | Rewritten::Left => {}
            }
        }
    }
}
