//! Which engine runs a game: the width of its words, what they are made of, and machine code if any.

use crate::batch::Batch;
use crate::machine::Machine;
use crate::playouts::{Code, Width};
use crate::word::Registers;

/// Vector instructions that machine code can be made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instructions {
    Avx2,
    Avx512,
    Neon,
}

/// Machine code is made for so many kinds of instructions, each at 256 and 512 lanes.
pub(crate) const MACHINES: usize = 6;

impl Instructions {
    /// The ones to use on this processor.
    fn best() -> Option<Self> {
        let all = [Instructions::Avx512, Instructions::Avx2, Instructions::Neon];
        all.into_iter().find(|instructions| instructions.are_there())
    }

    /// Whether this processor has them, on a system on which memory can be made executable.
    pub(crate) fn are_there(self) -> bool {
        match self {
            Instructions::Avx2 => cfg!(unix) && Registers::widest() != Registers::Plain,
            Instructions::Avx512 => cfg!(unix) && Registers::widest() == Registers::R512,
            Instructions::Neon => cfg!(all(target_arch = "aarch64", target_os = "linux")),
        }
    }

    /// What words must be made of to be handed to the code.
    fn registers(self) -> Registers {
        match self {
            Instructions::Avx2 => Registers::R256,
            Instructions::Avx512 => Registers::R512,
            Instructions::Neon => Registers::Plain,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Instructions::Avx2 => "AVX2 code",
            Instructions::Avx512 => "AVX-512 code",
            Instructions::Neon => "NEON code",
        }
    }

    /// The number of the machine code for that many lanes.
    pub(crate) fn machine_number(self, lanes: usize) -> usize {
        2 * self as usize + usize::from(lanes == 512)
    }
}

impl Code {
    /// Whether this processor can run it.
    pub fn is_available(self) -> bool {
        match self {
            Code::Auto | Code::Table => true,
            Code::Avx2 => Instructions::Avx2.are_there(),
            Code::Avx512 => Instructions::Avx512.are_there(),
            Code::Neon => Instructions::Neon.are_there(),
        }
    }
}

/// What runs a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine<'a> {
    pub(crate) width: Width,
    pub(crate) registers: Registers,
    pub(crate) machine: Option<&'a Machine>,
}

/// With two rounds a slot takes twice the memory and the code is the same: that pays while all slots
/// stay in the cache next to the processor.
const NEAR_MEMORY: usize = 24 << 10;

impl<'a> Engine<'a> {
    /// The engine asked for; the table where that cannot run.
    pub(crate) fn of(batch: &'a Batch, code: Code, width: Width) -> Self {
        let instructions = match code {
            Code::Table => None,
            Code::Auto => Instructions::best(),
            Code::Avx2 => Some(Instructions::Avx2),
            Code::Avx512 => Some(Instructions::Avx512),
            Code::Neon => Some(Instructions::Neon),
        };
        instructions
            .and_then(|instructions| Self::with_code(batch, instructions, width))
            .unwrap_or_else(|| Self::table(width))
    }

    fn with_code(batch: &'a Batch, instructions: Instructions, width: Width) -> Option<Self> {
        let fits = batch.slot_count * Width::W512.lanes() / 8 <= NEAR_MEMORY;
        let width = match (width, instructions) {
            (Width::W64, _) => return None,
            (Width::Auto, Instructions::Avx2 | Instructions::Neon) if !fits => Width::W256,
            (Width::Auto, _) => Width::W512,
            (width, _) => width,
        };
        let machine = batch.machine(instructions, width.lanes())?;
        Some(Self { width, registers: instructions.registers(), machine: Some(machine) })
    }

    /// The table; as many lanes as there can be make the most of each row.
    pub(crate) fn table(width: Width) -> Self {
        let width = if width == Width::Auto { Width::W512 } else { width };
        Self { width, registers: Registers::widest(), machine: None }
    }

    /// What a user is told.
    pub(crate) fn name(&self) -> &'static str {
        self.machine.map_or("table", |machine| machine.instructions().name())
    }
}
