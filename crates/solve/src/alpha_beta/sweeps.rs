//! The circuits of a search on lanes: all moves of a state at once, or all replies to all moves.
//!
//! What a sweep over replies finds is kept: when one of the children is searched, its own children
//! are cut out of the lanes and need no sweep again.

use gambol_sim::{Slots, Sweep};

use super::bounds::{Asked, Verdicts};
use super::engine::Halt;
use super::frame::{Child, Frame, Kept, Place};
use super::search_problem::{SearchProblem, Turn};
use gambol_index::bits::ones;

/// The most words a slot has.
pub(super) const MOST_PARTS: usize = 8;

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
    board: &'a SearchProblem,
    game: Sweep<'a>,
    slots: Slots,
    parts: usize,
    /// The fluents that do not just keep their value.
    changing: Vec<u32>,
    verdicts: Verdicts<'a>,
    groups: Vec<Group>,
    /// The states before a sweep, `parts` words a fluent.
    before: Vec<u64>,
    scratch: Kept,
    legal: Vec<u64>,
    /// How many words of 64 lanes were swept: the same however many lanes the processor has.
    pub(crate) words_swept: u64,
}

impl<'a> Sweeps<'a> {
    pub(crate) fn new(board: &'a SearchProblem, circuit: &'a gambol_sim::Circuit) -> Self {
        let game = Sweep::new(circuit);
        Self {
            slots: game.slots(),
            parts: game.parts(),
            changing: game.changing_fluents().to_vec(),
            verdicts: Verdicts::new(board, &game),
            groups: Vec::new(),
            before: vec![0; board.fluents * game.parts()],
            scratch: Kept::default(),
            legal: Vec::new(),
            words_swept: 0,
            game,
            board,
        }
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
            let valid = std::array::from_fn(|part| low_bits(some.len().saturating_sub(64 * part)));
            let first = self.keep(used, &valid, asked, &mut kept)?;
            for (part, some) in some.chunks(64).enumerate() {
                let place = Place { base: first.base + part as u32, ..first };
                self.cut_out(state, some, &kept, place, asked, frame)?;
            }
            self.scratch = kept;
        }
        Ok(())
    }

    fn sweep_moves<const K: usize>(&mut self, state: &[u64; K], turn: Turn, moves: &[u32]) {
        self.words_swept += moves.len().div_ceil(64) as u64;
        let (parts, does) = (self.parts, self.slots.moves);
        self.broadcast(state, parts);
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

    /// Appends what the sweep found, row after row of `used` words: what is legal, the verdicts, and
    /// in which lanes fluents have changed. The place is that of the first lanes.
    fn keep(
        &mut self,
        used: usize,
        valid: &[u64; MOST_PARTS],
        asked: Asked,
        kept: &mut Kept,
    ) -> Result<Place, Halt> {
        let (parts, base) = (self.parts, kept.words.len() as u32);
        let legal =
            self.slots.legal * parts..(self.slots.legal + self.board.computed.len()) * parts;
        for slot in self.game.words()[legal].chunks_exact(parts) {
            kept.words.extend(&slot[..used]);
        }
        self.verdicts.append(
            &mut self.game,
            used,
            valid,
            asked,
            &mut kept.words,
            &mut self.words_swept,
        )?;
        let first = kept.changed.len() as u32;
        let words = &self.game.words()[self.slots.fluents.start * parts..];
        for &fluent in &self.changing {
            let at = fluent as usize * parts;
            let pairs = words[at..at + used].iter().zip(&self.before[at..at + used]);
            let differs = pairs.zip(valid).map(|((now, then), valid)| (now ^ then) & valid);
            if differs.clone().any(|word| word != 0) {
                kept.words.extend(differs);
                kept.changed.push(fluent);
            }
        }
        let changed = (first, kept.changed.len() as u32);
        Ok(Place { base, changed, stride: used as u8, shift: 0 })
    }

    /// The first row of verdicts.
    fn verdict_row(&self) -> usize {
        self.board.computed.len()
    }

    /// Appends the children of a state, given the lanes they are in.
    pub(crate) fn cut_out<const K: usize>(
        &mut self,
        state: &[u64; K],
        moves: &[u32],
        kept: &Kept,
        place: Place,
        asked: Asked,
        frame: &mut Frame<K>,
    ) -> Result<(), Halt> {
        let first = frame.children.len();
        let (base, stride) = (place.base as usize, usize::from(place.stride));
        let mask = low_bits(moves.len());
        let row = |row: usize| kept.words[base + row * stride] >> place.shift & mask;
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
        let Frame { children, varying, moves: all_moves, .. } = frame;
        let children = &mut children[first..];
        let first_changed = self.verdict_row() + asked.rows();
        let changed = &kept.changed[place.changed.0 as usize..place.changed.1 as usize];
        for (number, &fluent) in changed.iter().enumerate() {
            let differs = row(first_changed + number);
            if differs == 0 {
                continue;
            }
            let (word, bit) = (fluent as usize / 64, fluent % 64);
            for lane in ones(differs) {
                children[lane].state[word] ^= 1 << bit;
            }
            let then = 0u64.wrapping_sub(state[word] >> bit & 1) & mask;
            varying.push((fluent, then ^ differs));
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
            for lane in ones(row(number) & !over) {
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
        state: &[u64; K],
        asked: Asked,
        frame: &mut Frame<K>,
    ) -> Result<(), Halt> {
        let mut next = 0;
        while next < frame.open.len() {
            next = self.group(frame, next);
            let Some(last) = self.groups.last() else { continue };
            let used = usize::from(last.part) + 1;
            self.sweep_replies(state, used, frame);
            let groups = std::mem::take(&mut self.groups);
            let mut valid = [0; MOST_PARTS];
            groups.iter().for_each(|group| valid[usize::from(group.part)] |= group.mask());
            let first = self.keep(used, &valid, asked, &mut frame.kept)?;
            let first_row = self.verdict_row() + 1;
            for group in &groups {
                let base = first.base + u32::from(group.part);
                let child = &mut frame.children[usize::from(group.child)];
                child.place = Some(Place { base, shift: group.shift, ..first });
                let mask = low_bits(group.count.into());
                let row =
                    |row: usize| frame.kept.words[base as usize + row * used] >> group.shift & mask;
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

    fn sweep_replies<const K: usize>(&mut self, state: &[u64; K], used: usize, frame: &Frame<K>) {
        self.words_swept += used as u64;
        self.broadcast(state, used);
        self.spread_replies(used, &frame.varying);
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

    /// Puts a state into the lanes of the first words.
    fn broadcast<const K: usize>(&mut self, state: &[u64; K], used: usize) {
        let (parts, fluents) = (self.parts, self.slots.fluents.clone());
        let words = &mut self.game.words_mut()[fluents.start * parts..fluents.end * parts];
        let slots = words.chunks_exact_mut(parts).zip(self.before.chunks_exact_mut(parts));
        let bit = |fluent: usize| 0u64.wrapping_sub(state[fluent / 64] >> (fluent % 64) & 1);
        for (fluent, (slot, before)) in slots.enumerate() {
            let word = bit(fluent);
            (slot[0], before[0]) = (word, word);
            if used > 1 {
                slot[..used].fill(word);
                before[..used].fill(word);
            }
        }
    }

    /// Puts what differs between the children into the lanes of their groups.
    fn spread_replies(&mut self, used: usize, varying: &[(u32, u64)]) {
        let mut masks = [(0, 0); 64];
        let mut all = 0u64;
        for group in &self.groups {
            masks[usize::from(group.child)] = (usize::from(group.part), group.mask());
            all |= 1 << group.child;
        }
        let (parts, fluents) = (self.parts, self.slots.fluents.start);
        let words = self.game.words_mut();
        for &(fluent, bits) in varying {
            let at = fluent as usize * parts;
            let before = &mut self.before[at..at + used];
            before.fill(0);
            for child in ones(bits & all) {
                let (part, mask) = masks[child];
                before[part] |= mask;
            }
            words[fluents * parts + at..][..used].copy_from_slice(before);
        }
    }
}

/// The low bits of a word, at most 64 of them.
#[inline]
pub(super) fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
