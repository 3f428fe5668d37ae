//! Random walks: first guesses about a game, and positions for trials.

use gambol_run::Random;

use crate::Dynamics;

/// How many random games give the first impression.
const WALKS: usize = 16;
/// The length at which walks are cut off.
const LONGEST: usize = 2_000;

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
    let mut random = Random::new(seed);
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
