//! The circuits of a search on lanes: all moves of a state at once, or all replies to all moves.
//!
//! What a sweep over replies finds is kept: when one of the children is searched, its own children
//! are cut out of the lanes and need no sweep again.

use gambol_sim::{Slots, Sweep};

use super::board::{Board, Turn};
use super::engine::Halt;
use super::frame::{Child, Frame, Place};
use super::verdict::{Asked, Verdicts};

/// The replies to a child, in lanes of one word.
#[derive(Clone, Copy)]
struct Group {
    child: u16,
    part: u8,
    shift: u8,
    count: u8,
}

impl Group {
    fn mask(self) -> u64 {
        low_bits(self.count.into()) << self.shift
    }
}

pub(crate) struct Sweeps<'a> {
    board: &'a Board,
    game: Sweep<'a>,
    slots: Slots,
    parts: usize,
    /// The fluents that do not just keep their value.
    changing: Vec<u32>,
    verdicts: Verdicts<'a>,
    groups: Vec<Group>,
    scratch: Vec<u64>,
    legal: Vec<u64>,
    /// How many sweeps were made.
    pub(crate) count: u64,
}

impl<'a> Sweeps<'a> {
    pub(crate) fn new(board: &'a Board, circuit: &'a gambol_sim::Circuit) -> Self {
        let game = Sweep::new(circuit);
        Self {
            slots: game.slots(),
            parts: game.parts(),
            changing: game.changing_fluents().to_vec(),
            verdicts: Verdicts::new(board, &game),
            groups: Vec::new(),
            scratch: Vec::new(),
            legal: Vec::new(),
            count: 0,
            game,
            board,
        }
    }

    /// Whether an end was met whose goals are not clear.
    pub(crate) fn met_unclear_ends(&self) -> bool {
        self.verdicts.ambiguous
    }

    /// Makes all moves: the children with their ends, bounds and turns.
    pub(crate) fn expand<const K: usize>(
        &mut self,
        state: &[u64; K],
        turn: Turn,
        moves: &[u32],
        asked: Asked,
        frame: &mut Frame<K>,
    ) -> Result<(), Halt> {
        frame.clear();
        for some in moves.chunks(64 * self.parts) {
            self.sweep_moves(state, turn, some);
            let mut kept = std::mem::take(&mut self.scratch);
            kept.clear();
            let used = some.len().div_ceil(64);
            let valid = |part: usize| low_bits(some.len().saturating_sub(64 * part));
            self.keep(used, valid, asked, &mut kept)?;
            for (part, some) in some.chunks(64).enumerate() {
                let place = Place { base: part as u32, stride: used as u8, shift: 0 };
                self.cut_out(state, some, &kept, place, asked, frame)?;
            }
            self.scratch = kept;
        }
        Ok(())
    }

    fn sweep_moves<const K: usize>(&mut self, state: &[u64; K], turn: Turn, moves: &[u32]) {
        self.count += 1;
        let (parts, does) = (self.parts, self.slots.moves);
        self.game.load(&state[..self.board.width]);
        let words = self.game.words_mut();
        words[(does + turn.other as usize) * parts..][..parts].fill(u64::MAX);
        for (lane, &action) in moves.iter().enumerate() {
            words[(does + action as usize) * parts + lane / 64] |= 1 << (lane % 64);
        }
        self.game.transition();
        let words = self.game.words_mut();
        for &action in moves.iter().chain([&turn.other]) {
            words[(does + action as usize) * parts..][..parts].fill(0);
        }
        self.game.legality();
    }

    /// Appends what the sweep found, row after row of `used` words: the fluents that change, what is
    /// legal, the verdicts.
    fn keep(
        &mut self,
        used: usize,
        valid: impl Fn(usize) -> u64,
        asked: Asked,
        kept: &mut Vec<u64>,
    ) -> Result<(), Halt> {
        let (parts, words) = (self.parts, self.game.words());
        let fluents =
            self.changing.iter().map(|&fluent| self.slots.fluents.start + fluent as usize);
        let legal = (0..self.board.computed.len()).map(|number| self.slots.legal + number);
        if used == 1 {
            kept.extend(fluents.chain(legal).map(|slot| words[slot * parts]));
        } else {
            for slot in fluents.chain(legal) {
                kept.extend_from_slice(&words[slot * parts..][..used]);
            }
        }
        self.verdicts.append(&mut self.game, used, valid, asked, kept, &mut self.count)
    }

    /// The first row of verdicts.
    fn verdict_row(&self) -> usize {
        self.changing.len() + self.board.computed.len()
    }

    /// Appends the children of a state, given the lanes they are in.
    pub(crate) fn cut_out<const K: usize>(
        &mut self,
        state: &[u64; K],
        moves: &[u32],
        rows: &[u64],
        place: Place,
        asked: Asked,
        frame: &mut Frame<K>,
    ) -> Result<(), Halt> {
        let first = frame.children.len();
        let (base, stride) = (place.base as usize, usize::from(place.stride));
        let mask = low_bits(moves.len());
        let row = |row: usize| rows[base + row * stride] >> place.shift & mask;
        let over = row(self.verdict_row());
        frame.children.extend(moves.iter().enumerate().map(|(lane, &action)| Child {
            state: *state,
            key: [0; K],
            action,
            over: over >> lane & 1 == 1,
            turn: Turn { mover: 0, other: 0 },
            first_move: 0,
            move_count: 0,
            least: 0,
            most: self.board.top(),
            score: 0,
            place: None,
        }));
        let Frame { children, bits, moves: all_moves, .. } = frame;
        if first == 0 {
            bits.clear();
            let is_true = |fluent: usize| state[fluent / 64] >> (fluent % 64) & 1;
            bits.extend((0..self.board.fluents).map(|fluent| 0u64.wrapping_sub(is_true(fluent))));
        }
        let children = &mut children[first..];
        for (number, &fluent) in self.changing.iter().enumerate() {
            let (word, bit) = (fluent as usize / 64, fluent % 64);
            let now = row(number);
            if first == 0 {
                bits[fluent as usize] = now;
            }
            let then = 0u64.wrapping_sub(state[word] >> bit & 1) & mask;
            for lane in ones(now ^ then) {
                children[lane].state[word] ^= 1 << bit;
            }
        }
        asked.read(self.verdict_row() + 1, row, mask, children);
        self.read_turns(over, row, children, all_moves)
    }

    /// Whose turn it is in each child, and the moves.
    fn read_turns<const K: usize>(
        &mut self,
        over: u64,
        row: impl Fn(usize) -> u64,
        children: &mut [Child<K>],
        moves: &mut Vec<u32>,
    ) -> Result<(), Halt> {
        let width = self.game.legal_width();
        self.legal.clear();
        self.legal.resize(children.len() * width, 0);
        for number in 0..self.board.computed.len() {
            for lane in ones(row(self.changing.len() + number) & !over) {
                self.legal[lane * width + number / 64] |= 1 << (number % 64);
            }
        }
        for (child, legal) in children.iter_mut().zip(self.legal.chunks_exact(width)) {
            if !child.over {
                child.first_move = moves.len() as u32;
                child.turn = self.board.turn(legal, moves)?;
                child.move_count = moves.len() as u32 - child.first_move;
            }
        }
        Ok(())
    }

    /// Tries all replies to the open children at once, keeps what comes of them, and bounds the
    /// children by it.
    pub(crate) fn look_at_replies<const K: usize>(
        &mut self,
        asked: Asked,
        frame: &mut Frame<K>,
    ) -> Result<(), Halt> {
        let mut next = 0;
        while next < frame.open.len() {
            next = self.group(frame, next);
            let Some(last) = self.groups.last() else { continue };
            let used = usize::from(last.part) + 1;
            self.sweep_replies(used, frame);
            let base = frame.kept.len();
            let groups = std::mem::take(&mut self.groups);
            let of_part =
                |part: usize| groups.iter().filter(move |group| group.part as usize == part);
            let valid = |part: usize| of_part(part).fold(0, |mask, group| mask | group.mask());
            self.keep(used, valid, asked, &mut frame.kept)?;
            let first_row = self.verdict_row() + 1;
            for group in &groups {
                let base = base + usize::from(group.part);
                let place = Place { base: base as u32, stride: used as u8, shift: group.shift };
                let child = &mut frame.children[usize::from(group.child)];
                child.place = Some(place);
                let mask = low_bits(group.count.into());
                let row = |row: usize| frame.kept[base + row * used] >> group.shift & mask;
                asked.bound(first_row, row, mask, child);
            }
            self.groups = groups;
        }
        Ok(())
    }

    /// Puts open children into lanes, as many as fit; the number of the first that has to wait.
    fn group<const K: usize>(&mut self, frame: &Frame<K>, first: usize) -> usize {
        self.groups.clear();
        let (mut part, mut shift) = (0, 0);
        for (place, &child) in frame.open.iter().enumerate().skip(first) {
            let count = frame.children[usize::from(child)].move_count as usize;
            if count > 64 {
                continue;
            }
            if shift + count > 64 {
                (part, shift) = (part + 1, 0);
            }
            if part == self.parts {
                return place;
            }
            let (part, at) = (part as u8, shift as u8);
            self.groups.push(Group { child, part, shift: at, count: count as u8 });
            shift += count;
        }
        frame.open.len()
    }

    fn sweep_replies<const K: usize>(&mut self, used: usize, frame: &Frame<K>) {
        self.count += 1;
        self.spread_replies(used, &frame.bits);
        let (parts, does) = (self.parts, self.slots.moves);
        let words = self.game.words_mut();
        for group in &self.groups {
            let child = &frame.children[usize::from(group.child)];
            let part = usize::from(group.part);
            words[(does + child.turn.other as usize) * parts + part] |= group.mask();
            for (lane, &action) in frame.moves_of(child).iter().enumerate() {
                let lane = lane + usize::from(group.shift);
                words[(does + action as usize) * parts + part] |= 1 << lane;
            }
        }
        self.game.transition();
        let words = self.game.words_mut();
        for group in &self.groups {
            let child = &frame.children[usize::from(group.child)];
            for &action in frame.moves_of(child).iter().chain([&child.turn.other]) {
                words[(does + action as usize) * parts + usize::from(group.part)] = 0;
            }
        }
        self.game.legality();
    }

    /// Puts the states of the children into the lanes of their groups.
    fn spread_replies(&mut self, used: usize, bits: &[u64]) {
        let all = self.groups.iter().fold(0u64, |all, group| all | 1 << group.child);
        let mut masks = [(0, 0); 64];
        for group in &self.groups {
            masks[usize::from(group.child)] = (usize::from(group.part), group.mask());
        }
        let (parts, fluents) = (self.parts, self.slots.fluents.clone());
        let words = &mut self.game.words_mut()[fluents.start * parts..fluents.end * parts];
        for (slot, bits) in words.chunks_exact_mut(parts).zip(bits) {
            let bits = bits & all;
            let slot = &mut slot[..used];
            slot.fill(if bits == all { u64::MAX } else { 0 });
            if bits != all {
                for child in ones(bits) {
                    let (part, mask) = masks[child];
                    slot[part] |= mask;
                }
            }
        }
    }
}

/// The places of the bits that are set.
#[inline]
pub(super) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(bit)
    })
}

/// The low bits of a word, at most 64 of them.
#[inline]
pub(super) fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
