//! Symmetries of a game that leave the first state as it is. Of states that are images of one another one is listed.
//!
//! They map play to play and ends to ends with the same goals, so that images have the same value, and come up after
//! the same number of steps. Together with the identity they must be a group, so that "is an image of" is an
//! equivalence.

use gambol_index::bits::ones_of_row;
use gambol_net::Net;

use crate::reduction::symmetry::symmetries_fixing;

/// A group has at most so many members.
const MOST: usize = 16;
/// So many symmetries are looked for.
const CANDIDATES: usize = 64;

/// A group of symmetries that fix a state, without the identity: for each the image of each fluent.
pub(crate) fn group_fixing(net: &Net, start: &[u64]) -> Vec<Vec<u32>> {
    let identity: Vec<u32> = (0..net.fluents.len() as u32).collect();
    let mut group = vec![identity];
    for found in symmetries_fixing(net, start, CANDIDATES) {
        if image(&found, start) == start
            && !group.contains(&found)
            && let Some(larger) = closure(&group, found)
        {
            group = larger;
        }
    }
    group.remove(0);
    group
}

/// The group that some members and one more generate; none if it is too large.
fn closure(members: &[Vec<u32>], more: Vec<u32>) -> Option<Vec<Vec<u32>>> {
    let mut group = members.to_vec();
    group.push(more);
    let mut next = 0;
    while next < group.len() {
        for other in 0..=next {
            for product in
                [product(&group[next], &group[other]), product(&group[other], &group[next])]
            {
                if !group.contains(&product) {
                    group.push(product);
                }
            }
            (group.len() <= MOST).then_some(())?;
        }
        next += 1;
    }
    Some(group)
}

fn product(first: &[u32], then: &[u32]) -> Vec<u32> {
    first.iter().map(|&fluent| then[fluent as usize]).collect()
}

/// For each fluent the one whose image it is.
pub(crate) fn inverse(symmetry: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; symmetry.len()];
    symmetry.iter().zip(0..).for_each(|(&image, fluent)| inverse[image as usize] = fluent);
    inverse
}

/// The image of a state.
pub(crate) fn image(symmetry: &[u32], state: &[u64]) -> Vec<u64> {
    let mut image = vec![0; state.len()];
    for fluent in ones_of_row(state) {
        let to = symmetry[fluent] as usize;
        image[to / 64] |= 1 << (to % 64);
    }
    image
}

/// Whether these are permutations of so many fluents which, with the identity, are a group.
pub(crate) fn is_group(symmetries: &[Vec<u32>], fluents: usize) -> bool {
    let identity: Vec<u32> = (0..fluents as u32).collect();
    let is_permutation = |symmetry: &Vec<u32>| {
        let mut met = vec![false; fluents];
        let mut fresh =
            |&to: &u32| met.get_mut(to as usize).is_some_and(|met| !std::mem::replace(met, true));
        symmetry.len() == fluents && symmetry.iter().all(&mut fresh)
    };
    let member = |product: &Vec<u32>| *product == identity || symmetries.contains(product);
    let distinct = |place: usize| {
        !symmetries[..place].contains(&symmetries[place]) && symmetries[place] != identity
    };
    symmetries.len() < MOST
        && symmetries.iter().all(is_permutation)
        && (0..symmetries.len()).all(distinct)
        && symmetries.iter().all(|one| symmetries.iter().all(|other| member(&product(one, other))))
}
