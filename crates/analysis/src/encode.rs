//! Consecutive states of play as clauses.
//!
//! Frame 0 has a variable for each fluent. In every later frame a fluent is the literal of its
//! transition in the frame before, so a state that follows needs no variables of its own. Gates are
//! encoded when first asked for: what a question does not look at costs nothing.
//!
//! Recursive gates mean their least fixpoint. Small cycles are unrolled, one layer per gate, which
//! is exact. Large ones only have to be *some* fixpoint: every real play is still a model, so "no
//! model" remains a proof, while a model may be spurious and proves nothing.

use std::ops::Range;

use gambol_index::Id;
use gambol_net::{Gate, GateId, MoveId, Net};
use rustsat::types::Lit;

use crate::Literal;
use crate::budget::Deadline;
use crate::literal::Clause;
use crate::solver::{Answer, Solver};
use crate::state::State;

/// Gates of a cycle that is unrolled exactly.
const EXACT_CYCLE: u32 = 48;

/// A solver that knows some consecutive states and the steps between them.
pub(crate) struct Unrolling<'a> {
    net: &'a Net,
    pub(crate) solver: Solver,
    /// The literal of each gate, by frame.
    frames: Vec<Vec<Option<Lit>>>,
}

impl<'a> Unrolling<'a> {
    /// One state, about which nothing is said.
    pub(crate) fn new(net: &'a Net, deadline: &Deadline) -> Self {
        let solver = Solver::new(deadline);
        let mut unrolling = Self { net, solver, frames: Vec::new() };
        unrolling.push_frame();
        for fluent in net.fluents.ids() {
            let variable = unrolling.solver.fresh();
            unrolling.frames[0][net.fluent_gate(fluent).index()] = Some(variable);
        }
        unrolling
    }

    /// `steps` legal steps one after the other, every state satisfying the invariants.
    pub(crate) fn of_steps(
        net: &'a Net,
        steps: usize,
        invariants: &[Clause],
        deadline: &Deadline,
    ) -> Self {
        let mut unrolling = Self::new(net, deadline);
        unrolling.assume(0, invariants);
        for frame in 0..steps {
            unrolling.add_step();
            unrolling.assume(frame + 1, invariants);
        }
        unrolling
    }

    fn push_frame(&mut self) {
        let mut gates = vec![None; self.net.gate_count()];
        gates[0] = Some(self.solver.constant(false));
        gates[1] = Some(self.solver.constant(true));
        self.frames.push(gates);
    }

    /// Leaves the last state by a legal joint move; it is not terminal.
    pub(crate) fn add_step(&mut self) {
        let net = self.net;
        let frame = self.frames.len() - 1;
        for action in net.moves.ids() {
            let variable = self.solver.fresh();
            self.frames[frame][net.move_gate(action).index()] = Some(variable);
        }
        for role in net.roles.ids() {
            self.choose_one(frame, net.moves_of(role));
        }
        let terminal = self.gate(frame, net.terminal);
        self.solver.add(&[!terminal]);
        self.push_frame();
    }

    fn choose_one(&mut self, frame: usize, moves: Range<u32>) {
        let moves = moves.map(MoveId::new);
        let mut done = Vec::with_capacity(moves.len());
        for action in moves {
            let legal = self.gate(frame, self.net.legal[action]);
            let chosen = self.gate(frame, self.net.move_gate(action));
            self.solver.add(&[!chosen, legal]);
            done.push(chosen);
        }
        self.solver.add(&done);
        self.solver.at_most_one(&done);
    }

    /// These clauses hold in a frame.
    pub(crate) fn assume(&mut self, frame: usize, clauses: &[Clause]) {
        for clause in clauses {
            let literals: Vec<Lit> =
                clause.iter().map(|&literal| self.literal(frame, literal)).collect();
            self.solver.add(&literals);
        }
    }

    /// A fluent's value in a frame.
    pub(crate) fn literal(&mut self, frame: usize, literal: Literal) -> Lit {
        let gate = self.gate(frame, self.net.fluent_gate(literal.fluent));
        if literal.holds { gate } else { !gate }
    }

    /// The literals that say that frame 0 is this state.
    pub(crate) fn is_state(&mut self, state: &State) -> Vec<Lit> {
        let value = |fluent| Literal { fluent, holds: state.holds(fluent) };
        self.net.fluents.ids().map(|fluent| self.literal(0, value(fluent))).collect()
    }

    pub(crate) fn solve(&mut self, assumptions: &[Lit], effort: u64) -> Answer {
        self.solver.solve(assumptions, effort)
    }

    /// The state of a frame in the model just found.
    pub(crate) fn state(&mut self, frame: usize) -> State {
        let mut state = State::empty(self.net.next.len());
        for fluent in self.net.fluents.ids() {
            let gate = self.frames[frame][self.net.fluent_gate(fluent).index()];
            // A fluent without a literal occurs in no clause; any value will do.
            if gate.is_some_and(|literal| self.solver.value(literal)) {
                state.set(fluent.index());
            }
        }
        state
    }

    /// Makes sure that the whole state of a frame can be read from models.
    pub(crate) fn observe(&mut self, frame: usize) {
        for fluent in self.net.fluents.ids() {
            self.gate(frame, self.net.fluent_gate(fluent));
        }
    }

    /// The literal of a gate in a frame. Its cone is encoded if it is not yet.
    pub(crate) fn gate(&mut self, frame: usize, gate: GateId) -> Lit {
        let mut open = vec![(frame, gate)];
        while let Some(&(frame, gate)) = open.last() {
            if self.frames[frame][gate.index()].is_none() && !self.needs(frame, gate, &mut open) {
                self.define(frame, gate);
            }
            if open.last() == Some(&(frame, gate)) {
                open.pop();
            }
        }
        self.known(frame, gate)
    }

    fn known(&self, frame: usize, gate: GateId) -> Lit {
        self.frames[frame][gate.index()]
            .expect("inputs are encoded before the gates that read them")
    }

    /// Opens the gates that must be encoded before this one; whether there are any.
    fn needs(&self, frame: usize, gate: GateId, open: &mut Vec<(usize, GateId)>) -> bool {
        let before = open.len();
        let mut need = |frame: usize, gate: GateId| {
            if self.frames[frame][gate.index()].is_none() {
                open.push((frame, gate));
            }
        };
        if let Some(cycle) = self.net.cycle_of(gate) {
            let cycle = self.net.cycles[cycle].clone();
            for member in cycle.clone().map(GateId::new) {
                let outside = |input: &&GateId| !cycle.contains(&input.number());
                let inputs = self.net.inputs_of(member);
                inputs.iter().filter(outside).for_each(|&input| need(frame, input));
            }
        } else if let Gate::Fluent(fluent) = self.net.gate(gate) {
            need(frame - 1, self.net.next[fluent]);
        } else {
            self.net.inputs_of(gate).iter().for_each(|&input| need(frame, input));
        }
        open.len() > before
    }

    fn define(&mut self, frame: usize, gate: GateId) {
        if let Some(cycle) = self.net.cycle_of(gate) {
            let cycle = self.net.cycles[cycle].clone();
            return match cycle.len() as u32 <= EXACT_CYCLE {
                true => self.define_layers(frame, cycle),
                false => self.define_some_fixpoint(frame, cycle),
            };
        }
        let literal = match self.net.gate(gate) {
            Gate::Fluent(fluent) => self.known(frame - 1, self.net.next[fluent]),
            Gate::Does(_) => self.solver.constant(false),
            _ => self.combine(gate, |unrolling, input| unrolling.known(frame, input)),
        };
        self.frames[frame][gate.index()] = Some(literal);
    }

    /// Layer `n` holds what `n` rounds from false can derive.
    fn define_layers(&mut self, frame: usize, cycle: Range<u32>) {
        let mut layer = vec![self.solver.constant(false); cycle.len()];
        for _ in 0..cycle.len() {
            let next: Vec<Lit> = cycle
                .clone()
                .map(|member| {
                    self.combine(GateId::new(member), |unrolling, input| {
                        match cycle.contains(&input.number()) {
                            true => layer[(input.number() - cycle.start) as usize],
                            false => unrolling.known(frame, input),
                        }
                    })
                })
                .collect();
            if next == layer {
                break;
            }
            layer = next;
        }
        for (member, literal) in cycle.zip(layer) {
            self.frames[frame][member as usize] = Some(literal);
        }
    }

    fn define_some_fixpoint(&mut self, frame: usize, cycle: Range<u32>) {
        for member in cycle.clone() {
            let variable = self.solver.fresh();
            self.frames[frame][member as usize] = Some(variable);
        }
        for member in cycle.map(GateId::new) {
            let value = self.combine(member, |unrolling, input| unrolling.known(frame, input));
            let variable = self.known(frame, member);
            self.solver.add(&[!variable, value]);
            self.solver.add(&[variable, !value]);
        }
    }

    fn combine(&mut self, gate: GateId, input: impl Fn(&Self, GateId) -> Lit) -> Lit {
        match self.net.gate(gate) {
            Gate::And(inputs) => {
                let inputs: Vec<Lit> = inputs.iter().map(|&gate| input(self, gate)).collect();
                self.and(inputs)
            }
            Gate::Or(inputs) => {
                let inputs: Vec<Lit> = inputs.iter().map(|&gate| !input(self, gate)).collect();
                !self.and(inputs)
            }
            Gate::Not(gate) => !input(self, gate),
            Gate::Constant(value) => self.solver.constant(value),
            Gate::Fluent(_) | Gate::Does(_) => self.solver.constant(false),
        }
    }

    /// A literal that is true exactly if all of these are.
    pub(crate) fn and(&mut self, mut inputs: Vec<Lit>) -> Lit {
        let truth = self.solver.truth();
        inputs.retain(|&input| input != truth);
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.windows(2).any(|pair| pair[0] == !pair[1]) || inputs.contains(&!truth) {
            return !truth;
        }
        match inputs.as_slice() {
            [] => truth,
            [only] => *only,
            _ => self.conjunction(&inputs),
        }
    }

    fn conjunction(&mut self, inputs: &[Lit]) -> Lit {
        let all = self.solver.fresh();
        inputs.iter().for_each(|&input| self.solver.add(&[!all, input]));
        let mut clause: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
        clause.push(all);
        self.solver.add(&clause);
        all
    }

    /// A literal that is true exactly if one of these is.
    pub(crate) fn or(&mut self, inputs: Vec<Lit>) -> Lit {
        !self.and(inputs.into_iter().map(|input| !input).collect())
    }
}
