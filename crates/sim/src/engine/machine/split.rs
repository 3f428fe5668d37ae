//! Functions of three inputs as functions of two, for processors without ternary logic.
//!
//! Adders and subtractors come as two functions of the same three inputs, sum and carry; both begin
//! with the exclusive or of the first two, which is computed once: five instructions together.

use super::logic::{A, B, C, Logic, TruthTable};

const XOR: TruthTable = A ^ B ^ C;
const MAJORITY: TruthTable = (A & B) | (C & (A | B));
const OR_AND: TruthTable = A | (B & C);
const SELECT: TruthTable = (A & B) | (!A & C);
const BORROW: TruthTable = (!A & (B | C)) | (B & C);
const AND_EQUAL: TruthTable = A & !(B ^ C);

/// Splits every function of three inputs that the choice and the transition are made of. Temporaries
/// are added beyond the last one.
pub(crate) fn split(logic: &[Logic], first_temporary: u32) -> Vec<Logic> {
    let values = logic.iter().flat_map(|logic| logic.inputs.iter().chain([&logic.target]));
    let next = values.copied().max().unwrap_or(0).max(first_temporary) + 1;
    let mut splitter = Splitter { logic: Vec::with_capacity(logic.len()), next, last_xor: None };
    logic.iter().for_each(|logic| splitter.add(logic));
    splitter.logic
}

struct Splitter {
    logic: Vec<Logic>,
    /// The next temporary.
    next: u32,
    /// The last exclusive or, and its operands, while they have not changed.
    last_xor: Option<([u32; 2], u32)>,
}

impl Splitter {
    fn add(&mut self, logic: &Logic) {
        let target = logic.target;
        match logic.inputs[..] {
            [a, b, c] => self.add_three(target, [a, b, c], logic.table),
            _ => self.logic.push(logic.clone()),
        }
        // The choice writes over legality.
        if self.last_xor.is_some_and(|(operands, _)| operands.contains(&target)) {
            self.last_xor = None;
        }
    }

    fn add_three(&mut self, target: u32, [a, b, c]: [u32; 3], table: TruthTable) {
        match table {
            XOR => {
                let half = self.xor(a, b);
                self.write(target, half, c, A ^ B);
            }
            MAJORITY => {
                let half = self.xor(a, b);
                let (both, carried) = (self.wire(a, b, A & B), self.wire(half, c, A & B));
                self.write(target, both, carried, A | B);
            }
            BORROW => {
                let half = self.xor(a, b);
                let (less, borrowed) = (self.wire(a, b, !A & B), self.wire(half, c, !A & B));
                self.write(target, less, borrowed, A | B);
            }
            OR_AND => {
                let both = self.wire(b, c, A & B);
                self.write(target, a, both, A | B);
            }
            SELECT => {
                let (yes, no) = (self.wire(a, b, A & B), self.wire(a, c, !A & B));
                self.write(target, yes, no, A | B);
            }
            AND_EQUAL => {
                let differ = self.wire(b, c, A ^ B);
                self.write(target, a, differ, A & !B);
            }
            _ => unreachable!("no other function of three inputs is made: {table:#x}"),
        }
    }

    fn xor(&mut self, a: u32, b: u32) -> u32 {
        match self.last_xor {
            Some((operands, value)) if operands == [a, b] => value,
            _ => {
                let value = self.wire(a, b, A ^ B);
                self.last_xor = Some(([a, b], value));
                value
            }
        }
    }

    fn wire(&mut self, a: u32, b: u32, table: TruthTable) -> u32 {
        self.next += 1;
        self.write(self.next - 1, a, b, table);
        self.next - 1
    }

    fn write(&mut self, target: u32, a: u32, b: u32, table: TruthTable) {
        self.logic.push(Logic::new(target, &[a, b], table));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::machine::logic::tests::{apply, random_logic};

    #[test]
    fn what_is_split_computes_the_same() {
        for seed in 0..200 {
            let tables = [XOR, MAJORITY, OR_AND, SELECT, BORROW, AND_EQUAL];
            let logic = random_logic(seed, 60, &tables);
            let split = split(&logic, 20);
            assert!(split.iter().all(|logic| logic.inputs.len() <= 2));
            // Values below 20 are slots, and what they hold in the end is what counts.
            assert_eq!(apply(&logic, seed)[..20], apply(&split, seed)[..20]);
        }
    }

    #[test]
    fn sum_and_carry_share_their_first_step() {
        let adder = [Logic::new(20, &[2, 3, 4], XOR), Logic::new(21, &[2, 3, 4], MAJORITY)];
        assert_eq!(split(&adder, 20).len(), 5);
    }
}
