//! What the register allocator needs from a processor: a few facts, and a few instructions as bytes.
//!
//! A function takes the address of the slots and a number of rounds. A slot may be wider than a register: then the
//! function repeats itself, each time one register's worth of lanes further on.
//!
//! A function takes the address of the slots and a number of rounds. A slot may be wider than a
//! register: then the function repeats itself, one register's worth of lanes further on each time.

/// A vector register.
pub(crate) type Register = u8;

/// No processor has more registers.
pub(crate) const MOST_REGISTERS: usize = 32;

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Register(Register),
    Slot(u32),
}

/// Instructions with two inputs that leave both in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    And,
    Or,
    Xor,
    /// Not the first, and the second.
    NotAnd,
}

/// A processor's way to write vector instructions.
pub(crate) trait Encoder {
    /// How many registers there are.
    const REGISTERS: usize;
    /// How many inputs one instruction takes: three where there is ternary logic, else two.
    const INPUTS: usize;
    /// Whether an instruction may read its last operand from memory.
    const FOLDS_MEMORY: bool;
    /// An operand in memory that is used again within this many instructions is loaded for good.
    const NEAR: u32;
    /// Slots beyond this many bytes cannot be addressed.
    const REACH: usize;

    /// An encoder for slots of that many bytes: 32 or 64.
    fn new(slot_bytes: usize) -> Self;
    /// How many registers a slot of that many bytes takes.
    fn rounds(slot_bytes: usize) -> usize;
    fn into_bytes(self) -> Vec<u8>;
    /// Begins a function; returns where it begins.
    fn begin(&mut self) -> usize;
    /// Ends a block of instructions and begins the next: all rounds of the one come before the first of
    /// the other. Nothing stays in registers between.
    fn next_block(&mut self);
    /// Ends a function: one more round, or returns.
    fn end(&mut self);
    fn load(&mut self, target: Register, from: Operand);
    fn store(&mut self, source: Register, slot: u32);
    fn binary(&mut self, operation: Binary, target: Register, a: Register, b: Operand);
    /// Any function of three inputs, the first of which is replaced by the result. Only where
    /// [`Self::INPUTS`] is three.
    fn ternary(&mut self, target: Register, b: Register, c: Operand, table: u8);
}

/// Where every encoder is asked the same: the bytes of some instructions.
#[cfg(test)]
pub(crate) fn bytes<E: Encoder>(slot_bytes: usize, emit: impl Fn(&mut E)) -> Vec<u8> {
    let mut encoder = E::new(slot_bytes);
    emit(&mut encoder);
    encoder.into_bytes()
}
