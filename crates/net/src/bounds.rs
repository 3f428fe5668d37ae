//! What is known of a gate when something is known of the propositions.
//!
//! Each gate has two bounds: whether it may be true and whether it must be. Both are ordinary
//! markings, one with every open question answered in favour of the gate and one against, so
//! recursive gates take their least fixpoint in both.

use gambol_index::{Id, IndexVec};

use crate::fixpoint::Fixpoint;
use crate::{Gate, GateId, Net};

/// What is known of a proposition or gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// Always this value.
    Fixed(bool),
    /// Either.
    Open,
}

/// The two bounds of every gate.
pub(crate) struct Bounds {
    pub(crate) may: Vec<bool>,
    pub(crate) must: Vec<bool>,
    fixpoint: Fixpoint,
    woken: Vec<GateId>,
}

impl Bounds {
    /// Nothing is known of any proposition.
    pub(crate) fn of_free_propositions(net: &Net) -> Self {
        Self::new(net, |_| Known::Open)
    }

    /// The bounds that follow from what is known of the propositions.
    pub(crate) fn new(net: &Net, proposition: impl Fn(Gate) -> Known) -> Self {
        let mut bounds = Self {
            may: vec![false; net.gate_count()],
            must: vec![false; net.gate_count()],
            fixpoint: Fixpoint::of(net),
            woken: Vec::new(),
        };
        let mut gate = 0;
        for (row, cycle) in net.cycles.iter().enumerate() {
            (gate..cycle.start).for_each(|id| bounds.set(net, GateId::new(id), &proposition));
            bounds.settle(net, row);
            gate = cycle.end;
        }
        let rest = gate..net.gate_count() as u32;
        rest.for_each(|id| bounds.set(net, GateId::new(id), &proposition));
        bounds
    }

    /// What is known of a gate.
    pub(crate) fn known(&self, gate: GateId) -> Known {
        match (self.may[gate.index()], self.must[gate.index()]) {
            (false, _) => Known::Fixed(false),
            (_, true) => Known::Fixed(true),
            (true, false) => Known::Open,
        }
    }

    /// The gates whose value is known.
    pub(crate) fn constants(&self, net: &Net) -> IndexVec<GateId, Option<bool>> {
        let value = |gate| match self.known(gate) {
            Known::Fixed(value) => Some(value),
            Known::Open => None,
        };
        net.gate_ids().map(value).collect()
    }

    fn set(&mut self, net: &Net, id: GateId, proposition: &impl Fn(Gate) -> Known) {
        let (may, must) = match net.gate(id) {
            gate @ (Gate::Fluent(_) | Gate::Does(_)) => match proposition(gate) {
                Known::Fixed(value) => (value, value),
                Known::Open => (true, false),
            },
            gate => self.gate(gate),
        };
        self.may[id.index()] = may;
        self.must[id.index()] = must;
    }

    /// The bounds of an AND, OR or NOT from those of its inputs.
    pub(crate) fn gate(&self, gate: Gate) -> (bool, bool) {
        let all = |values: &[bool], inputs: &[GateId]| inputs.iter().all(|id| values[id.index()]);
        let any = |values: &[bool], inputs: &[GateId]| inputs.iter().any(|id| values[id.index()]);
        match gate {
            Gate::Constant(value) => (value, value),
            Gate::And(inputs) => (all(&self.may, inputs), all(&self.must, inputs)),
            Gate::Or(inputs) => (any(&self.may, inputs), any(&self.must, inputs)),
            Gate::Not(input) => (!self.must[input.index()], !self.may[input.index()]),
            Gate::Fluent(_) | Gate::Does(_) => (true, false),
        }
    }

    /// Computes the bounds of one cycle anew.
    pub(crate) fn settle(&mut self, net: &Net, cycle: usize) {
        self.fixpoint.settle(net, cycle, &mut self.may, &mut self.woken);
        self.fixpoint.settle(net, cycle, &mut self.must, &mut self.woken);
    }
}
