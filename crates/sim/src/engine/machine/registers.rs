//! Register allocation: logic becomes instructions.
//!
//! One pass with full knowledge of what comes later: a value whose next use is furthest away gives
//! up its register first. A temporary that is still needed goes to a spill slot then; a slot is in
//! memory anyway.

use super::encoder::{Binary, Encoder, MOST_REGISTERS, Operand, Register};
use super::logic::{A, B, Logic};
use crate::compile::code::{ONES, ZEROS};

/// Where a slot takes several rounds, functions are cut into blocks of this many instructions, so that
/// the code of a block is fetched once for all rounds.
const BLOCK: usize = 1_000;
const NEVER: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX;

/// Emits one function; returns where it begins and the first slot beyond those it uses. Values below
/// `first_temporary` are slots, and spill slots start there.
pub(crate) fn emit<E: Encoder>(
    encoder: &mut E,
    rounds: usize,
    logic: &[Logic],
    first_temporary: u32,
) -> (usize, u32) {
    let entry = encoder.begin();
    let mut allocator = Allocator::new(encoder, logic, first_temporary);
    for (place, logic) in logic.iter().enumerate() {
        if rounds > 1 && place > 0 && place.is_multiple_of(BLOCK) {
            allocator.next_block();
        }
        allocator.emit(place as u32, logic);
    }
    let top = allocator.top;
    encoder.end();
    (entry, top)
}

struct Allocator<'a, E> {
    encoder: &'a mut E,
    uses: Uses,
    first_temporary: u32,
    /// The register of each value, or none.
    register_of: Vec<Register>,
    holder: [u32; MOST_REGISTERS],
    free: Vec<Register>,
    /// The spill slot of each temporary that has one.
    spilled: Vec<u32>,
    free_slots: Vec<u32>,
    /// The first slot never used.
    top: u32,
}

const NO_REGISTER: Register = MOST_REGISTERS as Register;

impl<'a, E: Encoder> Allocator<'a, E> {
    fn new(encoder: &'a mut E, logic: &[Logic], first_temporary: u32) -> Self {
        let uses = Uses::of(logic);
        let values = uses.values();
        Self {
            encoder,
            uses,
            first_temporary,
            register_of: vec![NO_REGISTER; values],
            holder: [NOWHERE; MOST_REGISTERS],
            free: (0..E::REGISTERS as Register).rev().collect(),
            spilled: vec![NOWHERE; values],
            free_slots: Vec::new(),
            top: first_temporary,
        }
    }

    fn emit(&mut self, place: u32, logic: &Logic) {
        logic.inputs.iter().for_each(|&input| self.uses.pass(input, place));
        for &input in &logic.inputs {
            let next = self.uses.next(input);
            if self.register(input).is_none() && next != NEVER && next < place + E::NEAR {
                self.load(input, &logic.inputs);
            }
        }
        let register = match (logic.inputs.as_slice(), logic.table) {
            ([], table) => self.copy(if table == 0 { ZEROS } else { ONES }, &[]),
            (&[input], A) => self.copy(input, &[input]),
            (&[input], _) => self.binary(Binary::NotAnd, input, ONES),
            (&[a, b], table) => match direct(table) {
                Some((operation, false)) => self.binary(operation, a, b),
                Some((operation, true)) => self.binary(operation, b, a),
                // Something must stand in the third place, on which the table does not depend.
                None => self.ternary(logic, [a, b, b]),
            },
            (inputs, _) => self.ternary(logic, [inputs[0], inputs[1], inputs[2]]),
        };
        for &input in &logic.inputs {
            self.release_slot(input);
        }
        self.define(logic.target, register);
    }

    /// Clears the registers: what is still needed goes to memory.
    fn next_block(&mut self) {
        for register in 0..E::REGISTERS {
            let value = self.holder[register];
            if value != NOWHERE {
                self.spill(value, register as Register);
                self.forget(value);
                self.free.push(register as Register);
            }
        }
        self.encoder.next_block();
    }

    fn register(&self, value: u32) -> Option<Register> {
        let register = self.register_of[value as usize];
        (register != NO_REGISTER).then_some(register)
    }

    /// Where a value can be read.
    fn operand(&self, value: u32) -> Operand {
        match self.register(value) {
            Some(register) => Operand::Register(register),
            None => Operand::Slot(self.slot(value)),
        }
    }

    /// Where a value lies in memory.
    fn slot(&self, value: u32) -> u32 {
        if value < self.first_temporary { value } else { self.spilled[value as usize] }
    }

    fn binary(&mut self, operation: Binary, a: u32, b: u32) -> Register {
        let (mut a, mut b) = (a, b);
        if operation != Binary::NotAnd && self.register(a).is_none() {
            std::mem::swap(&mut a, &mut b);
        }
        let first = self.load(a, &[a, b]);
        let second = match E::FOLDS_MEMORY {
            true => self.operand(b),
            false => Operand::Register(self.load(b, &[a, b])),
        };
        self.release_register(a);
        self.release_register(b);
        // Registers just released may be the target: an instruction reads before it writes.
        let target = self.allocate(&[a, b]);
        self.encoder.binary(operation, target, first, second);
        target
    }

    fn ternary(&mut self, logic: &Logic, inputs: [u32; 3]) -> Register {
        let order = self.order_of_operands(inputs);
        let table = logic.reordered(order);
        let [first, second, third] = order.map(|place| inputs[place]);
        let dies = self.uses.next(first) == NEVER && first != second && first != third;
        let second = self.load(second, &inputs);
        let third = self.operand(third);
        let target = match self.register(first) {
            Some(register) if dies => {
                self.forget(first);
                register
            }
            _ => {
                let target = self.allocate(&inputs);
                let from = self.operand(first);
                self.encoder.load(target, from);
                target
            }
        };
        self.encoder.ternary(target, second, third, table);
        inputs.iter().for_each(|&input| self.release_register(input));
        target
    }

    /// The operand that is overwritten comes first: best one that dies, else one that must be loaded
    /// anyway. One in memory comes last.
    fn order_of_operands(&self, inputs: [u32; 3]) -> [usize; 3] {
        let in_memory = |&place: &usize| self.register(inputs[place]).is_none();
        let dies = |&place: &usize| {
            !in_memory(&place)
                && self.uses.next(inputs[place]) == NEVER
                && inputs.iter().filter(|&&input| input == inputs[place]).count() == 1
        };
        let first = (0..3).find(dies).or_else(|| (0..3).find(in_memory)).unwrap_or(0);
        let mut rest = (0..3).filter(|&place| place != first);
        let (Some(a), Some(b)) = (rest.next(), rest.next()) else { return [0, 1, 2] };
        if in_memory(&a) { [first, b, a] } else { [first, a, b] }
    }

    fn copy(&mut self, value: u32, pinned: &[u32]) -> Register {
        let from = self.operand(value);
        if let Operand::Register(register) = from
            && self.uses.next(value) == NEVER
        {
            self.forget(value);
            return register;
        }
        let target = self.allocate(pinned);
        self.encoder.load(target, from);
        target
    }

    fn load(&mut self, value: u32, pinned: &[u32]) -> Register {
        if let Some(register) = self.register(value) {
            return register;
        }
        let register = self.allocate(pinned);
        self.encoder.load(register, Operand::Slot(self.slot(value)));
        self.hold(value, register);
        register
    }

    fn hold(&mut self, value: u32, register: Register) {
        self.register_of[value as usize] = register;
        self.holder[register as usize] = value;
    }

    /// Takes a value out of its register without freeing it.
    fn forget(&mut self, value: u32) {
        let register = self.register_of[value as usize];
        if register != NO_REGISTER {
            self.holder[register as usize] = NOWHERE;
            self.register_of[value as usize] = NO_REGISTER;
        }
    }

    /// Frees the register of a value that is not used again.
    fn release_register(&mut self, value: u32) {
        if self.uses.next(value) == NEVER
            && let Some(register) = self.register(value)
        {
            self.forget(value);
            self.free.push(register);
        }
    }

    /// Frees the spill slot of a value that is not used again. Not before the instruction that reads
    /// it has been emitted.
    fn release_slot(&mut self, value: u32) {
        let slot = self.spilled[value as usize];
        if self.uses.next(value) == NEVER && slot != NOWHERE {
            self.free_slots.push(slot);
            self.spilled[value as usize] = NOWHERE;
        }
    }

    /// A free register, if necessary that of the value whose next use is furthest away.
    fn allocate(&mut self, pinned: &[u32]) -> Register {
        if let Some(register) = self.free.pop() {
            return register;
        }
        let candidates = (0..E::REGISTERS).filter(|&register| {
            let holder = self.holder[register];
            holder != NOWHERE && !pinned.contains(&holder)
        });
        let register = candidates
            .max_by_key(|&register| self.uses.next(self.holder[register]))
            .expect("an instruction pins fewer values than there are registers");
        let value = self.holder[register];
        self.spill(value, register as Register);
        self.forget(value);
        register as Register
    }

    fn spill(&mut self, value: u32, register: Register) {
        let is_temporary = value >= self.first_temporary;
        if !is_temporary
            || self.spilled[value as usize] != NOWHERE
            || self.uses.next(value) == NEVER
        {
            return;
        }
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.top += 1;
            self.top - 1
        });
        self.spilled[value as usize] = slot;
        self.encoder.store(register, slot);
    }

    fn define(&mut self, target: u32, register: Register) {
        // A slot that is overwritten may still be held from before.
        if let Some(old) = self.register(target) {
            self.forget(target);
            self.free.push(old);
        }
        if target < self.first_temporary {
            self.encoder.store(register, target);
        }
        if self.uses.next(target) == NEVER {
            self.free.push(register);
        } else {
            self.hold(target, register);
        }
    }
}

/// The instruction for a table of two inputs, and whether they must be swapped, if there is one that
/// leaves both in place.
pub(crate) fn direct(table: u8) -> Option<(Binary, bool)> {
    const AND: u8 = A & B;
    const OR: u8 = A | B;
    const XOR: u8 = A ^ B;
    const NOT_AND: u8 = !A & B;
    const AND_NOT: u8 = A & !B;
    match table {
        AND => Some((Binary::And, false)),
        OR => Some((Binary::Or, false)),
        XOR => Some((Binary::Xor, false)),
        NOT_AND => Some((Binary::NotAnd, false)),
        AND_NOT => Some((Binary::NotAnd, true)),
        _ => None,
    }
}

/// Where each value is read. Uses of value `v` are `places[first[v]..first[v + 1]]`.
struct Uses {
    first: Vec<u32>,
    places: Vec<u32>,
    cursor: Vec<u32>,
}

impl Uses {
    fn of(logic: &[Logic]) -> Self {
        let values = logic.iter().flat_map(|l| l.inputs.iter().chain([&l.target])).max();
        let values = values.map_or(0, |&last| last as usize + 1).max(2);
        let mut first = vec![0u32; values + 1];
        for input in logic.iter().flat_map(|l| &l.inputs) {
            first[*input as usize + 1] += 1;
        }
        for value in 0..values {
            first[value + 1] += first[value];
        }
        let mut cursor = first.clone();
        let mut places = vec![0; first[values] as usize];
        for (place, logic) in logic.iter().enumerate() {
            for &input in &logic.inputs {
                places[cursor[input as usize] as usize] = place as u32;
                cursor[input as usize] += 1;
            }
        }
        Self { cursor: first[..values].to_vec(), first, places }
    }

    fn values(&self) -> usize {
        self.cursor.len()
    }

    /// Leaves the uses up to a place behind.
    fn pass(&mut self, value: u32, place: u32) {
        let end = self.first[value as usize + 1];
        let cursor = &mut self.cursor[value as usize];
        while *cursor < end && self.places[*cursor as usize] <= place {
            *cursor += 1;
        }
    }

    /// The next use that is not yet behind.
    fn next(&self, value: u32) -> u32 {
        let value = value as usize;
        if self.cursor[value] < self.first[value + 1] {
            self.places[self.cursor[value] as usize]
        } else {
            NEVER
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::logic::tests::{apply, random_logic};
    use super::super::neon::{Neon, tests::run};
    use super::super::split::split;
    use super::*;

    /// What the slots hold after the code that is made for AArch64, run by the reader of its
    /// instructions.
    fn after_neon(logic: &[Logic], seed: u64) -> Vec<u64> {
        let logic = split(logic, 20);
        let mut encoder = Neon::new(64);
        let (entry, top) = emit(&mut encoder, 4, &logic, 20);
        // With no functions the values are those before.
        let before = apply(&[], seed);
        let wide = |value: u64| [u128::from(value) << 64 | u128::from(value); 4];
        let mut slots = vec![[0; 4]; top as usize];
        for (slot, &value) in slots.iter_mut().zip(&before) {
            *slot = wide(value);
        }
        run(&encoder.into_bytes(), entry, &mut slots);
        let all_parts_agree = |slot: &[u128; 4]| *slot == wide(slot[0] as u64);
        assert!(slots[..20].iter().all(all_parts_agree), "every round does the same");
        slots[..20].iter().map(|slot| slot[0] as u64).collect()
    }

    #[test]
    fn code_for_aarch64_computes_the_logic() {
        const MAJORITY: u8 = (A & B) | (0xaa & (A | B));
        for seed in 0..200 {
            // Some are long enough for several blocks.
            let count = if seed % 40 == 0 { 3_000 } else { 80 };
            let logic = random_logic(seed, count, &[MAJORITY]);
            assert_eq!(after_neon(&logic, seed), apply(&logic, seed)[..20], "seed {seed}");
        }
    }
}
