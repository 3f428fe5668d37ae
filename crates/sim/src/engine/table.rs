//! The table engine: code as rows of a table, run by a loop.
//!
//! Rows of one operation stand together in runs, so that the loop rarely has to ask which operation
//! comes next, and temporaries share slots as soon as they are no longer read. It is the fallback
//! where machine code cannot run, and the judge of the machine code where it can.
#![allow(unsafe_code)]

use std::collections::{BTreeSet, VecDeque};

use crate::compile::code::{Code, Feedback, Instruction, Operation, Section};
use crate::engine::word::Word;

/// A row: the slots of an instruction.
#[derive(Clone, Copy, Debug)]
struct Row {
    target: u32,
    a: u32,
    b: u32,
}

/// Rows of one operation, up to `end`.
#[derive(Clone, Copy, Debug)]
struct Run {
    operation: Operation,
    end: u32,
}

#[derive(Clone, Debug)]
struct Part {
    /// Runs up to this one belong to the part.
    end: u32,
    feedback: Vec<Feedback>,
    repeats: bool,
}

/// Code ready for the loop. Every slot it names is below `slot_count`.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    rows: Vec<Row>,
    runs: Vec<Run>,
    parts: Vec<Part>,
    slot_count: u32,
}

impl Table {
    pub(crate) fn of(code: &Code) -> Self {
        let mut table = Self {
            rows: Vec::with_capacity(code.len()),
            runs: Vec::new(),
            parts: Vec::new(),
            slot_count: code.first_temporary,
        };
        for section in &code.sections {
            table.add(section, code.first_temporary);
        }
        table
    }

    /// How many slots the rows use, fixed ones included.
    pub(crate) fn slot_count(&self) -> usize {
        self.slot_count as usize
    }

    fn add(&mut self, section: &Section, first_temporary: u32) {
        let instructions = in_runs(&section.instructions, first_temporary);
        let (instructions, slot_count) = share_slots(instructions, first_temporary);
        self.slot_count = self.slot_count.max(slot_count);
        for (place, instruction) in instructions.iter().enumerate() {
            let Instruction { operation, target, a, b } = *instruction;
            self.slot_count = self.slot_count.max(target.max(a).max(b) + 1);
            self.rows.push(Row { target, a, b });
            let end = self.rows.len() as u32;
            match self.runs.last_mut() {
                // A part begins with a run of its own.
                Some(run) if run.operation == operation && place > 0 => run.end = end,
                _ => self.runs.push(Run { operation, end }),
            }
        }
        for feedback in &section.feedback {
            self.slot_count = self.slot_count.max(feedback.variable.max(feedback.fresh) + 1);
        }
        self.parts.push(Part {
            end: self.runs.len() as u32,
            feedback: section.feedback.clone(),
            repeats: section.repeats,
        });
    }

    /// Runs the code on the slots.
    #[inline(always)]
    pub(crate) fn run<W: Word>(&self, slots: &mut [W]) {
        assert!(slots.len() >= self.slot_count());
        let (mut run, mut row) = (0, 0);
        for part in &self.parts {
            let (first_run, first_row) = (run, row);
            for feedback in &part.feedback {
                slots[feedback.variable as usize] = W::zero();
            }
            // Monotone functions settle after one sweep per variable and one to see it.
            for _ in 0..=part.feedback.len() {
                (run, row) = (first_run, first_row);
                while run < part.end as usize {
                    self.run_rows(self.runs[run], row, slots);
                    row = self.runs[run].end as usize;
                    run += 1;
                }
                if !settle(&part.feedback, slots) || !part.repeats {
                    break;
                }
            }
        }
    }

    #[inline(always)]
    fn run_rows<W: Word>(&self, run: Run, first: usize, slots: &mut [W]) {
        let rows = &self.rows[first..run.end as usize];
        let slots = slots.as_mut_ptr();
        // SAFETY: `run` has checked that there are `slot_count` slots, and `add` raised that above
        // every slot that a row names.
        unsafe {
            match run.operation {
                Operation::And => {
                    for row in rows {
                        let word = (*slots.add(row.a as usize)).and(*slots.add(row.b as usize));
                        *slots.add(row.target as usize) = word;
                    }
                }
                Operation::Or => {
                    for row in rows {
                        let word = (*slots.add(row.a as usize)).or(*slots.add(row.b as usize));
                        *slots.add(row.target as usize) = word;
                    }
                }
                Operation::AndNot => {
                    for row in rows {
                        let word = (*slots.add(row.a as usize)).and_not(*slots.add(row.b as usize));
                        *slots.add(row.target as usize) = word;
                    }
                }
            }
        }
    }
}

/// Gives recursive variables their new values; says whether any lane changed.
#[inline(always)]
pub(crate) fn settle<W: Word>(feedback: &[Feedback], slots: &mut [W]) -> bool {
    let mut changed = W::zero();
    for &Feedback { variable, fresh } in feedback {
        let fresh = slots[fresh as usize];
        changed = changed.or(fresh.xor(slots[variable as usize]));
        slots[variable as usize] = fresh;
    }
    changed.any()
}

/// How far an instruction may move ahead of its place in depth-first order to join a run.
const WINDOW: usize = 200;
/// Longer sections stay in depth-first order: rearranging them costs more than it gives.
const LONG: usize = 1_000_000;

/// How many other instructions stand between one and the first that reads its result, if possible:
/// a word that was just stored cannot be loaded at once.
const DISTANCE: usize = 8;

/// Rearranges instructions so that equal operations stand together, operands well before.
fn in_runs(instructions: &[Instruction], first_temporary: u32) -> Vec<Instruction> {
    if instructions.len() > LONG {
        return instructions.to_vec();
    }
    let readers = Readers::of(instructions, first_temporary);
    let mut waits_for: Vec<u32> = readers.waits_for.clone();
    let mut ready: [BTreeSet<usize>; 3] = Default::default();
    // Instructions whose operands are computed, and when they may follow.
    let mut soon: VecDeque<(usize, usize)> = VecDeque::new();
    soon.extend((0..instructions.len()).filter(|&place| waits_for[place] == 0).map(|p| (0, p)));
    let mut ordered = Vec::with_capacity(instructions.len());
    let mut current = 0;
    loop {
        let is_idle = ready.iter().all(BTreeSet::is_empty);
        while let Some(&(time, place)) = soon.front()
            && (time <= ordered.len() || is_idle)
        {
            soon.pop_front();
            ready[instructions[place].operation as usize].insert(place);
            if time > ordered.len() {
                break;
            }
        }
        let Some(place) = pick(&ready, &mut current) else { return ordered };
        ready[current].remove(&place);
        ordered.push(instructions[place]);
        for &reader in readers.of_place(place) {
            waits_for[reader as usize] -= 1;
            if waits_for[reader as usize] == 0 {
                soon.push_back((ordered.len() + DISTANCE, reader as usize));
            }
        }
    }
}

/// The next instruction: of the current operation while one is near, else of the operation with
/// the most instructions near.
fn pick(ready: &[BTreeSet<usize>; 3], current: &mut usize) -> Option<usize> {
    let earliest = ready.iter().filter_map(|places| places.first()).min()?;
    let horizon = earliest + WINDOW;
    let is_near = |operation: usize| ready[operation].first().is_some_and(|&p| p <= horizon);
    if !is_near(*current) {
        let near = |&operation: &usize| ready[operation].range(..=horizon).take(64).count();
        *current = (0..3).max_by_key(near).unwrap_or(0);
    }
    ready[*current].first().copied()
}

/// For each instruction, which later ones must wait for it: those that read its target. Fixed slots
/// that are written in a section are only read by copies that follow them.
struct Readers {
    first: Vec<u32>,
    readers: Vec<u32>,
    waits_for: Vec<u32>,
}

impl Readers {
    fn of(instructions: &[Instruction], first_temporary: u32) -> Self {
        let values = instructions.iter().map(|i| i.target.max(i.a).max(i.b) + 1).max();
        let mut writer = vec![u32::MAX; values.unwrap_or(first_temporary) as usize];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut waits_for = vec![0; instructions.len()];
        for (place, instruction) in instructions.iter().enumerate() {
            for operand in [instruction.a, instruction.b] {
                let written = writer[operand as usize];
                if written != u32::MAX {
                    edges.push((written, place as u32));
                    waits_for[place] += 1;
                }
            }
            writer[instruction.target as usize] = place as u32;
        }
        let mut first = vec![0u32; instructions.len() + 1];
        for &(from, _) in &edges {
            first[from as usize + 1] += 1;
        }
        for place in 0..instructions.len() {
            first[place + 1] += first[place];
        }
        let mut cursor = first.clone();
        let mut readers = vec![0; edges.len()];
        for &(from, to) in &edges {
            readers[cursor[from as usize] as usize] = to;
            cursor[from as usize] += 1;
        }
        Self { first, readers, waits_for }
    }

    fn of_place(&self, place: usize) -> &[u32] {
        &self.readers[self.first[place] as usize..self.first[place + 1] as usize]
    }
}

/// Lets temporaries share slots: a slot is free again after the last read, the last freed first,
/// because it is still in the cache. Returns how many slots are used.
fn share_slots(
    mut instructions: Vec<Instruction>,
    first_temporary: u32,
) -> (Vec<Instruction>, u32) {
    let temporaries = instructions.iter().filter_map(|i| i.target.checked_sub(first_temporary));
    let count = temporaries.max().map_or(0, |last| last as usize + 1);
    let mut last_read = vec![0u32; count];
    for (place, instruction) in instructions.iter().enumerate() {
        for operand in [instruction.a, instruction.b] {
            if let Some(temporary) = operand.checked_sub(first_temporary) {
                last_read[temporary as usize] = place as u32;
            }
        }
    }
    let mut slot = vec![0u32; count];
    let mut free: Vec<u32> = Vec::new();
    let mut top = first_temporary;
    for (place, instruction) in instructions.iter_mut().enumerate() {
        let same = instruction.a == instruction.b;
        for (operand, again) in [(&mut instruction.a, false), (&mut instruction.b, same)] {
            if let Some(temporary) = operand.checked_sub(first_temporary) {
                *operand = slot[temporary as usize];
                if last_read[temporary as usize] == place as u32 && !again {
                    free.push(*operand);
                }
            }
        }
        if let Some(temporary) = instruction.target.checked_sub(first_temporary) {
            let place = free.pop().unwrap_or_else(|| {
                top += 1;
                top - 1
            });
            slot[temporary as usize] = place;
            instruction.target = place;
        }
    }
    (instructions, top)
}
