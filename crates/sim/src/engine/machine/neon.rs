//! The few AArch64 vector instructions that gates need.
//!
//! Registers have 128 bits. The slots come in `x0`, which moves on by 16 bytes each round, the number of
//! rounds in `w1`. An address reaches 64 KiB from its base; further slots go through `x9`.

use super::encoder::{Binary, Encoder, Operand, Register};

/// Collects the instructions of functions.
pub(crate) struct Neon {
    words: Vec<u32>,
    slot_bytes: u32,
    /// Where the current block begins.
    block: usize,
    /// How far `x9` is beyond `x0`, if that is known.
    far_base: Option<u32>,
}

/// How many bytes a register has.
const BYTES: usize = 16;
/// What one base reaches.
const NEAR_BYTES: u32 = 1 << 16;
const SLOTS: u32 = 0;
const FAR: u32 = 9;
const ROUNDS: u32 = 1;

impl Encoder for Neon {
    /// The registers from 8 to 15 belong to the caller and are left alone.
    const REGISTERS: usize = 24;
    const INPUTS: usize = 2;
    const FOLDS_MEMORY: bool = false;
    const NEAR: u32 = 40;
    /// Twelve bits of pages of 4 KiB.
    const REACH: usize = 1 << 24;

    fn new(slot_bytes: usize) -> Self {
        Self { words: Vec::new(), slot_bytes: slot_bytes as u32, block: 0, far_base: None }
    }

    fn rounds(slot_bytes: usize) -> usize {
        slot_bytes / BYTES
    }

    fn into_bytes(self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn begin(&mut self) -> usize {
        let entry = 4 * self.words.len();
        self.begin_block();
        entry
    }

    fn next_block(&mut self) {
        let rounds = Self::rounds(self.slot_bytes as usize) as u32;
        self.repeat();
        // sub x0, x0, #slot_bytes; mov w1, #rounds
        self.words.push(0xd100_0000 | self.slot_bytes << 10 | SLOTS << 5 | SLOTS);
        self.words.push(0x5280_0000 | rounds << 5 | ROUNDS);
        self.begin_block();
    }

    fn end(&mut self) {
        self.repeat();
        // ret
        self.words.push(0xd65f_03c0);
    }

    fn load(&mut self, target: Register, from: Operand) {
        match from {
            // A copy is what a register has in common with itself.
            Operand::Register(source) => self.vector(0x4ea0_1c00, target, source, source),
            Operand::Slot(slot) => self.transfer(0x3dc0_0000, target, slot),
        }
    }

    fn store(&mut self, source: Register, slot: u32) {
        self.transfer(0x3d80_0000, source, slot);
    }

    fn binary(&mut self, operation: Binary, target: Register, a: Register, b: Operand) {
        let Operand::Register(b) = b else {
            unreachable!("no instruction reads its operand from memory");
        };
        match operation {
            Binary::And => self.vector(0x4e20_1c00, target, a, b),
            Binary::Or => self.vector(0x4ea0_1c00, target, a, b),
            Binary::Xor => self.vector(0x6e20_1c00, target, a, b),
            // The processor clears the bits of its last operand.
            Binary::NotAnd => self.vector(0x4e60_1c00, target, b, a),
        }
    }

    fn ternary(&mut self, _target: Register, _b: Register, _c: Operand, _table: u8) {
        unreachable!("there are functions of two inputs only");
    }
}

impl Neon {
    fn begin_block(&mut self) {
        self.block = self.words.len();
        // Each round comes here with another `x0`.
        self.far_base = None;
    }

    /// One more round of the block, if there is one.
    fn repeat(&mut self) {
        // add x0, x0, #16; subs w1, w1, #1; b.eq over the next; b block. The last reaches further than
        // a conditional branch would.
        self.words.push(0x9100_0000 | (BYTES as u32) << 10 | SLOTS << 5 | SLOTS);
        self.words.push(0x7100_0400 | ROUNDS << 5 | ROUNDS);
        self.words.push(0x5400_0040);
        let back = self.block as i64 - self.words.len() as i64;
        self.words.push(0x1400_0000 | (back as u32 & 0x03ff_ffff));
    }

    fn vector(&mut self, opcode: u32, target: Register, a: Register, b: Register) {
        let [target, a, b] = [target, a, b].map(number);
        self.words.push(opcode | b << 16 | a << 5 | target);
    }

    fn transfer(&mut self, opcode: u32, register: Register, slot: u32) {
        let offset = slot * self.slot_bytes;
        let (far, near) = (offset / NEAR_BYTES * NEAR_BYTES, offset % NEAR_BYTES);
        let base = if far == 0 { SLOTS } else { FAR };
        if far != 0 && self.far_base != Some(far) {
            // add x9, x0, #far, in pages
            self.words.push(0x9140_0000 | (far >> 12) << 10 | SLOTS << 5 | FAR);
            self.far_base = Some(far);
        }
        self.words.push(opcode | (near / BYTES as u32) << 10 | base << 5 | number(register));
    }
}

/// The processor's number of a register.
fn number(register: Register) -> u32 {
    u32::from(if register < 8 { register } else { register + 8 })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::engine::machine::encoder::bytes;

    #[test]
    fn instructions_are_encoded_as_the_manual_says() {
        let check = |expected: &[[u8; 4]], emit: fn(&mut Neon)| {
            assert_eq!(bytes::<Neon>(64, emit), expected.concat());
        };
        // and v1.16b, v2.16b, v3.16b
        check(&[[0x41, 0x1c, 0x23, 0x4e]], |n| n.binary(Binary::And, 1, 2, Operand::Register(3)));
        // orr v30.16b, v17.16b, v31.16b
        check(&[[0x3e, 0x1e, 0xbf, 0x4e]], |n| n.binary(Binary::Or, 22, 9, Operand::Register(23)));
        // eor v5.16b, v6.16b, v7.16b
        check(&[[0xc5, 0x1c, 0x27, 0x6e]], |n| n.binary(Binary::Xor, 5, 6, Operand::Register(7)));
        // bic v4.16b, v3.16b, v2.16b
        check(&[[0x64, 0x1c, 0x62, 0x4e]], |n| {
            n.binary(Binary::NotAnd, 4, 2, Operand::Register(3));
        });
        // mov v17.16b, v20.16b
        check(&[[0x91, 0x1e, 0xb4, 0x4e]], |n| n.load(9, Operand::Register(12)));
        // ldr q0, [x0, #64]
        check(&[[0x00, 0x10, 0xc0, 0x3d]], |n| n.load(0, Operand::Slot(1)));
        // str q31, [x0, #128]
        check(&[[0x1f, 0x20, 0x80, 0x3d]], |n| n.store(23, 2));
    }

    #[test]
    fn distant_slots_go_through_another_base() {
        let code = bytes::<Neon>(64, |n| {
            n.store(7, 1024);
            n.store(7, 1024);
            n.load(23, Operand::Slot(1023));
            n.load(0, Operand::Slot(261_120));
        });
        let expected = [
            [0x09, 0x40, 0x40, 0x91], // add x9, x0, #16, lsl #12
            [0x27, 0x01, 0x80, 0x3d], // str q7, [x9]
            [0x27, 0x01, 0x80, 0x3d], // str q7, [x9]
            [0x1f, 0xf0, 0xff, 0x3d], // ldr q31, [x0, #65472]
            [0x09, 0xc0, 0x7f, 0x91], // add x9, x0, #4080, lsl #12
            [0x20, 0x01, 0xc0, 0x3d], // ldr q0, [x9]
        ];
        assert_eq!(code, expected.concat());
    }

    #[test]
    fn a_function_repeats_its_blocks() {
        let code = bytes::<Neon>(64, |n| {
            n.begin();
            n.load(0, Operand::Slot(1));
            n.next_block();
            n.end();
        });
        let again = [
            [0x00, 0x40, 0x00, 0x91], // add x0, x0, #16
            [0x21, 0x04, 0x00, 0x71], // subs w1, w1, #1
            [0x40, 0x00, 0x00, 0x54], // b.eq #8
        ];
        let expected = [
            &[[0x00, 0x10, 0xc0, 0x3d]][..], // ldr q0, [x0, #64]
            &again,
            &[[0xfc, 0xff, 0xff, 0x17]], // b #-16
            &[[0x00, 0x00, 0x01, 0xd1], [0x81, 0x00, 0x80, 0x52]], // sub x0, x0, #64; mov w1, #4
            &again,
            &[[0xfd, 0xff, 0xff, 0x17], [0xc0, 0x03, 0x5f, 0xd6]], // b #-12; ret
        ];
        assert_eq!(code, expected.concat().concat());
    }

    /// Runs a function on slots of 512 lanes as the processor would. It knows the instructions above
    /// by their fields in the manual, not by the encoder.
    pub(crate) fn run(code: &[u8], entry: usize, slots: &mut [[u128; 4]]) {
        let word = |at: usize| u32::from_le_bytes(code[at..at + 4].try_into().expect("four bytes"));
        let mut vectors = [0u128; 32];
        let mut general = [0u64; 32];
        (general[0], general[1]) = (0, 4);
        let (mut at, mut is_zero) = (entry, false);
        loop {
            let instruction = word(at);
            let field = |low: u32, bits: u32| instruction >> low & ((1 << bits) - 1);
            let [d, n, m] = [field(0, 5), field(5, 5), field(16, 5)].map(|field| field as usize);
            let signed =
                |value: u32, bits: u32| ((value << (32 - bits)) as i32 >> (32 - bits)) as i64;
            let mut next = at as i64 + 4;
            match instruction >> 22 {
                // Three vectors: the two bits below the third register tell the operation.
                0b01_0011_1000 => vectors[d] = vectors[n] & vectors[m],
                0b01_0011_1001 => vectors[d] = vectors[n] & !vectors[m],
                0b01_0011_1010 => vectors[d] = vectors[n] | vectors[m],
                0b01_1011_1000 => vectors[d] = vectors[n] ^ vectors[m],
                0b00_1111_0111 | 0b00_1111_0110 => {
                    let address = general[n] + 16 * u64::from(field(10, 12));
                    assert!(address.is_multiple_of(16) && n != 31);
                    let place = &mut slots[address as usize / 64][address as usize / 16 % 4];
                    if instruction >> 22 & 1 == 1 {
                        vectors[d] = *place;
                    } else {
                        *place = vectors[d];
                    }
                }
                0b10_0100_0100 => general[d] = general[n] + u64::from(field(10, 12)),
                0b10_0100_0101 => general[d] = general[n] + (u64::from(field(10, 12)) << 12),
                0b11_0100_0100 => general[d] = general[n] - u64::from(field(10, 12)),
                0b01_1100_0100 => {
                    general[d] = general[n] - u64::from(field(10, 12));
                    is_zero = general[d] == 0;
                }
                0b01_0100_1010 => general[d] = u64::from(field(5, 16)),
                0b01_0101_0000 => {
                    assert_eq!(field(0, 5), 0, "branches if equal");
                    if is_zero {
                        next = at as i64 + 4 * signed(field(5, 19), 19);
                    }
                }
                branch if branch >> 4 == 0b00_0101 => {
                    next = at as i64 + 4 * signed(field(0, 26), 26)
                }
                _ => {
                    assert_eq!(instruction, 0xd65f_03c0, "return");
                    return;
                }
            }
            assert!(!(8..16).contains(&d) || instruction >> 28 & 0b0110 != 0b0100 || d == 9);
            at = next as usize;
        }
    }
}
