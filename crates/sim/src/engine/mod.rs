//! Which engine runs a game: the width of its words, what they are made of, and machine code if any.

pub(crate) mod batch;
pub(crate) mod choice;
mod draw;
#[cfg(any(all(target_arch = "x86_64", unix), all(target_arch = "aarch64", target_os = "linux")))]
pub(crate) mod machine;
#[cfg(not(any(
    all(target_arch = "x86_64", unix),
    all(target_arch = "aarch64", target_os = "linux")
)))]
#[path = "no_machine.rs"]
pub(crate) mod machine;
pub(crate) mod random;
pub(crate) mod single;
pub(crate) mod table;
pub(crate) mod word;

use crate::engine::batch::Batch;
use crate::engine::machine::Machine;
use crate::engine::word::Registers;

/// How many games a thread plays side by side. It does not change which games are played. On an x86-64
/// without AVX2 it is always 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// As many as suit the processor and the game.
    Auto,
    /// 64 games.
    W64,
    /// 256 games.
    W256,
    /// 512 games.
    W512,
}

/// How the gates are run. It does not change which games are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// Machine code if the processor and the width allow it, else the table.
    Auto,
    /// A table of gates and a loop.
    Table,
    /// Machine code of AVX2 instructions, at 256 or 512 lanes; the table where that is impossible.
    Avx2,
    /// Machine code of AVX-512 instructions, at 256 or 512 lanes; the table where that is impossible.
    Avx512,
    /// Machine code of AArch64's vector instructions, at 256 or 512 lanes; the table where that is
    /// impossible.
    Neon,
}

/// Vector instructions that machine code can be made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instructions {
    Avx2,
    Avx512,
    Neon,
}

/// The kinds of instructions that machine code is made for, each at 256 and 512 lanes.
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

    /// Its name for users.
    pub(crate) fn name(&self) -> &'static str {
        self.machine.map_or("table", |machine| machine.instructions().name())
    }
}
