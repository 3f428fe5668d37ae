//! Exactly uniform choice among the legal moves of a role, in all lanes at once.
//!
//! *Count*: full adders give the number `N` of legal moves, one bit of it per word.
//! *Draw*: random words, cut to as many bits as `N - 1` has, are accepted where they do not exceed
//! `N - 1` and drawn again elsewhere; what is accepted is uniform on `0..N`, however many rounds it
//! takes. *Select*: the lane's number is counted down at each legal move; the move at which it
//! would become negative is chosen. That maps `0..N` one to one onto the legal moves, so each has
//! probability exactly `1 / N`, given ideal random words.
//!
//! For many moves the selection descends a binary tree of group counts first, so that the count-down
//! happens in one group of seven only.

use crate::engine::draw::Draw;
use crate::engine::random::Random;
use crate::engine::word::Word;

/// Bits enough for any number of moves that fits in memory.
pub(crate) const BITS: usize = 32;
/// Moves per group at the bottom of the tree: as many as full adders alone count.
pub(crate) const GROUP: usize = 7;
/// Bits of a group's count.
const GROUP_BITS: usize = 3;
/// Up to this many moves the plain count-down is faster than the tree.
const LINEAR: usize = 63;

/// Memory for choices among many moves.
pub(crate) struct Scratch<W> {
    counts: Vec<W>,
    active: Vec<W>,
    next_active: Vec<W>,
}

impl<W: Word> Scratch<W> {
    /// Enough for choices among up to `moves` moves.
    pub(crate) fn new(moves: usize) -> Self {
        let groups = moves.div_ceil(GROUP);
        let counts = Levels::of(groups).iter().map(|level| level.nodes * level.bits).sum();
        let zeros = |len| vec![W::zero(); len];
        Self { counts: zeros(counts), active: zeros(groups + 1), next_active: zeros(groups + 1) }
    }
}

/// Replaces legality by what is done: in each running lane one of its legal moves. Returns the
/// running lanes that have none.
#[inline(always)]
pub(crate) fn choose<W: Word>(
    moves: &mut [W],
    running: W,
    random: &mut Random<W>,
    scratch: &mut Scratch<W>,
) -> W {
    match moves.len() {
        0 => running,
        1 => {
            let stuck = running.and_not(moves[0]);
            moves[0] = moves[0].and(running);
            stuck
        }
        2..=3 => choose_linear::<W, 2>(moves, running, random),
        4..=7 => choose_linear::<W, 3>(moves, running, random),
        8..=15 => choose_linear::<W, 4>(moves, running, random),
        16..=31 => choose_linear::<W, 5>(moves, running, random),
        32..=LINEAR => choose_linear::<W, 6>(moves, running, random),
        _ => choose_in_tree(moves, running, random, scratch),
    }
}

/// `B` bits hold the number of moves.
#[inline(always)]
fn choose_linear<W: Word, const B: usize>(
    moves: &mut [W],
    running: W,
    random: &mut Random<W>,
) -> W {
    let mut total = [W::zero(); B];
    let mut groups = moves.chunks_exact(GROUP);
    for group in &mut groups {
        add_into(&mut total, &count_group(group));
    }
    if !groups.remainder().is_empty() {
        add_into(&mut total, &count_group(groups.remainder()));
    }
    let (mut bound, mut wanted) = ([W::zero(); B], [W::zero(); B]);
    let stuck = less_one(&total, running, &mut bound);
    draw(&bound, running.and_not(stuck), random, &mut wanted);
    let mut pending = running;
    for legal in moves {
        let chosen = count_down(&mut wanted, legal.and(pending));
        *legal = chosen;
        pending = pending.and_not(chosen);
    }
    stuck
}

/// Counts down in the lanes given; returns those whose number was zero.
#[inline(always)]
fn count_down<W: Word, const B: usize>(wanted: &mut [W; B], lanes: W) -> W {
    let mut borrow = lanes;
    for bit in wanted {
        let old = *bit;
        *bit = old.xor(borrow);
        borrow = borrow.and_not(old);
    }
    borrow
}

/// The number of set words among up to seven.
#[inline(always)]
fn count_group<W: Word>(group: &[W]) -> [W; GROUP_BITS] {
    let word = |place: usize| group.get(place).copied().unwrap_or(W::zero());
    let (sum1, carry1) = full_adder(word(0), word(1), word(2));
    let (sum2, carry2) = full_adder(word(3), word(4), word(5));
    let (bit0, carry3) = full_adder(sum1, sum2, word(6));
    let (bit1, bit2) = full_adder(carry1, carry2, carry3);
    [bit0, bit1, bit2]
}

#[inline(always)]
fn full_adder<W: Word>(a: W, b: W, c: W) -> (W, W) {
    (W::xor3(a, b, c), W::majority(a, b, c))
}

/// Adds a group's count; bits that `total` has no place for are zero by construction.
#[inline(always)]
fn add_into<W: Word, const B: usize>(total: &mut [W; B], count: &[W; GROUP_BITS]) {
    let mut carry = W::zero();
    for (place, bit) in total.iter_mut().enumerate() {
        let addend = count.get(place).copied().unwrap_or(W::zero());
        let sum = W::xor3(*bit, addend, carry);
        carry = W::majority(*bit, addend, carry);
        *bit = sum;
    }
}

/// Writes one less than the count in the running lanes, zero elsewhere; returns the running lanes
/// whose count is zero, where the bound is zero too.
#[inline(always)]
fn less_one<W: Word>(count: &[W], running: W, bound: &mut [W]) -> W {
    let mut borrow = W::ones();
    for (bound, &count) in bound.iter_mut().zip(count) {
        *bound = count.xor(borrow);
        borrow = borrow.and_not(count);
    }
    let active = running.and_not(borrow);
    for bound in bound {
        *bound = bound.and(active);
    }
    running.and(borrow)
}

/// A number uniform on `0..=bound`, in the active lanes; the bound is zero in the others.
#[inline(always)]
fn draw<W: Word>(bound: &[W], active: W, random: &mut Random<W>, drawn: &mut [W]) {
    let mut mask = [W::zero(); BITS];
    let mut smeared = W::zero();
    for (mask, &bound) in mask[..bound.len()].iter_mut().zip(bound).rev() {
        smeared = smeared.or(bound);
        *mask = smeared;
    }
    W::isolated(Draw { bound, mask: &mask[..bound.len()], active, random, drawn });
}

/// A level of the tree: where its counts begin, how many, and how many bits each has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    first: usize,
    nodes: usize,
    bits: usize,
}

/// The levels of a tree, from the groups to the root.
struct Levels {
    levels: [Level; BITS],
    count: usize,
}

impl Levels {
    #[inline(always)]
    fn of(groups: usize) -> Self {
        let bottom = Level { first: 0, nodes: groups, bits: GROUP_BITS };
        let mut levels = Self { levels: [bottom; BITS], count: 1 };
        while levels.root().nodes > 1 {
            let below = levels.root();
            levels.levels[levels.count] = Level {
                first: below.first + below.nodes * below.bits,
                nodes: below.nodes.div_ceil(2),
                bits: below.bits + 1,
            };
            levels.count += 1;
        }
        levels
    }

    #[inline(always)]
    fn root(&self) -> Level {
        self.levels[self.count - 1]
    }

    fn iter(&self) -> impl Iterator<Item = Level> {
        self.levels[..self.count].iter().copied()
    }
}

#[inline(always)]
fn choose_in_tree<W: Word>(
    moves: &mut [W],
    running: W,
    random: &mut Random<W>,
    scratch: &mut Scratch<W>,
) -> W {
    let levels = Levels::of(moves.len().div_ceil(GROUP));
    for (group, count) in moves.chunks(GROUP).zip(scratch.counts.chunks_exact_mut(GROUP_BITS)) {
        count.copy_from_slice(&count_group(group));
    }
    for level in 1..levels.count {
        add_level(&mut scratch.counts, levels.levels[level - 1], levels.levels[level]);
    }
    let Level { first, bits, .. } = levels.root();
    let (mut bound, mut wanted) = ([W::zero(); BITS], [W::zero(); BITS]);
    let stuck = less_one(&scratch.counts[first..first + bits], running, &mut bound[..bits]);
    draw(&bound[..bits], running.and_not(stuck), random, &mut wanted[..bits]);
    scratch.active[0] = running.and_not(stuck);
    for level in (0..levels.count - 1).rev() {
        descend(scratch, levels.levels[level], &mut wanted);
        std::mem::swap(&mut scratch.active, &mut scratch.next_active);
    }
    choose_in_group(moves, &scratch.active, &wanted);
    stuck
}

/// Adds the counts of neighbours; the last of an odd number stands alone.
#[inline(always)]
fn add_level<W: Word>(counts: &mut [W], below: Level, above: Level) {
    let (inputs, outputs) = counts.split_at_mut(above.first);
    let inputs = &inputs[below.first..];
    let outputs = &mut outputs[..above.nodes * above.bits];
    for (pair, sum) in inputs.chunks(2 * below.bits).zip(outputs.chunks_exact_mut(above.bits)) {
        let (left, right) = pair.split_at(below.bits);
        if right.is_empty() {
            sum[..below.bits].copy_from_slice(left);
            sum[below.bits] = W::zero();
            continue;
        }
        let mut carry = W::zero();
        for ((sum, &left), &right) in sum.iter_mut().zip(left).zip(right) {
            *sum = W::xor3(left, right, carry);
            carry = W::majority(left, right, carry);
        }
        sum[below.bits] = carry;
    }
}

/// Goes one level down: in each lane to the left child if it holds the wanted move, else to the
/// right one with the left one's moves counted off.
#[inline(always)]
fn descend<W: Word>(scratch: &mut Scratch<W>, level: Level, wanted: &mut [W; BITS]) {
    let counts = &scratch.counts[level.first..level.first + level.nodes * level.bits];
    let mut left = [W::zero(); BITS];
    for (pair, &active) in counts.chunks_exact(2 * level.bits).zip(&scratch.active) {
        for (left, &count) in left[..level.bits].iter_mut().zip(pair) {
            *left = W::or_and(*left, active, count);
        }
    }
    let mut borrow = W::zero();
    let mut rest = [W::zero(); BITS];
    for place in 0..=level.bits {
        rest[place] = W::xor3(wanted[place], left[place], borrow);
        borrow = W::borrow(wanted[place], left[place], borrow);
    }
    for place in 0..=level.bits {
        wanted[place] = W::select(borrow, wanted[place], rest[place]);
    }
    let children = scratch.next_active[..level.nodes].chunks_mut(2);
    for (children, &active) in children.zip(&scratch.active) {
        match children {
            [left, right] => {
                *left = active.and(borrow);
                *right = active.and_not(borrow);
            }
            // Its lanes have nowhere else to go.
            [only_child] => *only_child = active,
            _ => {}
        }
    }
}

/// Finds the wanted move in the active group of each lane.
#[inline(always)]
fn choose_in_group<W: Word>(moves: &mut [W], active: &[W], wanted: &[W; BITS]) {
    let mut gathered = [W::zero(); GROUP];
    for (group, &active) in moves.chunks(GROUP).zip(active) {
        for (gathered, &legal) in gathered.iter_mut().zip(group) {
            *gathered = W::or_and(*gathered, active, legal);
        }
    }
    let mut wanted = [wanted[0], wanted[1], wanted[2]];
    let mut pending = W::ones();
    for legal in &mut gathered {
        *legal = count_down(&mut wanted, legal.and(pending));
        pending = pending.and_not(*legal);
    }
    for (group, &active) in moves.chunks_mut(GROUP).zip(active) {
        for (does, &chosen) in group.iter_mut().zip(&gathered) {
            *does = active.and(chosen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::word::Plain;

    /// Legality with one set move at least in every lane, of the given density.
    fn legality(moves: usize, density: u32, seed: u64) -> Vec<Plain<1>> {
        let mut random = Random::<Plain<1>>::new(seed);
        let mut words: Vec<Plain<1>> = (0..moves)
            .map(|_| (0..density).fold(Plain::ones(), |word, _| word.and(random.word())))
            .collect();
        let any = words.iter().fold(Plain::zero(), |any, &word| any.or(word));
        let first = &mut words[moves / 2];
        *first = first.or(Plain::ones().and_not(any));
        words
    }

    fn lane(word: Plain<1>, lane: usize) -> bool {
        word.parts()[0] >> lane & 1 == 1
    }

    /// Chi-square of the choices against the uniform distribution, over all lanes, as a number of
    /// standard deviations.
    fn deviation(moves: usize, density: u32, draws: u32) -> f64 {
        let legal = legality(moves, density, 11);
        let mut random = Random::<Plain<1>>::new(5);
        let mut scratch = Scratch::new(moves);
        let mut counts = vec![vec![0u32; moves]; 64];
        for _ in 0..draws {
            let mut does = legal.clone();
            let stuck = choose(&mut does, Plain::ones(), &mut random, &mut scratch);
            assert!(!stuck.any());
            for (action, &word) in does.iter().enumerate() {
                assert!(!word.and_not(legal[action]).any(), "an illegal move was chosen");
                for (number, counts) in counts.iter_mut().enumerate() {
                    counts[action] += u32::from(lane(word, number));
                }
            }
        }
        let (mut chi_square, mut freedom) = (0.0, 0.0);
        for (number, counts) in counts.iter().enumerate() {
            let legal_here: Vec<usize> = (0..moves).filter(|&m| lane(legal[m], number)).collect();
            let expected = f64::from(draws) / legal_here.len() as f64;
            let chosen: u32 = legal_here.iter().map(|&action| counts[action]).sum();
            assert_eq!(chosen, draws, "every lane chooses exactly one move");
            for action in &legal_here {
                chi_square += (f64::from(counts[*action]) - expected).powi(2) / expected;
            }
            freedom += legal_here.len() as f64 - 1.0;
        }
        (chi_square - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn the_choice_is_uniform_whatever_the_number_of_moves() {
        for (moves, density) in [
            (2, 0),
            (3, 1),
            (9, 1),
            (16, 1),
            (36, 1),
            (63, 2),
            (64, 1),
            (71, 3),
            (154, 3),
            (640, 5),
        ] {
            let deviation = deviation(moves, density, 2_000);
            assert!(deviation.abs() < 4.5, "{moves} moves: {deviation} standard deviations");
        }
    }

    #[test]
    fn a_lane_without_a_legal_move_is_stuck_and_does_nothing() {
        for moves in [1usize, 2, 20, 100] {
            let mut does = legality(moves, 1, 3);
            for word in &mut does {
                *word = word.and_not(Plain::from_parts(&[0b100; 8]));
            }
            let mut random = Random::new(1);
            let running = Plain::<1>::from_parts(&[0xff; 8]);
            let stuck = choose(&mut does, running, &mut random, &mut Scratch::new(moves));
            assert_eq!(stuck.parts()[0], 0b100);
            let done = does.iter().map(|word| word.count()).sum::<u32>();
            assert_eq!(done, 7, "the seven other running lanes choose one move each");
        }
    }
}
