//! The machine-code engine: a game as straight-line AVX-512 code.
//!
//! Gates are covered by functions of three inputs ([`mapping`]), values are kept in the 32 registers
//! as long as they are needed soon ([`registers`]), and the bytes are written by a small assembler
//! ([`assembler`]) into memory that is then made executable ([`memory`]). The choice of moves is
//! emitted in the same way ([`network`]). For the same seed it plays the same games as the table.
#![allow(unsafe_code)]

mod assembler;
mod logic;
mod mapping;
mod memory;
mod network;
mod registers;
mod transition;

use crate::batch::{Batch, BatchCode, Phase, PhaseCode};
use crate::choice::BITS;
use crate::code::{Code, Feedback};
use crate::draw::Draw;
use crate::random::Random;
use crate::table::settle;
use crate::word::Word;
use assembler::{Assembler, MOST_SLOTS};
use mapping::map_to_logic;
use memory::Executable;
use network::{ChoiceSlots, choice_network};
use registers::emit;

/// A game as machine code. It reads and writes the slots of its [`Batch`]'s layout, and some after.
#[derive(Debug)]
pub(crate) struct Machine {
    memory: Executable,
    phases: Vec<MachinePhase>,
    goals: Routine,
    /// The slot of the lanes whose state is held.
    over: u32,
    choice_slots: ChoiceSlots,
    slot_count: usize,
}

/// The functions of one phase.
#[derive(Debug)]
struct MachinePhase {
    legality: Routine,
    /// Computes the new state and holds that of lanes that are over.
    transition: Routine,
    /// For each choice of the phase, its functions, unless the plain loop is better.
    choices: Vec<Option<MachineChoice>>,
}

/// A program: functions, some of which repeat until their variables settle.
#[derive(Debug)]
struct Routine {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    entry: usize,
    feedback: Vec<Feedback>,
    repeats: bool,
}

#[derive(Debug)]
struct MachineChoice {
    count: usize,
    select: usize,
    bits: usize,
}

/// Choices among more moves are made by the plain loop: their code would not fit in the cache.
const MOST_MOVES: usize = 1_500;
/// Larger circuits are left to the table: their code would be read from main memory at each step.
const MOST_GATES: usize = 400_000;

impl Machine {
    /// Machine code for a game, if this machine can run it and it is not too large.
    pub(crate) fn of(batch: &Batch, code: &BatchCode) -> Option<Self> {
        if !crate::word::x86::has_512() || code.len() > MOST_GATES {
            return None;
        }
        let over = batch.layout.over;
        // Between the two functions of a choice nothing else runs.
        let choice_slots = choice_slots(batch.layout.scratch);
        let mut builder = Builder { assembler: Assembler::default(), over, choice_slots, top: 0 };
        builder.top = choice_slots.kept;
        let goals = builder.routine(&code.goals);
        let phase = |(phase, code)| builder.phase(batch, phase, code);
        let phases = batch.phases.iter().zip(&code.phases).map(phase).collect();
        let slot_count = builder.top.max(batch.slot_count as u32);
        if slot_count > MOST_SLOTS {
            return None;
        }
        let memory = Executable::new(&builder.assembler.into_bytes()).ok()?;
        let slot_count = slot_count as usize;
        Some(Self { memory, phases, goals, over, choice_slots, slot_count })
    }

    /// How many slots the code uses.
    pub(crate) fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// Legality and termination in a phase.
    #[inline(always)]
    pub(crate) fn legality<W: Word>(&self, phase: usize, slots: &mut [W]) {
        self.run(&self.phases[phase].legality, slots);
    }

    /// The step to the next state, except in lanes that are over.
    #[inline(always)]
    pub(crate) fn transition<W: Word>(&self, phase: usize, over: W, slots: &mut [W]) {
        slots[self.over as usize] = over;
        self.run(&self.phases[phase].transition, slots);
    }

    /// Goals.
    #[inline(always)]
    pub(crate) fn goals<W: Word>(&self, slots: &mut [W]) {
        self.run(&self.goals, slots);
    }

    /// Replaces legality by what is done in a choice of a phase. Returns the running lanes that have
    /// no legal move; or nothing, if the choice is left to the plain loop.
    #[inline(always)]
    pub(crate) fn choose<W: Word>(
        &self,
        phase: usize,
        number: usize,
        slots: &mut [W],
        running: W,
        random: &mut Random<W>,
    ) -> Option<W> {
        let choice = self.phases[phase].choices[number].as_ref()?;
        let places = self.choice_slots;
        slots[places.running as usize] = running;
        self.call(choice.count, slots);
        let active = slots[places.active as usize];
        let (before, wanted) = slots.split_at_mut(places.wanted as usize);
        let (before, mask) = before.split_at(places.mask as usize);
        let bound = &before[places.bound as usize..][..choice.bits];
        let (mask, drawn) = (&mask[..choice.bits], &mut wanted[..choice.bits]);
        W::isolated(Draw { bound, mask, active, random, drawn });
        self.call(choice.select, slots);
        Some(running.and_not(active))
    }

    #[inline(always)]
    fn run<W: Word>(&self, routine: &Routine, slots: &mut [W]) {
        for part in &routine.parts {
            for feedback in &part.feedback {
                slots[feedback.variable as usize] = W::zero();
            }
            // Monotone functions settle after one sweep per variable and one to see it.
            for _ in 0..=part.feedback.len() {
                self.call(part.entry, slots);
                if !settle(&part.feedback, slots) || !part.repeats {
                    break;
                }
            }
        }
    }

    #[inline(always)]
    fn call<W: Word>(&self, entry: usize, slots: &mut [W]) {
        let fits = W::LANES == 512 && align_of::<W>() == 64 && slots.len() >= self.slot_count;
        assert!(fits);
        // SAFETY: the function at `entry` was emitted for the System V convention with the slots as
        // its only argument; it ends with `ret` and touches vector registers and slots below
        // `slot_count` only. There are that many slots, of 64 bytes each and so aligned, as was
        // asserted. `of` has asked the processor for the instructions.
        unsafe {
            let function = std::mem::transmute::<*const u8, extern "sysv64" fn(*mut W)>(
                self.memory.address(entry),
            );
            function(slots.as_mut_ptr());
        }
    }
}

/// Slots for choices, from `first` on.
fn choice_slots(first: u32) -> ChoiceSlots {
    let bits = BITS as u32;
    let bound = first + 2;
    ChoiceSlots {
        running: first,
        active: first + 1,
        bound,
        mask: bound + bits,
        wanted: bound + 2 * bits,
        kept: bound + 3 * bits,
    }
}

struct Builder {
    assembler: Assembler,
    over: u32,
    choice_slots: ChoiceSlots,
    /// The first slot that no function uses.
    top: u32,
}

impl Builder {
    fn phase(&mut self, batch: &Batch, phase: &Phase, code: &PhaseCode) -> MachinePhase {
        let choice = |slots: &std::ops::Range<usize>| {
            // Where legality has slots of its own, moves are not chosen but given.
            let is_chosen = batch.layout.legal == batch.layout.moves;
            let emitted = is_chosen && slots.len() > 1 && slots.len() <= MOST_MOVES;
            emitted.then(|| self.choice(slots.start as u32, slots.len()))
        };
        let choices = phase.choices.iter().map(choice).collect();
        MachinePhase {
            choices,
            legality: self.routine(&code.legality),
            transition: self.transition(batch, phase, code),
        }
    }

    fn routine(&mut self, code: &Code) -> Routine {
        let mut parts = Vec::new();
        for section in &code.sections {
            let logic = map_to_logic(&section.instructions, code.first_temporary);
            let entry = self.function(&logic, code.first_temporary);
            let feedback = section.feedback.clone();
            parts.push(Part { entry, feedback, repeats: section.repeats });
        }
        Routine { parts }
    }

    fn transition(&mut self, batch: &Batch, phase: &Phase, code: &PhaseCode) -> Routine {
        let (last, before) = match code.transition.sections.split_last() {
            Some((last, before)) if last.feedback.is_empty() => (&last.instructions[..], before),
            _ => (&[][..], &code.transition.sections[..]),
        };
        let first_temporary = code.transition.first_temporary;
        let before = Code { sections: before.to_vec(), first_temporary };
        let mut routine = self.routine(&before);
        let logic = map_to_logic(last, first_temporary);
        let writes = transition::Writes {
            fluents: batch.layout.fluents,
            next: batch.layout.next,
            over: self.over,
            changing: &phase.changing,
            holds: &code.holds,
        };
        let logic = transition::write_in_place(logic, first_temporary, &writes);
        let entry = self.function(&logic, first_temporary);
        routine.parts.push(Part { entry, feedback: Vec::new(), repeats: false });
        routine
    }

    fn choice(&mut self, moves: u32, len: usize) -> MachineChoice {
        let network = choice_network(moves, len, self.choice_slots);
        let count = self.function(&network.count, network.first_temporary);
        let select = self.function(&network.select, network.first_temporary);
        MachineChoice { count, select, bits: network.bits }
    }

    fn function(&mut self, logic: &[logic::Logic], first_temporary: u32) -> usize {
        let (entry, top) = emit(&mut self.assembler, logic, first_temporary);
        self.top = self.top.max(top);
        entry
    }
}
