//! Slots with a state in every lane, and the programs that run on them.

use std::ops::Range;

use crate::engine::Engine;
use crate::engine::batch::Batch;
use crate::engine::machine::Machine;
use crate::engine::single::Single;
use crate::engine::word::{Isolated, PARTS, Task, Word, as_words, as_words_mut, dispatch};
use crate::engine::{Code, Width};

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
    /// Computes legality and termination of the states.
    fn legality(&mut self);
    /// Replaces the states by their successors under what is done.
    fn transition(&mut self);
    /// Computes the goals of the states.
    fn goals(&mut self);
}

/// How many words a row of so many bits takes; a game without fluents has states all the same.
pub(crate) fn words_for(bits: usize) -> usize {
    bits.div_ceil(64).max(1)
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

/// With fewer parts in use, each of them is turned alone.
const FEW_PARTS: usize = 2;

struct ReadRows<'a, W> {
    slots: &'a [W],
    rows: &'a mut [u64],
}

impl<W: Word> Isolated<W> for ReadRows<'_, W> {
    #[inline(always)]
    fn run(self) {
        let (width, parts) = (words_for(self.slots.len()), W::LANES / 64);
        for (column, slots) in self.slots.chunks(64).enumerate() {
            let lanes = self.rows.len() / width;
            if lanes <= 64 * FEW_PARTS {
                for (part, rows) in self.rows.chunks_mut(64 * width).enumerate() {
                    let mut square = [0; 64];
                    let words = as_words(slots).iter().skip(part).step_by(parts);
                    for (row, &word) in square.iter_mut().zip(words) {
                        *row = word;
                    }
                    transpose(&mut square);
                    for (row, word) in rows.chunks_exact_mut(width).zip(square) {
                        row[column] = word;
                    }
                }
            } else {
                let mut squares = [W::zero(); 64];
                squares[..slots.len()].copy_from_slice(slots);
                transpose_parts(&mut squares);
                let words = as_words(&squares);
                for (lane, row) in self.rows.chunks_exact_mut(width).enumerate() {
                    row[column] = words[lane % 64 * parts + lane / 64];
                }
            }
        }
    }
}

struct LoadRows<'a, W> {
    rows: &'a [u64],
    fluents: &'a mut [W],
}

impl<W: Word> Isolated<W> for LoadRows<'_, W> {
    #[inline(always)]
    fn run(self) {
        let (width, parts) = (words_for(self.fluents.len()), W::LANES / 64);
        for (column, fluents) in self.fluents.chunks_mut(64).enumerate() {
            let lanes = self.rows.len() / width;
            if lanes <= 64 * FEW_PARTS {
                for (part, rows) in self.rows.chunks(64 * width).enumerate() {
                    let mut square = [0; 64];
                    for (word, row) in square.iter_mut().zip(rows.chunks_exact(width)) {
                        *word = row[column];
                    }
                    transpose(&mut square);
                    let words = as_words_mut(fluents).iter_mut().skip(part).step_by(parts);
                    for (word, turned) in words.zip(square) {
                        *word = turned;
                    }
                }
            } else {
                let mut squares = [W::zero(); 64];
                let words = as_words_mut(&mut squares);
                for (lane, row) in self.rows.chunks_exact(width).enumerate() {
                    words[lane % 64 * parts + lane / 64] = row[column];
                }
                transpose_parts(&mut squares);
                fluents.copy_from_slice(&squares[..fluents.len()]);
            }
        }
    }
}

/// Swaps rows and bits in all parts of words at once.
#[inline(always)]
fn transpose_parts<W: Word>(rows: &mut [W; 64]) {
    swap_blocks::<W, 32>(rows, 0x0000_0000_ffff_ffff);
    swap_blocks::<W, 16>(rows, 0x0000_ffff_0000_ffff);
    swap_blocks::<W, 8>(rows, 0x00ff_00ff_00ff_00ff);
    swap_blocks::<W, 4>(rows, 0x0f0f_0f0f_0f0f_0f0f);
    swap_blocks::<W, 2>(rows, 0x3333_3333_3333_3333);
    swap_blocks::<W, 1>(rows, 0x5555_5555_5555_5555);
}

#[inline(always)]
fn swap_blocks<W: Word, const HALF: u32>(rows: &mut [W; 64], mask: u64) {
    let (mask, half) = (W::from_parts(&[mask; PARTS]), HALF as usize);
    for block in rows.chunks_exact_mut(2 * half) {
        let (upper, lower) = block.split_at_mut(half);
        for row in 0..half {
            let swapped = upper[row].shift_right::<HALF>().xor(lower[row]).and(mask);
            upper[row] = upper[row].xor(swapped.shift_left::<HALF>());
            lower[row] = lower[row].xor(swapped);
        }
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
    use crate::engine::word::Plain;

    #[test]
    fn transposing_swaps_rows_and_lanes() {
        let mut random = gambol_run::Random::new(5);
        let rows: [u64; 64] = std::array::from_fn(|_| random.word());
        let mut square = rows;
        transpose(&mut square);
        for (lane, word) in square.iter().enumerate() {
            for (row, original) in rows.iter().enumerate() {
                assert_eq!(word >> row & 1, original >> lane & 1);
            }
        }
    }

    #[test]
    fn all_parts_are_transposed_like_one() {
        let mut random = gambol_run::Random::new(6);
        let mut words: [Plain<4>; 64] =
            std::array::from_fn(|_| Plain::from_parts(&std::array::from_fn(|_| random.word())));
        let mut squares: [[u64; 64]; 4] =
            std::array::from_fn(|part| std::array::from_fn(|row| words[row].parts()[part]));
        transpose_parts(&mut words);
        squares.iter_mut().for_each(transpose);
        for (row, word) in words.iter().enumerate() {
            assert!((0..4).all(|part| word.parts()[part] == squares[part][row]));
        }
    }
}
