//! Technology mapping: two-input gates are covered by what one instruction computes.
//!
//! That is any function of three inputs, or, on processors without ternary logic, a few functions of
//! two. A *cut* of a gate is a set of at most so many values that determine it. For every gate a few cuts are
//! kept, those of least *area flow*: the instruction itself plus, for each value it reads, that
//! value's own flow shared among its readers. Then only gates that are outputs, or are read by a
//! chosen cut, become instructions.

use smallvec::SmallVec;

use super::logic::{A, B, C, Logic, TruthTable, depends_on, moved};
use super::registers::direct;
use crate::compile::code::{Instruction, ONES, Operation, ZEROS};

/// How many cuts are kept per gate.
const CUTS: usize = 6;

/// Values that decide a gate, ascending, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cut {
    leaves: SmallVec<[u32; 3]>,
    table: TruthTable,
}

/// Covers instructions by functions of up to `most_inputs` inputs: two or three. Values below
/// `first_temporary` that are written are outputs.
pub(crate) fn map_to_logic(
    instructions: &[Instruction],
    first_temporary: u32,
    most_inputs: usize,
) -> Vec<Logic> {
    let mut mapping = Mapping::new(instructions, first_temporary, most_inputs);
    for instruction in instructions {
        mapping.find_cuts(instruction);
    }
    let mut needed = vec![false; mapping.values()];
    let mut logic = Vec::with_capacity(instructions.len());
    for instruction in instructions.iter().rev() {
        let target = instruction.target as usize;
        if instruction.target < first_temporary || needed[target] {
            let cut = &mapping.cuts[mapping.place[target] as usize][0];
            cut.leaves.iter().for_each(|&leaf| needed[leaf as usize] = true);
            logic.push(Logic::new(instruction.target, &cut.leaves, cut.table));
        }
    }
    logic.reverse();
    logic
}

struct Mapping {
    /// The cuts of the gate that computes each value, best first.
    cuts: Vec<Vec<Cut>>,
    /// The gate that computes a value, if one does.
    place: Vec<u32>,
    flow: Vec<f32>,
    readers: Vec<u32>,
    most_inputs: usize,
}

const INPUT: u32 = u32::MAX;

impl Mapping {
    fn new(instructions: &[Instruction], first_temporary: u32, most_inputs: usize) -> Self {
        let last = instructions.iter().map(|i| i.target.max(i.a).max(i.b)).max();
        let values = last.map_or(0, |last| last as usize + 1);
        let mut readers = vec![0; values];
        for instruction in instructions {
            readers[instruction.a as usize] += 1;
            readers[instruction.b as usize] += 1;
            readers[instruction.target as usize] += u32::from(instruction.target < first_temporary);
        }
        let cuts = Vec::with_capacity(instructions.len());
        Self { cuts, place: vec![INPUT; values], flow: vec![0.0; values], readers, most_inputs }
    }

    fn values(&self) -> usize {
        self.place.len()
    }

    fn find_cuts(&mut self, instruction: &Instruction) {
        let mut found: Vec<(f32, Cut)> = Vec::new();
        for a in self.cuts_of(instruction.a) {
            for b in self.cuts_of(instruction.b) {
                if let Some(cut) = merge(&a, &b, instruction.operation, self.most_inputs)
                    && !found.iter().any(|(_, known)| *known == cut)
                {
                    found.push((self.area_flow(&cut), cut));
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.leaves.len().cmp(&b.1.leaves.len())));
        found.truncate(CUTS);
        let target = instruction.target as usize;
        self.flow[target] = found[0].0;
        self.place[target] = self.cuts.len() as u32;
        self.cuts.push(found.into_iter().map(|(_, cut)| cut).collect());
    }

    /// The cuts through which a value may be read: itself, or those of its gate.
    fn cuts_of(&self, value: u32) -> Vec<Cut> {
        let itself = match value {
            ZEROS => Cut { leaves: SmallVec::new(), table: 0 },
            ONES => Cut { leaves: SmallVec::new(), table: !0 },
            _ => Cut { leaves: SmallVec::from_slice(&[value]), table: A },
        };
        let mut cuts = vec![itself];
        let place = self.place[value as usize];
        if place != INPUT {
            cuts.extend_from_slice(&self.cuts[place as usize]);
        }
        cuts
    }

    fn area_flow(&self, cut: &Cut) -> f32 {
        let shared =
            |&leaf: &u32| self.flow[leaf as usize] / self.readers[leaf as usize].max(1) as f32;
        1.0 + cut.leaves.iter().map(shared).sum::<f32>()
    }
}

/// The cut of a gate whose operands are read through these cuts, unless it is too wide.
fn merge(a: &Cut, b: &Cut, operation: Operation, most_inputs: usize) -> Option<Cut> {
    let mut leaves: SmallVec<[u32; 6]> = a.leaves.iter().chain(&b.leaves).copied().collect();
    leaves.sort_unstable();
    leaves.dedup();
    if leaves.len() > most_inputs {
        return None;
    }
    let widened = |cut: &Cut| {
        let place = |leaf: &u32| leaves.iter().position(|other| other == leaf).unwrap_or(0);
        let places: SmallVec<[usize; 3]> = cut.leaves.iter().map(place).collect();
        moved(cut.table, &places)
    };
    let (a, b) = (widened(a), widened(b));
    let table = match operation {
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::AndNot => a & !b,
    };
    let cut = without_unused(&leaves, table);
    // Without ternary logic some functions of two inputs take two instructions.
    (most_inputs > 2 || cut.leaves.len() < 2 || direct(cut.table).is_some()).then_some(cut)
}

/// Drops leaves that do not matter.
fn without_unused(leaves: &[u32], table: TruthTable) -> Cut {
    let used: SmallVec<[usize; 3]> =
        (0..leaves.len()).filter(|&place| depends_on(table, place)).collect();
    let mut places = [0, 1, 2];
    for (new, &old) in used.iter().enumerate() {
        places[old] = new;
    }
    // A leaf that does not matter may go to any place that is free.
    let unused = (0..3).filter(|place| !used.contains(place));
    for (place, old) in (used.len()..3).zip(unused) {
        places[old] = place;
    }
    let leaves = used.iter().map(|&place| leaves[place]).collect();
    Cut { leaves, table: moved(table, &places) }
}

/// The value of a table where the inputs are words: what an instruction computes.
#[cfg(test)]
pub(crate) fn evaluate(table: TruthTable, inputs: [bool; 3]) -> bool {
    let row = inputs.iter().fold(0, |row, &input| 2 * row + u8::from(input));
    table >> row & 1 == 1
}

const _: () = assert!(A | B | C == 0xfe, "the tables of the inputs cover all rows but one");

#[cfg(test)]
mod tests {
    use super::*;

    fn and(target: u32, a: u32, b: u32) -> Instruction {
        Instruction { operation: Operation::And, target, a, b }
    }

    #[test]
    fn a_chain_of_gates_needs_half_as_many_functions() {
        // Slots 2..=6 are inputs, 7 the output, temporaries start at 8.
        let chain = [and(8, 2, 3), and(9, 8, 4), and(10, 9, 5), and(7, 10, 6)];
        let logic = map_to_logic(&chain, 8, 3);
        assert_eq!(logic.len(), 2);
        assert_eq!(logic[0], Logic::new(9, &[2, 3, 4], A & B & C));
        assert_eq!(logic[1], Logic::new(7, &[5, 6, 9], A & B & C));
    }

    #[test]
    fn constants_and_repetitions_disappear() {
        let either = Instruction { operation: Operation::Or, target: 8, a: 2, b: ZEROS };
        let neither = Instruction { operation: Operation::AndNot, target: 9, a: ONES, b: 8 };
        let logic = map_to_logic(&[either, neither, and(3, 9, 9)], 8, 3);
        assert_eq!(logic, [Logic::new(3, &[2], !A)]);
        assert!(evaluate(logic[0].table, [false, false, false]));
    }

    #[test]
    fn an_exclusive_or_is_found_without_ternary_logic() {
        let gate = |operation, target, a, b| Instruction { operation, target, a, b };
        let only = [(8, 2, 3), (9, 3, 2)].map(|(t, a, b)| gate(Operation::AndNot, t, a, b));
        let either = gate(Operation::Or, 4, 8, 9);
        let logic = map_to_logic(&[only[0], only[1], either], 8, 2);
        assert_eq!(logic, [Logic::new(4, &[2, 3], A ^ B)]);
    }
}
