//! What Python sees of a block: its part of each array.

use gambol::sim::Sweep;

use crate::vector::bits::{ones, rows_of, spread, words_for, write_bytes, write_slice};
use crate::vector::block::Block;
use crate::vector::plan::Plan;
use crate::vector::planes::Planes;

/// How states are shown.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Observation {
    /// A byte for each fluent.
    Fluents,
    /// Planes of a board.
    Board(Planes),
    /// Not in an array of bytes.
    Hidden,
}

impl Observation {
    /// Bytes of a state.
    pub(crate) fn len(&self, plan: &Plan) -> usize {
        match self {
            Self::Fluents => plan.fluents,
            Self::Board(planes) => planes.len(),
            Self::Hidden => 0,
        }
    }

    pub(crate) fn write(&self, plan: &Plan, rows: &[u64], width: usize, out: &mut [u8]) {
        match self {
            Self::Fluents => write_bytes(rows, width, plan.fluents, out),
            Self::Board(planes) => planes.write(rows, width, out),
            Self::Hidden => {}
        }
    }
}

/// Parts of the arrays that belong to a block.
pub(crate) struct View<'a> {
    /// A row of bytes for each game.
    pub(crate) observation: &'a mut [u8],
    /// A row of words for each game, if that is wanted.
    pub(crate) packed: &'a mut [u64],
    pub(crate) mask: &'a mut [u8],
    /// The same, packed.
    pub(crate) legal: &'a mut [u64],
    pub(crate) player: &'a mut [u8],
    pub(crate) rewards: &'a mut [f32],
    pub(crate) terminated: &'a mut [u8],
    pub(crate) truncated: &'a mut [u8],
}

/// The numbers of chance and of the end, as bytes.
const CHANCE: u8 = (-1i8) as u8;
const SIMULTANEOUS: u8 = (-2i8) as u8;
const TERMINAL: u8 = (-4i8) as u8;

impl View<'_> {
    /// Writes everything but the rewards.
    pub(crate) fn write(&mut self, plan: &Plan, block: &Block, observation: &Observation) {
        self.write_states(plan, block, observation);
        for place in 0..plan.masks() {
            self.write_mask(plan, block, place);
        }
        self.write_players(plan, block);
        write_slice(&block.terminated, self.terminated);
        write_slice(&block.truncated, self.truncated);
    }

    fn write_states(&mut self, plan: &Plan, block: &Block, observation: &Observation) {
        if *observation == Observation::Hidden && self.packed.is_empty() {
            return;
        }
        let (width, bytes) = (words_for(plan.fluents), observation.len(plan));
        let mut rows = vec![0; 64 * width];
        for word in 0..block.count.div_ceil(64) {
            let lanes = (block.count - 64 * word).min(64);
            rows_of(&block.fluents, plan.parts, word, &mut rows);
            if !self.packed.is_empty() {
                self.packed[64 * word * width..][..lanes * width]
                    .copy_from_slice(&rows[..lanes * width]);
            }
            let out = &mut self.observation[64 * word * bytes..][..lanes * bytes];
            observation.write(plan, &rows, width, out);
        }
    }

    /// The mask of whose turn it is, or of one of the players. Where nobody's action counts any will do.
    fn write_mask(&mut self, plan: &Plan, block: &Block, place: usize) {
        let (parts, actions, masks) = (plan.parts, plan.actions, plan.masks());
        let mut slices = vec![0; actions * parts];
        let mut free: Vec<u64> = block.done().to_vec();
        if plan.markers.is_some() {
            for &role in &plan.players {
                add(&mut slices, block.legal_of(plan, role), block.turn_of(plan, role), parts);
            }
            if let Some(chance) = plan.chance {
                free.iter_mut()
                    .zip(block.turn_of(plan, chance))
                    .for_each(|(free, turn)| *free |= turn);
            }
        } else {
            let going: Vec<u64> = free.iter().map(|done| !done).collect();
            add(&mut slices, block.legal_of(plan, plan.players[place]), &going, parts);
        }
        if free.iter().any(|&word| word != 0) {
            for slice in slices.chunks_exact_mut(parts) {
                slice.iter_mut().zip(&free).for_each(|(word, free)| *word |= free);
            }
        }
        let width = words_for(actions);
        let mut rows = vec![0; 64 * width];
        for word in 0..block.count.div_ceil(64) {
            let lanes = (block.count - 64 * word).min(64);
            rows_of(&slices, parts, word, &mut rows);
            if masks == 1 {
                self.legal[64 * word * width..][..lanes * width]
                    .copy_from_slice(&rows[..lanes * width]);
                write_bytes(
                    &rows,
                    width,
                    actions,
                    &mut self.mask[64 * word * actions..][..lanes * actions],
                );
                continue;
            }
            for (lane, row) in rows.chunks_exact(width).take(lanes).enumerate() {
                let at = (64 * word + lane) * masks + place;
                self.legal[at * width..][..width].copy_from_slice(row);
                write_bytes(row, width, actions, &mut self.mask[at * actions..][..actions]);
            }
        }
    }

    fn write_players(&mut self, plan: &Plan, block: &Block) {
        let number = |role: usize| match plan.players.iter().position(|&player| player == role) {
            Some(player) => player as u8,
            None => CHANCE,
        };
        for (word, out) in self.player.chunks_mut(64).enumerate() {
            let done = block.done()[word];
            for (eight, out) in out.chunks_mut(8).enumerate() {
                // At most one of the terms has a byte that is not 0.
                let mut bytes = spread(done, 8 * eight) * u64::from(TERMINAL);
                if plan.markers.is_some() {
                    for role in 0..plan.moves.len() {
                        let turn = block.turn_of(plan, role)[word];
                        bytes |= spread(turn, 8 * eight) * u64::from(number(role));
                    }
                } else {
                    bytes |= spread(!done, 8 * eight) * u64::from(SIMULTANEOUS);
                }
                out.copy_from_slice(&bytes.to_le_bytes()[..out.len()]);
            }
        }
    }

    /// Writes what the players get in the games that came to an end in this step.
    pub(crate) fn write_rewards(
        &mut self,
        plan: &Plan,
        block: &Block,
        sweep: &mut Sweep<'_>,
        bad: &[u64],
    ) {
        self.rewards.fill(0.0);
        let both = block.ended.iter().zip(&block.terminated).zip(bad);
        let over: Vec<u64> =
            both.map(|((ended, terminated), bad)| ended & terminated & !bad).collect();
        if over.iter().all(|&word| word == 0) {
            return;
        }
        sweep.goals();
        let words = over.into_iter().enumerate().take(block.count.div_ceil(64));
        for (word, over) in words.filter(|(_, over)| *over != 0) {
            // The last lanes of the last block hold no game.
            let over = over & lanes_below(block.count - 64 * word);
            for (player, &role) in plan.players.iter().enumerate() {
                self.write_goals(plan, sweep.words(), (player, role), word, over);
            }
        }
    }

    /// Writes a player's only goal in some lanes of a word; 0 stays where there is none, or several.
    fn write_goals(
        &mut self,
        plan: &Plan,
        words: &[u64],
        (player, role): (usize, usize),
        word: usize,
        over: u64,
    ) {
        let of_role =
            || plan.goals.iter().zip(plan.slots.goals.clone()).filter(|((of, _), _)| *of == role);
        let holds = |slot: usize| words[slot * plan.parts + word] & over;
        let (mut once, mut again) = (0, 0);
        for (_, slot) in of_role() {
            again |= once & holds(slot);
            once |= holds(slot);
        }
        let players = plan.players.len();
        for ((_, value), slot) in of_role() {
            for bit in ones(holds(slot) & !again) {
                self.rewards[(64 * word + bit) * players + player] = *value as f32;
            }
        }
    }
}

/// The lanes of a word below a number.
fn lanes_below(count: usize) -> u64 {
    if count < 64 { (1 << count) - 1 } else { u64::MAX }
}

/// Adds the slices of some moves in some lanes.
fn add(slices: &mut [u64], legal: &[u64], lanes: &[u64], parts: usize) {
    for (to, from) in slices.chunks_exact_mut(parts).zip(legal.chunks_exact(parts)) {
        for ((to, from), lanes) in to.iter_mut().zip(from).zip(lanes) {
            *to |= from & lanes;
        }
    }
}
