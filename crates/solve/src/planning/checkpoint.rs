//! Checkpoints of a search for one player: which goals are out of reach, the best plan, and the states
//! met so far, each with the state and move it was reached by.
//!
//! The search goes on where it was, so it comes to the same answer.

use gambol_index::Id;

use crate::checkpoint::{Kind, Words, Writer};
use crate::error::BadCheckpoint;
use crate::listing::store::{StateId, Store};
use crate::planning::breadth_first::Search;

/// What was known when the checkpoint was written.
#[derive(Default)]
pub(crate) struct Saved<'a> {
    /// Goal values that cannot be reached.
    pub(crate) out_of_reach: Vec<u32>,
    /// A goal value that is reached, and the moves to it.
    pub(crate) best: Option<(u32, Vec<u32>)>,
    pub(crate) search: Option<SavedSearch<'a>>,
}

/// A search that was not finished.
pub(crate) struct SavedSearch<'a> {
    /// The goal it looks for.
    pub(crate) value: u32,
    /// Whether states were left out that are dead for that goal.
    pub(crate) pruned: bool,
    done: usize,
    nodes: u64,
    best: Option<(u32, StateId)>,
    hope: u32,
    width: usize,
    rows: &'a [[u8; 8]],
    parents: &'a [[u8; 8]],
}

impl SavedSearch<'_> {
    /// The search as it was.
    pub(crate) fn restore(&self, search: &mut Search) {
        search.store = Store::of_rows(self.rows, self.width);
        let parent = |&word: &[u8; 8]| {
            let word = u64::from_le_bytes(word);
            (StateId::new((word >> 32) as u32), word as u32)
        };
        search.parents = self.parents.iter().map(parent).collect();
        (search.done, search.nodes, search.best) = (self.done, self.nodes, self.best);
        search.hope = self.hope;
        search.pruned |= self.pruned;
    }
}

/// The bytes of a checkpoint.
pub(crate) fn write(
    fingerprint: u64,
    out_of_reach: &[u32],
    best: Option<(u32, &[u32])>,
    search: Option<(u32, &Search)>,
) -> Vec<u8> {
    let mut words = Writer::new(Kind::Plan, fingerprint);
    words.list(out_of_reach);
    words.put(best.map_or(0, |(value, _)| u64::from(value) + 1));
    words.list(best.map_or(&[], |(_, plan)| plan));
    words.put(search.map_or(0, |(value, _)| u64::from(value) + 1));
    if let Some((_, search)) = search {
        words.put_all([search.pruned.into(), search.done as u64, search.nodes]);
        words.put(search.hope.into());
        words.put(search.best.map_or(0, |(goal, _)| u64::from(goal) + 1));
        words.put(search.best.map_or(0, |(_, state)| state.number().into()));
        words.put(search.parents.len() as u64);
        words.put_all(search.store.rows(0..search.store.len()).iter().copied());
        let parent =
            |&(from, action): &(StateId, u32)| u64::from(from.number()) << 32 | u64::from(action);
        words.put_all(search.parents.iter().map(parent));
    }
    words.finish()
}

/// What a checkpoint says, of a game with states of so many words and so many moves.
pub(crate) fn read(
    bytes: &[u8],
    fingerprint: u64,
    (width, moves): (usize, usize),
) -> Result<Saved<'_>, BadCheckpoint> {
    let mut words = Words::open(bytes, Kind::Plan, fingerprint)?;
    let saved = saved(&mut words, width).filter(|saved| saved.fits(moves));
    saved.ok_or(BadCheckpoint::Damaged)
}

impl Saved<'_> {
    /// Whether the game has all moves, and each state was reached from an earlier one.
    fn fits(&self, moves: usize) -> bool {
        let known = |action: u32| (action as usize) < moves;
        let plan = self.best.iter().flat_map(|(_, plan)| plan);
        let parents = self.search.iter().flat_map(|search| search.parents.iter().enumerate());
        plan.copied().all(known)
            && parents.skip(1).all(|(place, &word)| {
                let word = u64::from_le_bytes(word);
                ((word >> 32) as usize) < place && known(word as u32)
            })
    }
}

fn saved<'a>(words: &mut Words<'a>, width: usize) -> Option<Saved<'a>> {
    let out_of_reach = words.list()?;
    let (value, plan) = (words.option()?, words.list()?);
    let best = value.map(|value| (value, plan));
    let search = match words.option()? {
        Some(value) => Some(saved_search(words, value, width)?),
        None => None,
    };
    Some(Saved { out_of_reach, best, search })
}

fn saved_search<'a>(words: &mut Words<'a>, value: u32, width: usize) -> Option<SavedSearch<'a>> {
    let pruned = words.next()? != 0;
    let (done, nodes) = (words.count()?, words.next()?);
    let hope = u32::try_from(words.next()?).ok()?;
    let (goal, state, states) = (words.option()?, words.count()?, words.count()?);
    let (rows, parents) = (words.rows(states, width)?, words.take(states)?);
    (done <= states && state < states).then_some(())?;
    let best = goal.map(|goal| (goal, StateId::from_index(state)));
    Some(SavedSearch { value, pruned, done, nodes, best, hope, width, rows, parents })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planning::breadth_first::{DeadMask, Plans, Wanted, best_plan_from};
    use crate::{Dynamics, Limits, Looks, Payoff};

    /// A number is increased by one, or trebled, modulo 9001, until it is 4321.
    struct Numbers;

    impl Dynamics for Numbers {
        fn roles(&self) -> usize {
            1
        }

        fn width(&self) -> usize {
            1
        }

        fn start(&self) -> Vec<u64> {
            vec![1]
        }

        fn look(&mut self, states: &[u64]) -> Looks {
            let mut looks = Looks::new(1);
            for &number in states {
                match number {
                    4321 => looks.push_end([Payoff::exact(70)]),
                    _ => looks.push_open([[0, 1]]),
                }
            }
            looks
        }

        fn step(&mut self, states: &[u64], moves: &[u32]) -> Vec<u64> {
            let step = |(&number, &action): (&u64, &u32)| match action {
                0 => (number + 1) % 9001,
                _ => number * 3 % 9001,
            };
            states.iter().zip(moves).map(step).collect()
        }
    }

    fn search(saved: Option<&SavedSearch<'_>>, watcher: &mut dyn FnMut(&Search)) -> Plans {
        let dead = DeadMask::default();
        let wanted = Wanted { start: &[1], ceiling: 100, dead: &dead, most_states: usize::MAX };
        best_plan_from(&mut Numbers, &wanted, &Limits::default(), saved, watcher)
    }

    /// A checkpoint after each batch.
    fn checkpoints() -> (Plans, Vec<Vec<u8>>) {
        let mut kept = Vec::new();
        let whole = search(None, &mut |search| {
            kept.push(write(7, &[90], Some((70, &[1, 0])), Some((100, search))));
        });
        (whole, kept)
    }

    #[test]
    fn a_search_goes_on_from_any_checkpoint_to_the_same_plan() {
        let (whole, kept) = checkpoints();
        assert!(whole.best == Some(70) && kept.len() > 10);
        for bytes in &kept {
            let saved = read(bytes, 7, (1, 2)).expect("it is whole");
            assert_eq!(saved.out_of_reach, [90]);
            assert_eq!(saved.best, Some((70, vec![1, 0])));
            let found = search(saved.search.as_ref(), &mut |_| {});
            assert_eq!((found.plan, found.nodes), (whole.plan.clone(), whole.nodes));
            assert_eq!((found.best, found.states), (whole.best, whole.states));
        }
    }

    #[test]
    fn damaged_checkpoints_and_those_of_other_games_are_refused() {
        let bytes = checkpoints().1.remove(0);
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 4;
            assert!(read(&damaged, 7, (1, 2)).is_err(), "{place}");
            assert!(read(&bytes[..place], 7, (1, 2)).is_err(), "{place}");
        }
        assert_eq!(read(&bytes, 8, (1, 2)).err(), Some(BadCheckpoint::Other));
    }
}
