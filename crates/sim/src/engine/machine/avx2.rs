//! The few AVX2 instructions that gates need, as bytes.
//!
//! Registers have 256 bits. The slots come in `rdi`, which moves on by 32 bytes each round, the number
//! of rounds in `esi`.

use super::encoder::{Binary, Encoder, Operand, Register};

/// Collects the bytes of functions.
pub(crate) struct Avx2 {
    bytes: Vec<u8>,
    slot_bytes: i64,
    /// Where the current block begins.
    block: usize,
}

/// How many bytes a register has.
const BYTES: usize = 32;
/// The prefix's fields: 256 bits, opcodes of the 66 group.
const WIDE_66: u8 = 0b101;
const MAP_0F: u8 = 1;
/// How far `rdi` points beyond the first slot, so that short addresses reach to both sides.
const BIAS: i64 = 128;

impl Encoder for Avx2 {
    const REGISTERS: usize = 16;
    const INPUTS: usize = 2;
    const FOLDS_MEMORY: bool = true;
    const NEAR: u32 = 16;
    const REACH: usize = i32::MAX as usize;

    fn new(slot_bytes: usize) -> Self {
        Self { bytes: Vec::new(), slot_bytes: slot_bytes as i64, block: 0 }
    }

    fn rounds(slot_bytes: usize) -> usize {
        slot_bytes / BYTES
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn begin(&mut self) -> usize {
        // Functions start at a cache line, as the instruction fetch likes it.
        while !self.bytes.len().is_multiple_of(64) {
            self.bytes.push(0xcc);
        }
        let entry = self.bytes.len();
        // sub rdi, -BIAS: the short form reaches to -128, not to 128.
        self.bytes.extend([0x48, 0x83, 0xef, (-BIAS) as u8]);
        self.block = self.bytes.len();
        entry
    }

    fn next_block(&mut self) {
        let rounds = Self::rounds(self.slot_bytes as usize) as i32;
        self.repeat();
        // sub rdi, BYTES * rounds; mov esi, rounds
        self.bytes.extend([0x48, 0x81, 0xef]);
        self.bytes.extend((BYTES as i32 * rounds).to_le_bytes());
        self.bytes.push(0xbe);
        self.bytes.extend(rounds.to_le_bytes());
        self.block = self.bytes.len();
    }

    fn end(&mut self) {
        self.repeat();
        // vzeroupper, ret
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
    }

    fn load(&mut self, target: Register, from: Operand) {
        match from {
            // The form for stores has a shorter prefix if only the source is a high register.
            Operand::Register(source) if source >= 8 && target < 8 => {
                self.encode(0x7f, source, 0, Operand::Register(target));
            }
            _ => self.encode(0x6f, target, 0, from),
        }
    }

    fn store(&mut self, source: Register, slot: u32) {
        self.encode(0x7f, source, 0, Operand::Slot(slot));
    }

    fn binary(&mut self, operation: Binary, target: Register, a: Register, b: Operand) {
        let opcode = match operation {
            Binary::And => 0xdb,
            Binary::Or => 0xeb,
            Binary::Xor => 0xef,
            Binary::NotAnd => 0xdf,
        };
        match b {
            // A high register in the last place costs a byte.
            Operand::Register(b) if b >= 8 && a < 8 && operation != Binary::NotAnd => {
                self.encode(opcode, target, b, Operand::Register(a));
            }
            _ => self.encode(opcode, target, a, b),
        }
    }

    fn ternary(&mut self, _target: Register, _b: Register, _c: Operand, _table: u8) {
        unreachable!("there are functions of two inputs only");
    }
}

impl Avx2 {
    /// One more round of the block, if there is one.
    fn repeat(&mut self) {
        // add rdi, BYTES; dec esi; jnz block
        self.bytes.extend([0x48, 0x83, 0xc7, BYTES as u8, 0xff, 0xce, 0x0f, 0x85]);
        let offset = self.block as i64 - (self.bytes.len() as i64 + 4);
        self.bytes.extend((offset as i32).to_le_bytes());
    }

    /// One instruction with the two-byte prefix, or the three-byte one if the last operand needs it.
    fn encode(&mut self, opcode: u8, target: Register, second: Register, last: Operand) {
        // The register bits in the prefix are inverted.
        let high_target = (!target >> 3 & 1) << 7;
        let rest = (!second & 15) << 3 | WIDE_66;
        match last {
            Operand::Register(register) if register >= 8 => {
                self.bytes.extend([0xc4, high_target | 1 << 6 | MAP_0F, rest, opcode]);
            }
            _ => self.bytes.extend([0xc5, high_target | rest, opcode]),
        }
        self.operands(target & 7, last);
    }

    fn operands(&mut self, target: u8, last: Operand) {
        const RDI: u8 = 7;
        match last {
            Operand::Register(register) => self.bytes.push(0xc0 | target << 3 | register & 7),
            Operand::Slot(slot) => {
                let offset = i64::from(slot) * self.slot_bytes - BIAS;
                match i8::try_from(offset) {
                    Ok(short) => self.bytes.extend([0x40 | target << 3 | RDI, short as u8]),
                    Err(_) => {
                        self.bytes.push(0x80 | target << 3 | RDI);
                        self.bytes.extend((offset as i32).to_le_bytes());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::machine::encoder::bytes;

    #[test]
    fn instructions_are_encoded_as_the_manual_says() {
        // vpand ymm1, ymm2, ymm3
        let and = bytes::<Avx2>(32, |a| a.binary(Binary::And, 1, 2, Operand::Register(3)));
        assert_eq!(and, [0xc5, 0xed, 0xdb, 0xcb]);
        // vpor ymm1, ymm12, ymm3: the high register goes to the middle.
        let or = bytes::<Avx2>(32, |a| a.binary(Binary::Or, 1, 3, Operand::Register(12)));
        assert_eq!(or, [0xc5, 0x9d, 0xeb, 0xcb]);
        // vpandn ymm9, ymm2, ymm13
        let not_and = bytes::<Avx2>(32, |a| a.binary(Binary::NotAnd, 9, 2, Operand::Register(13)));
        assert_eq!(not_and, [0xc4, 0x41, 0x6d, 0xdf, 0xcd]);
        // vpxor ymm12, ymm15, [rdi - 96]
        let xor = bytes::<Avx2>(32, |a| a.binary(Binary::Xor, 12, 15, Operand::Slot(1)));
        assert_eq!(xor, [0xc5, 0x05, 0xef, 0x67, 0xa0]);
        // vmovdqa ymm0, [rdi + 32 * 1000 - 128]
        let load = bytes::<Avx2>(32, |a| a.load(0, Operand::Slot(1000)));
        assert_eq!(load, [0xc5, 0xfd, 0x6f, 0x87, 0x80, 0x7c, 0x00, 0x00]);
        // vmovdqa ymm3, ymm14, as a store
        let copy = bytes::<Avx2>(32, |a| a.load(3, Operand::Register(14)));
        assert_eq!(copy, [0xc5, 0x7d, 0x7f, 0xf3]);
        // vmovdqa [rdi], ymm15
        let store = bytes::<Avx2>(32, |a| a.store(15, 4));
        assert_eq!(store, [0xc5, 0x7d, 0x7f, 0x7f, 0x00]);
    }

    #[test]
    fn a_function_repeats_its_blocks() {
        let code = bytes::<Avx2>(64, |a| {
            a.begin();
            a.store(0, 2);
            a.next_block();
            a.end();
        });
        let expected = [
            &[0x48, 0x83, 0xef, 0x80][..],         // sub rdi, -128
            &[0xc5, 0xfd, 0x7f, 0x47, 0x00],       // vmovdqa [rdi], ymm0
            &[0x48, 0x83, 0xc7, 0x20, 0xff, 0xce], // add rdi, 32; dec esi
            &[0x0f, 0x85, 0xef, 0xff, 0xff, 0xff], // jnz to the store
            &[0x48, 0x81, 0xef, 0x40, 0, 0, 0, 0xbe, 0x02, 0, 0, 0], // sub rdi, 64; mov esi, 2
            &[0x48, 0x83, 0xc7, 0x20, 0xff, 0xce], // add rdi, 32; dec esi
            &[0x0f, 0x85, 0xf4, 0xff, 0xff, 0xff], // jnz to the add
            &[0xc5, 0xf8, 0x77, 0xc3],             // vzeroupper, ret
        ];
        assert_eq!(code, expected.concat());
    }
}
