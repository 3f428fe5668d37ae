//! Fluents that keep their initial value whatever is played: a sound, cheap argument.
//!
//! Assume that only the fluents outside a set can change. If every transition into the set then preserves the initial
//! value, the assumption was right. Start with all fluents in the set and remove those that fail, until none does.
//!
//! Suppose that only the fluents outside a set can change. If every transition into the set then
//! hands on the first value, the supposition was right. Start with all fluents in the set and take
//! out those that fail, until none does.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, Readers, State};
use rustc_hash::FxHashMap;

use crate::literal::{Clause, Literal};
use crate::proof::Proof;

/// The fluents that keep their first value.
#[derive(Clone, Debug)]
pub struct FixedFluents {
    values: IndexVec<FluentId, Option<bool>>,
}

impl FixedFluents {
    /// Those that gates alone show to be fixed.
    pub fn of(net: &Net) -> Self {
        let mut search = Search::new(net);
        search.run();
        let value = |fluent| search.values[net.fluent_gate(fluent).index()];
        Self { values: net.fluents.ids().map(value).collect::<Vec<_>>().into() }
    }

    /// The value of a fluent, if it is fixed.
    pub fn value(&self, fluent: FluentId) -> Option<bool> {
        self.values[fluent]
    }

    /// Evidence that all of these are fixed; `None` if one is not known to be.
    pub fn prove(&self, fluents: &[FluentId]) -> Option<Proof> {
        let fixed = fluents.iter().all(|&fluent| self.value(fluent).is_some());
        fixed.then(|| Proof::by_gates("never changes"))
    }

    /// What is fixed, as clauses that hold in every state.
    pub fn invariants(&self) -> Vec<Clause> {
        let literal = |(fluent, value): (FluentId, &Option<bool>)| {
            value.map(|holds| Clause::from_slice(&[Literal { fluent, holds }]))
        };
        self.values.iter_ids().filter_map(literal).collect()
    }
}

/// What each gate is, as far as it follows from what is still supposed. Values are only given up.
struct Search<'a> {
    net: &'a Net,
    readers: Readers,
    values: Vec<Option<bool>>,
    /// For each gate, the fluents it is the transition of.
    fluents_of: FxHashMap<GateId, Vec<FluentId>>,
    /// For each gate, the moves it makes legal.
    moves_of: FxHashMap<GateId, Vec<MoveId>>,
    /// Gates that lost their value, to be looked at by their readers.
    open: Vec<GateId>,
}

impl<'a> Search<'a> {
    /// Supposes that no fluent ever changes.
    fn new(net: &'a Net) -> Self {
        let initial = State::initial(net);
        let mut values = vec![None; net.gate_count()];
        for fluent in net.fluents.ids() {
            values[net.fluent_gate(fluent).index()] = Some(initial.holds(fluent));
        }
        sweep(net, net.state_gates(), &mut values);
        let mut moves_of: FxHashMap<GateId, Vec<MoveId>> = FxHashMap::default();
        for action in net.moves.ids() {
            // A move that is never legal is never made.
            let barred = values[net.legal[action].index()] == Some(false);
            values[net.move_gate(action).index()] = barred.then_some(false);
            moves_of.entry(net.legal[action]).or_default().push(action);
        }
        sweep(net, net.step_gates(), &mut values);
        let mut fluents_of: FxHashMap<GateId, Vec<FluentId>> = FxHashMap::default();
        for (fluent, &gate) in net.next.iter_ids() {
            fluents_of.entry(gate).or_default().push(fluent);
        }
        let readers = Readers::of(net);
        Self { net, readers, values, fluents_of, moves_of, open: Vec::new() }
    }

    fn run(&mut self) {
        let net = self.net;
        for fluent in net.fluents.ids() {
            self.check(fluent);
        }
        while let Some(gate) = self.open.pop() {
            for reader in self.readers.of_gate(gate).to_vec() {
                if self.values[reader.index()].is_some() {
                    let value = computed(net, reader, &self.values);
                    self.settle(reader, value);
                }
            }
            for fluent in self.fluents_of.get(&gate).cloned().unwrap_or_default() {
                self.check(fluent);
            }
            for action in self.moves_of.get(&gate).cloned().unwrap_or_default() {
                self.settle(net.move_gate(action), None);
            }
        }
    }

    /// Gives up a fluent that is not handed on as it is.
    fn check(&mut self, fluent: FluentId) {
        let gate = self.net.fluent_gate(fluent);
        if self.values[gate.index()] != self.values[self.net.next[fluent].index()] {
            self.settle(gate, None);
        }
    }

    fn settle(&mut self, gate: GateId, value: Option<bool>) {
        if self.values[gate.index()].is_some() && value.is_none() {
            self.values[gate.index()] = None;
            self.open.push(gate);
        }
    }
}

fn sweep(net: &Net, range: std::ops::Range<u32>, values: &mut [Option<bool>]) {
    values[0] = Some(false);
    values[1] = Some(true);
    for gate in range.map(GateId::new) {
        // What reads itself is left open: that is always right.
        if net.cycle_of(gate).is_none() {
            values[gate.index()] = computed(net, gate, values);
        }
    }
}

fn computed(net: &Net, gate: GateId, values: &[Option<bool>]) -> Option<bool> {
    match net.gate(gate) {
        Gate::And(inputs) => fold(inputs, values, false),
        Gate::Or(inputs) => fold(inputs, values, true),
        Gate::Not(input) => values[input.index()].map(|value| !value),
        Gate::Constant(value) => Some(value),
        Gate::Fluent(_) | Gate::Does(_) => values[gate.index()],
    }
}

/// `deciding` if one input is that, the opposite if all are, open otherwise.
fn fold(inputs: &[GateId], values: &[Option<bool>], deciding: bool) -> Option<bool> {
    let mut open = false;
    for input in inputs {
        match values[input.index()] {
            Some(value) if value == deciding => return Some(deciding),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!deciding)
}
