//! One step of all games side by side: choose moves, make them, see which games are over.

use gambol_net::RoleId;

use crate::Circuit;
use crate::engine::batch::Batch;
use crate::engine::choice::{Scratch, choose};
use crate::engine::machine::Machine;
use crate::engine::random::Random;
use crate::engine::word::Word;
use crate::playouts::bias::Preferences;

/// The slots of one thread, a game per lane, all in the same phase.
pub(crate) struct Steps<'a, W> {
    pub(crate) batch: &'a Batch,
    /// With machine code the width must be the one it was made for.
    pub(crate) machine: Option<&'a Machine>,
    pub(crate) slots: Vec<W>,
    pub(crate) phase: usize,
    random: Random<W>,
    scratch: Scratch<W>,
    /// Moves that are preferred, if any.
    pub(crate) preferences: Option<Preferences>,
}

impl<'a, W: Word> Steps<'a, W> {
    pub(crate) fn new(batch: &'a Batch, machine: Option<&'a Machine>, seed: u64) -> Self {
        Self {
            batch,
            machine,
            slots: batch.new_slots(machine.map_or(0, Machine::slot_count)),
            phase: 0,
            random: Random::new(seed),
            scratch: Scratch::new(batch.most_moves),
            preferences: None,
        }
    }

    /// From now on a part of the words draws from the stream of that number.
    pub(crate) fn begin_stream(&mut self, part: usize, seed: u64, number: u64) {
        self.random.begin_stream(part, seed, number);
    }

    /// Puts the initial state and its legal moves into lanes.
    #[inline(always)]
    pub(crate) fn start(&mut self, lanes: W) {
        if let Some(machine) = self.machine {
            return machine.start(lanes, &mut self.slots);
        }
        for (first, initial) in self.batch.at_the_start() {
            for (slot, &initial) in self.slots[first as usize..].iter_mut().zip(initial) {
                *slot = if initial { slot.or(lanes) } else { slot.and_not(lanes) };
            }
        }
    }

    /// Chooses a move for every role in the running lanes; returns those in which a role has none.
    #[inline(always)]
    pub(crate) fn choose_moves(&mut self, running: W) -> W {
        let mut stuck = W::zero();
        for (number, choice) in self.batch.phases[self.phase].choices.iter().enumerate() {
            let running = running.and_not(stuck);
            if let Some(preferences) = &self.preferences {
                let (slots, random) = (&mut self.slots, &mut self.random);
                preferences.apply(self.phase, number, slots, running, random);
            }
            // No closures here: they would not be compiled for the processor of the caller.
            let mut without_move = None;
            if let Some(machine) = self.machine {
                let (slots, random) = (&mut self.slots, &mut self.random);
                without_move = machine.choose(self.phase, number, slots, running, random);
            }
            let without_move = match without_move {
                Some(without_move) => without_move,
                None => {
                    let moves = &mut self.slots[choice.clone()];
                    choose(moves, running, &mut self.random, &mut self.scratch)
                }
            };
            stuck = stuck.or(without_move);
        }
        stuck
    }

    /// Makes the chosen moves, except in lanes that are over.
    #[inline(always)]
    pub(crate) fn make_step(&mut self, over: W) {
        match self.machine {
            Some(machine) => machine.transition(self.phase, over, &mut self.slots),
            None => self.batch.step_by_table(self.phase, over, &mut self.slots),
        }
        self.phase = if self.phase + 1 == self.batch.phases.len() { 0 } else { self.phase + 1 };
    }

    /// Computes legality; returns the lanes whose state is terminal.
    #[inline(always)]
    pub(crate) fn look(&mut self) -> W {
        match self.machine {
            Some(machine) => machine.legality(self.phase, &mut self.slots),
            None => self.batch.phases[self.phase].legality.run(&mut self.slots),
        }
        self.slots[self.batch.layout.terminal as usize]
    }

    /// Computes the goals.
    #[inline(always)]
    pub(crate) fn goals(&mut self) {
        match self.machine {
            Some(machine) => machine.goals(&mut self.slots),
            None => self.batch.goals.run(&mut self.slots),
        }
    }

    /// The lanes in which a role has exactly one goal value, once the goals are computed.
    #[inline(always)]
    pub(crate) fn with_one_goal(&self, circuit: &Circuit, role: RoleId) -> W {
        let (mut one, mut several) = (W::zero(), W::zero());
        for (goal, slot) in circuit.goals.iter().zip(self.batch.layout.goal_slots()) {
            if goal.role == role {
                several = W::or_and(several, one, self.slots[slot]);
                one = one.or(self.slots[slot]);
            }
        }
        one.and_not(several)
    }
}

/// The lowest `count` of the lanes given.
#[inline(always)]
pub(crate) fn lowest<W: Word>(lanes: W, count: u64) -> W {
    let mut parts = lanes.parts();
    let mut left = count;
    for part in &mut parts {
        *part = lowest_bits(*part, left);
        left -= u64::from(part.count_ones());
    }
    W::from_parts(&parts)
}

/// The lowest `count` of the bits given. Where they end is found by halving.
#[inline(always)]
pub(crate) fn lowest_bits(bits: u64, count: u64) -> u64 {
    if count == 0 {
        return 0;
    }
    if u64::from(bits.count_ones()) <= count {
        return bits;
    }
    let below = |place: u32| bits & ((1 << place) - 1);
    let mut end = 0;
    for step in [32, 16, 8, 4, 2, 1] {
        if u64::from(below(end + step).count_ones()) <= count {
            end += step;
        }
    }
    below(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::word::{PARTS, Plain};

    #[test]
    fn the_lowest_lanes_are_taken_first() {
        let mut random = gambol_run::Random::new(4);
        for count in (0..70).chain([u64::MAX]) {
            let bits = random.word() & random.word();
            let lanes = (0..64).filter(|lane| bits >> lane & 1 == 1);
            let expected = lanes.take(count.min(64) as usize).map(|lane| 1 << lane).sum::<u64>();
            assert_eq!(lowest_bits(bits, count), expected, "{count} of {bits:x}");
        }
        assert_eq!((lowest_bits(!0, 63), lowest_bits(!0, 64)), (!0 >> 1, !0));
        let all = Plain::<4>::from_parts(&[!0; PARTS]);
        assert_eq!(lowest(all, 130).parts(), [!0, !0, 3, 0, 0, 0, 0, 0]);
    }
}
