//! The few AVX-512 instructions that gates need, as bytes.
//!
//! All of them work on whole registers of 512 bits, or on their lower 256 bits where slots are so wide.
//! Memory operands are slots, addressed from `rdi`, which points [`BIAS`] slots beyond the first so that
//! the short form of an address reaches twice as many.

use super::encoder::{Binary, Encoder, Operand, Register};

/// How far `rdi` points into the slots.
const BIAS: i64 = 128;

/// Collects the bytes of functions.
pub(crate) struct Avx512 {
    bytes: Vec<u8>,
    slot_bytes: i64,
}

/// The opcode maps of the prefix.
const MAP_0F: u8 = 1;
const MAP_0F3A: u8 = 3;

impl Encoder for Avx512 {
    const REGISTERS: usize = 32;
    const INPUTS: usize = 3;
    const FOLDS_MEMORY: bool = true;
    const NEAR: u32 = 40;
    const REACH: usize = i32::MAX as usize;

    fn new(slot_bytes: usize) -> Self {
        Self { bytes: Vec::new(), slot_bytes: slot_bytes as i64 }
    }

    /// A slot is a register, whichever width it has.
    fn rounds(_slot_bytes: usize) -> usize {
        1
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The slots come in `rdi`. There is one round only.
    fn begin(&mut self) -> usize {
        // Functions start at multiples of 16, as the instruction fetch likes it.
        while !self.bytes.len().is_multiple_of(16) {
            self.bytes.push(0xcc);
        }
        let entry = self.bytes.len();
        // add rdi, BIAS * slot_bytes
        self.bytes.extend([0x48, 0x81, 0xc7]);
        self.bytes.extend(((BIAS * self.slot_bytes) as i32).to_le_bytes());
        entry
    }

    fn next_block(&mut self) {}

    fn end(&mut self) {
        // vzeroupper, ret
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
    }

    fn load(&mut self, target: Register, from: Operand) {
        self.encode(MAP_0F, 0x6f, target, 0, from);
    }

    fn store(&mut self, source: Register, slot: u32) {
        self.encode(MAP_0F, 0x7f, source, 0, Operand::Slot(slot));
    }

    fn binary(&mut self, operation: Binary, target: Register, a: Register, b: Operand) {
        let opcode = match operation {
            Binary::And => 0xdb,
            Binary::Or => 0xeb,
            Binary::Xor => 0xef,
            Binary::NotAnd => 0xdf,
        };
        self.encode(MAP_0F, opcode, target, a, b);
    }

    fn ternary(&mut self, target: Register, b: Register, c: Operand, table: u8) {
        self.encode(MAP_0F3A, 0x25, target, b, c);
        self.bytes.push(table);
    }
}

impl Avx512 {
    /// One instruction with the four-byte prefix of AVX-512, 64-bit elements.
    fn encode(&mut self, map: u8, opcode: u8, target: Register, second: Register, last: Operand) {
        let bit = |register: u8, place: u8| register >> place & 1;
        // The register bits in the prefix are inverted.
        let (last_bit4, last_bit3) = match last {
            Operand::Register(register) => (bit(register, 4), bit(register, 3)),
            Operand::Slot(_) => (0, 0),
        };
        let byte1 = (1 ^ bit(target, 3)) << 7
            | (1 ^ last_bit4) << 6
            | (1 ^ last_bit3) << 5
            | (1 ^ bit(target, 4)) << 4
            | map;
        let byte2 = 0x80 | (!second & 15) << 3 | 0b101;
        let length = if self.slot_bytes == 64 { 0x40 } else { 0x20 };
        let byte3 = length | (1 ^ bit(second, 4)) << 3;
        self.bytes.extend([0x62, byte1, byte2, byte3, opcode]);
        self.operands(target & 7, last);
    }

    fn operands(&mut self, target: u8, last: Operand) {
        const RDI: u8 = 7;
        match last {
            Operand::Register(register) => self.bytes.push(0xc0 | target << 3 | register & 7),
            Operand::Slot(slot) => {
                let offset = i64::from(slot) - BIAS;
                match i8::try_from(offset) {
                    // A one-byte offset counts in whole operands.
                    Ok(short) => self.bytes.extend([0x40 | target << 3 | RDI, short as u8]),
                    Err(_) => {
                        let far = (offset * self.slot_bytes) as i32;
                        self.bytes.push(0x80 | target << 3 | RDI);
                        self.bytes.extend(far.to_le_bytes());
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
        // vpandq zmm1, zmm2, zmm3
        let and = bytes::<Avx512>(64, |a| a.binary(Binary::And, 1, 2, Operand::Register(3)));
        assert_eq!(and, [0x62, 0xf1, 0xed, 0x48, 0xdb, 0xcb]);
        // vpternlogq zmm17, zmm30, zmm9, 0xca
        let select = bytes::<Avx512>(64, |a| a.ternary(17, 30, Operand::Register(9), 0xca));
        assert_eq!(select, [0x62, 0xc3, 0x8d, 0x40, 0x25, 0xc9, 0xca]);
        // vmovdqa64 zmm0, [rdi + 64]
        let load = bytes::<Avx512>(64, |a| a.load(0, Operand::Slot(129)));
        assert_eq!(load, [0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x47, 0x01]);
        // vmovdqa64 [rdi + 64 * 1000], zmm31
        let store = bytes::<Avx512>(64, |a| a.store(31, 1128));
        assert_eq!(store, [0x62, 0x61, 0xfd, 0x48, 0x7f, 0xbf, 0x00, 0xfa, 0x00, 0x00]);
        // vpternlogq ymm17, ymm30, ymm9, 0xca
        let select = bytes::<Avx512>(32, |a| a.ternary(17, 30, Operand::Register(9), 0xca));
        assert_eq!(select, [0x62, 0xc3, 0x8d, 0x20, 0x25, 0xc9, 0xca]);
        // vmovdqa64 ymm0, [rdi + 32]
        let load = bytes::<Avx512>(32, |a| a.load(0, Operand::Slot(129)));
        assert_eq!(load, [0x62, 0xf1, 0xfd, 0x28, 0x6f, 0x47, 0x01]);
    }
}
