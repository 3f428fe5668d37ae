//! Slots with a state in every lane, and the programs that run on them.

use std::ops::Range;

use crate::engine::Engine;
use crate::engine::batch::Batch;
use crate::engine::machine::Machine;
use crate::engine::single::Single;
use crate::engine::word::{Isolated, Task, Word, as_words, as_words_mut, dispatch};
use crate::engine::{Code, Width};
use crate::query::rows::{LoadRows, ReadRows};

/// Slots of some width. Between calls they are seen as plain 64-bit words: lane `l` of slot `s` is bit
/// `l % 64` of word `s * parts + l / 64`.
pub(crate) trait Lanes {
    /// How many words a slot has.
    fn parts(&self) -> usize;
    fn words(&self) -> &[u64];
    fn words_mut(&mut self) -> &mut [u64];
    /// Writes the bits of some slots in the first lanes: a row of packed bits for each lane, `rows` has
    /// room for. As many words a row as it takes.
    fn read_rows(&self, slots: Range<usize>, rows: &mut [u64]);
    /// Puts states into the first lanes, a row of packed bits for each.
    fn load_rows(&mut self, rows: &[u64]);
    /// Puts a state, given as packed bits, into every lane.
    fn load(&mut self, state: &[u64]);
    /// The same if another state is in every lane: only what differs is written.
    fn load_after(&mut self, before: &[u64], state: &[u64]);
    /// Computes legality and termination of the states.
    fn legality(&mut self);
    /// Replaces the states by their successors under what is done.
    fn transition(&mut self);
    /// Computes the goals of the states.
    fn goals(&mut self);
}

/// Slots for an engine of a game.
pub(crate) fn lanes_for(single: &Single, code: Code, width: Width) -> Box<dyn Lanes + Send + '_> {
    let Engine { width, registers, machine } = single.engine(code, width);
    dispatch(width, registers, NewSheet { batch: &single.batch, machine })
}

struct NewSheet<'a> {
    batch: &'a Batch,
    machine: Option<&'a Machine>,
}

impl<'a> Task for NewSheet<'a> {
    type Output = Box<dyn Lanes + Send + 'a>;

    #[inline(always)]
    fn run<W: Word>(self) -> Self::Output {
        Box::new(Sheet::<W>::new(self.batch, self.machine))
    }
}

struct Sheet<'a, W> {
    batch: &'a Batch,
    machine: Option<&'a Machine>,
    slots: Vec<W>,
}

impl<'a, W: Word> Sheet<'a, W> {
    fn new(batch: &'a Batch, machine: Option<&'a Machine>) -> Self {
        let count = machine.map_or(0, Machine::slot_count);
        let mut sheet = Self { batch, machine, slots: Vec::new() };
        W::isolated(Fill { slots: &mut sheet.slots, batch, count });
        sheet
    }

    fn run(&mut self, program: Program) {
        let Self { batch, machine, slots } = self;
        W::isolated(Run { batch, machine: *machine, slots, program });
    }
}

impl<W: Word> Lanes for Sheet<'_, W> {
    fn parts(&self) -> usize {
        W::LANES / 64
    }

    fn words(&self) -> &[u64] {
        as_words(&self.slots)
    }

    fn words_mut(&mut self) -> &mut [u64] {
        as_words_mut(&mut self.slots)
    }

    fn read_rows(&self, slots: Range<usize>, rows: &mut [u64]) {
        W::isolated(ReadRows { slots: &self.slots[slots], rows });
    }

    fn load_rows(&mut self, rows: &[u64]) {
        let fluents = self.batch.layout.fluent_slots();
        W::isolated(LoadRows { rows, fluents: &mut self.slots[fluents] });
    }

    fn load(&mut self, state: &[u64]) {
        let fluents = self.batch.layout.fluent_slots();
        W::isolated(Load { state, fluents: &mut self.slots[fluents] });
    }

    fn load_after(&mut self, before: &[u64], state: &[u64]) {
        let fluents = self.batch.layout.fluent_slots();
        W::isolated(LoadAfter { before, state, fluents: &mut self.slots[fluents] });
    }

    fn legality(&mut self) {
        self.run(Program::Legality);
    }

    fn transition(&mut self) {
        self.run(Program::Transition);
    }

    fn goals(&mut self) {
        self.run(Program::Goals);
    }
}

struct Fill<'a, W> {
    slots: &'a mut Vec<W>,
    batch: &'a Batch,
    count: usize,
}

impl<W: Word> Isolated<W> for Fill<'_, W> {
    #[inline(always)]
    fn run(self) {
        *self.slots = self.batch.new_slots(self.count);
    }
}

struct Load<'a, W> {
    state: &'a [u64],
    fluents: &'a mut [W],
}

impl<W: Word> Isolated<W> for Load<'_, W> {
    #[inline(always)]
    fn run(self) {
        for (fluents, &word) in self.fluents.chunks_mut(64).zip(self.state) {
            let mut rest = word;
            for fluent in fluents {
                // Without a branch, which could not be predicted.
                *fluent = [W::zero(), W::ones()][(rest & 1) as usize];
                rest >>= 1;
            }
        }
    }
}

struct LoadAfter<'a, W> {
    before: &'a [u64],
    state: &'a [u64],
    fluents: &'a mut [W],
}

impl<W: Word> Isolated<W> for LoadAfter<'_, W> {
    #[inline(always)]
    fn run(self) {
        let words = self.before.iter().zip(self.state);
        for (fluents, (before, word)) in self.fluents.chunks_mut(64).zip(words) {
            let mut differs = before ^ word;
            while differs != 0 {
                let place = differs.trailing_zeros() as usize;
                fluents[place] = [W::zero(), W::ones()][(word >> place & 1) as usize];
                differs &= differs - 1;
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Program {
    Legality,
    Transition,
    Goals,
}

struct Run<'a, W> {
    batch: &'a Batch,
    machine: Option<&'a Machine>,
    slots: &'a mut [W],
    program: Program,
}

impl<W: Word> Isolated<W> for Run<'_, W> {
    #[inline(always)]
    fn run(self) {
        let Run { batch, machine, slots, program } = self;
        let phase = &batch.phases[0];
        match (program, machine) {
            (Program::Legality, Some(machine)) => machine.legality(0, slots),
            (Program::Transition, Some(machine)) => machine.transition(0, W::zero(), slots),
            (Program::Goals, Some(machine)) => machine.goals(slots),
            (Program::Legality, None) => phase.legality.run(slots),
            (Program::Goals, None) => batch.goals.run(slots),
            (Program::Transition, None) => {
                phase.transition.run(slots);
                for &fluent in &phase.changing {
                    slots[(batch.layout.fluents + fluent) as usize] =
                        slots[(batch.layout.next + fluent) as usize];
                }
            }
        }
    }
}
