//! The machine-code engine: a game as straight-line vector code.
//!
//! Gates are covered by what one instruction computes ([`mapping`]), functions of three inputs are split
//! where the processor has none ([`split`]), values are kept in registers as long as they are needed
//! soon ([`registers`]), and the bytes are written by a small encoder per processor ([`encoder`]) into
//! memory that is then made executable ([`memory`]). The choice of moves is emitted in the same way
//! ([`network`]). For the same seed it plays the same games as the table.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod encoder;
mod groups;
mod logic;
mod mapping;
mod memory;
// The tests read what it writes on any processor.
#[cfg(any(target_arch = "aarch64", test))]
mod neon;
mod network;
mod registers;
mod split;
mod transition;

use crate::compile::code::{Code, Feedback};
use crate::engine::Instructions;
use crate::engine::batch::{Batch, BatchCode, Phase, PhaseCode};
use crate::engine::choice::BITS;
use crate::engine::draw::Draw;
use crate::engine::random::Random;
use crate::engine::table::settle;
use crate::engine::word::Word;
use encoder::Encoder;
use groups::{Groups, Place, find_groups};
use logic::{A, B, Logic};
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
    /// Writes the initial state and its legal moves.
    start: usize,
    /// The slot of the lanes whose state is held, or of those that start.
    over: u32,
    choice_slots: ChoiceSlots,
    slot_count: usize,
    /// How many lanes a slot has.
    lanes: usize,
    /// How often a function runs to do all lanes.
    rounds: usize,
    instructions: Instructions,
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
    /// For states in which one group of moves is open at most, if there are groups.
    by_groups: Option<MachineNetwork>,
    among_all: MachineNetwork,
}

/// The functions of a choice: what comes before the draw, and what after it.
#[derive(Debug)]
struct MachineNetwork {
    count: usize,
    select: usize,
    bits: usize,
}

/// Choices among more moves are made by the plain loop: their code would not fit in the cache.
const MOST_MOVES: usize = 1_500;
/// Larger circuits are left to the table: their code would be read from main memory at each step.
const MOST_GATES: usize = 400_000;

impl Machine {
    /// Machine code for a game with that many lanes; none if this machine cannot run it, or if it would
    /// be too large.
    pub(crate) fn of(
        batch: &Batch,
        code: &BatchCode,
        instructions: Instructions,
        lanes: usize,
    ) -> Option<Self> {
        if !instructions.are_there() || code.len() > MOST_GATES {
            return None;
        }
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => Self::with::<avx2::Avx2>(batch, code, instructions, lanes),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => Self::with::<avx512::Avx512>(batch, code, instructions, lanes),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => Self::with::<neon::Neon>(batch, code, instructions, lanes),
            _ => None,
        }
    }

    fn with<E: Encoder>(
        batch: &Batch,
        code: &BatchCode,
        instructions: Instructions,
        lanes: usize,
    ) -> Option<Self> {
        let rounds = E::rounds(lanes / 8);
        let over = batch.layout.over;
        // Between the two functions of a choice nothing else runs.
        let choice_slots = choice_slots(batch.layout.scratch);
        let encoder = E::new(lanes / 8);
        let mut builder = Builder { encoder, rounds, over, choice_slots, top: choice_slots.kept };
        let goals = builder.routine(&code.goals);
        let start = builder.start(batch);
        let groups = find_groups(batch);
        let phases = batch.phases.iter().zip(&code.phases).zip(&groups);
        let phases =
            phases.map(|((phase, code), groups)| builder.phase(batch, phase, code, groups));
        let phases = phases.collect();
        let slot_count = builder.top.max(batch.slot_count as u32) as usize;
        if slot_count * (lanes / 8) > E::REACH {
            return None;
        }
        let memory = Executable::new(&builder.encoder.into_bytes()).ok()?;
        Some(Self {
            memory,
            phases,
            goals,
            start,
            over,
            choice_slots,
            slot_count,
            lanes,
            rounds,
            instructions,
        })
    }

    /// What the code is made of.
    pub(crate) fn instructions(&self) -> Instructions {
        self.instructions
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

    /// Puts the initial state and its legal moves into lanes.
    #[inline(always)]
    pub(crate) fn start<W: Word>(&self, lanes: W, slots: &mut [W]) {
        slots[self.over as usize] = lanes;
        self.call(self.start, slots);
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
        let choice = self.count(choice, slots);
        let active = slots[places.active as usize];
        let (before, wanted) = slots.split_at_mut(places.wanted as usize);
        let (before, mask) = before.split_at(places.mask as usize);
        let bound = &before[places.bound as usize..][..choice.bits];
        let (mask, drawn) = (&mask[..choice.bits], &mut wanted[..choice.bits]);
        W::isolated(Draw { bound, mask, active, random, drawn });
        self.call(choice.select, slots);
        Some(running.and_not(active))
    }

    /// Counts what there is to choose from; returns how to go on.
    #[inline(always)]
    fn count<'a, W: Word>(&self, choice: &'a MachineChoice, slots: &mut [W]) -> &'a MachineNetwork {
        if let Some(by_groups) = &choice.by_groups {
            self.call(by_groups.count, slots);
            if !slots[self.choice_slots.overlap as usize].any() {
                return by_groups;
            }
        }
        self.call(choice.among_all.count, slots);
        &choice.among_all
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
        let fits = W::LANES == self.lanes && 8 * size_of::<W>() == W::LANES;
        let is_aligned =
            cfg!(target_arch = "aarch64") || align_of::<W>() * self.rounds * 8 >= W::LANES;
        assert!(fits && is_aligned && slots.len() >= self.slot_count);
        // SAFETY: the function at `entry` was emitted for the System V convention, or that of AArch64,
        // with the slots and a number of rounds as its arguments. It ends with a return and touches
        // nothing but registers that belong to it and slots below `slot_count`. There are that many
        // slots, of the size it was emitted for, and aligned to registers where loads ask for that, as
        // was asserted. `of` has asked the processor for the instructions.
        unsafe {
            let function =
                std::mem::transmute::<*const u8, Function<W>>(self.memory.address(entry));
            function(slots.as_mut_ptr(), self.rounds);
        }
    }
}

#[cfg(target_arch = "x86_64")]
type Function<W> = extern "sysv64" fn(*mut W, usize);
#[cfg(target_arch = "aarch64")]
type Function<W> = extern "C" fn(*mut W, usize);

/// Slots for choices, from `first` on.
fn choice_slots(first: u32) -> ChoiceSlots {
    let bits = BITS as u32;
    let bound = first + 3;
    ChoiceSlots {
        running: first,
        active: first + 1,
        overlap: first + 2,
        bound,
        mask: bound + bits,
        wanted: bound + 2 * bits,
        kept: bound + 3 * bits,
    }
}

struct Builder<E> {
    encoder: E,
    rounds: usize,
    over: u32,
    choice_slots: ChoiceSlots,
    /// The first slot that no function uses.
    top: u32,
}

impl<E: Encoder> Builder<E> {
    fn phase(
        &mut self,
        batch: &Batch,
        phase: &Phase,
        code: &PhaseCode,
        groups: &[Option<Groups>],
    ) -> MachinePhase {
        let choice = |(slots, groups): (&std::ops::Range<usize>, &Option<Groups>)| {
            // Where legality has slots of its own, moves are not chosen but given.
            let emitted = batch.layout.is_shared() && slots.len() > 1 && slots.len() <= MOST_MOVES;
            emitted.then(|| self.choice(slots.start as u32, slots.len(), groups.as_deref()))
        };
        let choices = phase.choices.iter().zip(groups).map(choice).collect();
        MachinePhase {
            choices,
            legality: self.routine(&code.legality),
            transition: self.transition(batch, phase, code),
        }
    }

    fn start(&mut self, batch: &Batch) -> usize {
        let layout = batch.layout;
        let mut logic = Vec::new();
        for (first, initial) in batch.at_the_start() {
            for (slot, &initial) in (first..).zip(initial) {
                let table = if initial { A | B } else { A & !B };
                logic.push(Logic::new(slot, &[slot, self.over], table));
            }
        }
        self.function(&logic, layout.scratch)
    }

    fn routine(&mut self, code: &Code) -> Routine {
        let mut parts = Vec::new();
        for section in &code.sections {
            let logic = map_to_logic(&section.instructions, code.first_temporary, E::INPUTS);
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
        let logic = map_to_logic(last, first_temporary, E::INPUTS);
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

    fn choice(&mut self, moves: u32, len: usize, groups: Option<&[Vec<Place>]>) -> MachineChoice {
        let by_groups = groups.map(|groups| self.network(moves, len, Some(groups)));
        MachineChoice { by_groups, among_all: self.network(moves, len, None) }
    }

    fn network(&mut self, moves: u32, len: usize, groups: Option<&[Vec<Place>]>) -> MachineNetwork {
        let network = choice_network(moves, len, groups, self.choice_slots);
        let count = self.function(&network.count, network.first_temporary);
        let select = self.function(&network.select, network.first_temporary);
        MachineNetwork { count, select, bits: network.bits }
    }

    fn function(&mut self, logic: &[Logic], first_temporary: u32) -> usize {
        let split = (E::INPUTS < 3).then(|| split::split(logic, first_temporary));
        let logic = split.as_deref().unwrap_or(logic);
        let (entry, top) = emit(&mut self.encoder, self.rounds, logic, first_temporary);
        self.top = self.top.max(top);
        entry
    }
}
