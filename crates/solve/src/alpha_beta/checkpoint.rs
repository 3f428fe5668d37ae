//! Checkpoints: the dear entries of the table, and how far the questions have come.
//!
//! Entries are proofs, so a search that begins with them comes to the same value. A sum at the end
//! tells damaged checkpoints, and a fingerprint those of another game.

use gambol_index::Id;

use super::Range;
use super::table::{Entry, Table};
use super::weights::Weights;
use crate::plan_checkpoint;
use crate::solve::Task;

const MAGIC: u64 = 0x6761_6d62_6f6c_0001;
/// The most entries that are kept.
const MOST_ENTRIES: u64 = 1_000_000;
/// Entries that are looked at to see how many are dear.
const SAMPLE: u64 = 4_000_000;

/// Why a checkpoint cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadCheckpoint {
    /// It is not whole.
    #[error("the checkpoint is damaged; remove it to begin anew")]
    Damaged,
    /// It is of another game, state or way to solve.
    #[error("the checkpoint belongs to another game, state or method; remove it to begin anew")]
    Other,
}

/// What a search goes on from.
pub(super) struct Checkpoint<const K: usize> {
    pub(super) range: Range,
    pub(super) weights: Weights,
    pub(super) nodes: u64,
    pub(super) entries: Vec<([u64; K], Entry)>,
}

/// The words of a checkpoint.
pub(super) fn write<const K: usize>(
    fingerprint: u64,
    range: Range,
    weights: &Weights,
    nodes: u64,
    table: &Table<K>,
) -> Vec<u8> {
    let mut words = vec![MAGIC, K as u64, fingerprint, nodes];
    words.push(u64::from(range.least) | u64::from(range.most) << 8);
    words.extend(weights.to_words());
    for (key, entry) in table.entries(dear(table)) {
        words.extend(key);
        words.push(entry.pack());
    }
    words.push(sum(words.iter().copied()));
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// The least work of the entries that are kept. A part of a large table tells what the whole is like.
fn dear<const K: usize>(table: &Table<K>) -> u8 {
    let mut counts = [0u64; 65];
    let every = (table.room() / SAMPLE).max(1);
    let seen = table.some_entries(every as usize);
    seen.for_each(|(_, entry)| counts[usize::from(entry.work.min(64))] += every);
    let mut kept = 0;
    for work in (1..counts.len()).rev() {
        kept += counts[work];
        if kept > MOST_ENTRIES {
            return work as u8 + 1;
        }
    }
    1
}

pub(super) fn read<const K: usize>(
    bytes: &[u8],
    fingerprint: u64,
) -> Result<Checkpoint<K>, BadCheckpoint> {
    let (words, rest) = bytes.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
    let (&last, words) = words.split_last().ok_or(BadCheckpoint::Damaged)?;
    if !rest.is_empty() || last != sum(words.iter().copied()) || words.first() != Some(&MAGIC) {
        return Err(BadCheckpoint::Damaged);
    }
    let [_, width, print, nodes, range, weights @ ..] = words else {
        return Err(BadCheckpoint::Damaged);
    };
    if *width != K as u64 || *print != fingerprint {
        return Err(BadCheckpoint::Other);
    }
    let (weights, entries) =
        weights.split_at_checked(Weights::WORDS).ok_or(BadCheckpoint::Damaged)?;
    let entries = entries.chunks_exact(K + 1).map(|row| {
        let mut key = [0; K];
        key.copy_from_slice(&row[..K]);
        (key, Entry::unpack(row[K]))
    });
    Ok(Checkpoint {
        range: Range { least: *range as u8, most: (*range >> 8) as u8 },
        weights: Weights::from_words(weights).ok_or(BadCheckpoint::Damaged)?,
        nodes: *nodes,
        entries: entries.collect(),
    })
}

/// A sum of words that depends on their order.
pub(crate) fn sum(words: impl IntoIterator<Item = u64>) -> u64 {
    let step =
        |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    words.into_iter().fold(0x243f_6a88_85a3_08d3, step)
}

/// Whether bytes begin like a checkpoint, of whatever game.
pub fn is_checkpoint(bytes: &[u8]) -> bool {
    let magic = [MAGIC, plan_checkpoint::MAGIC];
    magic.iter().any(|magic| bytes.starts_with(&magic.to_le_bytes()))
}

/// A number that tells games, states and ways to solve apart.
pub(crate) fn fingerprint(task: &Task<'_>) -> u64 {
    let net = task.net;
    let mut words = vec![net.gate_count() as u64, u64::from(task.options.pruning)];
    words.extend(task.start);
    for text in net.roles.iter().chain(net.fluents.iter()) {
        words.push(text.len() as u64);
        words.extend(text.bytes().map(u64::from));
    }
    for gate in net.next.iter().chain(net.legal.iter()).chain([&net.terminal]) {
        words.push(gate.index() as u64);
    }
    for goal in &net.goals {
        words.extend([goal.role.index() as u64, goal.value.into(), goal.gate.index() as u64]);
    }
    sum(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Vec<u8> {
        let table = Table::<1>::within(1 << 12);
        for key in 0..20 {
            table.add(&[key], Entry { least: 1, most: 2, work: 3, action: key as u32 });
        }
        write(7, Range { least: 0, most: 2 }, &Weights::ALL, 99, &table)
    }

    #[test]
    fn what_is_written_is_read() {
        let found = read::<1>(&checkpoint(), 7).map_err(|bad| bad.to_string()).unwrap();
        assert_eq!((found.nodes, found.weights), (99, Weights::ALL));
        assert_eq!((found.range.least, found.range.most), (0, 2));
        assert!(found.entries.iter().all(|(key, entry)| key[0] == u64::from(entry.action)));
        assert!(found.entries.len() > 10);
    }

    #[test]
    fn damaged_checkpoints_and_those_of_other_games_are_refused() {
        let bytes = checkpoint();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 4;
            assert!(read::<1>(&damaged, 7).is_err(), "{place}");
            assert!(read::<1>(&bytes[..place], 7).is_err(), "{place}");
        }
        assert_eq!(read::<1>(&bytes, 8).err(), Some(BadCheckpoint::Other));
        assert_eq!(read::<2>(&bytes, 7).err(), Some(BadCheckpoint::Other));
    }
}
