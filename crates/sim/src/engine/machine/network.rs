//! The choice network: the count and the selection of [`crate::engine::choice`] as logic.
//!
//! It comes in two functions, because the draw between them is a loop of its own: the first turns
//! legality into a bound per lane, the second turns the number that was drawn into what is done.

use gambol_index::Id;

use super::groups::Place;
use super::logic::{A, B, C, Logic};
use crate::engine::choice::GROUP;

const XOR: u8 = A ^ B ^ C;
const MAJORITY: u8 = (A & B) | (C & (A | B));
const OR_AND: u8 = A | (B & C);
const SELECT: u8 = (A & B) | (!A & C);
/// What `a - b - c` borrows.
const BORROW: u8 = (!A & (B | C)) | (B & C);

/// Where a choice finds its words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChoiceSlots {
    /// The lanes that choose.
    pub(crate) running: u32,
    /// Written: those of them that have a legal move.
    pub(crate) active: u32,
    /// Written where groups are laid over one another: the lanes in which more than one of them is open, where
    /// the second function must not be called.
    pub(crate) overlap: u32,
    /// Written: the bound of the draw, and its mask.
    pub(crate) bound: u32,
    pub(crate) mask: u32,
    /// Read by the second function: what was drawn.
    pub(crate) wanted: u32,
    /// Free slots for what the first function leaves to the second.
    pub(crate) kept: u32,
}

/// The two functions of a choice.
pub(crate) struct Network {
    pub(crate) count: Vec<Logic>,
    pub(crate) select: Vec<Logic>,
    /// How many bits the bound has.
    pub(crate) bits: usize,
    /// The first slot not used; temporaries start there.
    pub(crate) first_temporary: u32,
}

/// Up to this many moves are one group.
const FLAT: usize = 16;

/// The network for moves that lie in consecutive slots from `moves` on. If there are groups, they are laid
/// over one another first.
pub(crate) fn choice_network(
    moves: u32,
    len: usize,
    groups: Option<&[Vec<Place>]>,
    slots: ChoiceSlots,
) -> Network {
    let legal: Vec<u32> = (moves..).take(len).collect();
    let mut wires = Wires { logic: Vec::new(), next: TEMPORARY };
    let words = match groups {
        Some(groups) => wires.lay_over(&legal, groups, slots),
        None => legal.clone(),
    };
    let group = if words.len() <= FLAT { words.len() } else { GROUP };
    let tree = wires.count(&words, group);
    let total = tree.last().expect("a tree has a root")[0].clone();
    let bits = total.len();
    wires.bound(&total, slots);
    let count = std::mem::take(&mut wires.logic);
    let wanted: Vec<u32> = (slots.wanted..).take(bits).collect();
    let active = wires.descend(&tree, wanted, slots.active);
    let chosen = wires.choose(&words, group, active);
    match groups {
        Some(groups) => wires.write_groups(&legal, groups, &chosen),
        None => {
            let words = legal.iter().zip(chosen);
            words.for_each(|(&word, chosen)| wires.write(word, &chosen, A & B));
        }
    }
    keep_between(count, wires.logic, bits, slots.kept)
}

/// Wires are numbered from here until the slots they need are known.
const TEMPORARY: u32 = 1 << 31;

/// The active lanes of each group, and which of its moves is wanted.
struct ActiveGroups {
    active: Vec<u32>,
    wanted: Vec<u32>,
}

struct Wires {
    logic: Vec<Logic>,
    next: u32,
}

impl Wires {
    fn wire(&mut self, inputs: &[u32], table: u8) -> u32 {
        self.next += 1;
        self.logic.push(Logic::new(self.next - 1, inputs, table));
        self.next - 1
    }

    fn write(&mut self, slot: u32, inputs: &[u32], table: u8) {
        self.logic.push(Logic::new(slot, inputs, table));
    }

    /// The first moves of all groups, the second ones, and so on.
    fn lay_over(&mut self, legal: &[u32], groups: &[Vec<Place>], slots: ChoiceSlots) -> Vec<u32> {
        let mut layers: Vec<u32> = Vec::new();
        let (mut seen, mut overlap) = (None, None);
        for group in groups {
            let mut open = None;
            for (number, place) in group.iter().enumerate() {
                let word = legal[place.index()];
                open = Some(self.either(open, word));
                match layers.get(number).copied() {
                    Some(layer) => layers[number] = self.wire(&[layer, word], A | B),
                    None => layers.push(word),
                }
            }
            let open = open.expect("a group has moves");
            if let Some(seen) = seen {
                let both = self.wire(&[seen, open], A & B);
                overlap = Some(self.either(overlap, both));
            }
            seen = Some(self.either(seen, open));
        }
        match overlap {
            Some(overlap) => self.write(slots.overlap, &[slots.running, overlap], A & B),
            None => self.write(slots.overlap, &[], 0),
        }
        layers
    }

    fn either(&mut self, one: Option<u32>, other: u32) -> u32 {
        one.map_or(other, |one| self.wire(&[one, other], A | B))
    }

    /// Counts of groups, of pairs of groups, and so on up to the root; low bit first.
    fn count(&mut self, legal: &[u32], group: usize) -> Vec<Vec<Vec<u32>>> {
        let groups = legal.chunks(group).map(|words| self.count_words(words)).collect();
        let mut levels: Vec<Vec<Vec<u32>>> = vec![groups];
        while levels[levels.len() - 1].len() > 1 {
            let below = levels[levels.len() - 1].clone();
            let pairs = below.chunks(2).map(|pair| match pair {
                [left, right] => self.sum(left, right),
                single => single[0].clone(),
            });
            levels.push(pairs.collect());
        }
        levels
    }

    /// The number of words that are set, by full and half adders, column after column.
    fn count_words(&mut self, words: &[u32]) -> Vec<u32> {
        let mut column = words.to_vec();
        let mut bits = Vec::new();
        while !column.is_empty() {
            let mut carries = Vec::new();
            while column.len() > 1 {
                let operands: Vec<u32> = column.drain(..column.len().min(3)).collect();
                let (sum, carry) = self.add(&operands);
                column.push(sum);
                carries.push(carry);
            }
            bits.append(&mut column);
            column = carries;
        }
        bits
    }

    /// Sum and carry of two or three bits.
    fn add(&mut self, bits: &[u32]) -> (u32, u32) {
        match bits.len() {
            2 => (self.wire(bits, A ^ B), self.wire(bits, A & B)),
            _ => (self.wire(bits, XOR), self.wire(bits, MAJORITY)),
        }
    }

    fn sum(&mut self, left: &[u32], right: &[u32]) -> Vec<u32> {
        let mut bits = Vec::new();
        let mut carry = None;
        for place in 0..left.len().max(right.len()) {
            let operands = [left.get(place), right.get(place), carry.as_ref()];
            let operands: Vec<u32> = operands.into_iter().flatten().copied().collect();
            carry = None;
            match operands[..] {
                [single] => bits.push(single),
                _ => {
                    let (sum, next) = self.add(&operands);
                    bits.push(sum);
                    carry = Some(next);
                }
            }
        }
        bits.extend(carry);
        bits
    }

    /// One less than the total, where there is one; and that smeared to the right.
    fn bound(&mut self, total: &[u32], slots: ChoiceSlots) {
        // Whether a lower bit is set: subtracting one does not borrow from here.
        let mut lower = vec![total[0]];
        for &bit in &total[1..] {
            let last = lower[lower.len() - 1];
            lower.push(self.wire(&[last, bit], A | B));
        }
        self.write(slots.active, &[slots.running, lower[lower.len() - 1]], A & B);
        self.write(slots.bound, &[slots.active, total[0]], A & !B);
        for place in 1..total.len() {
            let inputs = [slots.active, total[place], lower[place - 1]];
            self.write(slots.bound + place as u32, &inputs, A & !(B ^ C));
        }
        let top = total.len() as u32 - 1;
        self.write(slots.mask + top, &[slots.bound + top], A);
        for place in (0..top).rev() {
            let inputs = [slots.mask + place + 1, slots.bound + place];
            self.write(slots.mask + place, &inputs, A | B);
        }
    }

    /// Walks down to the groups: to the left where its count exceeds the wanted number, else to the
    /// right with that count taken off.
    fn descend(&mut self, tree: &[Vec<Vec<u32>>], wanted: Vec<u32>, root: u32) -> ActiveGroups {
        let mut groups = ActiveGroups { active: vec![root], wanted };
        for level in tree[..tree.len() - 1].iter().rev() {
            let left = self.left_counts(level, &groups.active);
            let (rest, goes_left) = self.subtract(&groups.wanted, &left);
            let bits = level.iter().map(Vec::len).max().unwrap_or(0).min(rest.len());
            groups.wanted = (0..bits)
                .map(|place| self.wire(&[goes_left, groups.wanted[place], rest[place]], SELECT))
                .collect();
            let parents = std::mem::take(&mut groups.active);
            for (pair, parent) in level.chunks(2).zip(parents) {
                if pair.len() == 2 {
                    groups.active.push(self.wire(&[parent, goes_left], A & B));
                    groups.active.push(self.wire(&[parent, goes_left], A & !B));
                } else {
                    groups.active.push(parent);
                }
            }
        }
        groups
    }

    /// The count of the left child of the active node, bit by bit.
    fn left_counts(&mut self, level: &[Vec<u32>], active: &[u32]) -> Vec<u32> {
        let mut left: Vec<u32> = Vec::new();
        for (pair, &parent) in level.chunks_exact(2).zip(active) {
            for (place, &bit) in pair[0].iter().enumerate() {
                match left.get(place).copied() {
                    Some(sum) => left[place] = self.wire(&[sum, parent, bit], OR_AND),
                    None => left.push(self.wire(&[parent, bit], A & B)),
                }
            }
        }
        left
    }

    /// The difference, and the lanes where it would be negative.
    fn subtract(&mut self, a: &[u32], b: &[u32]) -> (Vec<u32>, u32) {
        let mut difference = vec![self.wire(&[a[0], b[0]], A ^ B)];
        let mut borrow = self.wire(&[a[0], b[0]], !A & B);
        for (place, &bit) in a.iter().enumerate().skip(1) {
            match b.get(place) {
                Some(&other) => {
                    difference.push(self.wire(&[bit, other, borrow], XOR));
                    borrow = self.wire(&[bit, other, borrow], BORROW);
                }
                None => {
                    difference.push(self.wire(&[bit, borrow], A ^ B));
                    borrow = self.wire(&[bit, borrow], !A & B);
                }
            }
        }
        (difference, borrow)
    }

    /// Counts down in the active group. Each word is chosen where two others are set.
    fn choose(&mut self, legal: &[u32], group: usize, groups: ActiveGroups) -> Vec<[u32; 2]> {
        let ActiveGroups { active, mut wanted } = groups;
        wanted.truncate((usize::BITS - (group - 1).leading_zeros()) as usize);
        let gathered = self.gather(legal, group, &active);
        let mut done = None;
        let mut chosen = Vec::new();
        for (place, &word) in gathered.iter().enumerate() {
            let mut borrow = match done {
                Some(done) => self.wire(&[word, done], A & !B),
                None => word,
            };
            let is_last = place + 1 == gathered.len();
            for bit in &mut wanted {
                let next = self.wire(&[borrow, *bit], A & !B);
                if !is_last {
                    *bit = self.wire(&[borrow, *bit], A ^ B);
                }
                borrow = next;
            }
            chosen.push(borrow);
            done = Some(match done {
                Some(done) => self.wire(&[done, borrow], A | B),
                None => borrow,
            });
        }
        let of_group = |(words, &active): (&[u32], &u32)| {
            chosen[..words.len()].iter().map(|&chosen| [active, chosen]).collect::<Vec<_>>()
        };
        legal.chunks(group).zip(&active).flat_map(of_group).collect()
    }

    /// Writes what is done over the legality, given which layer is chosen.
    fn write_groups(&mut self, legal: &[u32], groups: &[Vec<Place>], chosen: &[[u32; 2]]) {
        let layers: Vec<u32> = chosen.iter().map(|both| self.wire(both, A & B)).collect();
        for group in groups {
            for (place, &layer) in group.iter().zip(&layers) {
                let word = legal[place.index()];
                self.write(word, &[word, layer], A & B);
            }
        }
    }

    /// The legality of the active group, move by move.
    fn gather(&mut self, legal: &[u32], group: usize, active: &[u32]) -> Vec<u32> {
        let mut gathered: Vec<u32> = Vec::new();
        for (words, &active) in legal.chunks(group).zip(active) {
            for (place, &word) in words.iter().enumerate() {
                match gathered.get(place).copied() {
                    Some(sum) => gathered[place] = self.wire(&[sum, active, word], OR_AND),
                    None => gathered.push(self.wire(&[active, word], A & B)),
                }
            }
        }
        gathered
    }
}

/// Gives slots to the wires that both functions use, and numbers the others after them.
fn keep_between(count: Vec<Logic>, select: Vec<Logic>, bits: usize, first: u32) -> Network {
    let wires = count.iter().chain(&select).map(|logic| logic.target);
    let last = wires.filter(|&target| target >= TEMPORARY).max().unwrap_or(TEMPORARY);
    let mut place = vec![0u32; (last - TEMPORARY) as usize + 1];
    let split = count.iter().map(|logic| logic.target).filter(|&t| t >= TEMPORARY).max();
    let mut next = first;
    for &input in select.iter().flat_map(|logic| &logic.inputs) {
        let is_from_count = input >= TEMPORARY && split.is_some_and(|last| input <= last);
        if is_from_count && place[(input - TEMPORARY) as usize] == 0 {
            place[(input - TEMPORARY) as usize] = next;
            next += 1;
        }
    }
    let first_temporary = next;
    for place in place.iter_mut().filter(|place| **place == 0) {
        *place = next;
        next += 1;
    }
    let renumber = |mut logic: Vec<Logic>| {
        for Logic { target, inputs, .. } in &mut logic {
            for value in inputs.iter_mut().chain([target]).filter(|value| **value >= TEMPORARY) {
                *value = place[(*value - TEMPORARY) as usize];
            }
        }
        logic
    };
    Network { count: renumber(count), select: renumber(select), bits, first_temporary }
}
