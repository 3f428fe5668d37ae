//! The order of moves: what would win at once, and what the net says about the worth of fluents.

use gambol_sim::Sweep;

use super::frame::Frame;
use super::search_problem::{SearchProblem, Turn};
use super::weights::Weights;
use gambol_index::bits::ones;

/// A role's flips, with the flips of as many states at once as there are lanes for.
struct FlipLanes<'a> {
    sweep: Sweep<'a>,
    /// For each place the lanes of a state there, `parts` words each.
    masks: Vec<u64>,
    at_once: usize,
    /// How many fluents the game has.
    fluents: usize,
}

pub(crate) struct Order<'a> {
    board: &'a SearchProblem,
    flips: [Option<FlipLanes<'a>>; 2],
}

impl<'a> Order<'a> {
    pub(crate) fn new(board: &'a SearchProblem) -> Self {
        Self { board, flips: [0, 1].map(|role| flip_lanes(board, role)) }
    }

    /// Sorts the open children, the most promising first.
    pub(crate) fn sort<const K: usize>(
        &mut self,
        weights: &Weights,
        state: &[u64; K],
        turn: Turn,
        preferred: Option<u32>,
        frame: &mut Frame<K>,
        sweeps: &mut u64,
    ) {
        if frame.open.len() < 2 {
            return;
        }
        if weights.threats > 0 && frame.children.len() <= 64 {
            self.count_threats(weights.threats, state, turn, frame, sweeps);
        }
        if weights.paths > 0 || weights.lines > 0 {
            let lines = self.board.count_lines(state);
            for &number in &frame.open {
                let child = &mut frame.children[number as usize];
                child.score += self.board.weigh(weights, &lines, turn.mover, state, &child.state);
            }
        }
        let Frame { open, children, .. } = frame;
        open.sort_by_key(|&number| {
            let child = &children[number as usize];
            (preferred != Some(child.action), -child.score)
        });
    }

    /// Counts for each open child the single fluents that would win for the mover.
    fn count_threats<const K: usize>(
        &mut self,
        weight: i64,
        state: &[u64; K],
        turn: Turn,
        frame: &mut Frame<K>,
        sweeps: &mut u64,
    ) {
        let Some(flips) = &mut self.flips[usize::from(turn.mover)] else { return };
        let parts = flips.sweep.parts();
        let goal = flips.sweep.slots().goals.start * parts;
        for some in frame.open.chunks(flips.at_once) {
            flips.spread(some, state, &frame.varying);
            flips.sweep.goals();
            *sweeps += 1;
            let words = &flips.sweep.words()[goal..goal + parts];
            for (&number, mask) in some.iter().zip(flips.masks.chunks_exact(parts)) {
                let pairs = words.iter().zip(mask);
                let threats: u32 = pairs.map(|(word, mask)| (word & mask).count_ones()).sum();
                frame.children[number as usize].score += weight * i64::from(threats);
            }
        }
    }
}

impl FlipLanes<'_> {
    /// Puts children into their lanes. What is in the lanes beyond does not matter.
    fn spread(&mut self, children: &[u16], state: &[u64], varying: &[(u32, u64)]) {
        match self.sweep.parts() {
            8 => self.spread_over::<8>(children, state, varying),
            _ => self.spread_over::<1>(children, state, varying),
        }
    }

    /// Slots of a fixed number of words are written in one piece.
    fn spread_over<const PARTS: usize>(
        &mut self,
        children: &[u16],
        state: &[u64],
        varying: &[(u32, u64)],
    ) {
        let mut places = [0u8; 64];
        let mut all = 0u64;
        for (place, &child) in children.iter().enumerate() {
            places[usize::from(child)] = place as u8;
            all |= 1 << child;
        }
        let first = self.sweep.slots().fluents.start * PARTS;
        let (slots, _) = self.sweep.words_mut()[first..].as_chunks_mut::<PARTS>();
        for (fluent, slot) in slots[..self.fluents].iter_mut().enumerate() {
            *slot = [0u64.wrapping_sub(state[fluent / 64] >> (fluent % 64) & 1); PARTS];
        }
        let (masks, _) = self.masks.as_chunks::<PARTS>();
        for &(fluent, bits) in varying {
            let mut lanes = [0; PARTS];
            for child in ones(bits & all) {
                let mask = &masks[usize::from(places[child])];
                lanes.iter_mut().zip(mask).for_each(|(lanes, mask)| *lanes |= mask);
            }
            slots[fluent as usize] = lanes;
        }
    }
}

fn flip_lanes(board: &SearchProblem, role: usize) -> Option<FlipLanes<'_>> {
    let flips = board.flips[role].as_ref()?;
    let sweep = board.flip_sweep(flips);
    let parts = sweep.parts();
    let at_once = 64 * parts / flips.count;
    let mut masks = vec![0; at_once * parts];
    for lane in 0..at_once * flips.count {
        masks[lane / flips.count * parts + lane / 64] |= 1 << (lane % 64);
    }
    (at_once > 0).then_some(FlipLanes { sweep, masks, at_once, fluents: board.fluents })
}
