//! Slots with a state in every lane, and the programs that run on them.

use std::ops::Range;

use crate::batch::Batch;
use crate::engine::Engine;
use crate::machine::Machine;
use crate::playouts::{Code, Width};
use crate::single::Single;
use crate::word::{Isolated, Task, Word, as_words, as_words_mut, dispatch};

/// Slots of some width. Between calls they are seen as plain 64-bit words: lane `l` of slot `s` is bit
/// `l % 64` of word `s * parts + l / 64`.
pub(crate) trait Lanes {
    /// How many words a slot has.
    fn parts(&self) -> usize;
    fn words(&self) -> &[u64];
    fn words_mut(&mut self) -> &mut [u64];
    /// Up to 64 slots in 64 lanes, turned: word `l` holds the bits of lane `64 * part + l`.
    fn square(&self, slots: Range<usize>, part: usize) -> [u64; 64];
    /// Puts a state, given as packed bits, into every lane.
    fn load(&mut self, state: &[u64]);
    /// Computes legality and termination of the states.
    fn legality(&mut self);
    /// Replaces the states by their successors under what is done.
    fn transition(&mut self);
    /// Computes the goals of the states.
    fn goals(&mut self);
}

/// Puts states into the lanes `64 * part ..`: one for each row of packed bits, at most 64.
pub(crate) fn load_lanes<'s>(
    lanes: &mut dyn Lanes,
    fluents: Range<usize>,
    part: usize,
    states: impl Iterator<Item = &'s [u64]> + Clone,
) {
    let parts = lanes.parts();
    for (column, first) in fluents.clone().step_by(64).enumerate() {
        let mut square = [0; 64];
        for (row, state) in square.iter_mut().zip(states.clone()) {
            *row = state[column];
        }
        transpose(&mut square);
        let words = lanes.words_mut();
        for (slot, word) in (first..fluents.end.min(first + 64)).zip(square) {
            words[slot * parts + part] = word;
        }
    }
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

    fn square(&self, slots: Range<usize>, part: usize) -> [u64; 64] {
        let mut square = [0; 64];
        W::isolated(Turn { slots: &self.slots[slots], part, square: &mut square });
        square
    }

    fn load(&mut self, state: &[u64]) {
        let fluents = self.batch.layout.fluent_slots();
        W::isolated(Load { state, fluents: &mut self.slots[fluents] });
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
                *fluent = if rest & 1 == 1 { W::ones() } else { W::zero() };
                rest >>= 1;
            }
        }
    }
}

struct Turn<'a, W> {
    slots: &'a [W],
    part: usize,
    square: &'a mut [u64; 64],
}

impl<W: Word> Isolated<W> for Turn<'_, W> {
    #[inline(always)]
    fn run(self) {
        let words = as_words(self.slots).iter().skip(self.part).step_by(W::LANES / 64);
        for (row, &word) in self.square.iter_mut().zip(words) {
            *row = word;
        }
        transpose(self.square);
    }
}

/// Swaps rows and bits, by swapping ever smaller blocks (Warren, *Hacker's Delight*).
#[inline(always)]
pub fn transpose(square: &mut [u64; 64]) {
    let mut half = 32;
    let mut mask = u64::MAX >> half;
    while half > 0 {
        for block in square.chunks_exact_mut(2 * half) {
            let (upper, lower) = block.split_at_mut(half);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let swapped = (*upper >> half ^ *lower) & mask;
                *upper ^= swapped << half;
                *lower ^= swapped;
            }
        }
        half /= 2;
        mask ^= mask << half;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_swaps_rows_and_lanes() {
        let mut mixer = 5;
        let rows: [u64; 64] = std::array::from_fn(|_| crate::random::split_mix(&mut mixer));
        let mut square = rows;
        transpose(&mut square);
        for (lane, word) in square.iter().enumerate() {
            for (row, original) in rows.iter().enumerate() {
                assert_eq!(word >> row & 1, original >> lane & 1);
            }
        }
    }
}
