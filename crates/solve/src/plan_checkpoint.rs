//! Checkpoints of a search for one player: which goals are out of reach, the best plan, and the states
//! met so far, each with the state and move it was reached by.
//!
//! The search goes on where it was, so it comes to the same answer. A sum at the end tells damaged
//! checkpoints, and a fingerprint those of another game.

use gambol_index::Id;

use crate::BadCheckpoint;
use crate::alpha_beta::sum;
use crate::plan::Search;
use crate::store::{StateId, Store};

pub(crate) const MAGIC: u64 = 0x6761_6d62_6f6c_0101;

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
    width: usize,
    rows: &'a [[u8; 8]],
    parents: &'a [[u8; 8]],
}

impl SavedSearch<'_> {
    /// The search as it was.
    pub(crate) fn restore(&self, search: &mut Search) {
        search.store = Store::new(self.width);
        let mut row = vec![0; self.width];
        for words in self.rows.chunks_exact(self.width) {
            row.iter_mut().zip(words).for_each(|(to, &word)| *to = u64::from_le_bytes(word));
            search.store.insert(&row);
        }
        let parent = |&word: &[u8; 8]| {
            let word = u64::from_le_bytes(word);
            (StateId::new((word >> 32) as u32), word as u32)
        };
        search.parents = self.parents.iter().map(parent).collect();
        (search.done, search.nodes, search.best) = (self.done, self.nodes, self.best);
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
    let mut bytes = Vec::new();
    let mut put = |word: u64| bytes.extend_from_slice(&word.to_le_bytes());
    let list = |put: &mut dyn FnMut(u64), words: &[u32]| {
        put(words.len() as u64);
        words.iter().for_each(|&word| put(word.into()));
    };
    [MAGIC, fingerprint].into_iter().for_each(&mut put);
    list(&mut put, out_of_reach);
    put(best.map_or(0, |(value, _)| u64::from(value) + 1));
    list(&mut put, best.map_or(&[], |(_, plan)| plan));
    put(search.map_or(0, |(value, _)| u64::from(value) + 1));
    if let Some((_, search)) = search {
        put(search.pruned.into());
        put(search.done as u64);
        put(search.nodes);
        put(search.best.map_or(0, |(goal, _)| u64::from(goal) + 1));
        put(search.best.map_or(0, |(_, state)| state.number().into()));
        put(search.parents.len() as u64);
        search.store.rows(0..search.store.len()).iter().for_each(|&word| put(word));
        let parent =
            |&(from, action): &(StateId, u32)| u64::from(from.number()) << 32 | u64::from(action);
        search.parents.iter().map(parent).for_each(put);
    }
    let end = sum(words_of(&bytes));
    bytes.extend_from_slice(&end.to_le_bytes());
    bytes
}

fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word))
}

/// What a checkpoint of states of so many words says.
pub(crate) fn read(
    bytes: &[u8],
    fingerprint: u64,
    width: usize,
) -> Result<Saved<'_>, BadCheckpoint> {
    let (words, rest) = bytes.as_chunks::<8>();
    let (last, words) = words.split_last().ok_or(BadCheckpoint::Damaged)?;
    let whole = words.iter().map(|&word| u64::from_le_bytes(word));
    if !rest.is_empty() || u64::from_le_bytes(*last) != sum(whole) {
        return Err(BadCheckpoint::Damaged);
    }
    let mut words = Words(words);
    if (words.next(), words.next()) != (Some(MAGIC), Some(fingerprint)) {
        return Err(BadCheckpoint::Other);
    }
    words.saved(width).ok_or(BadCheckpoint::Damaged)
}

/// The words that are still to be read.
struct Words<'a>(&'a [[u8; 8]]);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<u64> {
        self.take(1).map(|words| u64::from_le_bytes(words[0]))
    }

    fn take(&mut self, count: usize) -> Option<&'a [[u8; 8]]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn list(&mut self) -> Option<Vec<u32>> {
        let count = self.next()? as usize;
        Some(self.take(count)?.iter().map(|&word| u64::from_le_bytes(word) as u32).collect())
    }

    /// A number from 0 on, or none.
    fn option(&mut self) -> Option<Option<u32>> {
        Some(self.next()?.checked_sub(1).map(|number| number as u32))
    }

    fn saved(&mut self, width: usize) -> Option<Saved<'a>> {
        let out_of_reach = self.list()?;
        let (value, plan) = (self.option()?, self.list()?);
        let best = value.map(|value| (value, plan));
        let search = match self.option()? {
            Some(value) => Some(self.search(value, width)?),
            None => None,
        };
        Some(Saved { out_of_reach, best, search })
    }

    fn search(&mut self, value: u32, width: usize) -> Option<SavedSearch<'a>> {
        let pruned = self.next()? != 0;
        let (done, nodes) = (self.next()? as usize, self.next()?);
        let (goal, state, states) = (self.option()?, self.next()? as usize, self.next()? as usize);
        let rows = self.take(states.checked_mul(width)?)?;
        let parents = self.take(states)?;
        let best = goal.map(|goal| (goal, StateId::from_index(state)));
        (done <= states && state < states).then_some(())?;
        Some(SavedSearch { value, pruned, done, nodes, best, width, rows, parents })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{DeadMask, Plans, Wanted, best_plan_from};
    use crate::{Dynamics, Limits, Looks};

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
                    4321 => looks.push_end([Some(70)]),
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
            let saved = read(bytes, 7, 1).expect("it is whole");
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
            assert!(read(&damaged, 7, 1).is_err(), "{place}");
            assert!(read(&bytes[..place], 7, 1).is_err(), "{place}");
        }
        assert_eq!(read(&bytes, 8, 1).err(), Some(BadCheckpoint::Other));
    }
}
