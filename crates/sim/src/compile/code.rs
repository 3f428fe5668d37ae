//! Straight-line code over slots: what both engines start from.
//!
//! A *slot* holds one word. Slot 0 is all zeros, slot 1 all ones; the slots below
//! [`Code::first_temporary`] are fixed, the values from there on are temporaries that live inside
//! one section, and each engine finds its own place for them.
//!
//! Recursive components run as sections of their own: the variables start from zero and the
//! section repeats until no lane of any variable changes. The functions are monotone, so this ends
//! after at most one sweep per variable and one more, in the least fixpoint.

use crate::compile::reduce::binary::Gates;
use crate::compile::reduce::graph::Input;
use crate::compile::reduce::literal::Literal;

/// The slot whose bits are all clear.
pub(crate) const ZEROS: u32 = 0;
/// The slot whose bits are all set.
pub(crate) const ONES: u32 = 1;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Operation {
    And,
    Or,
    /// The first operand and not the second.
    AndNot,
}

/// One gate: `target = a operation b`. Three operations suffice because a gate whose inputs are
/// both complemented is kept inverted, as an OR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    pub(crate) target: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// A recursive variable: the slot it lives in and the slot its new value is computed into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Feedback {
    pub(crate) variable: u32,
    pub(crate) fresh: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) feedback: Vec<Feedback>,
    /// Whether the section runs until its variables no longer change.
    pub(crate) repeats: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) sections: Vec<Section>,
    pub(crate) first_temporary: u32,
}

impl Code {
    /// Code that computes the outputs of `gates` into `outputs`, reading each input from the slot
    /// that `slot_of` names. Slots from `scratch` on are free. No output slot may be an input slot.
    pub(crate) fn of(
        gates: &Gates,
        slot_of: impl Fn(Input) -> u32,
        outputs: &[u32],
        scratch: u32,
    ) -> Self {
        let mut lowering = Lowering::new(gates, slot_of, scratch);
        let mut done = 0;
        for group in gates.variables.chunk_by(|a, b| a.component == b.component) {
            lowering.component(done..done + group.len());
            done += group.len();
        }
        lowering.outputs(outputs);
        lowering.finish()
    }

    /// How many gates run per sweep.
    pub(crate) fn len(&self) -> usize {
        self.sections.iter().map(|section| section.instructions.len()).sum()
    }

    /// How many instructions repeat until nothing changes.
    pub(crate) fn repeating(&self) -> usize {
        let repeating = self.sections.iter().filter(|section| section.repeats);
        repeating.map(|section| section.instructions.len()).sum()
    }
}

const NOWHERE: u32 = u32::MAX;

struct Lowering<'a> {
    gates: &'a Gates,
    /// Per node: 0 if it reads no variable, else 1 + the position of the last component it reads.
    rank: Vec<u32>,
    /// Per node, whether its value is stored complemented.
    inverted: Vec<bool>,
    /// Per node, the value it is stored in; temporaries count from `first_temporary`.
    value: Vec<u32>,
    /// The section that computed each node.
    computed_in: Vec<u32>,
    /// The section that passed through each node without computing it.
    passed_in: Vec<u32>,
    sections: Vec<Section>,
    feedback: Vec<Feedback>,
    next_fixed: u32,
    next_temporary: u32,
    /// Fixed slots that temporaries used by later sections moved to.
    kept: Vec<(u32, u32)>,
}

/// Temporaries are numbered from here until the number of fixed slots is known.
const TEMPORARY: u32 = 1 << 31;

impl<'a> Lowering<'a> {
    fn new(gates: &'a Gates, slot_of: impl Fn(Input) -> u32, scratch: u32) -> Self {
        let nodes = gates.base() as usize + gates.gates.len();
        let mut lowering = Self {
            gates,
            rank: vec![0; nodes],
            inverted: vec![false; nodes],
            value: vec![NOWHERE; nodes],
            computed_in: vec![0; nodes],
            passed_in: vec![0; nodes],
            sections: vec![Section::default()],
            feedback: Vec::new(),
            next_fixed: scratch,
            next_temporary: TEMPORARY,
            kept: Vec::new(),
        };
        lowering.value[0] = ZEROS;
        for node in 1..gates.base() {
            if let Some(input) = gates.inputs.input(node)
                && !matches!(input, Input::Variable(_))
            {
                lowering.value[node as usize] = slot_of(input);
            }
        }
        lowering.place_variables();
        lowering.rank_gates();
        lowering
    }

    fn place_variables(&mut self) {
        let mut rank = 0;
        for group in self.gates.variables.chunk_by(|a, b| a.component == b.component) {
            rank += 1;
            for needed in group {
                let node = self.gates.inputs.variable(needed.variable).node() as usize;
                self.rank[node] = rank;
                self.value[node] = self.fixed_slot();
                let feedback = Feedback { variable: self.value[node], fresh: self.fixed_slot() };
                self.feedback.push(feedback);
            }
        }
    }

    fn fixed_slot(&mut self) -> u32 {
        self.next_fixed += 1;
        self.next_fixed - 1
    }

    fn rank_gates(&mut self) {
        for (place, &[a, b]) in self.gates.gates.iter().enumerate() {
            let node = self.gates.base() as usize + place;
            self.rank[node] = self.rank[a.node() as usize].max(self.rank[b.node() as usize]);
            let complemented = |l: Literal| l.is_negated() != self.inverted[l.node() as usize];
            self.inverted[node] = complemented(a) && complemented(b);
        }
    }

    /// Emits the component whose variables are `range`: first what it reads from outside, then the
    /// section that repeats.
    fn component(&mut self, range: std::ops::Range<usize>) {
        let gates = self.gates;
        let functions: Vec<Literal> =
            gates.variables[range.clone()].iter().map(|needed| needed.function).collect();
        let variable = gates.inputs.variable(gates.variables[range.start].variable);
        let rank = self.rank[variable.node() as usize];
        for function in &functions {
            self.gates_below(function.node(), rank);
        }
        self.sections.push(Section::default());
        for function in &functions {
            self.gates_below(function.node(), rank + 1);
        }
        for (function, feedback) in functions.iter().zip(self.feedback[range.clone()].to_vec()) {
            self.copy(*function, feedback.fresh);
        }
        let repeats = functions.iter().any(|f| self.rank[f.node() as usize] == rank);
        let section = self.sections.last_mut().expect("pushed above");
        section.feedback = self.feedback[range].to_vec();
        section.repeats = repeats;
        self.sections.push(Section::default());
    }

    fn outputs(&mut self, outputs: &[u32]) {
        let gates = self.gates;
        self.claim_outputs(outputs);
        for output in &gates.outputs {
            self.gates_below(output.node(), u32::MAX);
        }
        for (&output, &slot) in gates.outputs.iter().zip(outputs) {
            if self.value[output.node() as usize] != slot {
                self.copy(output, slot);
            }
        }
    }

    /// Lets gates that are outputs, and not computed yet, be computed in place.
    fn claim_outputs(&mut self, outputs: &[u32]) {
        for (&output, &slot) in self.gates.outputs.iter().zip(outputs) {
            let node = output.node() as usize;
            let is_gate = output.node() >= self.gates.base();
            if is_gate && self.value[node] == NOWHERE && output.is_negated() == self.inverted[node]
            {
                self.value[node] = slot;
            }
        }
    }

    /// Emits the gates that a node needs, operands first, if their rank is below the limit. Gates of
    /// higher rank wait for their component; what they read need not.
    fn gates_below(&mut self, root: u32, limit: u32) {
        let section = self.sections.len() as u32;
        let mut open = vec![(root, false)];
        while let Some((node, ready)) = open.pop() {
            if ready {
                self.emit(node);
                continue;
            }
            let Some([a, b]) = self.gates.gate(node) else { continue };
            let row = node as usize;
            if self.computed_in[row] != 0 || self.passed_in[row] == section {
                continue;
            }
            if self.rank[row] < limit {
                self.computed_in[row] = section;
                open.push((node, true));
            } else {
                self.passed_in[row] = section;
            }
            open.push((b.node(), false));
            open.push((a.node(), false));
        }
    }

    fn emit(&mut self, node: u32) {
        let [a, b] = self.gates.gate(node).expect("only gates are emitted");
        let target = match self.value[node as usize] {
            NOWHERE => {
                self.next_temporary += 1;
                self.value[node as usize] = self.next_temporary - 1;
                self.next_temporary - 1
            }
            claimed => claimed,
        };
        let complemented = |l: Literal| l.is_negated() != self.inverted[l.node() as usize];
        let (operation, a, b) = match (complemented(a), complemented(b)) {
            (false, false) => (Operation::And, a, b),
            (true, true) => (Operation::Or, a, b),
            (false, true) => (Operation::AndNot, a, b),
            (true, false) => (Operation::AndNot, b, a),
        };
        let (a, b) = (self.read(a.node()), self.read(b.node()));
        self.push(Instruction { operation, target, a, b });
    }

    fn copy(&mut self, literal: Literal, target: u32) {
        let complemented = literal.is_negated() != self.inverted[literal.node() as usize];
        let value = self.read(literal.node());
        self.push(match complemented {
            false => Instruction { operation: Operation::Or, target, a: value, b: ZEROS },
            true => Instruction { operation: Operation::AndNot, target, a: ONES, b: value },
        });
    }

    fn push(&mut self, instruction: Instruction) {
        let section = self.sections.last_mut().expect("there is always a section");
        section.instructions.push(instruction);
    }

    /// Where a value can be read in the current section. A temporary of an earlier section moves to
    /// a slot that is kept.
    fn read(&mut self, node: u32) -> u32 {
        let value = self.value[node as usize];
        if value >= TEMPORARY && self.computed_in[node as usize] < self.sections.len() as u32 {
            let slot = self.fixed_slot();
            self.kept.push((value, slot));
            self.value[node as usize] = slot;
            return slot;
        }
        value
    }

    /// Gives kept temporaries their slots and numbers the others after the fixed slots.
    fn finish(mut self) -> Code {
        let first_temporary = self.next_fixed;
        let count = (self.next_temporary - TEMPORARY) as usize;
        let mut place: Vec<u32> = (first_temporary..).take(count).collect();
        for &(temporary, slot) in &self.kept {
            place[(temporary - TEMPORARY) as usize] = slot;
        }
        let moved = |value: &mut u32| {
            if *value >= TEMPORARY {
                *value = place[(*value - TEMPORARY) as usize];
            }
        };
        for instruction in self.sections.iter_mut().flat_map(|s| &mut s.instructions) {
            moved(&mut instruction.target);
            moved(&mut instruction.a);
            moved(&mut instruction.b);
        }
        self.sections.retain(|s| !s.instructions.is_empty() || !s.feedback.is_empty());
        Code { sections: self.sections, first_temporary }
    }
}
