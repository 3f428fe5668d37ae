//! The gates of a net as sets of states.

use gambol_index::IndexVec;
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};
use oxidd::BooleanFunction;
use std::ops::Range;

use super::GameError;
use super::variables::{Meaning, Variables};
use crate::diagram::encode::{Encoding, Set};

/// For each gate the states of one node in which it is true.
#[derive(Clone)]
pub(super) struct Gates(IndexVec<GateId, Set>);

impl Gates {
    /// The gates that look at the state only, at the node with this mark.
    pub(super) fn of_state(
        net: &Net,
        encoding: &mut Encoding<'_>,
        variables: &Variables,
        marker: Option<FluentId>,
    ) -> Result<Self, GameError> {
        let mut sets = IndexVec::filled(encoding.nothing(), net.gate_count());
        sets[GateId::new(1)] = encoding.everything();
        for fluent in net.fluents.ids() {
            let always =
                |holds: bool| if holds { encoding.everything() } else { encoding.nothing() };
            sets[net.fluent_gate(fluent)] = match variables.meaning(fluent) {
                Meaning::Value(variable, value) => encoding.value(variable, value)?,
                Meaning::Constant(holds) => always(holds),
                Meaning::Marker(_) => always(marker == Some(fluent)),
            };
        }
        let mut gates = Self(sets);
        gates.evaluate(net, encoding, net.state_gates())?;
        Ok(gates)
    }

    /// With the gates that look at the moves, for one joint move.
    pub(super) fn with_moves(
        &self,
        net: &Net,
        encoding: &mut Encoding<'_>,
        joint: &[MoveId],
    ) -> Result<Self, GameError> {
        let mut gates = self.clone();
        for &action in joint {
            gates.0[net.move_gate(action)] = encoding.everything();
        }
        gates.evaluate(net, encoding, net.step_gates())?;
        Ok(gates)
    }

    pub(super) fn get(&self, gate: GateId) -> &Set {
        &self.0[gate]
    }

    fn evaluate(
        &mut self,
        net: &Net,
        encoding: &mut Encoding<'_>,
        range: Range<u32>,
    ) -> Result<(), GameError> {
        let mut next = range.start;
        while next < range.end {
            let gate = GateId::new(next);
            next += 1;
            if let Some(cycle) = net.cycle_of(gate) {
                let cycle = net.cycles[cycle].clone();
                self.close(net, encoding, cycle.clone())?;
                next = cycle.end;
            } else {
                self.0[gate] = self.one(net, encoding, gate)?;
            }
            encoding.look()?;
        }
        Ok(())
    }

    /// Recursive rules: from nothing upwards until nothing is added.
    fn close(
        &mut self,
        net: &Net,
        encoding: &mut Encoding<'_>,
        cycle: Range<u32>,
    ) -> Result<(), GameError> {
        loop {
            let mut changed = false;
            for gate in cycle.clone().map(GateId::new) {
                let set = self.one(net, encoding, gate)?;
                changed |= set != self.0[gate];
                self.0[gate] = set;
                encoding.look()?;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn one(&self, net: &Net, encoding: &Encoding<'_>, gate: GateId) -> Result<Set, GameError> {
        Ok(match net.gate(gate) {
            Gate::And(inputs) => {
                let mut set = encoding.everything();
                for &input in inputs {
                    set = set.and(&self.0[input])?;
                }
                set
            }
            Gate::Or(inputs) => {
                let mut set = encoding.nothing();
                for &input in inputs {
                    set = set.or(&self.0[input])?;
                }
                set
            }
            Gate::Not(input) => self.0[input].not()?,
            Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => self.0[gate].clone(),
        })
    }
}
