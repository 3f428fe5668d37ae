//! A block: as many games as the circuit has lanes, side by side.
//!
//! Everything is kept in slices, one bit per game (see [`bits`](super::bits)), as the circuit has it. What Python
//! sees is written from there after each step.

use gambol::sim::Sweep;

use crate::vector::bits::{ones, rows_of, spread, words_for};
use crate::vector::plan::{Legality, Plan};
use crate::vector::random::Stream;

/// When games that have ended begin anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Autoreset {
    /// In the step that ends them.
    SameStep,
    /// In the step after it.
    NextStep,
    /// Never.
    Disabled,
}

/// What happens to moves that are not legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Illegal {
    /// Nothing is done at all.
    Raise,
    /// They end the game, and nobody gets anything.
    Terminate,
    /// Nobody looks.
    Unchecked,
}

/// How games are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) autoreset: Autoreset,
    pub(crate) illegal: Illegal,
    pub(crate) max_steps: Option<u32>,
    pub(crate) final_observations: bool,
}

/// Nobody's turn.
pub(crate) const NOBODY: u8 = u8::MAX;

/// The purposes of random numbers.
const OF_CHANCE: u64 = 1;
const OF_SAMPLES: u64 = 2;

/// The games of a block.
pub(crate) struct Block {
    pub(crate) count: usize,
    pub(crate) fluents: Vec<u64>,
    /// By move.
    legal: Vec<u64>,
    /// By role: it is its turn.
    turn: Vec<u64>,
    /// The same by game: whose turn it is.
    movers: Vec<u8>,
    /// Games that are over and not begun anew.
    done: Vec<u64>,
    pub(crate) terminated: Vec<u64>,
    pub(crate) truncated: Vec<u64>,
    /// Games that ended in this step, with the states they ended in if those are wanted.
    pub(crate) ended: Vec<u64>,
    pub(crate) last_fluents: Vec<u64>,
    steps: Vec<u32>,
    chance: Stream,
    pub(crate) samples: Stream,
}

impl Block {
    /// Games at their start.
    pub(crate) fn new(plan: &Plan, count: usize, seed: u64, number: u64) -> Self {
        let none = vec![0; plan.parts];
        let mut block = Self {
            count,
            fluents: vec![0; plan.fluents * plan.parts],
            legal: vec![0; plan.legality.len() * plan.parts],
            turn: vec![0; plan.moves.len() * plan.parts],
            movers: vec![NOBODY; plan.lanes()],
            done: none.clone(),
            terminated: none.clone(),
            truncated: none.clone(),
            ended: none,
            last_fluents: Vec::new(),
            steps: vec![0; plan.lanes()],
            chance: Stream::new(seed, OF_CHANCE, number),
            samples: Stream::new(seed, OF_SAMPLES, number),
        };
        block.restart(plan, &vec![u64::MAX; plan.parts]);
        block.note_turns(plan);
        block
    }

    /// The role whose action counts, of a game and one of its masks.
    #[inline]
    fn actor(&self, plan: &Plan, lane: usize, mask: usize) -> Option<usize> {
        let mover = self.movers[lane];
        match plan.markers {
            _ if mover == NOBODY => None,
            Some(_) => Some(usize::from(mover)),
            None => Some(plan.players[mask]),
        }
    }

    /// The games in which an action that counts is not legal. `legal` holds the masks, packed.
    pub(crate) fn illegal(&self, plan: &Plan, actions: &[i32], legal: &[u64]) -> Vec<u64> {
        let (masks, width) = (plan.masks(), words_for(plan.actions));
        let mut bad = vec![0; plan.parts];
        let both = actions.iter().zip(legal.chunks_exact(width)).enumerate();
        for (place, (&action, row)) in both {
            let bit = usize::try_from(action).ok().filter(|&action| action < plan.actions);
            let fits = bit.is_some_and(|bit| row[bit / 64] >> (bit % 64) & 1 == 1);
            if !fits && self.actor(plan, place / masks, place % masks).is_some() {
                bad[place / masks / 64] |= 1 << (place / masks % 64);
            }
        }
        bad
    }

    /// The lanes of a role's turn.
    pub(crate) fn turn_of(&self, plan: &Plan, role: usize) -> &[u64] {
        &self.turn[role * plan.parts..(role + 1) * plan.parts]
    }

    /// The lanes in which nothing happens.
    pub(crate) fn done(&self) -> &[u64] {
        &self.done
    }

    /// The slices of a role's legal moves.
    pub(crate) fn legal_of(&self, plan: &Plan, role: usize) -> &[u64] {
        &self.legal[plan.moves[role].start * plan.parts..plan.moves[role].end * plan.parts]
    }

    /// Plays one step. `actions` holds a number for each mask of each game; `bad` are games in which they are not
    /// legal.
    pub(crate) fn step(
        &mut self,
        plan: &Plan,
        sweep: &mut Sweep<'_>,
        terms: &Terms,
        actions: &[i32],
        bad: &[u64],
    ) {
        let parts = plan.parts;
        let slots = plan.slots.fluents.start * parts..plan.slots.fluents.end * parts;
        sweep.words_mut()[slots.clone()].copy_from_slice(&self.fluents);
        self.begin_moves(plan, sweep.words_mut());
        self.draw_chance(plan, sweep.words_mut());
        self.do_actions(plan, sweep.words_mut(), actions);
        sweep.transition();
        sweep.legality();
        let waiting: Vec<u64> = self.done.iter().zip(bad).map(|(done, bad)| done | bad).collect();
        self.take_over(plan, sweep.words(), &waiting);
        let terminal = plan.slots.terminal * parts;
        let terminal = &sweep.words()[terminal..terminal + parts];
        let over: Vec<u64> =
            terminal.iter().zip(&waiting).map(|(over, waiting)| over & !waiting).collect();
        self.end(plan, terms, &over, bad);
    }

    /// Every role makes all its legal moves where it has no say: where it has one only, that is the one it makes.
    fn begin_moves(&self, plan: &Plan, words: &mut [u64]) {
        let parts = plan.parts;
        for (role, moves) in plan.moves.iter().enumerate() {
            let start = (plan.slots.moves + moves.start) * parts;
            let does = &mut words[start..start + moves.len() * parts];
            if plan.markers.is_none() || plan.chance == Some(role) {
                does.fill(0);
                continue;
            }
            let turn = self.turn_of(plan, role);
            let legal = self.legal_of(plan, role).chunks_exact(parts);
            for (does, legal) in does.chunks_exact_mut(parts).zip(legal) {
                for ((does, legal), turn) in does.iter_mut().zip(legal).zip(turn) {
                    *does = legal & !turn;
                }
            }
        }
    }

    fn draw_chance(&mut self, plan: &Plan, words: &mut [u64]) {
        let Some(role) = plan.chance else { return };
        let width = words_for(plan.moves[role].len());
        let mut rows = vec![0; 64 * width];
        for word in 0..plan.parts {
            rows_of(self.legal_of(plan, role), plan.parts, word, &mut rows);
            for (bit, row) in rows.chunks_exact(width).enumerate() {
                if let Some(action) = self.chance.draw(row) {
                    let slot = plan.slots.moves + plan.moves[role].start + action;
                    words[slot * plan.parts + word] |= 1 << bit;
                }
            }
        }
    }

    fn do_actions(&self, plan: &Plan, words: &mut [u64], actions: &[i32]) {
        let masks = plan.masks();
        for (lane, actions) in actions.chunks_exact(masks).enumerate() {
            for (mask, &action) in actions.iter().enumerate() {
                let Some(role) = self.actor(plan, lane, mask) else { continue };
                let action = action as usize;
                if action < plan.moves[role].len() {
                    let slot = plan.slots.moves + plan.moves[role].start + action;
                    words[slot * plan.parts + lane / 64] |= 1 << (lane % 64);
                }
            }
        }
    }

    /// Takes over the states that follow and their legal moves, except where games wait.
    fn take_over(&mut self, plan: &Plan, words: &[u64], waiting: &[u64]) {
        let parts = plan.parts;
        let merge = |to: &mut [u64], from: &[u64]| {
            for ((to, from), waiting) in to.iter_mut().zip(from).zip(waiting) {
                *to = *to & waiting | from & !waiting;
            }
        };
        let fluents = &words[plan.slots.fluents.start * parts..plan.slots.fluents.end * parts];
        for (to, from) in self.fluents.chunks_exact_mut(parts).zip(fluents.chunks_exact(parts)) {
            merge(to, from);
        }
        for (to, legality) in self.legal.chunks_exact_mut(parts).zip(&plan.legality) {
            // What is always or never legal was so at the start.
            if let Legality::Slot(slot) = legality {
                merge(to, &words[slot * parts..(slot + 1) * parts]);
            }
        }
    }

    /// Notes which games are over, and begins anew what is to begin.
    fn end(&mut self, plan: &Plan, terms: &Terms, over: &[u64], bad: &[u64]) {
        let restarted = match terms.autoreset {
            Autoreset::Disabled => vec![0; plan.parts],
            // With the same step, only states that were set can wait.
            Autoreset::NextStep | Autoreset::SameStep => {
                std::mem::replace(&mut self.done, vec![0; plan.parts])
            }
        };
        let mut cut = self.stuck(plan);
        if let Some(most) = terms.max_steps {
            self.count_steps(most, &mut cut);
        }
        for word in 0..plan.parts {
            let running = !(self.done[word] | restarted[word]);
            let over = (over[word] | bad[word]) & running;
            let cut = cut[word] & running & !over;
            let kept = if terms.autoreset == Autoreset::Disabled { self.done[word] } else { 0 };
            self.terminated[word] = self.terminated[word] & kept | over;
            self.truncated[word] = self.truncated[word] & kept | cut;
            self.ended[word] = over | cut;
        }
        if terms.final_observations && self.ended.iter().any(|&word| word != 0) {
            self.last_fluents.clone_from(&self.fluents);
        }
        let ended = self.ended.clone();
        self.restart(plan, &restarted);
        if terms.autoreset == Autoreset::SameStep {
            self.restart(plan, &ended);
        }
        if terms.autoreset != Autoreset::SameStep {
            self.done.iter_mut().zip(&ended).for_each(|(done, ended)| *done |= ended);
        }
        self.note_turns(plan);
    }

    /// Games in which a role has no move.
    fn stuck(&self, plan: &Plan) -> Vec<u64> {
        let mut stuck = vec![0; plan.parts];
        for role in 0..plan.moves.len() {
            let mut some = vec![0; plan.parts];
            for legal in self.legal_of(plan, role).chunks_exact(plan.parts) {
                some.iter_mut().zip(legal).for_each(|(some, legal)| *some |= legal);
            }
            stuck.iter_mut().zip(some).for_each(|(stuck, some)| *stuck |= !some);
        }
        stuck
    }

    fn count_steps(&mut self, most: u32, cut: &mut [u64]) {
        for (lane, steps) in self.steps.iter_mut().enumerate() {
            *steps += 1;
            if *steps >= most {
                cut[lane / 64] |= 1 << (lane % 64);
            }
        }
    }

    /// Puts the state at the start into some lanes.
    fn restart(&mut self, plan: &Plan, lanes: &[u64]) {
        if lanes.iter().all(|&word| word == 0) {
            return;
        }
        let set = |slices: &mut [u64], values: &[bool]| {
            for (slice, &value) in slices.chunks_exact_mut(plan.parts).zip(values) {
                for (word, lanes) in slice.iter_mut().zip(lanes) {
                    *word = if value { *word | lanes } else { *word & !lanes };
                }
            }
        };
        set(&mut self.fluents, &plan.initial);
        set(&mut self.legal, &plan.initial_legal);
        for (word, &lanes) in lanes.iter().enumerate() {
            ones(lanes).for_each(|bit| self.steps[64 * word + bit] = 0);
        }
    }

    /// The first marker that is true says whose turn it is.
    fn note_turns(&mut self, plan: &Plan) {
        let parts = plan.parts;
        if let Some(markers) = &plan.markers {
            self.turn.fill(0);
            for word in 0..parts {
                let mut rest = !self.done[word];
                for &(fluent, role) in markers {
                    let here = self.fluents[fluent * parts + word] & rest;
                    self.turn[role * parts + word] |= here;
                    rest &= !here;
                }
                let first = markers.first().map_or(0, |&(_, role)| role);
                self.turn[first * parts + word] |= rest;
            }
        }
        for (eight, movers) in self.movers.chunks_exact_mut(8).enumerate() {
            let (word, first) = (eight / 8, 8 * (eight % 8));
            let mut bytes = spread(self.done[word], first) * u64::from(NOBODY);
            for role in 0..plan.moves.len() {
                // Chance makes its own moves.
                let number = if plan.chance == Some(role) { NOBODY } else { role as u8 };
                bytes |= spread(self.turn[role * parts + word], first) * u64::from(number);
            }
            movers.copy_from_slice(&bytes.to_le_bytes());
        }
    }

    /// Begins all games anew; with a seed, random numbers too.
    pub(crate) fn reset(&mut self, plan: &Plan, seed: Option<u64>, number: u64) {
        if let Some(seed) = seed {
            self.chance = Stream::new(seed, OF_CHANCE, number);
            self.samples = Stream::new(seed, OF_SAMPLES, number);
        }
        for slice in [&mut self.done, &mut self.terminated, &mut self.truncated, &mut self.ended] {
            slice.fill(0);
        }
        self.restart(plan, &vec![u64::MAX; plan.parts]);
        self.note_turns(plan);
    }

    /// Puts states into the lanes, given as rows, and looks at them.
    pub(crate) fn set_states(&mut self, plan: &Plan, sweep: &mut Sweep<'_>, rows: &[u64]) {
        sweep.load_states(rows);
        sweep.legality();
        let running: Vec<u64> = (0..plan.parts)
            .map(|word| match (self.count.saturating_sub(64 * word)).min(64) {
                0 => 0,
                lanes => u64::MAX >> (64 - lanes),
            })
            .collect();
        let beyond: Vec<u64> = running.iter().map(|word| !word).collect();
        self.take_over(plan, sweep.words(), &beyond);
        let terminal = plan.slots.terminal * plan.parts;
        for (word, running) in running.into_iter().enumerate() {
            self.done[word] = sweep.words()[terminal + word] & running;
            self.terminated[word] = self.done[word];
            (self.truncated[word], self.ended[word]) = (0, 0);
        }
        self.steps.fill(0);
        self.note_turns(plan);
    }
}
