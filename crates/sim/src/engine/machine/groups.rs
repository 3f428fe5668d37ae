//! Groups of moves of which one is open at a time.
//!
//! Who moves a single piece chooses among the moves from the square it stands on; those from all other
//! squares are illegal. Groups like these can be laid over one another, the first moves of all of them, the
//! second, and so on, and the choice is among a few words instead of many. They are found in random games, as
//! the components of "was legal beside". That no two of them are open in a lane is looked at in each step, so
//! that nothing but speed rests on the sample.

use std::ops::Range;

use gambol_index::bits::ones;
use gambol_index::{Id, UnionFind, define_id};
use gambol_net::When;

use crate::engine::batch::{Batch, Phase};
use crate::engine::choice::{Scratch, choose};
use crate::engine::random::Random;
use crate::engine::word::{Plain, Word};

define_id! {
    /// The place of a move in its choice.
    pub(crate) struct Place;
}

/// The moves of a choice in groups, each ascending.
pub(crate) type Groups = Vec<Vec<Place>>;

/// Sets of moves that were legal together.
type Sets = Vec<Vec<Place>>;

/// How many instructions the random games may take, about.
const WORK: f64 = 1e6;
/// One in this many sets may join groups that are otherwise apart: then all lanes do without groups.
const RARE: usize = 1_000;
/// Choices among fewer moves are left as they are.
const FEWEST: usize = 20;

/// For each phase and each choice its groups, where they pay.
pub(crate) fn find_groups(batch: &Batch) -> Vec<Vec<Option<Groups>>> {
    let lengths = |phase: &Phase| phase.choices.iter().map(Range::len).collect::<Vec<usize>>();
    let mut choices = batch.phases.iter().flat_map(lengths);
    let wanted = batch.layout.is_shared() && batch.grouping != When::Never;
    let sampled = match wanted && choices.any(|moves| moves >= FEWEST) {
        true => sample(batch),
        false => batch.phases.iter().map(|phase| vec![Sets::new(); phase.choices.len()]).collect(),
    };
    let of_phase = |(phase, sets): (&Phase, Vec<Sets>)| {
        let choices = lengths(phase).into_iter().zip(sets);
        choices.map(|(moves, sets)| groups_of(moves, sets, batch.grouping)).collect()
    };
    batch.phases.iter().zip(sampled).map(of_phase).collect()
}

/// Plays random games and notes what is legal together. The start is left out: all games are there once.
fn sample(batch: &Batch) -> Vec<Vec<Sets>> {
    let phases = &batch.phases;
    let mut sets: Vec<Vec<Sets>> = phases.iter().map(|p| vec![vec![]; p.choices.len()]).collect();
    let mut slots = batch.new_slots::<Plain<1>>(0);
    let (mut random, mut scratch) = (Random::new(0), Scratch::new(batch.most_moves));
    let mut running = Plain::<1>::ones();
    let steps = (WORK / batch.step_cost()).clamp(40.0, 400.0) as usize;
    for step in 0..steps {
        let number = step % phases.len();
        phases[number].legality.run(&mut slots);
        running = running.and_not(slots[batch.layout.terminal as usize]);
        for (choice, sets) in phases[number].choices.iter().zip(&mut sets[number]) {
            let legal = &mut slots[choice.clone()];
            if step > 0 && legal.len() >= FEWEST {
                sets.extend(legal_together(legal, running));
            }
            running = running.and_not(choose(legal, running, &mut random, &mut scratch));
        }
        batch.step_by_table(number, Plain::zero(), &mut slots);
    }
    sets
}

/// What is legal in each of the lanes given.
fn legal_together(legal: &[Plain<1>], lanes: Plain<1>) -> Sets {
    let mut sets = vec![Vec::new(); 64];
    for (place, &word) in legal.iter().enumerate() {
        for lane in ones(word.and(lanes).parts()[0]) {
            sets[lane].push(Place::from_index(place));
        }
    }
    sets.retain(|set| set.len() > 1);
    sets
}

/// The components of "was legal beside", if there are enough of them.
fn groups_of(moves: usize, mut sets: Sets, grouping: When) -> Option<Groups> {
    if moves < FEWEST || grouping == When::Never {
        return None;
    }
    sets.sort_by_key(Vec::len);
    sets.truncate(sets.len() - sets.len() / RARE);
    let mut together: UnionFind<Place> = UnionFind::new(moves);
    sets.into_iter().for_each(|set| together.union_all(set));
    let groups = together.classes();
    let most = groups.iter().map(Vec::len).max().unwrap_or(0);
    // A move costs three instructions in groups, and ten where it is chosen.
    let pays = 3 * (moves + groups.len()) + 10 * most <= 7 * moves;
    (pays || grouping == When::Always).then_some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(places: &[usize]) -> Vec<Place> {
        places.iter().map(|&place| Place::from_index(place)).collect()
    }

    #[test]
    fn moves_that_are_never_legal_together_are_in_different_groups() {
        let mut sets: Sets = (0..8).map(|group| set(&[group, group + 8, group + 16])).collect();
        let groups = groups_of(24, sets.clone(), When::WhenItPays).unwrap();
        assert_eq!((groups.len(), &groups[3]), (8, &set(&[3, 11, 19])));
        // Everything at once, but rarely.
        sets.resize(RARE, set(&[0, 8]));
        sets.push(set(&(0..24).collect::<Vec<_>>()));
        assert_eq!(groups_of(24, sets.clone(), When::WhenItPays).unwrap(), groups);
        assert_eq!(groups_of(24, sets, When::Never), None);
    }

    #[test]
    fn one_group_does_not_pay() {
        let all = vec![set(&(0..24).collect::<Vec<_>>())];
        assert_eq!(groups_of(24, all.clone(), When::WhenItPays), None);
        assert_eq!(groups_of(24, all, When::Always).map(|groups| groups.len()), Some(1));
    }
}
