//! Random walks: a first impression of a game, and positions to try things on.

use crate::Dynamics;

/// How many random games give the first impression.
const WALKS: usize = 16;
/// Walks are cut off after so many steps.
const LONGEST: usize = 2_000;

/// A small generator of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// The states of one random game, from the given one to an end or to where it is cut off.
pub(crate) fn walk(game: &mut impl Dynamics, start: &[u64], random: &mut Random) -> Vec<Vec<u64>> {
    let mut states = vec![start.to_vec()];
    while states.len() <= LONGEST {
        let state = states.last().expect("the start is there");
        let looks = game.look(state);
        let count = looks.joint_count(0);
        if count == 0 {
            break;
        }
        let mut joint = Vec::new();
        looks.joint_move(0, random.below(count), &mut joint);
        let next = game.step(state, &joint);
        states.push(next);
    }
    states
}

/// What the goals of two roles add up to at the end of random games; none if that differs, or no
/// game came to an end with one goal each. This is a supposition, not a fact: see
/// [`SupposedSum`](crate::facts::SupposedSum).
pub(crate) fn common_sum(game: &mut impl Dynamics, start: &[u64], seed: u64) -> Option<u32> {
    let mut random = Random(seed);
    let mut common = None;
    for _ in 0..WALKS {
        let states = walk(game, start, &mut random);
        let looks = game.look(states.last()?);
        if !looks.over(0) {
            continue;
        }
        if let [Some(one), Some(other)] = [0, 1].map(|role| looks.goals(0)[role].value()) {
            let sum = one + other;
            if *common.get_or_insert(sum) != sum {
                return None;
            }
        }
    }
    common
}
