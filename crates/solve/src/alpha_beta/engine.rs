//! Alpha-beta for two players in turn, one yes-or-no question at a time: can the first role get at
//! least this much?
//!
//! A node makes all its moves in one sweep of the circuit, each in a lane of its own. Ends, bounds,
//! replies that end the game and entries of the table decide most children without a search; the
//! rest is ordered and searched. An answer rests on answers that were finished before, so it is a
//! proof even if states can come back; a line that gets too deep ends the search without one.

use gambol_sim::{Slots, Sweep};

use super::board::{Board, Turn};
use super::report::Report;
use super::table::{Entry, Table};
use super::weights::Weights;
use crate::limits::{Meter, Unfinished};

/// Why a search ends without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// A limit.
    Unfinished(Unfinished),
    /// More nodes than the trial allows.
    Nodes,
    /// Both players have a choice.
    Simultaneous,
    /// A player has no move, and the game is not over.
    Stuck,
    /// The goals do not add up to the sum they have elsewhere.
    Sum,
    /// A line of play has no end in sight.
    Deep,
}

/// Lines of play with more moves are given up.
const DEEPEST: usize = 600;

/// How to read ends in which the rules give several goals, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// As bad as possible for the first role.
    Least,
    /// As good as possible.
    Most,
}

/// A child of a node.
#[derive(Clone, Copy)]
pub(crate) struct Child<const K: usize> {
    pub(crate) state: [u64; K],
    key: [u64; K],
    /// The move that leads to it.
    pub(crate) action: u32,
    /// Its lane in the sweep of its parent.
    lane: u32,
    pub(crate) over: bool,
    pub(crate) turn: Turn,
    /// The moves of the player whose turn it is, in the frame.
    first_move: u32,
    move_count: u32,
    pub(crate) least: u8,
    pub(crate) most: u8,
    score: i64,
}

/// The children of a node on the path, and their moves.
#[derive(Default)]
pub(crate) struct Frame<const K: usize> {
    pub(crate) children: Vec<Child<K>>,
    moves: Vec<u32>,
    /// For each fluent the children in which it is true, if there are at most 64.
    bits: Vec<u64>,
    open: Vec<u16>,
    legal: Vec<u64>,
}

impl<const K: usize> Frame<K> {
    pub(crate) fn moves_of(&self, child: &Child<K>) -> &[u32] {
        &self.moves[child.first_move as usize..][..child.move_count as usize]
    }
}

pub(crate) struct Engine<'a, const K: usize> {
    board: &'a Board,
    sweep: Sweep<'a>,
    slots: Slots,
    parts: usize,
    bounds: Option<Sweep<'a>>,
    flips: [Option<Sweep<'a>>; 2],
    changing: Vec<u32>,
    pub(crate) table: Table<K>,
    frames: Vec<Frame<K>>,
    pub(crate) weights: Weights,
    pub(crate) reading: Reading,
    /// Whether an end was met whose goals are not clear.
    pub(crate) ambiguous: bool,
    pub(crate) nodes: u64,
    pub(crate) sweeps: u64,
    pub(crate) most_nodes: u64,
    meter: Meter,
    symmetries: Vec<Vec<[[u64; K]; 256]>>,
    /// Whom to tell how far the search is.
    pub(crate) report: Option<Report<'a>>,
}

impl<'a, const K: usize> Engine<'a, K> {
    pub(crate) fn new(
        board: &'a Board,
        circuit: &'a gambol_sim::Circuit,
        bytes: u64,
        meter: Meter,
    ) -> Self {
        let sweep = Sweep::new(circuit);
        let flip_sweep =
            |role: usize| board.flips[role].as_ref().map(|flips| board.flip_sweep(flips));
        Self {
            slots: sweep.slots(),
            parts: sweep.parts(),
            changing: sweep.changing_fluents().to_vec(),
            sweep,
            bounds: board.bounds.as_ref().map(Sweep::new),
            flips: [flip_sweep(0), flip_sweep(1)],
            table: Table::within(bytes),
            frames: Vec::new(),
            weights: Weights::ALL,
            reading: Reading::Least,
            ambiguous: false,
            nodes: 0,
            sweeps: 0,
            most_nodes: u64::MAX,
            meter,
            report: None,
            symmetries: board.symmetries.iter().map(|symmetry| byte_tables(symmetry)).collect(),
            board,
        }
    }

    /// Whether the first role can get at least the value at `target`: the answer is a place of that
    /// or a higher value the state is at least worth, or of a lower one it is at most worth.
    pub(crate) fn search(
        &mut self,
        ply: usize,
        state: &[u64; K],
        turn: Turn,
        moves: &[u32],
        target: u8,
    ) -> Result<u8, Halt> {
        self.nodes += 1;
        self.check(ply)?;
        let before = self.nodes;
        let key = self.canonical(state);
        let known = self.table.find(&key);
        let (least, most) = known.map_or((0, self.board.top()), |known| (known.least, known.most));
        if least >= target {
            return Ok(least);
        }
        if most < target {
            return Ok(most);
        }
        let preferred = known.map(|known| known.action).filter(|_| self.symmetries.is_empty());
        let mut frame = self.take_frame(ply);
        let question = Question { ply, state, turn, moves, target, preferred };
        let result = self.decide(question, &mut frame);
        self.frames[ply] = frame;
        let (value, action) = result?;
        let (least, most) = if value >= target { (value, most) } else { (least, value) };
        let work = (64 - (self.nodes - before + 1).leading_zeros()) as u8;
        self.table.add(&key, Entry { least, most, work, action });
        Ok(value)
    }

    fn check(&mut self, ply: usize) -> Result<(), Halt> {
        if self.nodes & 0xfff == 0 {
            self.meter.check_time().map_err(Halt::Unfinished)?;
            if let Some(report) = &mut self.report {
                report.tell(self.nodes, &self.weights, &self.table);
            }
        }
        if self.nodes > self.most_nodes {
            return Err(Halt::Nodes);
        }
        if ply > DEEPEST { Err(Halt::Deep) } else { Ok(()) }
    }

    pub(crate) fn take_frame(&mut self, ply: usize) -> Frame<K> {
        while self.frames.len() <= ply {
            self.frames.push(Frame::default());
        }
        std::mem::take(&mut self.frames[ply])
    }

    /// The value of a node, as far as the question goes, and the move that shows it.
    fn decide(
        &mut self,
        question: Question<'_, K>,
        frame: &mut Frame<K>,
    ) -> Result<(u8, u32), Halt> {
        let Question { ply, state, turn, moves, target, preferred } = question;
        self.expand(state, turn, moves, frame)?;
        let side = Side { first: turn.mover == 0, target, top: self.board.top() };
        let mut best = side.worst();
        if let Some(found) = side.settle(frame, &mut best) {
            return Ok(found);
        }
        if self.weights.replies && frame.children.len() <= 64 {
            self.look_at_replies(turn, frame);
            if let Some(found) = side.settle(frame, &mut best) {
                return Ok(found);
            }
        }
        if self.weights.peek {
            self.peek(frame);
            if let Some(found) = side.settle(frame, &mut best) {
                return Ok(found);
            }
        }
        self.order(state, turn, preferred, frame);
        let mut action = frame.children.first().map_or(u32::MAX, |child| child.action);
        for place in 0..frame.open.len() {
            let child = frame.children[frame.open[place] as usize];
            let moves = std::mem::take(&mut frame.moves);
            let range = child.first_move as usize..(child.first_move + child.move_count) as usize;
            let value = self.search(ply + 1, &child.state, child.turn, &moves[range], target);
            frame.moves = moves;
            let value = value?;
            if side.wins(value) {
                return Ok((value, child.action));
            }
            if side.improves(value, best) {
                best = value;
                action = child.action;
            }
        }
        Ok((best, action))
    }

    /// Makes all moves: the children with their ends, bounds and turns.
    pub(crate) fn expand(
        &mut self,
        state: &[u64; K],
        turn: Turn,
        moves: &[u32],
        frame: &mut Frame<K>,
    ) -> Result<(), Halt> {
        frame.children.clear();
        frame.moves.clear();
        let lanes = 64 * self.parts;
        for some in moves.chunks(lanes) {
            self.sweep_moves(state, turn, some, frame);
            let first = frame.children.len() - some.len();
            self.read_ends(first, frame)?;
            self.read_turns(first, frame)?;
            if self.weights.bounds {
                self.read_bounds(first, frame);
            }
        }
        Ok(())
    }

    fn sweep_moves(&mut self, state: &[u64; K], turn: Turn, moves: &[u32], frame: &mut Frame<K>) {
        self.sweeps += 1;
        let parts = self.parts;
        self.sweep.load(&state[..self.board.width]);
        let does = self.slots.moves;
        let words = self.sweep.words_mut();
        words[(does + turn.other as usize) * parts..][..parts].fill(u64::MAX);
        for (lane, &action) in moves.iter().enumerate() {
            words[(does + action as usize) * parts + lane / 64] |= 1 << (lane % 64);
        }
        self.sweep.transition();
        let words = self.sweep.words_mut();
        for &action in moves.iter().chain([&turn.other]) {
            words[(does + action as usize) * parts..][..parts].fill(0);
        }
        let first = frame.children.len();
        frame.children.extend(moves.iter().enumerate().map(|(lane, &action)| Child {
            state: *state,
            key: [0; K],
            action,
            lane: lane as u32,
            over: false,
            turn: Turn { mover: 0, other: 0 },
            first_move: 0,
            move_count: 0,
            least: 0,
            most: self.board.top(),
            score: 0,
        }));
        self.read_states(state, first, moves.len(), frame);
        self.sweep.legality();
    }

    fn read_states(&self, state: &[u64; K], first: usize, count: usize, frame: &mut Frame<K>) {
        let (parts, words) = (self.parts, self.sweep.words());
        let fluents = self.slots.fluents.start;
        frame.bits.clear();
        frame.bits.extend(
            (0..self.board.fluents).map(|f| 0u64.wrapping_sub(state[f / 64] >> (f % 64) & 1)),
        );
        for part in 0..count.div_ceil(64) {
            let mask = low_bits(count - 64 * part);
            for &fluent in &self.changing {
                let fluent = fluent as usize;
                let now = words[(fluents + fluent) * parts + part];
                let then = 0u64.wrapping_sub(state[fluent / 64] >> (fluent % 64) & 1);
                let mut changed = (now ^ then) & mask;
                while changed != 0 {
                    let lane = changed.trailing_zeros() as usize;
                    frame.children[first + 64 * part + lane].state[fluent / 64] ^=
                        1 << (fluent % 64);
                    changed &= changed - 1;
                }
                if part == 0 {
                    frame.bits[fluent] = now;
                }
            }
        }
    }

    fn read_ends(&mut self, first: usize, frame: &mut Frame<K>) -> Result<(), Halt> {
        let (parts, terminal) = (self.parts, self.slots.terminal * self.parts);
        let count = frame.children.len() - first;
        let mut any = false;
        for part in 0..count.div_ceil(64) {
            let mut over = self.sweep.words()[terminal + part] & low_bits(count - 64 * part);
            any |= over != 0;
            while over != 0 {
                let lane = over.trailing_zeros() as usize;
                frame.children[first + 64 * part + lane].over = true;
                over &= over - 1;
            }
        }
        if !any {
            return Ok(());
        }
        self.sweep.goals();
        let words = self.sweep.words();
        let goals = self.slots.goals.start;
        for child in frame.children[first..].iter_mut().filter(|child| child.over) {
            let lane = child.lane as usize;
            let holds =
                |goal: usize| words[(goals + goal) * parts + lane / 64] >> (lane % 64) & 1 == 1;
            let (least, most) = self.board.end_range(holds).ok_or(Halt::Sum)?;
            self.ambiguous |= least != most;
            let value = if self.reading == Reading::Least { least } else { most };
            (child.least, child.most) = (value, value);
        }
        Ok(())
    }

    /// Whose turn it is in each child, and the moves.
    fn read_turns(&mut self, first: usize, frame: &mut Frame<K>) -> Result<(), Halt> {
        let count = frame.children.len() - first;
        let mut legal = std::mem::take(&mut frame.legal);
        legal.clear();
        for part in 0..count.div_ceil(64) {
            self.sweep.read_legal(part, 64.min(count - 64 * part), &mut legal);
        }
        let Frame { children, moves, .. } = frame;
        let rows = legal.chunks_exact(self.sweep.legal_width());
        for (child, row) in children[first..].iter_mut().zip(rows) {
            if child.over {
                continue;
            }
            child.first_move = moves.len() as u32;
            child.turn = self.board.turn(row, moves)?;
            child.move_count = moves.len() as u32 - child.first_move;
        }
        frame.legal = legal;
        Ok(())
    }

    fn read_bounds(&mut self, first: usize, frame: &mut Frame<K>) {
        let Some(bounds) = &mut self.bounds else { return };
        let fluents = self.slots.fluents.clone();
        let slots = bounds.slots();
        let (from, to) = (fluents.start * self.parts, slots.fluents.start * bounds.parts());
        if bounds.parts() != self.parts {
            return;
        }
        let length = fluents.len() * self.parts;
        bounds.words_mut()[to..to + length]
            .copy_from_slice(&self.sweep.words()[from..from + length]);
        bounds.goals();
        self.sweeps += 1;
        let words = bounds.words();
        for child in frame.children[first..].iter_mut().filter(|child| !child.over) {
            let lane = child.lane as usize;
            let at = |goal: usize| (slots.goals.start + goal) * self.parts + lane / 64;
            let holds = |goal: usize| words[at(goal)] >> (lane % 64) & 1 == 1;
            if let Some((least, most)) = self.board.possible_range(holds) {
                child.least = child.least.max(least);
                child.most = child.most.min(most);
            }
        }
    }

    /// Tries all replies to the open children at once: one that ends the game bounds its child.
    fn look_at_replies(&mut self, turn: Turn, frame: &mut Frame<K>) {
        let _ = turn;
        let lanes = 64 * self.parts;
        let mut place = 0;
        while place < frame.open.len() {
            let mut groups: Vec<(usize, usize, usize)> = Vec::new();
            let mut used = 0;
            while place < frame.open.len() {
                let child = &frame.children[frame.open[place] as usize];
                let count = child.move_count as usize;
                if used + count > lanes {
                    break;
                }
                groups.push((frame.open[place] as usize, used, count));
                used += count;
                place += 1;
            }
            if groups.is_empty() {
                // Too many replies for one sweep.
                place += 1;
                continue;
            }
            self.sweep_replies(&groups, used, frame);
        }
    }

    fn sweep_replies(
        &mut self,
        groups: &[(usize, usize, usize)],
        used: usize,
        frame: &mut Frame<K>,
    ) {
        self.sweeps += 1;
        let parts = self.parts;
        spread(
            &frame.bits,
            groups,
            frame.children.len(),
            &mut self.sweep,
            self.slots.fluents.start,
        );
        let does = self.slots.moves;
        let words = self.sweep.words_mut();
        for &(number, first, _) in groups {
            let child = &frame.children[number];
            set_range(
                &mut words[(does + child.turn.other as usize) * parts..][..parts],
                first,
                child.move_count as usize,
            );
            for (lane, &action) in (first..).zip(frame.moves_of(child)) {
                words[(does + action as usize) * parts + lane / 64] |= 1 << (lane % 64);
            }
        }
        self.sweep.transition();
        let words = self.sweep.words_mut();
        for &(number, _, _) in groups {
            let child = &frame.children[number];
            for &action in frame.moves_of(child).iter().chain([&child.turn.other]) {
                words[(does + action as usize) * parts..][..parts].fill(0);
            }
        }
        self.sweep.legality();
        let over = self.slots.terminal * parts;
        if self.sweep.words()[over..over + used.div_ceil(64)].iter().all(|&word| word == 0) {
            return;
        }
        self.sweep.goals();
        let words = self.sweep.words();
        let goals = self.slots.goals.start;
        for &(number, first, count) in groups {
            let child = &mut frame.children[number];
            for lane in first..first + count {
                if words[over + lane / 64] >> (lane % 64) & 1 == 0 {
                    continue;
                }
                let holds =
                    |goal: usize| words[(goals + goal) * parts + lane / 64] >> (lane % 64) & 1 == 1;
                let Some((least, most)) = self.board.end_range(holds) else { continue };
                let value = if self.reading == Reading::Least { least } else { most };
                match child.turn.mover {
                    0 => child.least = child.least.max(value),
                    _ => child.most = child.most.min(value),
                }
            }
        }
    }

    /// What the table knows of the open children.
    fn peek(&mut self, frame: &mut Frame<K>) {
        for &number in &frame.open {
            let key = self.canonical(&frame.children[number as usize].state);
            let child = &mut frame.children[number as usize];
            child.key = key;
            if let Some(known) = self.table.find(&key) {
                child.least = child.least.max(known.least);
                child.most = child.most.min(known.most);
            }
        }
    }

    /// Sorts the open children, the most promising first.
    fn order(
        &mut self,
        state: &[u64; K],
        turn: Turn,
        preferred: Option<u32>,
        frame: &mut Frame<K>,
    ) {
        if frame.open.len() < 2 {
            return;
        }
        for &number in &frame.open {
            frame.children[number as usize].score = 0;
        }
        if self.weights.threats > 0 && frame.children.len() <= 64 {
            self.count_threats(turn, frame);
        }
        if self.weights.paths > 0 || self.weights.lines > 0 {
            let lines = self.board.count_lines(state);
            for &number in &frame.open {
                let child = &mut frame.children[number as usize];
                child.score +=
                    self.board.weigh(&self.weights, &lines, turn.mover, state, &child.state);
            }
        }
        let Frame { open, children, .. } = frame;
        open.sort_by_key(|&number| {
            let child = &children[number as usize];
            (preferred != Some(child.action), -child.score)
        });
    }

    /// Counts for each open child the single fluents that would win for the mover.
    fn count_threats(&mut self, turn: Turn, frame: &mut Frame<K>) {
        let role = usize::from(turn.mover);
        let (Some(sweep), Some(flips)) = (&mut self.flips[role], &self.board.flips[role]) else {
            return;
        };
        let parts = sweep.parts();
        let at_once = 64 * parts / flips.count;
        let slots = sweep.slots();
        for some in frame.open.chunks(at_once.max(1)) {
            let groups: Vec<(usize, usize, usize)> = some
                .iter()
                .enumerate()
                .map(|(place, &number)| (number as usize, place * flips.count, flips.count))
                .collect();
            let used = some.len() * flips.count;
            if used > 64 * parts {
                return;
            }
            spread(&frame.bits, &groups, frame.children.len(), sweep, slots.fluents.start);
            sweep.goals();
            self.sweeps += 1;
            let words = &sweep.words()[slots.goals.start * parts..][..parts];
            for (number, first, count) in groups {
                let threats = count_range(words, first, count);
                frame.children[number].score += self.weights.threats * i64::from(threats);
            }
        }
    }

    /// The least of the states that are equal by symmetry.
    fn canonical(&self, state: &[u64; K]) -> [u64; K] {
        let mut best = *state;
        for tables in &self.symmetries {
            let mut image = [0; K];
            for (byte, table) in tables.iter().enumerate() {
                let bits = (state[byte / 8] >> (8 * (byte % 8))) as u8;
                for (word, part) in image.iter_mut().zip(&table[usize::from(bits)]) {
                    *word |= part;
                }
            }
            best = best.min(image);
        }
        best
    }
}

/// Can the first role get at least the target from a state?
struct Question<'q, const K: usize> {
    ply: usize,
    state: &'q [u64; K],
    turn: Turn,
    moves: &'q [u32],
    target: u8,
    /// The move to try first.
    preferred: Option<u32>,
}

/// Who asks: at the first role's nodes one child that is good enough settles the question, at the
/// second role's one that is not.
#[derive(Clone, Copy)]
struct Side {
    first: bool,
    target: u8,
    top: u8,
}

impl Side {
    fn worst(self) -> u8 {
        if self.first { 0 } else { self.top }
    }

    fn wins(self, value: u8) -> bool {
        (value >= self.target) == self.first
    }

    fn improves(self, value: u8, best: u8) -> bool {
        if self.first { value > best } else { value < best }
    }

    /// Looks at what is known of the children: one that settles the question, or else the list of
    /// those that are open; what the others are worth goes into `best`.
    fn settle<const K: usize>(self, frame: &mut Frame<K>, best: &mut u8) -> Option<(u8, u32)> {
        frame.open.clear();
        *best = self.worst();
        for (number, child) in frame.children.iter().enumerate() {
            let (proved, possible) = match self.first {
                true => (child.least, child.most),
                false => (child.most, child.least),
            };
            if self.wins(proved) {
                return Some((proved, child.action));
            }
            if self.wins(possible) {
                frame.open.push(number as u16);
            } else if self.improves(possible, *best) {
                *best = possible;
            }
        }
        None
    }
}

/// The low bits of a word, at most 64 of them.
#[inline]
fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Sets a range of lanes.
fn set_range(words: &mut [u64], first: usize, count: usize) {
    let mut lane = first;
    let end = first + count;
    while lane < end {
        let bits = (64 - lane % 64).min(end - lane);
        words[lane / 64] |= low_bits(bits) << (lane % 64);
        lane += bits;
    }
}

/// Counts the lanes of a range that are set.
fn count_range(words: &[u64], first: usize, count: usize) -> u32 {
    let mut mask = [0u64; 8];
    set_range(&mut mask, first, count);
    words.iter().zip(mask).map(|(word, mask)| (word & mask).count_ones()).sum()
}

/// Puts children into ranges of lanes: `(child, first lane, number of lanes)`. What is in the lanes
/// beyond the last range does not matter.
fn spread(
    bits: &[u64],
    groups: &[(usize, usize, usize)],
    children: usize,
    sweep: &mut Sweep<'_>,
    fluents: usize,
) {
    let parts = sweep.parts();
    let words = &mut sweep.words_mut()[fluents * parts..][..bits.len() * parts];
    match parts {
        8 => spread_over::<8>(bits, groups, children, words),
        _ => spread_over::<1>(bits, groups, children, words),
    }
}

/// Slots of a fixed number of words are written in one piece.
fn spread_over<const PARTS: usize>(
    bits: &[u64],
    groups: &[(usize, usize, usize)],
    children: usize,
    words: &mut [u64],
) {
    let all = low_bits(children);
    let (slots, _) = words.as_chunks_mut::<PARTS>();
    for (&bits, slot) in bits.iter().zip(slots) {
        let bits = bits & all;
        *slot = if bits == all { [u64::MAX; PARTS] } else { [0; PARTS] };
        if bits != 0 && bits != all {
            let with = groups.iter().filter(|group| bits >> group.0 & 1 == 1);
            with.for_each(|&(_, first, count)| set_range(slot, first, count));
        }
    }
}

/// For each byte of a state and each value of it the bits of the image.
fn byte_tables<const K: usize>(images: &[u32]) -> Vec<[[u64; K]; 256]> {
    let mut tables = vec![[[0; K]; 256]; images.len().div_ceil(8)];
    for (byte, table) in tables.iter_mut().enumerate() {
        for (value, row) in table.iter_mut().enumerate() {
            for bit in (0..8).filter(|bit| value >> bit & 1 == 1) {
                if let Some(&image) = images.get(8 * byte + bit) {
                    row[image as usize / 64] |= 1 << (image % 64);
                }
            }
        }
    }
    tables
}
